/* SPDX-License-Identifier: MIT */
/*
 * tree_iter.h - the intervals of a region one after the other, and how much of the region they cover, as one
 * number.
 *
 * The number is the sum over the intervals of the time of each within the region, or, where that has a list of
 * times, of how many of these it has; each times the weight of its key.
 */
#ifndef TREE_TREE_ITER_H
#define TREE_TREE_ITER_H

#include "node/node.h"

__extension__ typedef unsigned __int128 tree_coverage;

/* Returns whether nothing is left of the number of a region. */
static inline bool tree_coverage_is_whole(const struct node_region *region, tree_coverage left)
{
	return region->times != NULL ? (uint64_t)left == 0 : left == 0;
}

/* Returns the number of a whole region, which has `keys` keys. */
static inline tree_coverage tree_coverage_of(const struct node_region *region, size_t keys)
{
	uint64_t weight = (uint64_t)keys * keys; /* of all keys: 1 + 3 + 5 ... */
	if (region->quarks != NULL) {
		weight = 0;
		for (size_t i = 0; i < keys; i++)
			weight += region_weight(region->quarks[i]);
	}
	if (region->times != NULL)
		return weight * region->time_count;
	return (tree_coverage)weight * ((tree_coverage)((uint64_t)region->to - (uint64_t)region->from) + 1);
}

#endif
