// SPDX-License-Identifier: MIT
#include "tree/lifetimes.h"

#include <stdlib.h>

#include "base/block_directory.h"
#include "base/error.h"

enum { LIFETIMES_PER_LOOK = 1 << 18 }; /* at what is resident of their table: 4 MiB */

static bool lifetimes_reserve(struct lifetimes *lifetimes, size_t count)
{
	if (!table_reserve(&lifetimes->table, &lifetimes->by_key, &lifetimes->capacity, count))
		return false;
	while (lifetimes->count < count) {
		lifetimes->by_key[lifetimes->count++] = lifetime_none;
		if (lifetimes->count % LIFETIMES_PER_LOOK == 0)
			table_space_look(lifetimes->table.space);
	}
	return true;
}

enum histree_status lifetimes_add(struct lifetimes *lifetimes, histree_quark key, struct lifetime lifetime)
{
	if (key >= lifetimes->count && !lifetimes_reserve(lifetimes, (size_t)key + 1))
		return HISTREE_ERR_MEMORY;
	struct lifetime *known = &lifetimes->by_key[key];
	if (lifetime.first < known->first)
		known->first = lifetime.first;
	if (lifetime.last > known->last)
		known->last = lifetime.last;
	return HISTREE_OK;
}

unsigned lifetime_nulls(struct lifetime lifetime, histree_quark key, histree_time start, histree_time end,
			struct histree_interval nulls[2])
{
	unsigned count = 0;
	if (lifetime.first > lifetime.last) {
		nulls[count++] = (struct histree_interval){ .start = start, .end = end, .quark = key };
		return count;
	}
	if (lifetime.first > start)
		nulls[count++] =
			(struct histree_interval){ .start = start, .end = lifetime.first - 1, .quark = key };
	if (lifetime.last < end)
		nulls[count++] = (struct histree_interval){ .start = lifetime.last + 1, .end = end, .quark = key };
	return count;
}

bool lifetimes_copy(const struct lifetimes *lifetimes, struct lifetimes *copy)
{
	struct table_space *space = lifetimes->table.space;
	*copy = (struct lifetimes){ .table.space = space };
	if (!table_reserve(&copy->table, &copy->by_key, &copy->capacity, lifetimes->count))
		return false;
	for (; copy->count < lifetimes->count; copy->count++) {
		copy->by_key[copy->count] = lifetimes->by_key[copy->count];
		if (copy->count % LIFETIMES_PER_LOOK == 0)
			table_space_look(space);
	}
	return true;
}

void lifetimes_release(struct lifetimes *lifetimes)
{
	table_release(&lifetimes->table, lifetimes->by_key);
	*lifetimes = (struct lifetimes){ 0 };
}

/* ---- the section ---------------------------------------------------------------------------------- */

enum { COLUMN_SIZE_MAX = VARINT_SIZE_MAX + 2 + 8 + 8 + LIFETIMES_IN_BLOCK * 8 };

/* A column being filled: the numbers of up to 64 attributes, as they come. */
struct column {
	uint64_t changed, fresh;             /* bit i: see above */
	uint64_t now, before;                /* the latest number, and the one before the latest change */
	uint64_t stored[LIFETIMES_IN_BLOCK]; /* the fresh ones */
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
	uint64_t min = column->stored[0], max = min;
	for (unsigned i = 1; i < column->stored_count; i++) {
		min = column->stored[i] < min ? column->stored[i] : min;
		max = column->stored[i] > max ? column->stored[i] : max;
	}
	unsigned width = bits_needed(max - min);
	bool all_fresh = column->fresh == column->changed;
	uint8_t varint[VARINT_SIZE_MAX];
	size_t varint_size = (size_t)(put_varint(varint, min) - varint);
	for (size_t i = 0; i < varint_size; i++)
		bit_buffer_put(out, varint[i], 8);
	bit_buffer_put(out, column->stored_count - 1, 8);
	bit_buffer_put(out, width | (all_fresh ? LIFETIMES_ALL_FRESH : 0), 8);
	if (column->stored_count > 1)
		bit_buffer_put(out, column->changed, 64);
	if (!all_fresh)
		bit_buffer_put(out, column->fresh, 64);
	for (unsigned i = 0; i < column->stored_count; i++)
		bit_buffer_put(out, column->stored[i] - min, width);
	out->bits = (out->bits + 7) / 8 * 8;
}

/* Write the block of the keys from `key` on. */
static void put_block(const struct lifetimes *lifetimes, uint32_t key, uint32_t key_count, histree_time start,
		      histree_time end, struct bit_buffer *out)
{
	struct column firsts = { 0 }, lasts = { 0 };
	for (unsigned i = 0; i < LIFETIMES_IN_BLOCK && i < key_count - key; i++) {
		struct lifetime lifetime = key + i < lifetimes->count ? lifetimes->by_key[key + i] : lifetime_none;
		bool none = lifetime.first > lifetime.last;
		/* Without a lifetime any first will do; to repeat the one before costs nothing. */
		column_add(&firsts, i, none ? firsts.now : (uint64_t)lifetime.first - (uint64_t)start);
		column_add(&lasts, i, (uint64_t)end - (none ? (uint64_t)start - 1 : (uint64_t)lifetime.last));
	}
	column_put(&firsts, out);
	column_put(&lasts, out);
}

static enum histree_status write_footer(const struct block_offsets *offsets, struct bit_buffer *bits,
					struct block_file *file, struct histree_error *error)
{
	size_t size = bits->bits / 8;
	if (!block_offsets_pack(offsets, size, bits) || !bit_buffer_reserve(bits, 7 + 64))
		return error_memory(error, "the section LIFE");
	bits->bits = (bits->bits + 7) / 8 * 8;
	bit_buffer_put(bits, size, 64);
	enum histree_status status = block_file_section_begin(file, SECTION_LIFETIMES, error);
	if (status == HISTREE_OK)
		status = block_file_section_write(file, bits->bytes, bits->bits / 8, error);
	if (status == HISTREE_OK)
		block_file_section_end(file);
	return status;
}

enum histree_status lifetimes_write(const struct lifetimes *lifetimes, uint32_t key_count, histree_time start,
				    histree_time end, struct block_file *file, struct histree_error *error)
{
	struct bit_buffer bits = { 0 };
	struct block_offsets offsets = { 0 };
	enum histree_status status = HISTREE_OK;
	for (uint64_t key = 0; status == HISTREE_OK && key < key_count; key += LIFETIMES_IN_BLOCK) {
		if (key % LIFETIMES_PER_LOOK == 0)
			table_space_look(lifetimes->table.space);
		if (!block_offsets_add(&offsets, bits.bits / 8) ||
		    !bit_buffer_reserve(&bits, 2 * 8 * COLUMN_SIZE_MAX))
			status = error_memory(error, "the section LIFE");
		else
			put_block(lifetimes, (uint32_t)key, key_count, start, end, &bits);
	}
	if (status == HISTREE_OK)
		status = write_footer(&offsets, &bits, file, error);
	block_offsets_release(&offsets);
	bit_buffer_release(&bits);
	return status;
}
