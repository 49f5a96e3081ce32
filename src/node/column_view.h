/* SPDX-License-Identifier: MIT */
/*
 * column_view.h - a leaf of columns as a whole: where its parts are, its times, its dictionary.
 *
 * Nothing is unpacked: every access computes where its bits are.  All that comes from the block is checked before
 * it is used as an offset, so that a hostile leaf gives HISTREE_ERR_FORMAT at worst.
 */
#ifndef NODE_COLUMN_VIEW_H
#define NODE_COLUMN_VIEW_H

#include "base/bits.h"
#include "base/bytes.h"
#include "node/column_format.h"

struct column_view {
	const uint8_t *block;
	uint32_t used;
	histree_time start;
	uint64_t length;    /* of the node, end - start */
	uint64_t last_tick; /* that of the end of the node + 1 */
	histree_quark key_min, key_max;
	bool direct;
	uint32_t time_count, block_count, value_count;
	const uint8_t *time_index, *block_index, *dictionary;
	double blocks_per_key; /* for guesses where a key is */
};

/* Check sizes against each other; the checksum was checked before. */
enum histree_status column_check(const uint8_t *block, uint32_t used, uint32_t node_size,
				 struct histree_error *error);

/* The block must have passed column_check(). */
struct column_view column_view(const uint8_t *block);

/*
 * Returns the first tick whose time, above the start of the leaf, is greater than `time`, or the number of all if
 * there is none.
 */
uint64_t column_tick_above(const struct column_view *view, uint64_t time);

bool column_dictionary_value(const struct column_view *view, uint64_t entry, struct histree_value *out);

static inline bool column_area_fits(uint32_t offset, uint64_t size, uint32_t used)
{
	return offset >= COLUMN_HEADER_SIZE && offset <= used && size <= used - offset;
}

/* Returns where a block begins, as the index has it. */
static inline uint32_t column_block_offset(const struct column_view *view, uint32_t block)
{
	return get_le32(view->block_index + (size_t)block * BLOCK_ENTRY_SIZE + 4);
}

/* Returns the key of the first series of a block. */
static inline histree_quark column_block_key(const struct column_view *view, uint32_t block)
{
	return get_le32(view->block_index + (size_t)block * BLOCK_ENTRY_SIZE);
}

/* Get the time of a tick in the table, above the start of the leaf.  Returns false if it lies outside the leaf. */
static inline bool column_time_of(const struct column_view *view, uint64_t tick, uint64_t *time)
{
	if (tick >= view->time_count)
		return false;
	const uint8_t *entry = view->time_index + tick / TIMES_PER_ENTRY * TIME_ENTRY_SIZE;
	unsigned width = get_le32(entry + 12);
	size_t at = (size_t)get_le32(entry + 8) * 8 + tick % TIMES_PER_ENTRY * (size_t)width;
	if (width > 64 || at + width > (size_t)view->used * 8)
		return false;
	*time = get_le64(entry) + bits_get(view->block, at, width);
	return true;
}

/* The same of a tick, whether times are direct or in the table. */
static inline bool column_tick_time(const struct column_view *view, uint64_t tick, uint64_t *time)
{
	if (!view->direct)
		return column_time_of(view, tick, time);
	*time = tick;
	return true;
}

#endif
