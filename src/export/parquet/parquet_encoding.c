// SPDX-License-Identifier: MIT
/*
 * parquet_encoding.c - how Parquet writes numbers, texts and its own structures, and the distinct texts of a
 * column.
 */
#include "export/parquet/parquet_encoding.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"

/* ---- parquet texts ------------------------------------------------------------------------------------------- */

static bool is_same(const void *texts, uint32_t number, const void *key)
{
	const struct parquet_text *one = (const struct parquet_text *)texts + number, *other = key;
	return one->size == other->size && (one->size == 0 || memcmp(one->bytes, other->bytes, one->size) == 0);
}

static uint64_t hash_of(const void *texts, uint32_t number)
{
	const struct parquet_text *text = (const struct parquet_text *)texts + number;
	return hash_bytes(text->bytes, text->size);
}

uint32_t parquet_texts_add(struct parquet_texts *texts, const struct parquet_text *text)
{
	if (texts->count >= UINT32_MAX / 2 ||
	    !array_reserve(&texts->texts, &texts->capacity, (size_t)texts->count + 1))
		return PARQUET_TEXTS_NONE;
	const char *copy = arena_copy(&texts->bytes, text->size > 0 ? text->bytes : "", text->size);
	if (copy == NULL)
		return PARQUET_TEXTS_NONE;
	texts->texts[texts->count] = (struct parquet_text){ copy, text->size };
	return texts->count++;
}

uint32_t parquet_texts_find_or_add(struct parquet_texts *texts, const struct parquet_text *text)
{
	/* Those that were only added are found from now on. */
	while (texts->index.count < texts->count) {
		uint32_t number = texts->index.count;
		if (!hash_index_reserve(&texts->index, (size_t)number + 1, hash_of, texts->texts))
			return PARQUET_TEXTS_NONE;
		hash_index_add(&texts->index, hash_of(texts->texts, number), number);
	}
	uint64_t hash = hash_bytes(text->size > 0 ? text->bytes : "", text->size);
	uint32_t number = hash_index_find(&texts->index, hash, is_same, texts->texts, text);
	return number != HASH_INDEX_NONE ? number : parquet_texts_add(texts, text);
}

void parquet_texts_clear(struct parquet_texts *texts)
{
	arena_release(&texts->bytes);
	hash_index_clear(&texts->index);
	texts->count = 0;
}

void parquet_texts_release(struct parquet_texts *texts)
{
	arena_release(&texts->bytes);
	hash_index_release(&texts->index);
	free(texts->texts);
	*texts = (struct parquet_texts){ 0 };
}

/* ---- parquet distinct ---------------------------------------------------------------------------------------- */

/* If more than half of this many values at the beginning are distinct, the rest is not examined. */
enum { SAMPLE = 16384, SHARE = 3, SAMPLE_SHARE = 2 };

static bool reserve(struct parquet_distinct *distinct, size_t count, size_t limit, size_t slot_count)
{
	/* `order` is the array to sort and the spare one behind it. */
	if (array_reserve(&distinct->values, &distinct->value_capacity, limit) &&
	    array_reserve(&distinct->numbers, &distinct->number_capacity, count) &&
	    array_reserve(&distinct->order, &distinct->order_capacity, 2 * limit) &&
	    array_reserve(&distinct->slots, &distinct->slot_capacity, slot_count))
		return true;
	distinct->failed = true;
	return false;
}

bool parquet_distinct_find(struct parquet_distinct *distinct, const uint32_t *narrow, const uint64_t *wide,
			   size_t count)
{
	size_t limit = count / SHARE + 1, slot_count = 64;
	distinct->count = 0;
	distinct->failed = false;
	while (slot_count < 2 * limit)
		slot_count *= 2;
	if (count == 0 || !reserve(distinct, count, limit, slot_count))
		return false;
	memset(distinct->slots, 0, slot_count * sizeof(*distinct->slots));
	uint64_t last = 0;
	uint32_t last_number = UINT32_MAX;
	for (size_t i = 0; i < count; i++) {
		uint64_t value = wide != NULL ? wide[i] : narrow[i];
		if (last_number != UINT32_MAX && value == last) {
			distinct->numbers[i] = last_number;
			continue;
		}
		size_t slot = (size_t)hash_mix(value) & (slot_count - 1);
		uint32_t entry;
		while ((entry = distinct->slots[slot]) != 0 && distinct->values[entry - 1] != value)
			slot = (slot + 1) & (slot_count - 1);
		if (entry == 0) {
			if (distinct->count == limit || (i >= SAMPLE && distinct->count > i / SAMPLE_SHARE))
				return false;
			distinct->values[distinct->count] = value;
			distinct->slots[slot] = entry = (uint32_t)++distinct->count;
		}
		distinct->numbers[i] = last_number = entry - 1;
		last = value;
	}

	struct keyed_index *order = distinct->order;
	for (size_t i = 0; i < distinct->count; i++)
		order[i] = (struct keyed_index){ .key = distinct->values[i], .index = (uint32_t)i };
	radix_sort(order, order + distinct->count, distinct->count);
	uint32_t *places = distinct->slots; /* not needed any more, and larger */
	for (size_t i = 0; i < distinct->count; i++) {
		distinct->values[i] = order[i].key;
		places[order[i].index] = (uint32_t)i;
	}
	for (size_t i = 0; i < count; i++)
		distinct->numbers[i] = places[distinct->numbers[i]];

	return true;
}

