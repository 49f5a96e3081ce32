// SPDX-License-Identifier: MIT
#include "node/column_search.h"

#include "base/search.h"

struct block_search {
	const struct column_view *view;
	struct column_target target;
	bool *malformed;
};

static inline bool entry_is_before(const void *context, size_t block)
{
	const struct block_search *search = context;
	return column_block_key(search->view, (uint32_t)block) < search->target.key;
}

static inline bool entry_is_not_after(const void *context, size_t block)
{
	const struct block_search *search = context;
	return column_block_key(search->view, (uint32_t)block) <= search->target.key;
}

struct series_search {
	const struct column_block *block;
	struct column_target target;
};

/* Its first interval may end exactly where the window begins; hence "before", not "at". */
static inline bool series_is_before(const void *context, size_t series)
{
	const struct series_search *search = context;
	uint64_t key = column_block_field(search->block, COLUMN_KEY, (uint32_t)series);
	if (key != search->target.key)
		return key < search->target.key;
	return column_block_field(search->block, COLUMN_START, (uint32_t)series) < search->target.ends_from;
}

static bool block_is_before(const void *context, size_t number)
{
	const struct block_search *search = context;
	struct column_block block;
	if (column_block_open(&block, search->view, (uint32_t)number)) {
		const struct series_search first = { &block, search->target };
		return series_is_before(&first, 0);
	}
	*search->malformed = true;
	return false;
}

bool column_find_block(const struct column_view *view, uint32_t open, const struct column_target *target,
		       uint32_t *number)
{
	bool malformed = false;
	const struct block_search search = { .view = view, .target = *target, .malformed = &malformed };
	uint32_t low = open + 1, count = view->block_count;
	size_t guess = (size_t)((double)(target->key - view->key_min) * view->blocks_per_key);
	size_t first = search_first(low, count, guess, entry_is_before, &search);
	/* The blocks that begin with the key: those that hold ticks before the target begin before it too. */
	if (first < count && target->ends_from > 0 && column_block_key(view, (uint32_t)first) == target->key) {
		size_t last = search_first(first, count, first, entry_is_not_after, &search);
		first = search_first(first, last, first, block_is_before, &search);
	}
	*number = first > low ? (uint32_t)first - 1 : open == UINT32_MAX ? 0 : open;
	return !malformed;
}

uint32_t column_find_series(const struct column_block *block, uint32_t low, const struct column_target *target)
{
	const struct series_search search = { block, *target };
	uint32_t count = block->series_count, guess = low;
	/* Keys are seldom far from evenly spread in so small a range. */
	unsigned width = block->widths[COLUMN_KEY];
	uint64_t min = block->minima[COLUMN_KEY];
	if (low == 0 && width < 32 && target->key > min)
		guess = (uint32_t)((target->key - min) * count >> width);
	uint32_t first = (uint32_t)search_first(low, count, guess, series_is_before, &search);
	bool is_inside = first > low && column_block_field(block, COLUMN_KEY, first - 1) == target->key;
	return is_inside ? first - 1 : first;
}
