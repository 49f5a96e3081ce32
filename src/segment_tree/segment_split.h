/* SPDX-License-Identifier: MIT */
/*
 * segment_split.h - cut segments into parts of about equal size by one of their keys.
 *
 * Where to cut is taken from a sample.  Segments with equal keys are never parted; a key that many have gets a part
 * of its own.
 */
#ifndef SEGMENT_TREE_SEGMENT_SPLIT_H
#define SEGMENT_TREE_SEGMENT_SPLIT_H

#include <stdbool.h>

#include "base/radix_sort.h"
#include "item/segment_batch.h"

enum segment_split_key { SPLIT_BY_START, SPLIT_BY_DURATION };

enum { SEGMENT_PARTS_MAX = 2048, SEGMENT_SLOTS_MAX = 8 * SEGMENT_PARTS_MAX };

/* Scratch.  A zeroed one is fine. */
struct segment_split {
	uint16_t *parts_of; /* by position: the part of that segment */
	size_t parts_of_capacity;
	struct keyed_index *sample;
	size_t sample_capacity;
	/* ascending: a key belongs to as many parts after the first as are not above it */
	uint64_t splitters[SEGMENT_PARTS_MAX];
	/* The range of the splitters in slots of equal width, and how many splitters lie before each slot. */
	uint16_t before_slot[SEGMENT_SLOTS_MAX + 1];
	unsigned slot_shift;

	/* The last result. */
	size_t part_count;
	size_t sizes[SEGMENT_PARTS_MAX]; /* of each part; may be 0 */
};

/* As a number whose order is that of the key. */
static inline uint64_t segment_split_number(enum segment_split_key key, const struct segment_times *times)
{
	return key == SPLIT_BY_START ? (uint64_t)times->start ^ UINT64_C(1) << 63 : times->duration;
}

/*
 * Write the `count` entries of `from` to `to`, part by part, within a part in the order in which they were; about
 * `parts` parts, SEGMENT_PARTS_MAX at most.  False when memory is out.
 */
bool segment_split(struct segment_split *split, const struct segment_times *times, enum segment_split_key key,
		   const uint32_t *from, uint32_t *to, size_t count, size_t parts);

void segment_split_release(struct segment_split *split);

#endif
