/* SPDX-License-Identifier: MIT */
/*
 * tree_coverage.h - how much of a region intervals cover, as one number.
 *
 * It is the sum over the intervals of the time of each within the region, or, where that has a list of times, of
 * how many of these it has; each times the weight of its key (region_weight()).  Each key has exactly one state at
 * each time.  So the numbers of the intervals of an answer add up to that of the region; else nodes are missing, or
 * contradict each other.  A range of times needs 128 bits: in 64, a gap of 2^59 ns of eight attributes would be 0.
 * Counts of listed times are modulo 2^64.
 */
#ifndef TREE_TREE_COVERAGE_H
#define TREE_TREE_COVERAGE_H

#include "node/node_region.h"

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

/* Returns the number of some intervals that meet a range of times. */
static inline tree_coverage tree_coverage_of_range(const struct node_region *region,
						   const struct histree_interval *intervals, size_t count)
{
	const histree_time from = region->from, to = region->to;
	tree_coverage covered = 0;
	for (size_t i = 0; i < count; i++) {
		histree_time start = intervals[i].start, end = intervals[i].end;
		start = start < from ? from : start;
		end = end > to ? to : end;
		covered +=
			((tree_coverage)((uint64_t)end - (uint64_t)start) + 1) * region_weight(intervals[i].quark);
	}
	return covered;
}

/* Returns the number of some intervals where the region is a list of times, else 0. */
static inline uint64_t tree_coverage_of_times(const struct node_region *region,
					      const struct histree_interval *intervals, size_t count)
{
	uint64_t covered = 0;
	for (size_t i = 0; i < count && region->times != NULL; i++)
		covered += region_count_times(region, &intervals[i]);
	return covered;
}

#endif
