// SPDX-License-Identifier: MIT
#include "export/parquet/delta_packed.h"

#include "base/bits.h"

enum { BLOCK = 128, MINIBLOCKS = 4, MINIBLOCK = BLOCK / MINIBLOCKS };

/* What a block takes at most: its least difference, four widths, and 64 bits a number. */
enum { BLOCK_SIZE_MAX = VARINT_SIZE_MAX + MINIBLOCKS + 8 * BLOCK };

static uint8_t *put_word(uint8_t *to, uint64_t word)
{
	put_le64(to, word);
	return to + sizeof(word);
}

/* A miniblock takes 4 * width bytes. */
static uint8_t *put_miniblock(uint8_t *to, const uint64_t *numbers, unsigned width)
{
	uint64_t word = 0;
	unsigned filled = 0;
	if (width == 0)
		return to;
	for (unsigned i = 0; i < MINIBLOCK; i++) {
		word |= numbers[i] << filled;
		filled += width;
		if (filled < 64)
			continue;
		to = put_word(to, word);
		filled -= 64;
		/* A shift by 64 is undefined: a number that ended with the word leaves nothing. */
		word = filled == 0 ? 0 : numbers[i] >> (width - filled);
	}
	if (filled > 0) { /* 32 numbers of an odd width end in the middle of a word */
		put_le32(to, (uint32_t)word);
		to += 4;
	}
	return to;
}

/* `deltas` has room for a block; those behind `count` are zeros afterwards, as padding should be. */
static void put_block(struct parquet_bytes *bytes, uint64_t *deltas, size_t count)
{
	int64_t least = (int64_t)deltas[0];
	for (size_t i = 1; i < count; i++)
		least = (int64_t)deltas[i] < least ? (int64_t)deltas[i] : least;
	for (size_t i = 0; i < count; i++)
		deltas[i] -= (uint64_t)least;
	for (size_t i = count; i < BLOCK; i++)
		deltas[i] = 0;

	uint8_t *to = parquet_bytes_room(bytes, BLOCK_SIZE_MAX);
	if (to == NULL)
		return;
	to = put_varint(to, zigzag(least));
	uint8_t *widths = to;
	to += MINIBLOCKS;
	for (unsigned m = 0; m < MINIBLOCKS; m++) {
		const uint64_t *numbers = deltas + m * MINIBLOCK;
		uint64_t all = 0;
		for (unsigned i = 0; i < MINIBLOCK; i++)
			all |= numbers[i];
		widths[m] = (uint8_t)bits_needed(all);
		if (m * MINIBLOCK < count)
			to = put_miniblock(to, numbers, widths[m]);
	}
	bytes->size = (size_t)(to - bytes->bytes);
}

static void put_header(struct parquet_bytes *bytes, size_t count, int64_t first)
{
	parquet_bytes_put_varint(bytes, BLOCK);
	parquet_bytes_put_varint(bytes, MINIBLOCKS);
	parquet_bytes_put_varint(bytes, count);
	parquet_bytes_put_varint(bytes, zigzag(first));
}

/* The difference of two numbers of 32 bits wraps around at 32 bits, so that none takes more to pack. */
void delta_packed_put32(struct parquet_bytes *bytes, const uint32_t *numbers, size_t count)
{
	put_header(bytes, count, count == 0 ? 0 : (int32_t)numbers[0]);
	uint64_t deltas[BLOCK];
	for (size_t done = 1; done < count;) {
		size_t part = count - done < BLOCK ? count - done : BLOCK;
		for (size_t i = 0; i < part; i++)
			deltas[i] = (uint64_t)(int64_t)(int32_t)(numbers[done + i] - numbers[done + i - 1]);
		put_block(bytes, deltas, part);
		done += part;
	}
}

void delta_packed_put64(struct parquet_bytes *bytes, const uint64_t *numbers, size_t count)
{
	put_header(bytes, count, count == 0 ? 0 : (int64_t)numbers[0]);
	uint64_t deltas[BLOCK];
	for (size_t done = 1; done < count;) {
		size_t part = count - done < BLOCK ? count - done : BLOCK;
		for (size_t i = 0; i < part; i++)
			deltas[i] = numbers[done + i] - numbers[done + i - 1];
		put_block(bytes, deltas, part);
		done += part;
	}
}
