/* SPDX-License-Identifier: MIT */
/*
 * state_slice.h - some intervals in memory, sorted by attribute and start: what a partial history has left out
 * between two checkpoints, made again.
 *
 * It takes forty bytes an interval, which is why it is no backend, and is made in the time of a sort.
 */
#ifndef STATE_STATE_SLICE_H
#define STATE_STATE_SLICE_H

#include "base/arena.h"
#include "histree/value.h"
#include "node/node.h"

/* A zeroed one is empty. */
struct state_slice {
	struct histree_interval *intervals;
	size_t count, capacity;
	struct intern texts; /* the bytes of the values */
};

/* Add an interval, whose bytes are copied.  Returns false if memory is out. */
bool state_slice_add(struct state_slice *slice, const struct histree_interval *interval);

/* All were added. */
void state_slice_sort(struct state_slice *slice);

/* Returns how many bytes of memory it has. */
size_t state_slice_bytes(const struct state_slice *slice);

void state_slice_release(struct state_slice *slice);

/* Where a walk through the intervals of a region is. */
struct slice_cursor {
	const struct state_slice *slice;
	const struct node_region *region; /* both borrowed */
	size_t at;                        /* in the intervals */
	size_t quark_at;                  /* in the quarks of the region */
};

void slice_cursor_begin(struct slice_cursor *cursor, const struct state_slice *slice,
			const struct node_region *region);

/* Returns how many of the next intervals it gave, up to `room`; 0: there are no more. */
size_t slice_cursor_read(struct slice_cursor *cursor, struct histree_interval *out, size_t room);

#endif
