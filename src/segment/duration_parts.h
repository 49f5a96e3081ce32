/* SPDX-License-Identifier: MIT */
/*
 * duration_parts.h - the finest buckets of duration_buckets.h, cut into parts (docs/design/0028-summaries.md).
 *
 * A part is a power of two ns wide: where durations are short, one.  It is so narrow that its bucket has 2^`log2`
 * parts or so, and 4,096 of them at least lie between 0 and the longest duration: enough for a chart with a linear
 * scale.
 */
#ifndef SEGMENT_DURATION_PARTS_H
#define SEGMENT_DURATION_PARTS_H

#include "segment/duration_buckets.h"

enum { DURATION_PARTS_LOG2_MAX = 8 };

struct duration_parts {
	struct duration_buckets buckets;
	uint8_t shift[DURATION_BUCKETS_MAX]; /* of the width of a part */
};

void duration_parts_init(struct duration_parts *parts, unsigned log2, uint64_t longest);

/* Returns the number of the part of a duration that is in a bucket; numbers ascend, not one by one. */
uint32_t duration_part_in(const struct duration_parts *parts, size_t bucket, uint64_t duration);
uint32_t duration_part_of(const struct duration_parts *parts, uint64_t duration);

/* Returns the shortest duration in the part of a duration. */
uint64_t duration_part_min(const struct duration_parts *parts, uint64_t duration);

/* Returns how wide the part of a duration is. */
uint64_t duration_part_width(const struct duration_parts *parts, uint64_t duration);

#endif
