/* SPDX-License-Identifier: MIT */
/*
 * segment_density.h - how many segments last how long: counts in buckets of duration that are as fine for
 * nanoseconds as for seconds.
 *
 * Buckets have nearly the same width on a logarithmic scale.  Their bounds are round numbers: 1 2 5, or the
 * preferred numbers of ISO 3 (Renard's).  A density takes one pass over the segments and one count for each
 * bucket, at most 128 MB; if the store has overviews (segment_store.h), it is made from these and equally exact.
 */
#ifndef HISTREE_SEGMENT_DENSITY_H
#define HISTREE_SEGMENT_DENSITY_H

#include "segment_stats.h"

struct histree_density_options {
	unsigned per_decade; /* buckets for each power of ten: 1, 3 (1 2 5), 5, 10 or 20; 0 means 3 */
	size_t field;        /* each of its values gets counts of its own; or HISTREE_SEGMENTS_TOGETHER */
	size_t group_max;    /* how many values, the first ones, get counts of their own; 0 means 1000 */
	/*
	 * The number of equal columns of [from, to], both inclusive, each with counts of its own.  A segment
	 * counts in the column in which it starts, or in the nearest one.  0 means one column for all times.
	 */
	uint32_t column_count;
	histree_time from, to;
};

/* In nanoseconds, both inclusive. */
struct histree_duration_bucket {
	uint64_t min, max;
};

struct histree_density_group {
	struct histree_value value; /* null also for all segments together; bytes belong to the density */
	bool is_rest;               /* all segments whose values came too late to have counts of their own */
	uint64_t count;
};

struct histree_segment_density;

/*
 * Count the segments in the window of the query that pass its filter; order and limit are ignored.  Returns
 * HISTREE_ERR_ARGUMENT if an option is out of range.  One thread at a time may use the store.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_density_create(struct histree_segment_store *store, const struct histree_segment_query *query,
			       const struct histree_density_options *options, struct histree_segment_density **out,
			       struct histree_error *error);

/* Returns the buckets from the first to the last that holds a segment, without gaps. */
HISTREE_API const struct histree_duration_bucket *
histree_segment_density_buckets(const struct histree_segment_density *density, size_t *count);

/* Returns a group that has segments: by decreasing count, then by value, the rest last, NULL after that. */
HISTREE_API const struct histree_density_group *
histree_segment_density_group(const struct histree_segment_density *density, size_t index);

/* Returns how many segments of a group are in a bucket and a column; without columns, column 0 has all. */
HISTREE_API uint64_t histree_segment_density_count(const struct histree_segment_density *density, size_t group,
						   uint32_t column, size_t bucket);

/* Returns what is lost of the segments; the others are counted. */
HISTREE_API struct histree_loss histree_segment_density_loss(const struct histree_segment_density *density);

/* Free the density; NULL is allowed. */
HISTREE_API void histree_segment_density_free(struct histree_segment_density *density);

#endif
