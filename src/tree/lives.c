// SPDX-License-Identifier: MIT
#include "tree/lives.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/block_directory.h"
#include "base/error.h"

static bool lives_reserve(struct lives *lives, size_t count)
{
	if (!array_reserve(&lives->lives, &lives->capacity, count))
		return false;
	while (lives->count < count)
		lives->lives[lives->count++] = life_none;
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

enum { COLUMN_SIZE_MAX = VARINT_SIZE_MAX + 2 + 8 + 8 + LIVES_IN_BLOCK * 8 };

/* The numbers of up to 64 attributes, as they come. */
struct column {
	uint64_t changed, fresh;         /* bit i: see above */
	uint64_t now, before;            /* the latest number, and the one before the latest change */
	uint64_t stored[LIVES_IN_BLOCK]; /* the fresh ones */
	unsigned stored_count;
	bool has_before;
};

static void column_add(struct column *column, unsigned i, uint64_t number)
{
	bool first = column->stored_count == 0;
	if (!first && number == column->now)
		return;
	column->changed |= UINT64_C(1) << i;
	if (!column->has_before || number != column->before) {
		column->fresh |= UINT64_C(1) << i;
		column->stored[column->stored_count++] = number;
	}
	column->has_before = !first;
	column->before = column->now;
	column->now = number;
}

static void column_put(const struct column *column, struct bit_buffer *out)
{
	uint64_t least = column->stored[0], most = least;
	for (unsigned i = 1; i < column->stored_count; i++) {
		least = column->stored[i] < least ? column->stored[i] : least;
		most = column->stored[i] > most ? column->stored[i] : most;
	}
	unsigned width = bits_needed(most - least);
	bool all_fresh = column->fresh == column->changed;
	uint8_t varint[VARINT_SIZE_MAX];
	size_t varint_size = (size_t)(put_varint(varint, least) - varint);
	for (size_t i = 0; i < varint_size; i++)
		bit_buffer_put(out, varint[i], 8);
	bit_buffer_put(out, column->stored_count - 1, 8);
	bit_buffer_put(out, width | (all_fresh ? LIVES_ALL_FRESH : 0), 8);
	if (column->stored_count > 1)
		bit_buffer_put(out, column->changed, 64);
	if (!all_fresh)
		bit_buffer_put(out, column->fresh, 64);
	for (unsigned i = 0; i < column->stored_count; i++)
		bit_buffer_put(out, column->stored[i] - least, width);
	out->bits = (out->bits + 7) / 8 * 8;
}

/* The block of the keys from `first` on. */
static void put_block(const struct lives *lives, uint32_t first, uint32_t key_count, histree_time start,
		      histree_time end, struct bit_buffer *out)
{
	struct column births = { 0 }, deaths = { 0 };
	for (unsigned i = 0; i < LIVES_IN_BLOCK && i < key_count - first; i++) {
		struct life life = first + i < lives->count ? lives->lives[first + i] : life_none;
		bool none = life.birth > life.death;
		/* Without a life any birth will do: the one before costs nothing. */
		column_add(&births, i, none ? births.now : (uint64_t)life.birth - (uint64_t)start);
		column_add(&deaths, i, (uint64_t)end - (none ? (uint64_t)start - 1 : (uint64_t)life.death));
	}
	column_put(&births, out);
	column_put(&deaths, out);
}

static enum histree_status write_footer(const struct block_offsets *offsets, struct bit_buffer *bits,
					struct block_file *file, struct histree_error *error)
{
	size_t size = bits->bits / 8;
	if (!block_offsets_pack(offsets, size, bits) || !bit_buffer_reserve(bits, 7 + 64))
		return error_memory(error, "the section LIFE");
	bits->bits = (bits->bits + 7) / 8 * 8;
	bit_buffer_put(bits, size, 64);
	enum histree_status status = block_file_section_begin(file, SECTION_LIVES, error);
	if (status == HISTREE_OK)
		status = block_file_section_write(file, bits->bytes, bits->bits / 8, error);
	if (status == HISTREE_OK)
		block_file_section_end(file);
	return status;
}

enum histree_status lives_write(const struct lives *lives, uint32_t key_count, histree_time start, histree_time end,
				struct block_file *file, struct histree_error *error)
{
	struct bit_buffer bits = { 0 };
	struct block_offsets offsets = { 0 };
	enum histree_status status = HISTREE_OK;
	for (uint64_t first = 0; status == HISTREE_OK && first < key_count; first += LIVES_IN_BLOCK) {
		if (!block_offsets_add(&offsets, bits.bits / 8) ||
		    !bit_buffer_reserve(&bits, 2 * 8 * COLUMN_SIZE_MAX))
			status = error_memory(error, "the section LIFE");
		else
			put_block(lives, (uint32_t)first, key_count, start, end, &bits);
	}
	if (status == HISTREE_OK)
		status = write_footer(&offsets, &bits, file, error);
	block_offsets_release(&offsets);
	bit_buffer_release(&bits);
	return status;
}
