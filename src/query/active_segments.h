/* SPDX-License-Identifier: MIT */
/*
 * active_segments.h - the segments that a sweep line crosses, in the order of their arrival, each a copy.
 */
#ifndef QUERY_ACTIVE_SEGMENTS_H
#define QUERY_ACTIVE_SEGMENTS_H

#include "histree/segment.h"

/* A zeroed one is empty. */
struct active_segments {
	struct histree_segment **segments; /* each one piece of memory, with its content */
	size_t *sizes;                     /* of these pieces */
	size_t count, capacity, sizes_capacity;
	size_t bytes; /* of all pieces */
	size_t field_count;
};

/* Add a copy.  Returns NULL if memory is out. */
const struct histree_segment *active_segments_add(struct active_segments *active,
						  const struct histree_segment *segment);

/* Let go of those that ended before `t`. */
void active_segments_pass(struct active_segments *active, histree_time t);

void active_segments_clear(struct active_segments *active);
void active_segments_release(struct active_segments *active);

#endif
