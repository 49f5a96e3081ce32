/* SPDX-License-Identifier: MIT */
/*
 * active_segments.h - the segments that a sweep line crosses, in the order of their arrival, each a copy.
 */
#ifndef QUERY_ACTIVE_SEGMENTS_H
#define QUERY_ACTIVE_SEGMENTS_H

#include "histree/segment.h"

/* One piece of memory, with the content.  It may be in a list of the caller's, of those that share something. */
struct active_segment {
	struct histree_segment segment;
	size_t size;     /* of the segment and its content */
	uint64_t number; /* ascends with arrival */
	struct active_segment *next,
		**place; /* in the list: the next, and what points to this one; NULL: in none */
};

/* A zeroed one is empty. */
struct active_segments {
	struct active_segment **segments;
	size_t count, capacity;
	size_t bytes; /* of all segments and their content */
	size_t field_count;
	uint64_t added;          /* since the last clear */
	histree_time latest_end; /* of those added, if any */
};

/* Add a copy, to a list too unless that is NULL.  Returns NULL if memory is out. */
const struct histree_segment *active_segments_add(struct active_segments *active,
						  const struct histree_segment *segment,
						  struct active_segment **list);

/* Take it out of its list, if it is in one. */
void active_segment_leave_list(struct active_segment *active);

/* Let go of those that ended before `t`; they leave their lists. */
void active_segments_pass(struct active_segments *active, histree_time t);

void active_segments_clear(struct active_segments *active);
void active_segments_release(struct active_segments *active);

#endif
