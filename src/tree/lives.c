// SPDX-License-Identifier: MIT
#include "tree/lives.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/bytes.h"
#include "base/error.h"

static const struct life unborn = { .birth = INT64_MAX, .death = INT64_MIN };

static bool lives_reserve(struct lives *lives, size_t count)
{
	if (!array_reserve(&lives->lives, &lives->capacity, count))
		return false;
	while (lives->count < count)
		lives->lives[lives->count++] = unborn;
	return true;
}

enum histree_status lives_add(struct lives *lives, histree_quark key, struct life life)
{
	if (key >= lives->count && !lives_reserve(lives, (size_t)key + 1))
		return HISTREE_ERR_MEMORY;
	struct life *known = &lives->lives[key];
	if (life.birth < known->birth)
		known->birth = life.birth;
	if (life.death > known->death)
		known->death = life.death;
	return HISTREE_OK;
}

unsigned life_nulls(struct life life, histree_quark key, histree_time start, histree_time end,
		    struct histree_interval nulls[2])
{
	unsigned count = 0;
	if (life.birth > life.death) {
		nulls[count++] = (struct histree_interval){ .start = start, .end = end, .quark = key };
		return count;
	}
	if (life.birth > start)
		nulls[count++] = (struct histree_interval){ .start = start, .end = life.birth - 1, .quark = key };
	if (life.death < end)
		nulls[count++] = (struct histree_interval){ .start = life.death + 1, .end = end, .quark = key };
	return count;
}

bool lives_copy(const struct lives *lives, struct lives *copy)
{
	*copy = (struct lives){ .lives = array_copy(lives->lives, lives->count) };
	if (copy->lives == NULL)
		return lives->count == 0;
	copy->count = copy->capacity = lives->count;
	return true;
}

void lives_release(struct lives *lives)
{
	free(lives->lives);
	*lives = (struct lives){ 0 };
}

/* ---- the section ---------------------------------------------------------------------------------- */

enum { WIDTH_BITS = 6, DIFFERENCE_BITS_MAX = 1 + WIDTH_BITS + 64 };

/* What is written of a life: birth above the start, death above the birth less one (so that none is zero). */
static void life_numbers(struct life life, histree_time start, uint64_t *birth, uint64_t *death)
{
	if (life.birth > life.death) {
		*birth = *death = 0;
		return;
	}
	*birth = (uint64_t)life.birth - (uint64_t)start;
	*death = (uint64_t)life.death - (uint64_t)life.birth + 1;
}

static void put_difference(struct bit_buffer *bits, uint64_t number, uint64_t *before)
{
	uint64_t difference = zigzag((int64_t)(number - *before));
	*before = number;
	bit_buffer_put(bits, difference != 0, 1);
	if (difference == 0)
		return;
	unsigned width = bits_needed(difference);
	bit_buffer_put(bits, width - 1, WIDTH_BITS);
	bit_buffer_put(bits, difference, width);
}

enum histree_status lives_write(const struct lives *lives, uint32_t key_count, histree_time start,
				struct block_file *file, struct histree_error *error)
{
	struct bit_buffer bits = { 0 };
	uint64_t birth_before = 0, death_before = 0;
	enum histree_status status = block_file_section_begin(file, SECTION_LIVES, error);
	for (uint32_t key = 0; status == HISTREE_OK && key < key_count; key++) {
		uint64_t birth, death;
		life_numbers(key < lives->count ? lives->lives[key] : unborn, start, &birth, &death);
		if (!bit_buffer_reserve(&bits, 2 * DIFFERENCE_BITS_MAX)) {
			status = error_memory(error, "the section LIFE");
			break;
		}
		put_difference(&bits, birth, &birth_before);
		put_difference(&bits, death, &death_before);
	}
	if (status == HISTREE_OK)
		status = block_file_section_write(file, bits.bytes, (bits.bits + 7) / 8, error);
	if (status == HISTREE_OK)
		block_file_section_end(file);
	bit_buffer_release(&bits);
	return status;
}

/* Bits that are left; what is behind the end reads as zeros and makes `failed` true. */
struct bit_reader {
	const uint8_t *bytes; /* BITS_SLACK readable behind `bits` */
	size_t at, bits;
	bool failed;
};

static uint64_t take_bits(struct bit_reader *reader, unsigned width)
{
	if (width > reader->bits - reader->at) {
		reader->failed = true;
		return 0;
	}
	uint64_t number = bits_get(reader->bytes, reader->at, width);
	reader->at += width;
	return number;
}

static uint64_t take_number(struct bit_reader *reader, uint64_t *before)
{
	if (take_bits(reader, 1) != 0) {
		unsigned width = (unsigned)take_bits(reader, WIDTH_BITS) + 1;
		*before += (uint64_t)unzigzag(take_bits(reader, width));
	}
	return *before;
}

static bool decode_lives(struct lives *lives, struct bit_reader *reader, uint32_t key_count, histree_time start,
			 histree_time end)
{
	uint64_t birth_before = 0, death_before = 0, span = (uint64_t)end - (uint64_t)start;
	for (uint32_t key = 0; key < key_count; key++) {
		uint64_t birth = take_number(reader, &birth_before), death = take_number(reader, &death_before);
		if (reader->failed || birth > span || death > span - birth + 1)
			return false;
		if (death == 0)
			continue;
		lives->lives[key].birth = (histree_time)((uint64_t)start + birth);
		lives->lives[key].death = (histree_time)((uint64_t)start + birth + death - 1);
	}
	return true;
}

enum histree_status lives_read(struct lives *lives, uint32_t key_count, histree_time start, histree_time end,
			       const struct block_file *file, struct histree_error *error)
{
	uint8_t *bytes;
	size_t size;
	*lives = (struct lives){ 0 };
	enum histree_status status = block_file_section(file, SECTION_LIVES, &bytes, &size, error);
	if (status != HISTREE_OK)
		return status;
	uint8_t *roomy = realloc(bytes, size + BITS_SLACK + 1);
	if (roomy == NULL) {
		free(bytes);
		return error_memory(error, "the section LIFE");
	}
	memset(roomy + size, 0, BITS_SLACK + 1);
	struct bit_reader reader = { .bytes = roomy, .bits = size * 8 };
	if (key_count > reader.bits / 2 + 1) /* two bits a key at least */
		status = error_set(error, HISTREE_ERR_FORMAT, "'%s': section LIFE is too short",
				   block_file_path(file));
	else if (!lives_reserve(lives, key_count))
		status = error_memory(error, "the lives of the attributes");
	else if (!decode_lives(lives, &reader, key_count, start, end))
		status = error_set(error, HISTREE_ERR_FORMAT, "'%s': section LIFE is malformed",
				   block_file_path(file));
	if (status != HISTREE_OK)
		lives_release(lives);
	free(roomy);
	return status;
}
