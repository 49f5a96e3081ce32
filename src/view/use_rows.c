// SPDX-License-Identifier: MIT
/*
 * use_rows.c - the rows of a use of time: found by key, sorted, and as bytes.
 *
 * Rows as bytes: how many there are, and for each the requested keys, the names that go with them, its times, its
 * count and, if requested, its longest waits.
 *
 * A key is its type and its number or text.  Times are a byte whose bits say which of them are not 0, and these.
 */
#include "view/use_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/time_use.h"
#include "view/use_sweep.h"
#include "view/view.h"

/* ---- use rows ------------------------------------------------------------------------------------------------ */

/* ---- keys --------------------------------------------------------------------------------------------------- */

static bool has_key(const void *keys, uint32_t number, const void *key)
{
	return memcmp(&((const struct use_key *)keys)[number], key, sizeof(struct use_key)) == 0;
}

static uint64_t hash_of_key(const struct use_key *key)
{
	uint64_t hash = key->host ^ (uint64_t)((uint32_t)key->life ^ (uint32_t)key->had_by_life << 16) << 32;
	for (size_t i = 0; i < HISTREE_USE_KEY_COUNT; i++)
		hash = hash_mix(hash ^ (uint32_t)key->keys[i]);
	return hash;
}

static uint64_t hash_of_row(const void *keys, uint32_t number)
{
	return hash_of_key(&((const struct use_key *)keys)[number]);
}

/* Returns whether the numbers of a key are ids of texts. */
static bool use_rows_has_text(size_t key)
{
	return key == HISTREE_USE_BY_NAME || key == HISTREE_USE_BY_SYSTEM_CALL;
}

struct histree_value use_rows_value(const struct use_rows *rows, size_t key, int32_t number)
{
	size_t size;
	if (number == USE_NOTHING)
		return histree_null();
	if (number == USE_NOT_KNOWN)
		return histree_unknown();
	if (!use_rows_has_text(key))
		return histree_int(number);
	const char *text = intern_get(&rows->texts, (uint32_t)number, &size);
	return histree_string_n(text, size);
}

struct histree_use_row *use_rows_find(struct use_rows *rows, const struct use_key *key, bool *is_new)
{
	*is_new = false;
	if (rows->last < rows->count && has_key(rows->keys, rows->last, key))
		return &rows->rows[rows->last];
	uint64_t hash = hash_of_key(key);
	rows->last = hash_index_find(&rows->by_key, hash, has_key, rows->keys, key);
	if (rows->last != HASH_INDEX_NONE)
		return &rows->rows[rows->last];
	if (!array_reserve(&rows->keys, &rows->key_capacity, rows->count + 1) ||
	    !array_reserve(&rows->rows, &rows->row_capacity, rows->count + 1) ||
	    !hash_index_reserve(&rows->by_key, rows->count + 1, hash_of_row, rows->keys))
		return NULL;
	struct histree_use_row *row = &rows->rows[rows->count];
	*row = (struct histree_use_row){ .host = key->host,
					 .life = key->life,
					 .had_by_life = key->had_by_life,
					 .from = INT64_MIN,
					 .to = INT64_MAX,
					 .name = "",
					 .had_by_name = "" };
	for (size_t i = 0; i < HISTREE_USE_KEY_COUNT; i++)
		row->keys[i] = use_rows_value(rows, i, key->keys[i]);
	rows->last = (uint32_t)rows->count;
	rows->keys[rows->count++] = *key;
	hash_index_add(&rows->by_key, hash, rows->last);
	*is_new = true;
	return row;
}

void use_rows_cut(struct use_rows *rows, size_t count)
{
	/* The index keeps its room, so that nothing can fail here. */
	hash_index_clear(&rows->by_key);
	rows->count = count;
	rows->last = 0;
	for (uint32_t i = 0; i < count; i++)
		hash_index_add(&rows->by_key, hash_of_key(&rows->keys[i]), i);
}

void use_rows_release(struct use_rows *rows)
{
	intern_release(&rows->texts);
	hash_index_release(&rows->by_key);
	free(rows->keys);
	free(rows->rows);
	*rows = (struct use_rows){ 0 };
}

/* ---- the order ---------------------------------------------------------------------------------------------- */

static int compare_u64(uint64_t one, uint64_t other)
{
	return (one < other) - (one > other); /* the greater one first */
}

static int compare_values(const struct histree_value *one, const struct histree_value *other)
{
	if (one->type != other->type)
		return one->type < other->type ? -1 : 1;
	if (one->type == HISTREE_INT)
		return (one->int32 > other->int32) - (one->int32 < other->int32);
	if (one->type != HISTREE_STRING)
		return 0;
	return bytes_order(one->bytes, one->size, other->bytes, other->size);
}

static int by_keys(const void *one, const void *other)
{
	const struct histree_use_row *a = one, *b = other;
	int order = (a->host > b->host) - (a->host < b->host);
	for (size_t i = 0; i < HISTREE_USE_KEY_COUNT && order == 0; i++)
		order = compare_values(&a->keys[i], &b->keys[i]);
	if (order == 0)
		order = (a->life > b->life) - (a->life < b->life);
	return order != 0 ? order : (a->had_by_life > b->had_by_life) - (a->had_by_life < b->had_by_life);
}

static int by_time(const void *one, const void *other)
{
	static const enum histree_use uses[] = { HISTREE_USE_WAITING, HISTREE_USE_BLOCKED, HISTREE_USE_IDLE,
						 HISTREE_USE_OTHER, HISTREE_USE_UNKNOWN };
	const struct histree_use_row *a = one, *b = other;
	int order = compare_u64(histree_use_row_ran(a), histree_use_row_ran(b));
	for (size_t i = 0; i < sizeof(uses) / sizeof(*uses) && order == 0; i++)
		order = compare_u64(a->ns[uses[i]], b->ns[uses[i]]);
	return order != 0 ? order : by_keys(one, other);
}

