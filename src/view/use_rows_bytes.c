// SPDX-License-Identifier: MIT
/*
 * use_rows_bytes.c - rows as bytes: how many there are, and of each the keys that were asked for, the names that go
 * with them, its times, its count and, if they were asked for, its longest waits.
 *
 * A key is its type and its number or text.  Times are a byte whose bits say which of them are not 0, and these.
 */
#include <string.h>

#include "base/error.h"
#include "view/use_rows.h"
#include "view/use_sweep.h"

enum { KEY_NOTHING, KEY_NOT_KNOWN, KEY_NUMBER, KEY_TEXT, KEY_COUNT, ROW_BYTES_MIN = 2 };

/* ---- writing ------------------------------------------------------------------------------------------------ */

static void put_key(const struct histree_value *value, struct saved_bytes *saved)
{
	switch (value->type) {
	case HISTREE_INT:
		saved_put(saved, KEY_NUMBER);
		saved_put_signed(saved, value->int32);
		break;
	case HISTREE_STRING:
		saved_put(saved, KEY_TEXT);
		saved_put_text(saved, value->bytes, value->size);
		break;
	default:
		saved_put(saved, value->type == HISTREE_UNKNOWN ? KEY_NOT_KNOWN : KEY_NOTHING);
	}
}

static void put_longest(const struct histree_use_longest *longest, struct saved_bytes *saved)
{
	saved_put(saved, longest->ns);
	saved_put_signed(saved, longest->start);
}

static void put_row(const struct histree_use_row *row, unsigned by, bool has_longest, struct saved_bytes *saved)
{
	unsigned some = 0;
	for (size_t i = 0; i < HISTREE_USE_KEY_COUNT; i++)
		if ((by & 1U << i) != 0)
			put_key(&row->keys[i], saved);
	if (by & HISTREE_BY(THREAD)) {
		saved_put(saved, (uint64_t)row->life);
		saved_put_signed(saved, row->from);
		saved_put_signed(saved, row->to);
		saved_put_text(saved, row->name, strlen(row->name));
	}
	if (by & HISTREE_BY(HAD_BY)) {
		saved_put(saved, (uint64_t)row->had_by_life);
		saved_put_text(saved, row->had_by_name, strlen(row->had_by_name));
	}
	for (unsigned use = 0; use < HISTREE_USE_COUNT; use++)
		some |= row->ns[use] > 0 ? 1U << use : 0;
	saved_put(saved, some);
	for (unsigned use = 0; use < HISTREE_USE_COUNT; use++)
		if (row->ns[use] > 0)
			saved_put(saved, row->ns[use]);
	saved_put(saved, row->count);
	if (has_longest) {
		put_longest(&row->longest_wait, saved);
		put_longest(&row->longest_block, saved);
	}
}

void use_rows_put(const struct use_rows *rows, unsigned by, bool has_longest, struct saved_bytes *saved)
{
	saved_put(saved, rows->count);
	for (size_t i = 0; i < rows->count; i++)
		put_row(&rows->rows[i], by, has_longest, saved);
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

/* Returns the id of a text; INTERN_NONE if memory is out or the text is missing. */
static uint32_t read_text(struct use_rows *rows, struct byte_reader *reader, bool *has_memory)
{
	size_t size;
	const char *text = saved_read_text(reader, &size);
	uint32_t id = reader->failed ? INTERN_NONE : intern_add(&rows->texts, text, size);
	*has_memory = *has_memory && (reader->failed || id != INTERN_NONE);
	return id;
}

static int32_t read_key(struct use_rows *rows, size_t key, struct byte_reader *reader, bool *has_memory)
{
	const bool is_text = use_rows_has_text(key);
	int32_t number = USE_NOTHING;
	switch (saved_read_below(reader, KEY_COUNT)) {
	case KEY_NOT_KNOWN:
		return USE_NOT_KNOWN;
	case KEY_NUMBER:
		number = saved_read_int32(reader);
		reader->failed |= is_text || number == USE_NOTHING || number == USE_NOT_KNOWN;
		return number;
	case KEY_TEXT:
		reader->failed |= !is_text;
		return (int32_t)read_text(rows, reader, has_memory);
	default:
		return USE_NOTHING;
	}
}

static const char *read_name(struct use_rows *rows, struct byte_reader *reader, bool *has_memory)
{
	size_t size;
	uint32_t id = read_text(rows, reader, has_memory);
	return id != INTERN_NONE ? intern_get(&rows->texts, id, &size) : "";
}

static struct histree_use_longest read_longest(struct byte_reader *reader)
{
	struct histree_use_longest longest = { .ns = read_varint(reader) };
	longest.start = saved_read_signed(reader);
	return longest;
}

static void read_times(struct histree_use_row *row, bool has_longest, struct byte_reader *reader)
{
	const uint64_t some = saved_read_below(reader, 1U << HISTREE_USE_COUNT);
	for (unsigned use = 0; use < HISTREE_USE_COUNT; use++)
		row->ns[use] = (some >> use & 1) != 0 ? read_varint(reader) : 0;
	row->count = read_varint(reader);
	if (!has_longest)
		return;
	row->longest_wait = read_longest(reader);
	row->longest_block = read_longest(reader);
}

enum histree_status use_rows_load(struct use_rows *rows, unsigned by, bool has_longest, uint32_t host,
				  struct byte_reader *reader, struct histree_error *error)
{
	bool has_memory = true, is_new = true;
	for (size_t left = saved_read_count(reader, ROW_BYTES_MIN); left > 0 && !reader->failed; left--) {
		struct use_key key = { .host = host };
		for (size_t i = 0; i < HISTREE_USE_KEY_COUNT; i++)
			key.keys[i] = (by & 1U << i) != 0 ? read_key(rows, i, reader, &has_memory) : USE_NOTHING;
		histree_time from = INT64_MIN, to = INT64_MAX;
		if (by & HISTREE_BY(THREAD)) {
			key.life = (int32_t)saved_read_below(reader, (uint64_t)INT32_MAX + 1);
			from = saved_read_signed(reader);
			to = saved_read_signed(reader);
		}
		const char *name = by & HISTREE_BY(THREAD) ? read_name(rows, reader, &has_memory) : "";
		if (by & HISTREE_BY(HAD_BY))
			key.had_by_life = (int32_t)saved_read_below(reader, (uint64_t)INT32_MAX + 1);
		const char *had_by = by & HISTREE_BY(HAD_BY) ? read_name(rows, reader, &has_memory) : "";
		struct histree_use_row *row =
			reader->failed || !has_memory ? NULL : use_rows_find(rows, &key, &is_new);
		if (row == NULL && !reader->failed)
			return error_memory(error, "the use of time");
		if (row == NULL || !is_new)
			break;
		row->from = from;
		row->to = to;
		row->name = name;
		row->had_by_name = had_by;
		read_times(row, has_longest, reader);
	}
	if (reader->failed || !is_new)
		return error_set(error, HISTREE_ERR_FORMAT, "the use of time of a host is damaged");
	return HISTREE_OK;
}
