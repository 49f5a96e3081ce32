// SPDX-License-Identifier: MIT
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "histree/segment_view.h"
#include "query/segment_losses.h"
#include "query/segment_summaries.h"
#include "segment/segment_summary.h"

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

/* ---- summaries ------------------------------------------------------------------------------------------- */

/* What lasts about as long, together. */
struct summed_bucket {
	uint64_t count, min, max;
	bool is_cut; /* by an edge: its segments are read one by one */
};

struct summed_histogram {
	struct histogram *histogram;
	struct duration_buckets scale;
	struct summed_bucket buckets[DURATION_BUCKETS_MAX];
};

static enum histree_status take_summary(void *context, const struct segment_summary *summary,
					struct histree_error *error)
{
	struct summed_histogram *sums = context;
	struct extent *extent = &sums->histogram->extent;
	struct summed_bucket *bucket = &sums->buckets[duration_bucket_of(&sums->scale, summary->longest)];
	(void)error;
	extent->min = extent->count == 0 || summary->shortest < extent->min ? summary->shortest : extent->min;
	extent->max = summary->longest > extent->max ? summary->longest : extent->max;
	extent->count += summary->count;
	bucket->min = bucket->count == 0 || summary->shortest < bucket->min ? summary->shortest : bucket->min;
	bucket->max = summary->longest > bucket->max ? summary->longest : bucket->max;
	bucket->count += summary->count;
	return HISTREE_OK;
}

/* On the logarithmic scale no edge has to cut a bucket: one of the chart's is as many of these. */
static void cut_between(const struct extent *extent, const struct duration_buckets *scale, uint32_t buckets,
			uint64_t *edges)
{
	size_t first = duration_bucket_of(scale, extent->min);
	size_t count = duration_bucket_of(scale, extent->max) - first + 1, each = (count + buckets - 1) / buckets;
	uint64_t end = extent->max < UINT64_MAX ? extent->max + 1 : UINT64_MAX;
	edges[0] = extent->min;
	for (uint32_t i = 1; i <= buckets; i++)
		edges[i] = i * each < count ? scale->min[first + i * each] : end;
}

static bool may_be_cut(void *context, const struct segment_bounds *bounds)
{
	const struct summed_histogram *sums = context;
	size_t bucket = duration_bucket_of(&sums->scale, bounds->duration_min);
	while (bucket < sums->scale.count && !sums->buckets[bucket].is_cut)
		bucket++;
	return bucket < sums->scale.count && sums->scale.min[bucket] <= bounds->duration_max;
}

static enum histree_status take_cut(void *context, const struct segment_summary *segment,
				    struct histree_error *error)
{
	const struct summed_histogram *sums = context;
	(void)error;
	take(sums->histogram, segment->longest);
	return HISTREE_OK;
}

/* Returns whether an edge cuts one. */
static bool count_whole_buckets(struct summed_histogram *sums)
{
	struct histogram *histogram = sums->histogram;
	bool any_cut = false;
	for (size_t i = 0; i < sums->scale.count; i++) {
		struct summed_bucket *bucket = &sums->buckets[i];
		if (bucket->count == 0)
			continue;
		size_t first = duration_bucket_in(histogram->edges, histogram->buckets, bucket->min);
		bucket->is_cut = first != duration_bucket_in(histogram->edges, histogram->buckets, bucket->max);
		any_cut |= bucket->is_cut;
		if (!bucket->is_cut)
			histogram->counts[first] += bucket->count;
	}
	return any_cut;
}

/* ---- parts ----------------------------------------------------------------------------------------------- */

/*
 * On the linear scale, edges are moved to where parts of duration begin, if that is by a sixteenth of a bar at
 * most.
 */
static bool move_edges(const struct duration_parts *parts, const struct extent *extent, uint32_t buckets,
		       uint64_t *edges)
{
	enum { PART_OF_BAR = 8 };
	for (uint32_t i = 1; i < buckets; i++) {
		uint64_t width = duration_part_width(parts, edges[i]);
		if (width > 1 && width > (extent->max - extent->min) / buckets / PART_OF_BAR)
			return false;
		edges[i] = duration_part_min(parts, edges[i] + width / 2);
		edges[i] = edges[i] > edges[i - 1] ? edges[i] : edges[i - 1];
	}
	return true;
}

