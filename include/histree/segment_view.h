/* SPDX-License-Identifier: MIT */
/*
 * segment_view.h - the content of charts of latencies: a point for each segment, and how many segments last how
 * long.
 *
 * Both functions read every segment of their query once or twice, unsorted, and keep none of them; or, if the
 * store has overviews (segment_store.h) and the query has no filter, summaries and few segments.  The segments of
 * a damaged node are skipped, and told by histree_segment_store_loss().
 */
#ifndef HISTREE_SEGMENT_VIEW_H
#define HISTREE_SEGMENT_VIEW_H

#include "segment_stats.h"
#include "view.h"

enum histree_duration_scale { HISTREE_DURATIONS_LINEAR, HISTREE_DURATIONS_LOGARITHMIC };

/* ---- scatter: duration over time ------------------------------------------------------------------------- */

struct histree_segment_scatter_request {
	/* The chart shows its window and the segments that pass its filter; order and limit are ignored. */
	struct histree_segment_query query;
	size_t field; /* points are grouped by its values; HISTREE_SEGMENTS_TOGETHER: not grouped */
	/*
	 * A cell of the chart keeps the longest segment of each value, so that no outlier vanishes.  With
	 * overviews it is made within a cell: each segment has a point of its value that starts no more than a
	 * cell before or after it, and is at least as long, less an eighth.
	 */
	uint32_t columns, rows;
	enum histree_duration_scale scale; /* of the rows, which end at the longest segment of the store */
	size_t points_max;                 /* cells are doubled in size until there are no more points than this */
	struct histree_cancel cancel;
};

struct histree_segment_point {
	histree_time start;
	uint64_t duration;
	uint32_t value; /* of the field: an index for histree_segment_scatter_value() */
};

struct histree_segment_scatter;

/*
 * Make the points of the segments that start in the window.  Returns HISTREE_ERR_ARGUMENT if there is no such
 * field, or if columns, rows or points are 0 or more than 2^31.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_scatter_create(struct histree_segment_store *store,
			       const struct histree_segment_scatter_request *request,
			       struct histree_segment_scatter **out, struct histree_error *error);

/* Returns the points, grouped by value; those of one value are in the order of their starts. */
HISTREE_API const struct histree_segment_point *
histree_segment_scatter_points(const struct histree_segment_scatter *scatter, size_t *count);

/* Returns how many segments the points stand for. */
HISTREE_API uint64_t histree_segment_scatter_segments(const struct histree_segment_scatter *scatter);

/* Returns the value with this index; index 0 is null.  Its bytes belong to the scatter. */
HISTREE_API struct histree_value histree_segment_scatter_value(const struct histree_segment_scatter *scatter,
							       uint32_t index);

/* Free the scatter; NULL is allowed. */
HISTREE_API void histree_segment_scatter_free(struct histree_segment_scatter *scatter);

/* ---- histogram: how many last how long -------------------------------------------------------------------- */

#define HISTREE_HISTOGRAM_BUCKETS_MAX 4096

/*
 * Count the segments in the window of the query that pass its filter, in as many buckets of duration as a chart
 * has room for, between the shortest and the longest.  (The buckets of segment_density.h have round numbers as
 * bounds.) Bucket i counts durations from edges[i] to edges[i + 1] - 1.  The first edge is the shortest duration
 * and the last edge is one more than the longest; both are 0 if no segment counts.  If the store has overviews,
 * the edges of a logarithmic scale are preferred numbers (ISO 3, R 20), or every second one of them and so on;
 * there may be fewer than asked for, and the last buckets are then empty; the edges of a linear scale of all
 * segments may be off by a sixteenth of a bucket.  Counts are exact in any case.  `edges` has room for `buckets`
 * + 1 numbers, `counts` for `buckets`.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_histogram(struct histree_segment_store *store, const struct histree_segment_query *query,
			  enum histree_duration_scale scale, uint32_t buckets, struct histree_cancel cancel,
			  uint64_t *edges, uint64_t *counts, struct histree_error *error);

#endif
