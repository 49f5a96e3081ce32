// SPDX-License-Identifier: MIT
#include "partial/knowledge.h"

#include "base/error.h"

void partial_origin_put(const struct partial_origin *origin, struct saved_bytes *out)
{
	saved_put(out, KNOWLEDGE_VERSION);
	saved_put(out, origin->trace_bytes);
	saved_put(out, origin->file_count);
	saved_put(out, origin->ignores_gaps);
}

enum histree_status partial_origin_read(const uint8_t *bytes, size_t size, struct partial_origin *out,
					struct histree_error *error)
{
	struct byte_reader reader = byte_reader(bytes, size);
	uint64_t version = read_varint(&reader);
	out->trace_bytes = read_varint(&reader);
	out->file_count = read_varint(&reader);
	out->ignores_gaps = read_varint(&reader) != 0;
	if (reader.failed || version != KNOWLEDGE_VERSION)
		return error_set(error, HISTREE_ERR_VERSION,
				 "its checkpoints are those of another version; build it again with this one");
	return HISTREE_OK;
}

void knowledge_put_place(uint64_t before, const struct trace_position *positions, size_t count,
			 struct saved_bytes *out)
{
	saved_put(out, before);
	for (size_t i = 0; i < count; i++) {
		saved_put(out, positions[i].packet + 1); /* TRACE_FILE_DONE is the greatest number: 0 */
		saved_put(out, positions[i].events);
	}
}

void knowledge_read_place(struct byte_reader *reader, uint64_t *before, struct trace_position *positions,
			  size_t count)
{
	*before = read_varint(reader);
	for (size_t i = 0; i < count; i++) {
		positions[i].packet = read_varint(reader) - 1;
		positions[i].events = read_varint(reader);
	}
}
