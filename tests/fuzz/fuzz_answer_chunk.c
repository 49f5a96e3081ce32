// SPDX-License-Identifier: MIT
/*
 * fuzz_answer_chunk.c - bytes as rows that came from another rank.  What is read has only attributes and texts that
 * there are, and is read the same once it was written again.
 */
#include <string.h>

#include "fuzz.h"
#include "mpi/answer.h"

static void write_again(const struct chunk *chunk, struct chunk_writer *writer)
{
	for (uint32_t row = 0; row < chunk->row_count; row++) {
		const struct chunk_row *from = &chunk->rows[row];
		const struct chunk_attribute *attribute = &chunk->attributes[from->attribute];
		const struct histree_interval interval = { .start = from->start,
							   .end = from->end,
							   .value = from->value };
		if (row == 0 || from->attribute != chunk->rows[row - 1].attribute)
			REQUIRE(chunk_add_attribute(writer, attribute->host, attribute->path.bytes,
						    attribute->path.size));
		REQUIRE(chunk_add_row(writer, &interval, from->label));
		if (from->has_other)
			REQUIRE(chunk_add_other(writer, &from->other, from->other_label));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct chunk chunk = { 0 }, again = { 0 };
	struct chunk_writer writer = { 0 };
	struct message message = { 0 };
	struct histree_error error = { 0 };
	enum histree_status status = chunk_read(&chunk, bytes, size, &error);
	REQUIRE(status == HISTREE_OK || status == HISTREE_ERR_FORMAT);
	for (uint32_t row = 0; row < chunk.row_count; row++) {
		REQUIRE(chunk.rows[row].attribute < chunk.attribute_count);
		REQUIRE(chunk.rows[row].start <= chunk.rows[row].end);
	}
	if (status == HISTREE_OK) {
		write_again(&chunk, &writer);
		chunk_write(&writer, &message);
		REQUIRE(chunk_read(&again, message.bytes, message.size, &error) == HISTREE_OK);
		REQUIRE(again.row_count == chunk.row_count);
		for (uint32_t row = 0; row < chunk.row_count; row++) {
			REQUIRE(again.rows[row].start == chunk.rows[row].start);
			REQUIRE(again.rows[row].end == chunk.rows[row].end);
			REQUIRE(histree_value_equal(&again.rows[row].value, &chunk.rows[row].value));
		}
	}
	chunk_release(&chunk);
	chunk_release(&again);
	chunk_writer_release(&writer);
	message_release(&message);
	return 0;
}