void parquet_distinct_release(struct parquet_distinct *distinct)
{
	free(distinct->values);
	free(distinct->numbers);
	free(distinct->slots);
	free(distinct->order);
	*distinct = (struct parquet_distinct){ 0 };
}

/* ---- delta packed -------------------------------------------------------------------------------------------- */

enum { BLOCK = 128, MINIBLOCKS = 4, MINIBLOCK = BLOCK / MINIBLOCKS };

/* What a block takes at most: its least difference, four widths, and 64 bits a number. */
enum { BLOCK_SIZE_MAX = VARINT_SIZE_MAX + MINIBLOCKS + 8 * BLOCK };

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
		put_le64(to, word);
		to = to + sizeof(word);
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
static void put_block(struct byte_buffer *bytes, uint64_t *deltas, size_t count)
{
	int64_t least = (int64_t)deltas[0];
	for (size_t i = 1; i < count; i++)
		least = (int64_t)deltas[i] < least ? (int64_t)deltas[i] : least;
	for (size_t i = 0; i < count; i++)
		deltas[i] -= (uint64_t)least;
	for (size_t i = count; i < BLOCK; i++)
		deltas[i] = 0;

	uint8_t *to = byte_buffer_room(bytes, BLOCK_SIZE_MAX);
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

static void put_header(struct byte_buffer *bytes, size_t count, int64_t first)
{
	byte_buffer_put_number(bytes, BLOCK);
	byte_buffer_put_number(bytes, MINIBLOCKS);
	byte_buffer_put_number(bytes, count);
	byte_buffer_put_number(bytes, zigzag(first));
}

/* The difference of two numbers of 32 bits wraps around at 32 bits, so that none takes more to pack. */
void delta_packed_put32(struct byte_buffer *bytes, const uint32_t *numbers, size_t count)
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

void delta_packed_put64(struct byte_buffer *bytes, const uint64_t *numbers, size_t count)
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

void rle_hybrid_put_run(struct byte_buffer *bytes, uint32_t number, size_t count, unsigned width)
{
	byte_buffer_put_number(bytes, (uint64_t)count << 1);
	uint8_t four[4];
	put_le32(four, number);
	byte_buffer_put(bytes, four, (width + 7) / 8);
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

static void put_packed(struct byte_buffer *bytes, const uint32_t *numbers, size_t count, unsigned width)
{
	size_t groups = (count + GROUP - 1) / GROUP;
	if (groups == 0)
		return;
	byte_buffer_put_number(bytes, (uint64_t)groups << 1 | 1);
	uint8_t *to = byte_buffer_room(bytes, groups * width + 4);
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

void rle_hybrid_put(struct byte_buffer *bytes, const uint32_t *numbers, size_t count, unsigned width)
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

struct thrift_writer thrift_begin(struct byte_buffer *bytes)
{
	return (struct thrift_writer){ .bytes = bytes };
}

static void put_field(struct thrift_writer *writer, int16_t id, enum thrift_type type)
{
	int16_t *last = &writer->last_ids[writer->depth];
	int delta = id - *last;
	assert(delta > 0);
	if (delta <= SHORT_DELTA_MAX) {
		byte_buffer_put_byte(writer->bytes, (uint8_t)(delta << 4 | type));
	} else {
		byte_buffer_put_byte(writer->bytes, (uint8_t)type);
		byte_buffer_put_number(writer->bytes, zigzag(id));
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
	byte_buffer_put_byte(writer->bytes, 0);
	if (writer->depth > 0)
		writer->depth--;
}

void thrift_struct_raw(struct thrift_writer *writer, int16_t id, const void *bytes, size_t size)
{
	put_field(writer, id, THRIFT_STRUCT);
	byte_buffer_put(writer->bytes, bytes, size);
}

void thrift_list(struct thrift_writer *writer, int16_t id, enum thrift_type type, size_t count)
{
	put_field(writer, id, THRIFT_LIST);
	if (count <= SHORT_LIST_MAX) {
		byte_buffer_put_byte(writer->bytes, (uint8_t)(count << 4 | type));
	} else {
		byte_buffer_put_byte(writer->bytes, (uint8_t)(0xf0 | type));
		byte_buffer_put_number(writer->bytes, count);
	}
}

void thrift_bool(struct thrift_writer *writer, int16_t id, bool value)
{
	put_field(writer, id, value ? THRIFT_TRUE : THRIFT_FALSE);
}

void thrift_i8(struct thrift_writer *writer, int16_t id, int8_t value)
{
	put_field(writer, id, THRIFT_BYTE);
	byte_buffer_put_byte(writer->bytes, (uint8_t)value);
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
	byte_buffer_put_byte(writer->bytes, value ? THRIFT_TRUE : THRIFT_FALSE);
}

void thrift_element_number(struct thrift_writer *writer, int64_t value)
{
	byte_buffer_put_number(writer->bytes, zigzag(value));
}

void thrift_element_binary(struct thrift_writer *writer, const void *bytes, size_t size)
{
	byte_buffer_put_number(writer->bytes, size);
	byte_buffer_put(writer->bytes, bytes, size);
}
