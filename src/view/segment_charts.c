// SPDX-License-Identifier: MIT
/*
 * segment_charts.c - charts of segments: how many there are of each duration, and one by one.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"
#include "query/row_group.h"
#include "query/segment_summaries.h"
#include "query/value_table.h"
#include "segment/segment_summary.h"
#include "view/view.h"

/* ---- segment histogram --------------------------------------------------------------------------------------- */

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

static void segment_histogram_take(struct histogram *histogram, uint64_t duration)
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

static enum histree_status pass(struct histogram *histogram, struct histree_cursor *iter,
				const struct histree_segment_query *query, const struct histree_work *work,
				struct histree_error *error)
{
	enum histree_status status = histree_segments_start(iter, query, NULL, error);
	for (uint64_t step = 0; status == HISTREE_OK; step++) {
		status = cancel_or_next(work, step, iter, error);
		if (status == HISTREE_OK)
			segment_histogram_take(histogram, histree_segment_duration(histree_cursor_segment(iter)));
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

static enum histree_status segment_histogram_take_summary(void *context, const struct segment_summary *summary,
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
	segment_histogram_take(sums->histogram, segment->longest);
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

	/*
	 * On the linear scale, edges are moved to where parts of duration begin, if that is by a sixteenth of a bar
	 * at most.
	 */
	enum { PART_OF_BAR = 8 };
	for (uint32_t i = 1; i < histogram->buckets; i++) {
		uint64_t width = duration_part_width(&parts, edges[i]);
		if (width > 1 && width > (extent.max - extent.min) / histogram->buckets / PART_OF_BAR)
			return HISTREE_NOT_FOUND;
		edges[i] = duration_part_min(&parts, edges[i] + width / 2);
		edges[i] = edges[i] > edges[i - 1] ? edges[i] : edges[i - 1];
	}
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
					     .take = segment_histogram_take_summary };
	if (sums == NULL)
		return error_memory(error, "a histogram");
	sums->histogram = histogram;
	duration_buckets_init(&sums->scale, SUMMARY_BUCKETS_PER_DECADE);
	enum histree_status status = segment_summaries_read(store, &request, error);
	if (status == HISTREE_OK && histogram->extent.count > 0) {
		if (scale == HISTREE_DURATIONS_LOGARITHMIC) {
			/*
			 * On the logarithmic scale no edge has to cut a bucket: one of the chart's is as many of
			 * these.
			 */
			size_t first = duration_bucket_of(&sums->scale, histogram->extent.min);
			size_t count = duration_bucket_of(&sums->scale, histogram->extent.max) - first + 1,
			       each = (count + histogram->buckets - 1) / histogram->buckets;
			uint64_t end = histogram->extent.max < UINT64_MAX ? histogram->extent.max + 1 : UINT64_MAX;
			edges[0] = histogram->extent.min;
			for (uint32_t i = 1; i <= histogram->buckets; i++)
				edges[i] = i * each < count ? sums->scale.min[first + i * each] : end;
		} else {
			cut(&histogram->extent, scale, histogram->buckets, edges);
		}
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
					      struct histree_work work, uint64_t *edges, uint64_t *counts,
					      struct histree_error *error)
{
	if (buckets < 1 || buckets > HISTREE_HISTOGRAM_BUCKETS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "%u buckets; 1 to %d are possible", buckets,
				 HISTREE_HISTOGRAM_BUCKETS_MAX);
	struct histree_segment_query plain = *query;
	struct histree_cursor *iter = NULL;
	struct histogram histogram = { .counts = counts, .buckets = buckets };
	plain.order = HISTREE_SEGMENTS_UNSORTED;
	plain.descending = false;
	plain.limit = 0;
	plain.work = work;
	memset(edges, 0, (buckets + (size_t)1) * sizeof(*edges));
	memset(counts, 0, buckets * sizeof(*counts));
	enum histree_status status = count_summaries(&histogram, store, &plain, scale, edges, error);
	if (status != HISTREE_PARTIAL)
		return status;
	status = histree_segments_create(store, &iter, error);
	if (status == HISTREE_OK)
		status = pass(&histogram, iter, &plain, &work, error);
	if (status == HISTREE_OK && histogram.extent.count > 0) {
		cut(&histogram.extent, scale, buckets, edges);
		histogram.edges = edges;
		status = pass(&histogram, iter, &plain, &work, error);
	}
	histree_cursor_free(iter);
	return status;
}

/* ---- segment scatter ----------------------------------------------------------------------------------------- */

/* A point of a cell; cells are those of the request, `coarser` times halved. */
struct cell_point {
	struct histree_segment_point point;
	uint32_t column, row;
};

struct histree_segment_scatter {
	const struct histree_segment_scatter_request *request; /* while it is made */
	struct pixel_scale columns;
	double longest; /* on the scale */
	unsigned coarser;
	struct value_table values;
	struct cell_point *cells; /* in any order; its points are packed when it is made */
	size_t count, capacity;
	struct hash_index index; /* of cells, by column, row and value */
	struct histree_segment_point *points;
	uint64_t segments;
	/* Of summaries: those that span several rows, whose segments are read one by one. */
	struct duration_buckets buckets;
	bool tall[DURATION_BUCKETS_MAX];
	bool any_tall;
};

/* ---- cells ----------------------------------------------------------------------------------------------- */

/* Where a duration lies on the scale; 0 has a place on the logarithmic one too. */
static double height_of(enum histree_duration_scale scale, uint64_t duration)
{
	return scale == HISTREE_DURATIONS_LINEAR ? (double)duration : log2((double)duration + 1);
}

static uint32_t row_of(const struct histree_segment_scatter *scatter, uint64_t duration)
{
	uint32_t rows = scatter->request->rows;
	double share = scatter->longest > 0 ? height_of(scatter->request->scale, duration) / scatter->longest : 0;
	double row = share * rows;
	return row < rows ? (uint32_t)row : rows - 1;
}

static bool is_same_cell(const void *chart, uint32_t number, const void *key)
{
	const struct histree_segment_scatter *scatter = chart;
	const struct cell_point *one = &scatter->cells[number], *other = key;
	unsigned coarser = scatter->coarser;
	return one->column >> coarser == other->column >> coarser && one->row >> coarser == other->row >> coarser &&
	       one->point.value == other->point.value;
}

static uint64_t hash_of(const struct histree_segment_scatter *scatter, const struct cell_point *cell)
{
	uint64_t column = cell->column >> scatter->coarser, row = cell->row >> scatter->coarser;
	return hash_mix((column << 32 | row) ^ hash_mix(cell->point.value));
}

static uint64_t hash_of_cell(const void *chart, uint32_t number)
{
	const struct histree_segment_scatter *scatter = chart;
	return hash_of(scatter, &scatter->cells[number]);
}

/* Returns the number of the point that has the same cell and value, HASH_INDEX_NONE if no point has. */
static uint32_t find_cell(const struct histree_segment_scatter *scatter, const struct cell_point *cell)
{
	return hash_index_find(&scatter->index, hash_of(scatter, cell), is_same_cell, scatter, cell);
}

/* The longer one of two stays, the first one if they are equal. */
static void keep(struct histree_segment_scatter *scatter, const struct cell_point *cell)
{
	uint32_t known = find_cell(scatter, cell);
	if (known == HASH_INDEX_NONE) {
		hash_index_add(&scatter->index, hash_of(scatter, cell), (uint32_t)scatter->count);
		scatter->cells[scatter->count++] = *cell;
	} else if (cell->point.duration > scatter->cells[known].point.duration) {
		scatter->cells[known] = *cell;
	}
}

static enum histree_status segment_charts_put(struct histree_segment_scatter *scatter,
					      const struct histree_value *value, histree_time start,
					      uint64_t duration, struct histree_error *error)
{
	const struct histree_segment_scatter_request *request = scatter->request;
	struct cell_point cell = { .point = { .start = start, .duration = duration } };
	enum histree_status status = HISTREE_OK;
	if (request->field != HISTREE_SEGMENTS_TOGETHER)
		status = value_table_add(&scatter->values, value, &cell.point.value, error);
	if (status != HISTREE_OK)
		return status;
	enum { COARSEST = 31 };
	while (scatter->count >= scatter->request->points_max && scatter->coarser < COARSEST) {
		/* Makes cells of twice the width and height; the points that then share one are joined. */
		size_t count = scatter->count;
		hash_index_clear(&scatter->index);
		scatter->coarser++;
		scatter->count = 0;
		/* What is kept moves down in the same array, never past what is still to be read. */
		for (size_t i = 0; i < count; i++) {
			struct cell_point kept = scatter->cells[i];
			keep(scatter, &kept);
		}
	}
	if (!array_reserve(&scatter->cells, &scatter->capacity, scatter->count + 1) ||
	    !hash_index_reserve(&scatter->index, scatter->count + 1, hash_of_cell, scatter))
		return error_memory(error, "a scatter chart");
	cell.column = pixel_from(&scatter->columns, start);
	cell.row = row_of(scatter, cell.point.duration);
	/* Even one point a value would be too many. */
	bool is_full = scatter->count >= request->points_max;
	if (!is_full || find_cell(scatter, &cell) != HASH_INDEX_NONE)
		keep(scatter, &cell);
	return HISTREE_OK;
}

static enum histree_status segment_scatter_take(struct histree_segment_scatter *scatter,
						const struct histree_segment *segment, struct histree_error *error)
{
	const struct histree_value null = histree_null();
	size_t field = scatter->request->field;
	if (segment->start < scatter->request->query.from)
		return HISTREE_OK;
	scatter->segments++;
	return segment_charts_put(scatter, field != HISTREE_SEGMENTS_TOGETHER ? &segment->content[field] : &null,
				  segment->start, histree_segment_duration(segment), error);
}

/* ---- summaries ------------------------------------------------------------------------------------------- */

static enum histree_status segment_scatter_take_summary(void *context, const struct segment_summary *summary,
							struct histree_error *error)
{
	struct histree_segment_scatter *scatter = context;
	/*
	 * On the logarithmic scale a bucket of durations is about as high everywhere, and that is a pixel or two.
	 */
	if (summary->count > 1 && scatter->request->scale == HISTREE_DURATIONS_LINEAR &&
	    row_of(scatter, summary->longest) >> scatter->coarser !=
		    row_of(scatter, summary->shortest) >> scatter->coarser) {
		scatter->tall[duration_bucket_of(&scatter->buckets, summary->longest)] = true;
		scatter->any_tall = true;
	}
	scatter->segments += summary->count;
	return segment_charts_put(scatter, &summary->value, summary->longest_start, summary->longest, error);
}

static bool may_be_tall(void *context, const struct segment_bounds *bounds)
{
	const struct histree_segment_scatter *scatter = context;
	size_t bucket = duration_bucket_of(&scatter->buckets, bounds->duration_min);
	while (bucket < scatter->buckets.count && !scatter->tall[bucket])
		bucket++;
	return bucket < scatter->buckets.count && scatter->buckets.min[bucket] <= bounds->duration_max &&
	       bounds->start_max >= scatter->request->query.from;
}

/* It stands for segments that a summary counted. */
static enum histree_status take_tall(void *context, const struct segment_summary *segment,
				     struct histree_error *error)
{
	return segment_charts_put(context, &segment->value, segment->longest_start, segment->longest, error);
}

static enum histree_status reset(struct histree_segment_scatter *scatter, struct histree_error *error)
{
	scatter->count = 0;
	scatter->coarser = 0;
	scatter->segments = 0;
	scatter->any_tall = false;
	memset(scatter->tall, 0, sizeof(scatter->tall));
	hash_index_clear(&scatter->index);
	return value_table_reset(&scatter->values, error);
}

/* The segments that start in the window, from cells up to a width. */
static enum histree_status read_cells(struct histree_segment_scatter *scatter, struct histree_segment_store *store,
				      const struct summaries_request *request, struct histree_error *error)
{
	enum histree_status status = reset(scatter, error);
	return status == HISTREE_OK ? segment_summaries_read_starts(store, request, request->query->from,
								    request->query->to, error)
				    : status;
}

/*
 * Find the longest cells that are no longer than those of the chart turn out to be.  That is known when there are
 * points, so longer ones are tried first, which costs little.  HISTREE_PARTIAL: none are short enough.
 */
static enum histree_status find_width(struct histree_segment_scatter *scatter, struct histree_segment_store *store,
				      struct summaries_request *request, struct histree_error *error)
{
	unsigned width_max = UINT_MAX;
	for (;;) {
		unsigned width = segment_summaries_width(store, width_max);
		if (width == UINT_MAX)
			return HISTREE_PARTIAL;
		request->width_log2_max = width;
		request->longest_alone = true;
		enum histree_status status = read_cells(scatter, store, request, error);
		request->longest_alone = false;
		if (status != HISTREE_OK || UINT64_C(1) << width <= scatter->columns.quotient << scatter->coarser)
			return status;
		if (width == 0)
			return HISTREE_PARTIAL;
		width_max = width - 1;
	}
}

/* HISTREE_PARTIAL: something is damaged, or cells are too long. */
static enum histree_status read_summaries(struct histree_segment_scatter *scatter,
					  struct histree_segment_store *store, struct histree_error *error)
{
	struct histree_segment_query query = scatter->request->query;
	struct summaries_request request = { .query = &query,
					     .field = scatter->request->field,
					     .context = scatter,
					     .take = segment_scatter_take_summary };
	query.work = scatter->request->work;
	duration_buckets_init(&scatter->buckets, SUMMARY_BUCKETS_PER_DECADE);
	enum histree_status status = find_width(scatter, store, &request, error);
	if (status == HISTREE_OK)
		status = read_cells(scatter, store, &request, error);
	request.take = take_tall;
	if (status == HISTREE_OK && scatter->any_tall)
		status = segment_summaries_read_chosen(
			store, &request, (struct segment_choice){ .may_have = may_be_tall, .context = scatter },
			error);
	return status;
}

/* ---- the chart ------------------------------------------------------------------------------------------- */

COMPARE(compare_points, struct histree_segment_point, BY(value) BY(start) BY(duration))

static enum histree_status pack(struct histree_segment_scatter *scatter, struct histree_error *error)
{
	scatter->points = calloc(scatter->count + 1, sizeof(*scatter->points));
	if (scatter->points == NULL)
		return error_memory(error, "a scatter chart");
	for (size_t i = 0; i < scatter->count; i++)
		scatter->points[i] = scatter->cells[i].point;
	qsort(scatter->points, scatter->count, sizeof(*scatter->points), compare_points);
	free(scatter->cells);
	scatter->cells = NULL;
	scatter->request = NULL;
	return HISTREE_OK;
}

static enum histree_status check(const struct histree_segment_store *store,
				 const struct histree_segment_scatter_request *request, struct histree_error *error)
{
	const struct histree_segment_query *query = &request->query;
	if (request->field != HISTREE_SEGMENTS_TOGETHER &&
	    request->field >= histree_segment_store_info(store)->schema.field_count)
		return error_set(error, HISTREE_ERR_ARGUMENT, "there is no field %zu", request->field);
	if (query->from > query->to)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a chart whose end is before its start");
	if (request->columns < 1 || request->columns > HISTREE_PIXELS_MAX || request->rows < 1 ||
	    request->rows > HISTREE_PIXELS_MAX || request->points_max < 1 || request->points_max > INT32_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "a chart of %u x %u cells and %zu points; 1 to %d cells a side are possible",
				 request->columns, request->rows, request->points_max, HISTREE_PIXELS_MAX);
	return HISTREE_OK;
}

enum histree_status histree_segment_scatter_create(struct histree_segment_store *store,
						   const struct histree_segment_scatter_request *request,
						   struct histree_segment_scatter **out,
						   struct histree_error *error)
{
	*out = NULL;
	enum histree_status status = check(store, request, error);
	if (status != HISTREE_OK)
		return status;
	struct histree_segment_scatter *scatter = calloc(1, sizeof(*scatter));
	if (scatter == NULL)
		return error_memory(error, "a scatter chart");
	scatter->request = request;
	scatter->columns = pixel_scale(request->query.from, request->query.to, request->columns);
	scatter->longest = height_of(request->scale, histree_segment_store_info(store)->duration_max);
	status = segment_summaries_can(store, &request->query, request->field)
			 ? read_summaries(scatter, store, error)
			 : HISTREE_PARTIAL;
	if (status == HISTREE_PARTIAL) {
		status = reset(scatter, error);
		if (status == HISTREE_OK) {
			struct histree_segment_query query = scatter->request->query;
			struct histree_cursor *iter = NULL;
			query.order = HISTREE_SEGMENTS_UNSORTED;
			query.descending = false;
			query.limit = 0;
			status = histree_segments_create(store, &iter, error);
			if (status == HISTREE_OK)
				status = histree_segments_start(iter, &query, NULL, error);
			for (uint64_t step = 0; status == HISTREE_OK; step++) {
				status = cancel_or_next(&scatter->request->work, step, iter, error);
				if (status == HISTREE_OK)
					status = segment_scatter_take(scatter, histree_cursor_segment(iter), error);
			}
			histree_cursor_free(iter);
			status = status == HISTREE_END ? HISTREE_OK : status;
		}
	}
	if (status == HISTREE_OK)
		status = pack(scatter, error);
	if (status == HISTREE_OK)
		*out = scatter;
	else
		histree_segment_scatter_free(scatter);
	return status;
}

const struct histree_segment_point *histree_segment_scatter_points(const struct histree_segment_scatter *scatter,
								   size_t *count)
{
	*count = scatter->count;
	return scatter->points;
}

uint64_t histree_segment_scatter_segments(const struct histree_segment_scatter *scatter)
{
	return scatter->segments;
}

struct histree_value histree_segment_scatter_value(const struct histree_segment_scatter *scatter, uint32_t index)
{
	return index < scatter->values.count ? scatter->values.values[index] : histree_null();
}

void histree_segment_scatter_free(struct histree_segment_scatter *scatter)
{
	if (scatter == NULL)
		return;
	value_table_release(&scatter->values);
	free(scatter->cells);
	hash_index_release(&scatter->index);
	free(scatter->points);
	free(scatter);
}
