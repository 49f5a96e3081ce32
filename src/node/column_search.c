// SPDX-License-Identifier: MIT
#include "node/column_search.h"

#include "base/search.h"

struct head_search {
	const struct column_view *view;
	struct column_place place;
	bool *malformed;
};

static inline bool head_is_before(const void *context, size_t block)
{
	const struct head_search *search = context;
	return column_head_key(search->view, (uint32_t)block) < search->place.key;
}

static inline bool head_is_not_behind(const void *context, size_t block)
{
	const struct head_search *search = context;
	return column_head_key(search->view, (uint32_t)block) <= search->place.key;
}

struct segment_search {
	const struct column_block *block;
	struct column_place place;
};

/* Its first interval may end exactly where the window begins; hence "before", not "at". */
static inline bool segment_is_before(const void *context, size_t segment)
{
	const struct segment_search *search = context;
	uint64_t key = column_block_field(search->block, COLUMN_KEY, (uint32_t)segment);
	if (key != search->place.key)
		return key < search->place.key;
	return column_block_field(search->block, COLUMN_START, (uint32_t)segment) < search->place.ends_from;
}

static bool block_is_before(const void *context, size_t number)
{
	const struct head_search *search = context;
	struct column_block block;
	if (column_block_open(&block, search->view, (uint32_t)number)) {
		const struct segment_search first = { &block, search->place };
		return segment_is_before(&first, 0);
	}
	*search->malformed = true;
	return false;
}

bool column_find_block(const struct column_view *view, uint32_t open, const struct column_place *place,
		       uint32_t *number)
{
	bool malformed = false;
	const struct head_search search = { .view = view, .place = *place, .malformed = &malformed };
	uint32_t low = open + 1, count = view->block_count;
	size_t guess = (size_t)((double)(place->key - view->key_min) * view->blocks_per_key);
	size_t first = search_first(low, count, guess, head_is_before, &search);
	/* The blocks that begin with the key: those that hold moments before the place begin before it too. */
	if (first < count && place->ends_from > 0 && column_head_key(view, (uint32_t)first) == place->key) {
		size_t last = search_first(first, count, first, head_is_not_behind, &search);
		first = search_first(first, last, first, block_is_before, &search);
	}
	*number = first > low ? (uint32_t)first - 1 : open == UINT32_MAX ? 0 : open;
	return !malformed;
}

uint32_t column_find_segment(const struct column_block *block, uint32_t low, const struct column_place *place)
{
	const struct segment_search search = { block, *place };
	uint32_t count = block->segment_count, guess = low;
	/* Keys are seldom far from evenly spread in so small a range. */
	unsigned width = block->widths[COLUMN_KEY];
	uint64_t least = block->least[COLUMN_KEY];
	if (low == 0 && width < 32 && place->key > least)
		guess = (uint32_t)((place->key - least) * count >> width);
	uint32_t first = (uint32_t)search_first(low, count, guess, segment_is_before, &search);
	bool is_inside = first > low && column_block_field(block, COLUMN_KEY, first - 1) == place->key;
	return is_inside ? first - 1 : first;
}
