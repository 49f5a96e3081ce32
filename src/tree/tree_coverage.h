/* SPDX-License-Identifier: MIT */
/*
 * tree_coverage.h - how much of a region intervals cover, as one number.
 *
 * Where the region is a range of times: the time of each interval within it, times the weight of its key; where it is a
 * list, how many of its times are in each interval.  Each key has exactly one state at each time.  So the numbers of the
 * intervals of an answer add up to that of the region, modulo 2^64; else nodes are missing, or contradict each other.
 */
#ifndef TREE_TREE_COVERAGE_H
#define TREE_TREE_COVERAGE_H

#include "node/node_region.h"

/* Odd, and another one for each key, so that what one key lacks another one hardly makes up for. */
static inline uint64_t tree_coverage_weight(histree_quark quark)
{
	return 2 * (uint64_t)quark + 1;
}

/* Returns the number of a whole region, which has `keys` keys. */
static inline uint64_t tree_coverage_of(const struct node_region *region, size_t keys)
{
	uint64_t weight = (uint64_t)keys * keys; /* of all keys: 1 + 3 + 5 ... */
	if (region->times != NULL)
		return keys * (uint64_t)region->time_count;
	if (region->quarks != NULL) {
		weight = 0;
		for (size_t i = 0; i < keys; i++)
			weight += tree_coverage_weight(region->quarks[i]);
	}
	return weight * ((uint64_t)region->to - (uint64_t)region->from + 1);
}

/* Returns the number of some intervals that meet a range of times. */
static inline uint64_t tree_coverage_of_range(const struct node_region *region,
					      const struct histree_interval *intervals, size_t count)
{
	const histree_time from = region->from, to = region->to;
	uint64_t covered = 0;
	for (size_t i = 0; i < count; i++) {
		histree_time start = intervals[i].start, end = intervals[i].end;
		start = start < from ? from : start;
		end = end > to ? to : end;
		covered += ((uint64_t)end - (uint64_t)start + 1) * tree_coverage_weight(intervals[i].quark);
	}
	return covered;
}

/* Returns the number of some intervals where the region is a list of times, else 0. */
static inline uint64_t tree_coverage_of_times(const struct node_region *region,
					      const struct histree_interval *intervals, size_t count)
{
	uint64_t covered = 0;
	for (size_t i = 0; i < count && region->times != NULL; i++)
		covered += region_count_times(region, intervals[i].start, intervals[i].end);
	return covered;
}

#endif