static enum histree_status take_part(void *context, const struct segment_summary *summary,
				     struct histree_error *error)
{
	struct histogram *histogram = context;
	(void)error;
	histogram->counts[duration_bucket_in(histogram->edges, histogram->buckets, summary->longest)] +=
		summary->count;
	return HISTREE_OK;
}

/* HISTREE_NOT_FOUND: that is not asked for; HISTREE_PARTIAL: something is damaged. */
static enum histree_status sum_parts(struct histogram *histogram, struct histree_segment_store *store,
				     const struct histree_segment_query *query, uint64_t *edges,
				     struct histree_error *error)
{
	const struct histree_segment_store_info *info = histree_segment_store_info(store);
	const struct extent extent = { info->duration_min, info->duration_max, info->segment_count };
	const struct summaries_request request = {
		.query = query, .field = HISTREE_SEGMENTS_TOGETHER, .context = histogram, .take = take_part
	};
	struct duration_parts parts;
	if (!segment_summaries_can_parts(store, query, HISTREE_SEGMENTS_TOGETHER, &parts) ||
	    extent.max == UINT64_MAX)
		return HISTREE_NOT_FOUND;
	cut(&extent, HISTREE_DURATIONS_LINEAR, histogram->buckets, edges);
	if (!move_edges(&parts, &extent, histogram->buckets, edges))
		return HISTREE_NOT_FOUND;
	histogram->edges = edges;
	return segment_summaries_read_parts(store, &request, error);
}

/* ---- summaries of cells ---------------------------------------------------------------------------------- */

/* HISTREE_PARTIAL: something is damaged. */
static enum histree_status summarize(struct histogram *histogram, struct histree_segment_store *store,
				     const struct histree_segment_query *query, enum histree_duration_scale scale,
				     uint64_t *edges, struct histree_error *error)
{
	struct summed_histogram *sums = calloc(1, sizeof(*sums));
	struct summaries_request request = { .query = query,
					     .field = HISTREE_SEGMENTS_TOGETHER,
					     .width_log2_max = UINT_MAX,
					     .context = sums,
					     .take = take_summary };
	if (sums == NULL)
		return error_memory(error, "a histogram");
	sums->histogram = histogram;
	duration_buckets_init(&sums->scale, SUMMARY_BUCKETS_PER_DECADE);
	enum histree_status status = segment_summaries_read(store, &request, error);
	if (status == HISTREE_OK && histogram->extent.count > 0) {
		if (scale == HISTREE_DURATIONS_LOGARITHMIC)
			cut_between(&histogram->extent, &sums->scale, histogram->buckets, edges);
		else
			cut(&histogram->extent, scale, histogram->buckets, edges);
		histogram->edges = edges;
		request.take = take_cut;
		if (count_whole_buckets(sums))
			status = segment_summaries_read_chosen(
				store, &request, (struct segment_choice){ .may_have = may_be_cut, .context = sums },
				error);
	}
	free(sums);
	return status;
}

/* By what overviews there are.  HISTREE_PARTIAL: none can say it. */
static enum histree_status count_summaries(struct histogram *histogram, struct histree_segment_store *store,
					   const struct histree_segment_query *query,
					   enum histree_duration_scale scale, uint64_t *edges,
					   struct histree_error *error)
{
	uint64_t *counts = histogram->counts;
	uint32_t buckets = histogram->buckets;
	enum histree_status status = HISTREE_NOT_FOUND;
	if (!segment_summaries_can(store, query, HISTREE_SEGMENTS_TOGETHER))
		return HISTREE_PARTIAL;
	if (scale == HISTREE_DURATIONS_LINEAR)
		status = sum_parts(histogram, store, query, edges, error);
	if (status == HISTREE_NOT_FOUND)
		status = summarize(histogram, store, query, scale, edges, error);
	if (status == HISTREE_PARTIAL) {
		*histogram = (struct histogram){ .counts = counts, .buckets = buckets };
		memset(counts, 0, buckets * sizeof(*counts));
		memset(edges, 0, (buckets + (size_t)1) * sizeof(*edges));
	}
	return status;
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
	plain.cancel = cancel;
	memset(edges, 0, (buckets + (size_t)1) * sizeof(*edges));
	memset(counts, 0, buckets * sizeof(*counts));
	enum histree_status status = count_summaries(&histogram, store, &plain, scale, edges, error);
	if (status != HISTREE_PARTIAL)
		return status;
	status = histree_segment_iter_create(store, &iter, error);
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
