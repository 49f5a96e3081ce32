/* SPDX-License-Identifier: MIT */
/*
 * open_segments.h - segments that have begun and not yet ended, found by a key of 64 bits.
 *
 * A record stays under its key when its segment has ended, because most keys recur: threads make one call after the
 * other.  Records that are not open are reused for other keys before the table grows, so memory grows with what is
 * open at a time, not with the number of keys ever seen: a disk can have any number of sectors.
 *
 * Keys that are dense, as the places of threads (kernel/kernel_machine.h), need no hash: an array has the open
 * segments.
 */
#ifndef ANALYSIS_OPEN_SEGMENTS_H
#define ANALYSIS_OPEN_SEGMENTS_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "histree/segments.h"

enum { OPEN_SEGMENT_VALUES = 11, OPEN_SEGMENTS_RECENT = 64 };

struct open_segment {
	uint64_t key;
	struct open_segment *next; /* of those that wait for a dense key */
	bool is_open;
	histree_time start;
	struct histree_value values[OPEN_SEGMENT_VALUES]; /* null at first; bytes are borrowed */
	char *text;                                       /* a buffer of its own, kept for the next one */
	size_t text_capacity;
};

/* A zeroed one is empty. */
struct open_segments {
	struct open_segment **records; /* the first `keyed` are in the index, the others wait for a key */
	size_t keyed, record_count, capacity;
	struct table table; /* of records */
	bool is_dense;      /* keys are: then none is in the index, */
	struct dense_records by_key;
	struct open_segment *spare;                        /* and these are not open */
	struct hash_index index;                           /* of records, by key */
	struct open_segment *recent[OPEN_SEGMENTS_RECENT]; /* that were found lately, by some bits of the key */
	struct arena memory;
	uint64_t count; /* open ones */
};

/* Take the memory of an empty one from this space, which may be NULL. */
void open_segments_use_space(struct open_segments *open, struct table_space *space);

/* Where the record of a key is if it was found lately. */
static inline struct open_segment **open_segments_recent(struct open_segments *open, uint64_t key)
{
	return &open->recent[(key ^ key >> 32) % OPEN_SEGMENTS_RECENT];
}

/* Returns the record of a key, open or, if keys are not dense, not; NULL if it has none. */
struct open_segment *open_segments_record(struct open_segments *open, uint64_t key);

/* Returns the open segment of a key, or NULL.  Most events ask in vain. */
static inline struct open_segment *open_segments_find(struct open_segments *open, uint64_t key)
{
	if (open->count == 0)
		return NULL;
	if (open->is_dense)
		return dense_find(&open->by_key, key);
	struct open_segment *segment = *open_segments_recent(open, key);
	if (segment == NULL || segment->key != key)
		segment = open_segments_record(open, key);
	return segment != NULL && segment->is_open ? segment : NULL;
}

/*
 * Open a segment under a key; one that is open there is forgotten.  Returns NULL when memory runs out, and then the
 * other open segments are as before.
 */
struct open_segment *open_segments_add(struct open_segments *open, uint64_t key, histree_time start);

/* The values stay readable until the next addition. */
void open_segments_remove(struct open_segments *open, struct open_segment *segment);

/*
 * Move a segment to another key, at which none is open.  Returns false when memory runs out; the segment is then
 * gone.
 */
bool open_segments_rename(struct open_segments *open, struct open_segment *segment, uint64_t key);

void open_segments_release(struct open_segments *open);

#endif
