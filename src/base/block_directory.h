/* SPDX-License-Identifier: MIT */
/*
 * block_directory.h - blocks of differing sizes, one after the other, and after them where each begins.
 *
 *	blocks
 *	for each block its offset from the first one, in as few bits as the size of all blocks needs
 *
 * So a block is found without those before it, and both parts can be written front to back.  A reader knows from
 * elsewhere how many blocks there are and how many bytes they take.
 */
#ifndef BASE_BLOCK_DIRECTORY_H
#define BASE_BLOCK_DIRECTORY_H

#include "base/bits.h"
#include "base/bytes.h"

struct block_directory {
	const uint8_t *blocks, *offsets; /* BITS_SLACK readable after both */
	size_t size;                     /* of all blocks */
	unsigned width;                  /* of an offset */
};

/* Take both parts.  The reader fails if they are not there. */
struct block_directory block_directory_read(struct byte_reader *reader, uint64_t size, uint64_t count);

/* Returns a reader from the beginning of a block to the end of all; it has failed if the block lies outside. */
struct byte_reader block_directory_at(const struct block_directory *directory, uint64_t block);

/* The offsets of the blocks while they are being written.  A zeroed struct is empty. */
struct block_offsets {
	uint64_t *offsets;
	size_t count, capacity;
};

/* Returns false if memory is out. */
bool block_offsets_add(struct block_offsets *offsets, uint64_t offset);
bool block_offsets_pack(const struct block_offsets *offsets, uint64_t size, struct bit_buffer *out);
void block_offsets_release(struct block_offsets *offsets);

#endif
