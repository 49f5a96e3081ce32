// SPDX-License-Identifier: MIT
/*
 * fuzz_rank_columns.c - bytes as rows that came from another rank: the first says of which layout.  What is read
 * has ends behind its starts, terminated texts and types that there are, and is read the same once it was written
 * again.
 */
#include <string.h>

#include "fuzz.h"
#include "mpi/stream.h"

static void write_again(const struct columns *columns, enum column_layout layout, struct column_writer *writer,
			struct byte_buffer *out)
{
	columns_begin(writer, layout, columns->value_count);
	for (uint32_t row = 0; row < columns->rows; row++) {
		const int64_t *numbers = columns_numbers(columns, row);
		if (layout == STATE_ROWS)
			columns_add_number(writer, STATE_ATTRIBUTE, numbers[STATE_ATTRIBUTE]);
		for (size_t i = 0; layout == EVENT_ROWS && i < columns->number_count; i++)
			columns_add_number(writer, i, numbers[i]);
		if (layout != EVENT_ROWS) {
			size_t start = layout == STATE_ROWS ? STATE_START : SEGMENT_START;
			REQUIRE(numbers[start] <= numbers[start + 1]);
			columns_add_times(writer, start, numbers[start], numbers[start + 1]);
		}
		for (size_t i = 0; i < columns->value_count; i++) {
			const struct histree_value *value = &columns_values(columns, row)[i];
			bool is_text = value->type == HISTREE_STRING || value->type == HISTREE_CUSTOM;
			REQUIRE(value->type < HISTREE_TYPE_COUNT);
			REQUIRE(!is_text || ((const char *)value->bytes)[value->size] == '\0');
			columns_add_value(writer, i, columns_has(value) ? value : NULL);
		}
		columns_end_row(writer);
	}
	columns_write(writer, out);
}

static void require_same(const struct columns *one, const struct columns *other)
{
	REQUIRE(one->rows == other->rows && one->value_count == other->value_count);
	for (uint32_t row = 0; row < one->rows; row++) {
		REQUIRE(memcmp(columns_numbers(one, row), columns_numbers(other, row),
			       one->number_count * sizeof(int64_t)) == 0);
		for (size_t i = 0; i < one->value_count; i++) {
			const struct histree_value *value = &columns_values(one, row)[i],
						   *again = &columns_values(other, row)[i];
			REQUIRE(columns_has(value) == columns_has(again) && value->size == again->size);
			REQUIRE(histree_value_equal(value, again));
		}
	}
}

FUZZ_TARGET(bytes, size)
{
	static struct columns columns, again;
	static struct column_writer writer;
	struct byte_buffer message = { 0 };
	struct histree_error error = { 0 };
	struct byte_reader reader = byte_reader(bytes, size);
	enum column_layout layout = size > 0 ? (enum column_layout)(bytes[0] % COLUMN_LAYOUTS) : STATE_ROWS;
	enum histree_status status = columns_read(&columns, layout, &reader, &error);
	REQUIRE(status == HISTREE_OK || status == HISTREE_ERR_FORMAT);
	if (status != HISTREE_OK) {
		REQUIRE(columns.rows == 0);
		return 0;
	}
	write_again(&columns, layout, &writer, &message);
	struct byte_reader second = byte_reader(message.bytes, message.size);
	REQUIRE(columns_read(&again, layout, &second, &error) == HISTREE_OK);
	require_same(&columns, &again);
	byte_buffer_release(&message);
	return 0;
}
