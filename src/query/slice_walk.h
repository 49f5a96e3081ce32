/* SPDX-License-Identifier: MIT */
/*
 * slice_walk.h - the intervals of a region that a partial history has left out, slice by slice.
 */
#ifndef QUERY_SLICE_WALK_H
#define QUERY_SLICE_WALK_H

#include "histree/query.h"
#include "state/history_slices.h"

/* A zeroed one has nothing. */
struct slice_walk {
	const struct partial_section *partial; /* NULL: there is nothing to walk through */
	const struct history_slices *slices;
	struct node_region region; /* its lists are the caller's */
	size_t next;               /* checkpoint */
	const struct state_slice *held;
	struct slice_cursor cursor; /* in it */
	uint64_t intervals;         /* handed out */
};

void slice_walk_begin(struct slice_walk *walk, const struct partial_section *partial,
		      const struct history_slices *slices, const struct histree_region *region);

/* Give back what is held; nothing more comes. */
void slice_walk_stop(struct slice_walk *walk);

/* Nothing more comes, but what was handed out stays until the walk is begun again or stopped. */
void slice_walk_end(struct slice_walk *walk);

/*
 * Get up to `room` intervals, at least one; they are borrowed until the next call.  Returns HISTREE_END at the end.
 */
enum histree_status slice_walk_read(struct slice_walk *walk, struct histree_interval *out, size_t room,
				    size_t *count, struct histree_error *error);

#endif
