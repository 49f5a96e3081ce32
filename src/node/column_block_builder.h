/* SPDX-License-Identifier: MIT */
/*
 * column_block_builder.h - a block of a leaf of columns while it is made: up to 32 series, cut off the items and
 * written with each column as wide as this block needs (column_format.h).
 */
#ifndef NODE_COLUMN_BLOCK_BUILDER_H
#define NODE_COLUMN_BLOCK_BUILDER_H

#include <stdbool.h>

#include "base/bits.h"
#include "node/column_format.h"
#include "node/column_item.h"

/* The ticks of the items of a leaf. */
struct column_ticks {
	histree_time start;            /* of the leaf */
	uint64_t last;                 /* of its end + 1 */
	const uint32_t *starts, *ends; /* by item, with a table of times; NULL: times are direct */
};

/* The values of a leaf that are not integers.  Entry 0 is null, for series that have other values too. */
struct column_dictionary {
	uint32_t *entries; /* by value of the list: its entry; 0: none yet */
	size_t entries_capacity;
	uint32_t *values; /* by entry: the value of the list */
	size_t count, capacity;
};

enum { NULL_ENTRY = 0 };

struct built_series {
	uint32_t count;                /* of intervals */
	uint64_t first, last;          /* steps */
	uint64_t inner_min, inner_max; /* of the steps between, if there are any */
};

struct column_block_builder {
	uint32_t count; /* of series */
	unsigned edges;
	struct built_series series[SERIES_PER_BLOCK];
	uint64_t fields[COLUMN_COUNT_OF_COLUMNS][SERIES_PER_BLOCK];
	uint64_t steps[SERIES_PER_BLOCK * SERIES_INTERVALS_MAX]; /* those of each series one after the other */
	uint64_t codes[SERIES_PER_BLOCK * SERIES_INTERVALS_MAX]; /* of values */
};

/* Whether the item goes on where the one before it ended. */
static inline bool column_item_follows(const struct column_item *item)
{
	return column_item_key(item) == column_item_key(item - 1) && item->start == item[-1].end + 1;
}

/*
 * Cut the items from `first` on into series until the block is full; returns the first that it does not take, 0
 * when memory is out.
 */
size_t column_block_builder_cut(struct column_block_builder *block, const struct column_item *items, size_t first,
				size_t count, const struct column_ticks *ticks,
				struct column_dictionary *dictionary);

/* Put the block at the end of the bits, which then end with a whole byte.  False when memory is out. */
bool column_block_builder_write(struct column_block_builder *block, struct bit_buffer *bits);

#endif
