/* SPDX-License-Identifier: MIT */
/*
 * node_region.h - what is asked of a node: keys times times (histree/query.h: the region of a query).
 */
#ifndef NODE_NODE_REGION_H
#define NODE_NODE_REGION_H

#include "base/search.h"
#include "histree/value.h"

struct node_region {
	histree_time from, to;       /* both inclusive; with `times`, the first and the last of them */
	const histree_quark *quarks; /* sorted, each once; NULL: all */
	size_t quark_count;
	const histree_time *times; /* sorted; NULL: all from `from` to `to` */
	size_t time_count;
	double times_per_ns; /* of `times`: for guesses.  0 will do */
};

/* What a search in a list of the region looks for. */
struct region_bound {
	const struct node_region *region;
	histree_time time;
	histree_quark quark;
};

static inline bool region_time_before(const void *context, size_t index)
{
	const struct region_bound *bound = context;
	return bound->region->times[index] < bound->time;
}

static inline bool region_quark_before(const void *context, size_t index)
{
	const struct region_bound *bound = context;
	return bound->region->quarks[index] < bound->quark;
}

/*
 * Returns the index of the first time from `low` on that is not below `time`.  Views of a screen ask at equal
 * distances.
 */
static inline size_t region_time_from(const struct node_region *region, size_t low, histree_time time)
{
	const struct region_bound bound = { .region = region, .time = time };
	size_t guess = low;
	if (time > region->to)
		return region->time_count;
	if (time > region->from)
		guess = (size_t)((double)((uint64_t)time - (uint64_t)region->from) * region->times_per_ns);
	return search_first(low, region->time_count, guess, region_time_before, &bound);
}

/* Returns the index of the first quark from `low` on that is not below `quark`; one near `low` is found soonest. */
static inline size_t region_quark_from(const struct node_region *region, size_t low, histree_quark quark)
{
	const struct region_bound bound = { .region = region, .quark = quark };
	return search_first(low, region->quark_count, low, region_quark_before, &bound);
}

/* Find the quarks that a node with these keys can have: from `first` up to `end`. */
static inline void region_choose_quarks(const struct node_region *region, histree_quark key_min,
					histree_quark key_max, size_t *first, size_t *end)
{
	*first = region_quark_from(region, 0, key_min);
	*end = key_max < UINT32_MAX ? region_quark_from(region, *first, key_max + 1) : region->quark_count;
}

/* The region without what its lists leave out: most bounds of nodes do not even meet that. */
struct region_bounds {
	histree_time from, to;
	histree_quark key_min, key_max;
};

/* The list of quarks, if there is one, is not empty. */
static inline struct region_bounds region_bounds(const struct node_region *region)
{
	return (struct region_bounds){
		.from = region->from,
		.to = region->to,
		.key_min = region->quarks != NULL ? region->quarks[0] : 0,
		.key_max = region->quarks != NULL ? region->quarks[region->quark_count - 1] : UINT32_MAX,
	};
}

/*
 * Returns whether bounds meet those of a region; with key_min > key_max, which means no intervals, they never do.
 */
static inline bool bounds_meet(const struct region_bounds *bounds, histree_time start, histree_time end,
			       histree_quark key_min, histree_quark key_max)
{
	return start <= bounds->to && end >= bounds->from && key_min <= bounds->key_max &&
	       key_max >= bounds->key_min && key_min <= key_max;
}

/* Returns whether one of the region's times is in what meets its bounds. */
static inline bool region_meets_times(const struct node_region *region, histree_time start, histree_time end)
{
	if (region->times == NULL || start <= region->from || end >= region->to)
		return true;
	return region->times[region_time_from(region, 0, start)] <= end;
}

/* Returns whether one of the region's quarks is in what meets its bounds. */
static inline bool region_meets_keys(const struct node_region *region, histree_quark key_min, histree_quark key_max)
{
	if (region->quarks == NULL || key_min <= region->quarks[0] ||
	    key_max >= region->quarks[region->quark_count - 1])
		return true;
	return region->quarks[region_quark_from(region, 0, key_min)] <= key_max;
}

/* Another one for each key, so that what one key lacks, another one hardly makes up for. */
static inline uint64_t region_weight(histree_quark quark)
{
	return 2 * (uint64_t)quark + 1;
}

/* Returns how many times of a list are in an interval, times the weight of its key. */
static inline uint64_t region_count_times(const struct node_region *region, const struct histree_interval *interval)
{
	size_t first = region_time_from(region, 0, interval->start);
	size_t next = interval->end >= region->to ? region->time_count
						  : region_time_from(region, first, interval->end + 1);
	return (next - first) * region_weight(interval->quark);
}

/* Returns whether an interval, whose key the region has, is in the region. */
static inline bool region_has_time_of(const struct node_region *region, histree_time start, histree_time end)
{
	return start <= region->to && end >= region->from && region_meets_times(region, start, end);
}

#endif
