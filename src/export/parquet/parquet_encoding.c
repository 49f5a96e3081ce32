// SPDX-License-Identifier: MIT
/*
 * parquet_encoding.c - how Parquet writes numbers, texts and its own structures.
 */
#include "export/parquet/parquet_encoding.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/table.h"
#include "base/bytes.h"

static inline void parquet_bytes_put_varint(struct parquet_bytes *bytes, uint64_t number)
{
	uint8_t *to = parquet_bytes_room(bytes, VARINT_SIZE_MAX);
	if (to != NULL)
		bytes->size = (size_t)(put_varint(to, number) - bytes->bytes);
}

/* ---- parquet encoding ---------------------------------------------------------------------------------------- */

/* ---- delta packed -------------------------------------------------------------------------------------------- */

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

/* ---- rle hybrid ---------------------------------------------------------------------------------------------- */

enum { GROUP = 8 };

void rle_hybrid_put_run(struct parquet_bytes *bytes, uint32_t number, size_t count, unsigned width)
{
	parquet_bytes_put_varint(bytes, (uint64_t)count << 1);
	uint8_t four[4];
	put_le32(four, number);
	parquet_bytes_put(bytes, four, (width + 7) / 8);
}

/* Each group of eight takes `width` bytes, so that it begins and ends at a byte. */
static uint8_t *put_group(uint8_t *to, const uint32_t *numbers, unsigned width)
{
	uint64_t word = 0;
	unsigned filled = 0;
	for (unsigned i = 0; i < GROUP; i++) {
		word |= (uint64_t)numbers[i] << filled;
		filled += width;
		if (filled >= 32) {
			put_le32(to, (uint32_t)word);
			to += 4;
			word >>= 32;
			filled -= 32;
		}
	}
	for (; filled > 0; filled -= 8, word >>= 8)
		*to++ = (uint8_t)word;
	return to;
}

static void put_packed(struct parquet_bytes *bytes, const uint32_t *numbers, size_t count, unsigned width)
{
	size_t groups = (count + GROUP - 1) / GROUP;
	if (groups == 0)
		return;
	parquet_bytes_put_varint(bytes, (uint64_t)groups << 1 | 1);
	uint8_t *to = parquet_bytes_room(bytes, groups * width + 4);
	if (to == NULL)
		return;
	for (size_t i = 0; i < count / GROUP; i++)
		to = put_group(to, numbers + GROUP * i, width);
	if (count % GROUP != 0) {
		uint32_t last[GROUP] = { 0 };
		memcpy(last, numbers + count / GROUP * GROUP, count % GROUP * sizeof(*last));
		to = put_group(to, last, width);
	}
	bytes->size = (size_t)(to - bytes->bytes);
}

static bool are_alike(const uint32_t *group)
{
	uint32_t differ = 0;
	for (unsigned i = 1; i < GROUP; i++)
		differ |= group[i] ^ group[0];
	return differ == 0;
}

void rle_hybrid_put(struct parquet_bytes *bytes, const uint32_t *numbers, size_t count, unsigned width)
{
	assert(width <= 32);
	size_t packed = 0, i = 0; /* what lies between the two is to be packed */
	while (i < count) {
		if (count - i < GROUP || !are_alike(numbers + i)) {
			i += count - i < GROUP ? count - i : GROUP;
			continue;
		}
		size_t end = i + GROUP;
		while (end < count && numbers[end] == numbers[i])
			end++;
		put_packed(bytes, numbers + packed, i - packed, width);
		rle_hybrid_put_run(bytes, numbers[i], end - i, width);
		packed = i = end;
	}
	put_packed(bytes, numbers + packed, count - packed, width);
}

/* ---- thrift writer ------------------------------------------------------------------------------------------- */

enum { SHORT_DELTA_MAX = 15, SHORT_LIST_MAX = 14 };

struct thrift_writer thrift_begin(struct parquet_bytes *bytes)
{
	return (struct thrift_writer){ .bytes = bytes };
}

static void put_field(struct thrift_writer *writer, int16_t id, enum thrift_type type)
{
	int16_t *last = &writer->last_ids[writer->depth];
	int delta = id - *last;
	assert(delta > 0);
	if (delta <= SHORT_DELTA_MAX) {
		parquet_bytes_put_byte(writer->bytes, (uint8_t)(delta << 4 | type));
	} else {
		parquet_bytes_put_byte(writer->bytes, (uint8_t)type);
		parquet_bytes_put_varint(writer->bytes, zigzag(id));
	}
	*last = id;
}

void thrift_struct_begin(struct thrift_writer *writer, int16_t id)
{
	if (id != 0)
		put_field(writer, id, THRIFT_STRUCT);
	assert(writer->depth + 1 < THRIFT_DEPTH_MAX);
	writer->last_ids[++writer->depth] = 0;
}

void thrift_struct_end(struct thrift_writer *writer)
{
	parquet_bytes_put_byte(writer->bytes, 0);
	if (writer->depth > 0)
		writer->depth--;
}

void thrift_struct_raw(struct thrift_writer *writer, int16_t id, const void *bytes, size_t size)
{
	put_field(writer, id, THRIFT_STRUCT);
	parquet_bytes_put(writer->bytes, bytes, size);
}

void thrift_list(struct thrift_writer *writer, int16_t id, enum thrift_type type, size_t count)
{
	put_field(writer, id, THRIFT_LIST);
	if (count <= SHORT_LIST_MAX) {
		parquet_bytes_put_byte(writer->bytes, (uint8_t)(count << 4 | type));
	} else {
		parquet_bytes_put_byte(writer->bytes, (uint8_t)(0xf0 | type));
		parquet_bytes_put_varint(writer->bytes, count);
	}
}

void thrift_bool(struct thrift_writer *writer, int16_t id, bool value)
{
	put_field(writer, id, value ? THRIFT_TRUE : THRIFT_FALSE);
}

void thrift_i8(struct thrift_writer *writer, int16_t id, int8_t value)
{
	put_field(writer, id, THRIFT_BYTE);
	parquet_bytes_put_byte(writer->bytes, (uint8_t)value);
}

void thrift_i32(struct thrift_writer *writer, int16_t id, int32_t value)
{
	put_field(writer, id, THRIFT_I32);
	thrift_element_number(writer, value);
}

void thrift_i64(struct thrift_writer *writer, int16_t id, int64_t value)
{
	put_field(writer, id, THRIFT_I64);
	thrift_element_number(writer, value);
}

void thrift_binary(struct thrift_writer *writer, int16_t id, const void *bytes, size_t size)
{
	put_field(writer, id, THRIFT_BINARY);
	thrift_element_binary(writer, bytes, size);
}

void thrift_text(struct thrift_writer *writer, int16_t id, const char *text)
{
	thrift_binary(writer, id, text, strlen(text));
}

void thrift_element_bool(struct thrift_writer *writer, bool value)
{
	parquet_bytes_put_byte(writer->bytes, value ? THRIFT_TRUE : THRIFT_FALSE);
}

void thrift_element_number(struct thrift_writer *writer, int64_t value)
{
	parquet_bytes_put_varint(writer->bytes, zigzag(value));
}

void thrift_element_binary(struct thrift_writer *writer, const void *bytes, size_t size)
{
	parquet_bytes_put_varint(writer->bytes, size);
	parquet_bytes_put(writer->bytes, bytes, size);
}
