/* SPDX-License-Identifier: MIT */
/*
 * segment_density.h - how many segments last how long: counts in buckets of duration, as fine for nanoseconds as
 * for seconds.
 *
 * Buckets have the same width on a logarithmic scale, or nearly: their bounds are round numbers, 1 2 5 or the
 * preferred numbers of ISO 3 (Renard's).  One pass over the segments; memory is a count a bucket, 128 MB at most.
 */
#ifndef HISTREE_SEGMENT_DENSITY_H
#define HISTREE_SEGMENT_DENSITY_H

#include "segment_stats.h"

struct histree_density_options {
	unsigned per_decade; /* buckets for each power of ten: 1, 3 (1 2 5), 5, 10 or 20; 0 means 3 */
	size_t field;        /* counts for each of its values, or HISTREE_SEGMENTS_TOGETHER */
	size_t group_max;    /* so many values have counts of their own, those that come first; 0 means 1000 */
	/*
	 * Counts for each of so many equal parts of the time [from, to], both inclusive: where a segment starts, or
	 * the nearest.  0: times do not matter.
	 */
	uint32_t column_count;
	histree_time from, to;
};

/* In nanoseconds, both inclusive. */
struct histree_duration_bucket {
	uint64_t least, most;
};

struct histree_density_group {
	struct histree_value value; /* null: none, or all segments.  Bytes belong to the density. */
	bool is_rest;               /* all segments whose values came too late to have counts of their own */
	uint64_t count;
};

struct histree_segment_density;

/*
 * Of the segments in the window of the query that pass its filter; its order and limit are of no meaning.
 * HISTREE_ERR_ARGUMENT for options that are not possible.  HISTREE_PARTIAL: the density is there, without what
 * damaged nodes held.  One thread at a time.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_density_create(struct histree_segment_store *store, const struct histree_segment_query *query,
			       const struct histree_density_options *options, struct histree_segment_density **out,
			       struct histree_error *error);

/* From the least to the greatest that holds a segment, without gaps; none if there are no segments. */
HISTREE_API const struct histree_duration_bucket *
histree_segment_density_buckets(const struct histree_segment_density *density, size_t *count);

/* Those with segments: the greatest count first, the rest last; NULL behind it. */
HISTREE_API const struct histree_density_group *
histree_segment_density_group(const struct histree_segment_density *density, size_t index);

/* How many segments of a group fall in a bucket and start in a column; without columns, column 0 has them all. */
HISTREE_API uint64_t histree_segment_density_count(const struct histree_segment_density *density, size_t group,
						   uint32_t column, size_t bucket);

/* What is missing, of all damaged nodes together; `node` is the first of them.  NULL: nothing is. */
HISTREE_API const struct histree_segment_loss *
histree_segment_density_loss(const struct histree_segment_density *density);

/* NULL is fine. */
HISTREE_API void histree_segment_density_free(struct histree_segment_density *density);

#endif
