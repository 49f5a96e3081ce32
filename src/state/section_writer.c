// SPDX-License-Identifier: MIT
#include "state/section_writer.h"

#include <stdlib.h>

#include "base/error.h"

enum { PIECE_SIZE = 64 << 10 };

enum histree_status section_writer_init(struct section_writer *writer, const struct section_sink *sink,
					struct histree_error *error)
{
	*writer = (struct section_writer){ .sink = sink, .error = error, .bytes = malloc(PIECE_SIZE) };
	return writer->bytes == NULL ? error_memory(error, "the attribute section") : HISTREE_OK;
}

static void flush(struct section_writer *writer)
{
	if (writer->status == HISTREE_OK && writer->used > 0)
		writer->status =
			writer->sink->write(writer->sink->context, writer->bytes, writer->used, writer->error);
	writer->used = 0;
}

void section_writer_put(struct section_writer *writer, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	writer->size += size;
	while (size > 0) {
		if (writer->used == PIECE_SIZE)
			flush(writer);
		size_t room = PIECE_SIZE - writer->used, taken = size < room ? size : room;
		memcpy(writer->bytes + writer->used, at, taken);
		writer->used += taken;
		at += taken;
		size -= taken;
	}
}

void section_writer_put_varint(struct section_writer *writer, uint64_t number)
{
	uint8_t bytes[VARINT_SIZE_MAX];
	section_writer_put(writer, bytes, (size_t)(put_varint(bytes, number) - bytes));
}

void section_writer_no_memory(struct section_writer *writer)
{
	if (writer->status == HISTREE_OK)
		writer->status = error_memory(writer->error, "the attribute section");
}

void section_writer_put_directory(struct section_writer *writer, struct block_offsets *offsets, uint64_t size)
{
	struct bit_buffer bits = { 0 };
	if (!block_offsets_pack(offsets, size, &bits))
		section_writer_no_memory(writer);
	else
		section_writer_put(writer, bits.bytes, (bits.bits + 7) / 8);
	bit_buffer_release(&bits);
	block_offsets_release(offsets);
}

enum histree_status section_writer_finish(struct section_writer *writer)
{
	flush(writer);
	free(writer->bytes);
	writer->bytes = NULL;
	return writer->status;
}
