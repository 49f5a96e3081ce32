/* SPDX-License-Identifier: MIT */
/*
 * sorted_run.h - a sorted run of segments in a temporary file, written once from front to back and read once.
 *
 * A segment: its start as a zigzag varint, its duration and its number of arrival as varints, then its values
 * (item/value_codec.h).
 */
#ifndef SEGMENT_SORTED_RUN_H
#define SEGMENT_SORTED_RUN_H

#include "histree/segment.h"
#include "store/spill_file.h"

/* A segment on its way through a sort. */
struct sorted_segment {
	struct histree_segment segment;
	uint64_t arrival; /* its number among all segments of the sort, by arrival */
};

struct sorted_run {
	uint64_t at, end; /* in the file: what was not read yet */
	uint8_t *window;  /* a piece of it */
	size_t used, filled, capacity;
	struct sorted_segment first; /* the next; its content is in the window and in `content` */
	struct histree_value content[HISTREE_SEGMENT_FIELDS_MAX];
};

/* Returns how many bytes a segment takes in a run, at most. */
size_t sorted_run_item_size(const struct histree_segment *segment, size_t field_count);

/* Put a segment at `at`, where there is room.  Returns where the next byte goes. */
uint8_t *sorted_run_put(uint8_t *at, const struct sorted_segment *item, size_t field_count);

/* Begin to read what lies from `at` to `end`, in windows of that many bytes.  HISTREE_ERR_MEMORY only. */
enum histree_status sorted_run_open(struct sorted_run *run, uint64_t at, uint64_t end, size_t window);

/* Make the next segment the first.  Returns HISTREE_END if there is none. */
enum histree_status sorted_run_next(struct sorted_run *run, const struct spill_file *spill, size_t field_count,
				    struct histree_error *error);

void sorted_run_release(struct sorted_run *run);

#endif
