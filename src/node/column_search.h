/* SPDX-License-Identifier: MIT */
/*
 * column_search.h - where in a leaf of columns something is: the first interval of a key that ends at a tick or
 * later.
 *
 * Its series is the last of the key that begins before that tick, or the first of the key if none does: the
 * search goes by where series begin, and a series may reach as far as the next one of its key.
 */
#ifndef NODE_COLUMN_SEARCH_H
#define NODE_COLUMN_SEARCH_H

#include "node/column_block.h"

struct column_target {
	histree_quark key; /* one that the leaf may have: from key_min to key_max */
	uint64_t ends_from;
};

/*
 * The last block that begins before the target, `open` or later; `open` itself, or 0 where none is open
 * (UINT32_MAX), if none does.  The leaf has blocks.  False if one of them is malformed.
 */
bool column_find_block(const struct column_view *view, uint32_t open, const struct column_target *target,
		       uint32_t *number);

/*
 * In this block, from series `low` on: the target's own series, if the block has it; else the next one, which may
 * be the first of the next block.
 */
uint32_t column_find_series(const struct column_block *block, uint32_t low, const struct column_target *target);

#endif
