/* SPDX-License-Identifier: MIT */
/*
 * segment_gather.h - the segments at locations that come in any order, many at a time: each node is read once for
 * all of them.
 *
 * The locations in the order of a field lie anywhere.  One at a time, each would cost a node; sorted, so many cost
 * as many nodes as there are, at most.
 */
#ifndef SEGMENT_TREE_SEGMENT_GATHER_H
#define SEGMENT_TREE_SEGMENT_GATHER_H

#include "segment_tree/segment_iter.h"

struct segment_gather;

enum histree_status segment_gather_create(const struct segment_source *source, struct segment_gather **out,
					  struct histree_error *error);

/*
 * Fetch the segments at the first *count locations, or fewer, but at least one, if their content would take more
 * than `bytes_max`.  What was fetched before is gone.  Returns HISTREE_ERR_FORMAT if a location has no segment or
 * its node cannot be read.
 */
enum histree_status segment_gather_fetch(struct segment_gather *gather, const uint64_t *locations, size_t *count,
					 size_t bytes_max, struct histree_error *error);

/* Returns a fetched segment by its index in the order of the locations; it is valid until the next are fetched. */
const struct histree_segment *segment_gather_get(const struct segment_gather *gather, size_t index);

/* Return how many nodes were visited and loaded so far. */
void segment_gather_stats(const struct segment_gather *gather, struct histree_segment_iter_stats *stats);

/* NULL is fine. */
void segment_gather_free(struct segment_gather *gather);

#endif
