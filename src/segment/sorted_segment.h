/* SPDX-License-Identifier: MIT */
/*
 * sorted_segment.h - a segment on its way through a sort, and how a run of them (store/spill_runs.h) keeps it.
 *
 * In a run: its start as a zigzag varint, its duration and its number of arrival as varints, then its values
 * (item/value_codec.h).
 */
#ifndef SEGMENT_SORTED_SEGMENT_H
#define SEGMENT_SORTED_SEGMENT_H

#include "base/bytes.h"
#include "histree/segment.h"

struct sorted_segment {
	struct histree_segment segment;
	uint64_t arrival; /* its number among all segments of the sort, by arrival */
};

/* One that came out of a run: the bytes of its values are the run's. */
struct decoded_segment {
	struct sorted_segment item; /* the first member: it is compared as those in memory are */
	struct histree_value content[HISTREE_SEGMENT_FIELDS_MAX];
};

/* Returns how many bytes a segment takes in a run, at most. */
size_t sorted_segment_size(const struct histree_segment *segment, size_t field_count);

/* Put a segment at `at`, where there is room.  Returns where the next byte goes. */
uint8_t *sorted_segment_put(uint8_t *at, const struct sorted_segment *item, size_t field_count);

/* Returns false if the bytes end within the segment. */
bool sorted_segment_decode(struct byte_reader *reader, struct decoded_segment *out, size_t field_count);

#endif