void use_rows_sort(struct use_rows *rows, unsigned by)
{
	if (rows->count > 1)
		qsort(rows->rows, rows->count, sizeof(*rows->rows), by == HISTREE_BY(CPU) ? by_keys : by_time);
}

/* ---- use rows bytes ------------------------------------------------------------------------------------------ */

enum { KEY_NOTHING, KEY_NOT_KNOWN, KEY_NUMBER, KEY_TEXT, KEY_COUNT, ROW_BYTES_MIN = 2 };

/* ---- writing ------------------------------------------------------------------------------------------------ */

static void put_longest(const struct histree_use_longest *longest, struct byte_buffer *saved)
{
	byte_buffer_put_number(saved, longest->ns);
	byte_buffer_put_signed(saved, longest->start);
}

static void put_row(const struct histree_use_row *row, unsigned by, bool has_longest, struct byte_buffer *saved)
{
	unsigned some = 0;
	for (size_t i = 0; i < HISTREE_USE_KEY_COUNT; i++)
		if ((by & 1U << i) != 0) {
			const struct histree_value *value = &row->keys[i];
			switch (value->type) {
			case HISTREE_INT:
				byte_buffer_put_number(saved, KEY_NUMBER);
				byte_buffer_put_signed(saved, value->int32);
				break;
			case HISTREE_STRING:
				byte_buffer_put_number(saved, KEY_TEXT);
				byte_buffer_put_text(saved, value->bytes, value->size);
				break;
			default:
				byte_buffer_put_number(saved, value->type == HISTREE_UNKNOWN ? KEY_NOT_KNOWN
											     : KEY_NOTHING);
			}
		}
	if (by & HISTREE_BY(THREAD)) {
		byte_buffer_put_number(saved, (uint64_t)row->life);
		byte_buffer_put_signed(saved, row->from);
		byte_buffer_put_signed(saved, row->to);
	}
	if (by & (HISTREE_BY(THREAD) | HISTREE_BY(PROCESS)))
		byte_buffer_put_text(saved, row->name, strlen(row->name));
	if (by & HISTREE_BY(HAD_BY)) {
		byte_buffer_put_number(saved, (uint64_t)row->had_by_life);
		byte_buffer_put_text(saved, row->had_by_name, strlen(row->had_by_name));
	}
	for (unsigned use = 0; use < HISTREE_USE_COUNT; use++)
		some |= row->ns[use] > 0 ? 1U << use : 0;
	byte_buffer_put_number(saved, some);
	for (unsigned use = 0; use < HISTREE_USE_COUNT; use++)
		if (row->ns[use] > 0)
			byte_buffer_put_number(saved, row->ns[use]);
	byte_buffer_put_number(saved, row->count);
	if (has_longest) {
		put_longest(&row->longest_wait, saved);
		put_longest(&row->longest_block, saved);
	}
}

void use_rows_put(const struct use_rows *rows, unsigned by, bool has_longest, struct byte_buffer *saved)
{
	byte_buffer_put_number(saved, rows->count);
	for (size_t i = 0; i < rows->count; i++)
		put_row(&rows->rows[i], by, has_longest, saved);
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

/* Returns the id of a text; INTERN_NONE if memory runs out or the text is missing. */
static uint32_t read_text(struct use_rows *rows, struct byte_reader *reader, bool *has_memory)
{
	size_t size;
	const char *text = byte_reader_text(reader, &size);
	uint32_t id = reader->failed ? INTERN_NONE : intern_add(&rows->texts, text, size);
	*has_memory = *has_memory && (reader->failed || id != INTERN_NONE);
	return id;
}

static int32_t read_key(struct use_rows *rows, size_t key, struct byte_reader *reader, bool *has_memory)
{
	const bool is_text = use_rows_has_text(key);
	int32_t number = USE_NOTHING;
	switch (byte_reader_below(reader, KEY_COUNT)) {
	case KEY_NOT_KNOWN:
		return USE_NOT_KNOWN;
	case KEY_NUMBER:
		number = byte_reader_int32(reader);
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
	longest.start = byte_reader_signed(reader);
	return longest;
}

static void read_times(struct histree_use_row *row, bool has_longest, struct byte_reader *reader)
{
	const uint64_t some = byte_reader_below(reader, 1U << HISTREE_USE_COUNT);
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
	for (size_t left = byte_reader_count(reader, ROW_BYTES_MIN); left > 0 && !reader->failed; left--) {
		struct use_key key = { .host = host };
		for (size_t i = 0; i < HISTREE_USE_KEY_COUNT; i++)
			key.keys[i] = (by & 1U << i) != 0 ? read_key(rows, i, reader, &has_memory) : USE_NOTHING;
		histree_time from = INT64_MIN, to = INT64_MAX;
		if (by & HISTREE_BY(THREAD)) {
			key.life = (int32_t)byte_reader_below(reader, (uint64_t)INT32_MAX + 1);
			from = byte_reader_signed(reader);
			to = byte_reader_signed(reader);
		}
		const char *name =
			by & (HISTREE_BY(THREAD) | HISTREE_BY(PROCESS)) ? read_name(rows, reader, &has_memory) : "";
		if (by & HISTREE_BY(HAD_BY))
			key.had_by_life = (int32_t)byte_reader_below(reader, (uint64_t)INT32_MAX + 1);
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
