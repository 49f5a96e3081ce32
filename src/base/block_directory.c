// SPDX-License-Identifier: MIT
#include "base/block_directory.h"

#include <stdlib.h>

#include "base/array.h"

struct block_directory block_directory_read(struct byte_reader *reader, uint64_t size, uint64_t count)
{
	struct block_directory directory = { .size = (size_t)size, .width = bits_needed(size) };
	size_t left = byte_reader_left(reader);
	/* More bits than there are bytes cannot be multiplied out of range. */
	if (size > left || count > left * 8) {
		reader->failed = true;
		return directory;
	}
	directory.blocks = read_bytes(reader, (size_t)size);
	directory.offsets = read_bytes(reader, (size_t)((count * directory.width + 7) / 8));
	return directory;
}

struct byte_reader block_directory_at(const struct block_directory *directory, uint64_t block)
{
	uint64_t offset = bits_get(directory->offsets, (size_t)(block * directory->width), directory->width);
	if (offset > directory->size)
		return (struct byte_reader){ .failed = true };
	return byte_reader(directory->blocks + offset, directory->size - (size_t)offset);
}

bool block_offsets_add(struct block_offsets *offsets, uint64_t offset)
{
	if (!array_reserve(&offsets->offsets, &offsets->capacity, offsets->count + 1))
		return false;
	offsets->offsets[offsets->count++] = offset;
	return true;
}

bool block_offsets_pack(const struct block_offsets *offsets, uint64_t size, struct bit_buffer *out)
{
	unsigned width = bits_needed(size);
	if (!bit_buffer_reserve(out, offsets->count * width))
		return false;
	for (size_t i = 0; i < offsets->count; i++)
		bit_buffer_put(out, offsets->offsets[i], width);
	return true;
}

void block_offsets_release(struct block_offsets *offsets)
{
	free(offsets->offsets);
	*offsets = (struct block_offsets){ 0 };
}
