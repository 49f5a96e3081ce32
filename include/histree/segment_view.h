/* SPDX-License-Identifier: MIT */
/*
 * segment_view.h - what charts of latencies show: a point for each segment, and how many last how long.
 *
 * Both read every segment of their query once or twice, unsorted; neither holds more for it.  What a damaged node
 * held is passed over; histree_segment_store_met_damage() then says so.
 */
#ifndef HISTREE_SEGMENT_VIEW_H
#define HISTREE_SEGMENT_VIEW_H

#include "segment_stats.h"
#include "view.h"

enum histree_duration_scale { HISTREE_DURATIONS_LINEAR, HISTREE_DURATIONS_LOGARITHMIC };

/* ---- scatter: duration over time ------------------------------------------------------------------------- */

struct histree_segment_scatter_request {
	/* Its window is what the chart shows, its filter what is wanted; order and limit are of no meaning. */
	struct histree_segment_query query;
	size_t field; /* points are told apart by its values; HISTREE_SEGMENTS_TOGETHER: they are not */
	/* A cell of the chart keeps one point of each value, the longest: no outlier vanishes. */
	uint32_t columns, rows;
	enum histree_duration_scale scale; /* of the rows; they end at the longest segment of the store */
	size_t points_max;                 /* where there are more, cells become twice as large, and again */
	struct histree_cancel cancel;
};

struct histree_segment_point {
	histree_time start;
	uint64_t duration;
	uint32_t value; /* of the field, an index */
};

struct histree_segment_scatter;

/*
 * The segments that start in the window.  HISTREE_ERR_ARGUMENT: no such field; no columns, rows or points, or more
 * than 2^31 of them.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_scatter_create(struct histree_segment_store *store,
			       const struct histree_segment_scatter_request *request,
			       struct histree_segment_scatter **out, struct histree_error *error);

/* Those of one value together, by start. */
HISTREE_API const struct histree_segment_point *
histree_segment_scatter_points(const struct histree_segment_scatter *scatter, size_t *count);

/* How many segments they stand for. */
HISTREE_API uint64_t histree_segment_scatter_segments(const struct histree_segment_scatter *scatter);

/* 0 is null; bytes belong to the scatter. */
HISTREE_API struct histree_value histree_segment_scatter_value(const struct histree_segment_scatter *scatter,
							       uint32_t index);

/* NULL is fine. */
HISTREE_API void histree_segment_scatter_free(struct histree_segment_scatter *scatter);

/* ---- histogram: how many last how long -------------------------------------------------------------------- */

#define HISTREE_HISTOGRAM_BUCKETS_MAX 4096

/*
 * As many buckets as a chart has room for, between the shortest and the longest; segment_density.h has such whose
 * bounds are round numbers.  Of the segments in the window of the query that pass its filter.  Bucket i counts
 * durations from edges[i] to edges[i + 1] - 1; the first edge is the shortest, the last one more than the longest
 * of all that count, or both 0 where there are none.  `edges` has room for `buckets` + 1, `counts` for `buckets`.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_histogram(struct histree_segment_store *store, const struct histree_segment_query *query,
			  enum histree_duration_scale scale, uint32_t buckets, struct histree_cancel cancel,
			  uint64_t *edges, uint64_t *counts, struct histree_error *error);

#endif
