/* SPDX-License-Identifier: MIT */
/*
 * tree_iter.h - the intervals of a region one after the other, and how much of the region they cover, as one
 * number.
 *
 * The number is a sum over the intervals: of the time of each within the region or, if the region has a list of
 * times, of how many of these it contains; each multiplied by the weight of its key.
 */
#ifndef TREE_TREE_ITER_H
#define TREE_TREE_ITER_H

#include "node/node.h"
#include "tree/tree_reader.h"

struct tree_iter;

/*
 * An iterator over a region (histree/states.h defines regions, who owns their lists, and the order of intervals).
 * The region must be inside the tree's time and keys, and its lists sorted: the caller checks this.
 */
enum histree_status tree_iter_create(struct tree_reader *reader, struct tree_iter **out,
				     struct histree_error *error);
void tree_iter_start(struct tree_iter *iter, const struct histree_region *region);

/* Drop what is left, and the pinned node; the next call of tree_iter_next() is the end. */
void tree_iter_stop(struct tree_iter *iter);
enum histree_status tree_iter_next(struct tree_iter *iter, struct histree_interval *out,
				   struct histree_error *error);

/* Get up to `room` intervals, at least one, or return HISTREE_END.  `room` is not 0. */
enum histree_status tree_iter_read(struct tree_iter *iter, struct histree_interval *out, size_t room, size_t *count,
				   struct histree_error *error);

/*
 * Have `threads` threads read leaves ahead, from the next start on; 1: no other thread.  Drops what is left, also
 * if it fails.
 */
enum histree_status tree_iter_set_threads(struct tree_iter *iter, unsigned threads, struct histree_error *error);

/* Returns whether nothing of the region is left: the nodes that were read have all of it. */
bool tree_iter_is_whole(const struct tree_iter *iter);

/*
 * From here on, hand out only what nodes and lifetimes say, and nothing of type unknown for what they cannot say.
 */
void tree_iter_keep_to_nodes(struct tree_iter *iter);

/* Since the iterator was started. */
struct tree_counts {
	uint64_t nodes_visited, nodes_loaded; /* as those of struct histree_statistics */
	uint64_t intervals;                   /* handed out */
	uint64_t nodes_damaged;               /* that could not be read */
};

struct tree_counts tree_iter_stats(const struct tree_iter *iter);
void tree_iter_free(struct tree_iter *iter);

/* The unknown intervals of a region.  A zeroed struct has no intervals. */
struct tree_unknown {
	struct histree_interval *intervals; /* of type unknown, by attribute and time */
	size_t count, capacity;
	size_t next; /* to be handed out */
};

/* Look again at all that can be read of the region.  Fails with HISTREE_ERR_MEMORY, or as the readable nodes do. */
enum histree_status tree_unknown_find(struct tree_reader *reader, const struct histree_region *region,
				      struct tree_unknown *unknown, struct histree_error *error);
void tree_unknown_release(struct tree_unknown *unknown);

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
