/* SPDX-License-Identifier: MIT */
/*
 * open_segments.h - what has begun and not yet ended, by a key of 64 bits.
 *
 * Memory grows with what is open at a time, not with what ever was: a disk has as many sectors as it likes.
 */
#ifndef ANALYSIS_OPEN_SEGMENTS_H
#define ANALYSIS_OPEN_SEGMENTS_H

#include "base/arena.h"
#include "histree/segment.h"

enum { OPEN_SEGMENT_VALUES = 8 };

struct open_segment {
	uint64_t key;
	histree_time start;
	struct histree_value values[OPEN_SEGMENT_VALUES]; /* null at first; bytes are borrowed */
	char *text;                                       /* a buffer of its own, kept for the next one */
	size_t text_capacity;
	struct open_segment *all, *free; /* lists */
};

/* A zeroed one is empty. */
struct open_segments {
	void *tree; /* of <search.h> */
	struct open_segment *all, *free;
	struct arena memory;
	uint64_t count;
};

/* NULL if there is none. */
struct open_segment *open_segments_find(const struct open_segments *open, uint64_t key);

/* One with a key that is not there yet; NULL when memory is out. */
struct open_segment *open_segments_add(struct open_segments *open, uint64_t key, histree_time start);

/* The values stay readable until the next addition. */
void open_segments_remove(struct open_segments *open, struct open_segment *segment);

/* The same segment under another key, which must be free.  False when memory is out: then it is gone. */
bool open_segments_rename(struct open_segments *open, struct open_segment *segment, uint64_t key);

void open_segments_release(struct open_segments *open);

#endif
