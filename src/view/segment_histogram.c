// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "histree/segment_view.h"
#include "query/duration_buckets.h"
#include "query/segment_losses.h"

struct extent {
	uint64_t min, max, count;
};

/* Two passes, because the edges follow from the extent: unsorted ones are quick. */
struct histogram {
	struct extent extent;
	const uint64_t *edges; /* NULL: the first pass */
	uint64_t *counts;
	uint32_t buckets;
};

static void take(struct histogram *histogram, uint64_t duration)
{
	struct extent *extent = &histogram->extent;
	if (histogram->edges != NULL) {
		histogram->counts[duration_bucket_in(histogram->edges, histogram->buckets, duration)]++;
		return;
	}
	if (extent->count++ == 0 || duration < extent->min)
		extent->min = duration;
	extent->max = duration > extent->max ? duration : extent->max;
}

static enum histree_status pass(struct histogram *histogram, struct histree_segment_iter *iter,
				const struct histree_segment_query *query, const struct histree_cancel *cancel,
				struct histree_error *error)
{
	struct histree_segment segment;
	struct segment_losses losses = { 0 }; /* passed over */
	enum histree_status status = histree_segment_iter_start(iter, query, NULL, error);
	for (uint64_t step = 0; status == HISTREE_OK; step++) {
		status = cancel_check(cancel, step, error);
		if (status == HISTREE_OK)
			status = segment_losses_next(&losses, iter, &segment, error);
		if (status == HISTREE_OK)
			take(histogram, histree_segment_duration(&segment));
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* Never decreasing; where there are more buckets than durations, some are empty. */
static void cut(const struct extent *extent, enum histree_duration_scale scale, uint32_t buckets, uint64_t *edges)
{
	uint64_t end = extent->max < UINT64_MAX ? extent->max + 1 : UINT64_MAX;
	double low = (double)extent->min, width = (double)(end - extent->min);
	edges[0] = extent->min;
	for (uint32_t i = 1; i < buckets; i++) {
		double share = (double)i / buckets;
		double edge = scale == HISTREE_DURATIONS_LINEAR
				      ? low + width * share
				      : (low + 1) * pow(((double)end + 1) / (low + 1), share) - 1;
		edges[i] = edge >= (double)end ? end : (uint64_t)ceil(edge);
		edges[i] = edges[i] < edges[i - 1] ? edges[i - 1] : edges[i];
	}
	edges[buckets] = end;
}

enum histree_status histree_segment_histogram(struct histree_segment_store *store,
					      const struct histree_segment_query *query,
					      enum histree_duration_scale scale, uint32_t buckets,
					      struct histree_cancel cancel, uint64_t *edges, uint64_t *counts,
					      struct histree_error *error)
{
	if (buckets < 1 || buckets > HISTREE_HISTOGRAM_BUCKETS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "%u buckets; 1 to %d are possible", buckets,
				 HISTREE_HISTOGRAM_BUCKETS_MAX);
	struct histree_segment_query plain = *query;
	struct histree_segment_iter *iter = NULL;
	struct histogram histogram = { .counts = counts, .buckets = buckets };
	plain.order = HISTREE_SEGMENTS_UNSORTED;
	plain.descending = false;
	plain.limit = 0;
	memset(edges, 0, (buckets + (size_t)1) * sizeof(*edges));
	memset(counts, 0, buckets * sizeof(*counts));
	enum histree_status status = histree_segment_iter_create(store, &iter, error);
	if (status == HISTREE_OK)
		status = pass(&histogram, iter, &plain, &cancel, error);
	if (status == HISTREE_OK && histogram.extent.count > 0) {
		cut(&histogram.extent, scale, buckets, edges);
		histogram.edges = edges;
		status = pass(&histogram, iter, &plain, &cancel, error);
	}
	histree_segment_iter_free(iter);
	return status;
}
