// SPDX-License-Identifier: MIT
/*
 * fuzz_event_rows.c - bytes as events that came from another rank.  What is read has terminated texts and values of
 * types that there are, and is read the same once it was written again.
 */
#include <string.h>

#include "fuzz.h"
#include "mpi/columns.h"

static void write_again(const struct event_rows *rows, struct event_rows_writer *writer, struct message *out)
{
	event_rows_begin(writer, rows->value_count);
	for (uint32_t row = 0; row < rows->count; row++) {
		const struct event_row *from = &rows->rows[row];
		const struct histree_event event = { .time = from->time, .cpu = from->cpu, .type = from->type };
		uint8_t texts = 0;
		for (int i = 0; i < EVENT_TEXTS; i++)
			texts |= (uint8_t)((from->texts[i] != NULL) << i);
		event_rows_add(writer, &event, texts);
		for (int i = 0; i < EVENT_TEXTS; i++)
			if (from->texts[i] != NULL)
				event_rows_text(writer, from->texts[i]);
		for (uint32_t i = 0; i < rows->value_count; i++) {
			size_t at = (size_t)row * rows->value_count + i;
			event_rows_value(writer, rows->are_there[at] ? &rows->values[at] : NULL);
		}
	}
	event_rows_write(writer, out);
}

static void require_same(const struct event_rows *one, const struct event_rows *other)
{
	REQUIRE(one->count == other->count && one->value_count == other->value_count);
	for (uint32_t row = 0; row < one->count; row++) {
		REQUIRE(one->rows[row].time == other->rows[row].time &&
			one->rows[row].cpu == other->rows[row].cpu && one->rows[row].type == other->rows[row].type);
		for (int i = 0; i < EVENT_TEXTS; i++) {
			const char *text = one->rows[row].texts[i], *again = other->rows[row].texts[i];
			REQUIRE((text == NULL) == (again == NULL) && (text == NULL || strcmp(text, again) == 0));
		}
	}
	for (size_t i = 0; i < (size_t)one->count * one->value_count; i++) {
		const struct histree_value *value = &one->values[i], *again = &other->values[i];
		REQUIRE(one->are_there[i] == other->are_there[i]);
		REQUIRE(value->type == again->type && value->size == again->size &&
			value->type < HISTREE_TYPE_COUNT);
		if (value->type == HISTREE_STRING || value->type == HISTREE_CUSTOM)
			REQUIRE(memcmp(value->bytes, again->bytes, value->size) == 0);
		else if (value->type == HISTREE_LONG)
			REQUIRE(value->int64 == again->int64);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct event_rows rows, again;
	static struct event_rows_writer writer;
	struct message message = { 0 };
	struct histree_error error = { 0 };
	struct byte_reader reader = byte_reader(bytes, size);
	enum histree_status status = event_rows_read(&rows, &reader, &error);
	REQUIRE(status == HISTREE_OK || status == HISTREE_ERR_FORMAT);
	if (status != HISTREE_OK) {
		REQUIRE(rows.count == 0);
		return 0;
	}
	write_again(&rows, &writer, &message);
	struct byte_reader second = byte_reader(message.bytes, message.size);
	REQUIRE(event_rows_read(&again, &second, &error) == HISTREE_OK);
	REQUIRE(byte_reader_left(&second) == 0);
	require_same(&rows, &again);
	message_release(&message);
	return 0;
}
