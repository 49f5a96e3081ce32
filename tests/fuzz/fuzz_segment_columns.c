// SPDX-License-Identifier: MIT
/*
 * fuzz_segment_columns.c - bytes as segments that came from another rank.  What is read has the types of its
 * schema, and is read the same once it was written again.
 */
#include <string.h>

#include "fuzz.h"
#include "mpi/columns.h"

static const struct histree_segment_field fields[] = { { "name", HISTREE_STRING },
						       { "tid", HISTREE_LONG },
						       { "share", HISTREE_DOUBLE } };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct segment_columns columns, again;
	static struct segment_columns_writer writer;
	const struct histree_segment_schema schema = { .fields = fields,
						       .field_count = size > 0 ? bytes[0] % 4 : 0 };
	struct message message = { 0 };
	struct histree_error error = { 0 };
	struct byte_reader reader = byte_reader(bytes, size);
	read_byte(&reader);
	enum histree_status status = segment_columns_read(&columns, &schema, &reader, &error);
	REQUIRE(status == HISTREE_OK || status == HISTREE_ERR_FORMAT);
	if (status != HISTREE_OK)
		return 0;
	segment_columns_begin(&writer, schema.field_count, columns.present);
	for (uint32_t i = 0; i < columns.count; i++) {
		const struct histree_segment segment = segment_columns_get(&columns, i);
		REQUIRE(segment.start <= segment.end);
		REQUIRE(segment_columns_add(&writer, &segment));
	}
	segment_columns_write(&writer, &message);
	struct byte_reader second = byte_reader(message.bytes, message.size);
	REQUIRE(segment_columns_read(&again, &schema, &second, &error) == HISTREE_OK);
	REQUIRE(again.count == columns.count && byte_reader_left(&second) == 0);
	for (uint32_t i = 0; i < columns.count; i++) {
		const struct histree_segment one = segment_columns_get(&columns, i),
					     other = segment_columns_get(&again, i);
		REQUIRE(one.start == other.start && one.end == other.end);
		for (size_t field = 0; field < schema.field_count; field++) {
			REQUIRE(one.content[field].type == other.content[field].type);
			REQUIRE(one.content[field].type != HISTREE_STRING ||
				one.content[field].size == other.content[field].size);
		}
	}
	message_release(&message);
	return 0;
}
