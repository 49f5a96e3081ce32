/* SPDX-License-Identifier: MIT */
/*
 * part_sums.h - summaries of all segments of a store by part of duration (segment/duration_parts.h), whatever their
 * values, while they are added up: parts as narrow as a number of summaries allows.
 */
#ifndef OVERVIEW_PART_SUMS_H
#define OVERVIEW_PART_SUMS_H

#include "overview/summary_cells.h"
#include "segment/duration_parts.h"

/* One whose `longest` and `max` are set, and the rest is zero, has to be begun. */
struct part_sums {
	uint64_t longest; /* duration of the store */
	size_t max;       /* so many summaries at most */
	struct duration_parts parts;
	unsigned log2; /* of the parts; 0: there would be too many in any case, and nothing is added up */
	struct summary_cells cells;
};

void part_sums_begin(struct part_sums *sums);

/* `bucket` is that of the duration.  Returns false if memory is out. */
bool part_sums_add(struct part_sums *sums, const struct segment_summary *segment, size_t bucket);

void part_sums_release(struct part_sums *sums);

#endif
