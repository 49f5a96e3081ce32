/* SPDX-License-Identifier: MIT */
/*
 * segment_stats.h - statistics of durations, for each value of a field and for all (thesis 5.4).
 *
 * All numbers are exact, also the percentiles: the first pass counts, the second has the segments by duration and
 * so knows when it stands at a rank.  Memory is a record a group.
 */
#ifndef HISTREE_SEGMENT_STATS_H
#define HISTREE_SEGMENT_STATS_H

#include "segment_store.h"

enum histree_percentile { HISTREE_P50, HISTREE_P90, HISTREE_P99, HISTREE_P99_9, HISTREE_PERCENTILE_COUNT };

/* Durations in nanoseconds. */
struct histree_segment_group {
	struct histree_value
		value; /* of the field; null: none, or all segments.  Bytes belong to the statistics. */
	uint64_t count;
	uint64_t min, max;
	/* The one of the least and the one of the greatest duration; of several the one that starts first. */
	histree_time min_start, min_end, max_start, max_end;
	uint64_t total;         /* UINT64_MAX where it is more */
	double mean, deviation; /* of all of them, not of a sample: divided by the count */
	/* The least duration that so many are not above: rank ceil(p * count). */
	uint64_t percentiles[HISTREE_PERCENTILE_COUNT];
};

struct histree_segment_stats;

#define HISTREE_SEGMENTS_TOGETHER SIZE_MAX

/*
 * Of the segments in the window of the query that pass its filter; its order and limit are of no meaning.  `field`:
 * one group for each of its values, or HISTREE_SEGMENTS_TOGETHER for none.  One thread at a time.
 *
 * HISTREE_PARTIAL: the statistics are there, but segments are missing in them that damaged nodes held:
 * histree_segment_stats_loss() says what is known of those.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_stats_create(struct histree_segment_store *store, const struct histree_segment_query *query,
			     size_t field, struct histree_segment_stats **out, struct histree_error *error);

/* Of all segments together; zeros if there are none. */
HISTREE_API const struct histree_segment_group *
histree_segment_stats_all(const struct histree_segment_stats *stats);

/* The groups, the greatest total first; NULL behind the last. */
HISTREE_API const struct histree_segment_group *
histree_segment_stats_group(const struct histree_segment_stats *stats, size_t index);

/* What is missing, of all damaged nodes together; `node` is the first of them.  NULL: nothing is. */
HISTREE_API const struct histree_segment_loss *
histree_segment_stats_loss(const struct histree_segment_stats *stats);

/* NULL is fine. */
HISTREE_API void histree_segment_stats_free(struct histree_segment_stats *stats);

#endif
