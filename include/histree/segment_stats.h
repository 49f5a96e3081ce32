/* SPDX-License-Identifier: MIT */
/*
 * segment_stats.h - statistics of durations, or of a number that segments have, for all segments and for each
 * value of a field (thesis 5.4).
 *
 * All numbers are exact, including percentiles: a first pass counts, and a second one gets the segments in the
 * order of duration and so knows their ranks.  The memory is one record for each group.
 *
 * If the store has overviews (segment_store.h), the query has no filter and there is no field but theirs, the
 * statistics are made from summaries, and few segments are read.  The deviation is then right to within a
 * millionth; the other numbers stay exact.
 */
#ifndef HISTREE_SEGMENT_STATS_H
#define HISTREE_SEGMENT_STATS_H

#include "segment_store.h"

enum histree_percentile { HISTREE_P50, HISTREE_P90, HISTREE_P99, HISTREE_P99_9, HISTREE_PERCENTILE_COUNT };

/* Statistics of one group.  Durations are in nanoseconds; for a field, its numbers take their place. */
struct histree_segment_group {
	/* The value of the field, whose bytes belong to the statistics; null if it is null, or for all segments. */
	struct histree_value value;
	uint64_t count;
	uint64_t min, max;
	/* The shortest and the longest segment; of several equally long ones, the one that starts first. */
	histree_time min_start, min_end, max_start, max_end;
	uint64_t total;         /* UINT64_MAX if it does not fit */
	double mean, deviation; /* the deviation is that of a whole population: it divides by the count */
	/* The durations at rank ceil(p * count), counted from the shortest. */
	uint64_t percentiles[HISTREE_PERCENTILE_COUNT];
};

struct histree_segment_stats;

#define HISTREE_SEGMENTS_TOGETHER SIZE_MAX

/*
 * Compute the statistics of the segments that are in the window of the query and pass its filter; its order and
 * limit are ignored.  There is one group for each value of `field`, or no groups if it is
 * HISTREE_SEGMENTS_TOGETHER. One thread at a time uses the statistics.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_stats_create(struct histree_segment_store *store, const struct histree_segment_query *query,
			     size_t field, struct histree_segment_stats **out, struct histree_error *error);

/*
 * The same for the numbers of a field `of` instead of durations, such as bytes: an int or a long.  Segments in
 * which it is null or negative are left out.  If several segments have the least or the greatest number, any of
 * them is named.  Returns HISTREE_ERR_ARGUMENT if the field has no whole numbers.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_stats_create_of(struct histree_segment_store *store, const struct histree_segment_query *query,
				size_t field, size_t of, struct histree_segment_stats **out,
				struct histree_error *error);

/* Returns the statistics of all segments together; they are 0 if there are no segments. */
HISTREE_API const struct histree_segment_group *
histree_segment_stats_all(const struct histree_segment_stats *stats);

/* Returns the groups in the order of their totals, greatest first, or NULL after the last one. */
HISTREE_API const struct histree_segment_group *
histree_segment_stats_group(const struct histree_segment_stats *stats, size_t index);

/* Returns what is lost of the segments; the statistics are those of the others. */
HISTREE_API struct histree_loss histree_segment_stats_loss(const struct histree_segment_stats *stats);

/* Free the statistics, or do nothing if they are NULL. */
HISTREE_API void histree_segment_stats_free(struct histree_segment_stats *stats);

#endif
