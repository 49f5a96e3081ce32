// SPDX-License-Identifier: MIT
#include "histree/segment_view.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/hash_index.h"
#include "query/pixel_scale.h"
#include "query/segment_losses.h"
#include "query/segment_summaries.h"
#include "query/value_table.h"

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

/* Returns the number of the point that has the same cell and value, HASH_INDEX_NONE if there is none. */
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

/* Make cells of twice the width and height; the points that then share one are joined. */
static void coarsen(struct histree_segment_scatter *scatter)
{
	size_t count = scatter->count;
	hash_index_clear(&scatter->index);
	scatter->coarser++;
	scatter->count = 0;
	/* What is kept moves down in the same array, never past what is still to be read. */
	for (size_t i = 0; i < count; i++) {
		struct cell_point cell = scatter->cells[i];
		keep(scatter, &cell);
	}
}

static bool make_room(struct histree_segment_scatter *scatter)
{
	enum { COARSEST = 31 };
	while (scatter->count >= scatter->request->points_max && scatter->coarser < COARSEST)
		coarsen(scatter);
	return array_reserve(&scatter->cells, &scatter->capacity, scatter->count + 1) &&
	       hash_index_reserve(&scatter->index, scatter->count + 1, hash_of_cell, scatter);
}

static enum histree_status put(struct histree_segment_scatter *scatter, const struct histree_value *value,
			       histree_time start, uint64_t duration, struct histree_error *error)
{
	const struct histree_segment_scatter_request *request = scatter->request;
	struct cell_point cell = { .point = { .start = start, .duration = duration } };
	enum histree_status status = HISTREE_OK;
	if (request->field != HISTREE_SEGMENTS_TOGETHER)
		status = value_table_add(&scatter->values, value, &cell.point.value, error);
	if (status != HISTREE_OK)
		return status;
	if (!make_room(scatter))
		return error_memory(error, "a scatter chart");
	cell.column = pixel_from(&scatter->columns, start);
	cell.row = row_of(scatter, cell.point.duration);
	/* Even one point a value would be too many. */
	bool is_full = scatter->count >= request->points_max;
	if (!is_full || find_cell(scatter, &cell) != HASH_INDEX_NONE)
		keep(scatter, &cell);
	return HISTREE_OK;
}

static enum histree_status take(struct histree_segment_scatter *scatter, const struct histree_segment *segment,
				struct histree_error *error)
{
	const struct histree_value null = histree_null();
	size_t field = scatter->request->field;
	if (segment->start < scatter->request->query.from)
		return HISTREE_OK;
	scatter->segments++;
	return put(scatter, field != HISTREE_SEGMENTS_TOGETHER ? &segment->content[field] : &null, segment->start,
		   histree_segment_duration(segment), error);
}

/* ---- summaries ------------------------------------------------------------------------------------------- */

/* On the logarithmic scale a bucket of durations is about as high everywhere, and that is a pixel or two. */
static bool is_tall(const struct histree_segment_scatter *scatter, const struct segment_summary *summary)
{
	return summary->count > 1 && scatter->request->scale == HISTREE_DURATIONS_LINEAR &&
	       row_of(scatter, summary->longest) >> scatter->coarser !=
		       row_of(scatter, summary->shortest) >> scatter->coarser;
}

static enum histree_status take_summary(void *context, const struct segment_summary *summary,
					struct histree_error *error)
{
	struct histree_segment_scatter *scatter = context;
	if (is_tall(scatter, summary)) {
		scatter->tall[duration_bucket_of(&scatter->buckets, summary->longest)] = true;
		scatter->any_tall = true;
	}
	scatter->segments += summary->count;
	return put(scatter, &summary->value, summary->longest_start, summary->longest, error);
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
	return put(context, &segment->value, segment->longest_start, segment->longest, error);
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
	struct summaries_request request = {
		.query = &query, .field = scatter->request->field, .context = scatter, .take = take_summary
	};
	query.cancel = scatter->request->cancel;
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

static enum histree_status read_segments(struct histree_segment_scatter *scatter,
					 struct histree_segment_store *store, struct histree_error *error)
{
	struct histree_segment_query query = scatter->request->query;
	struct histree_segment_iter *iter = NULL;
	struct histree_segment segment;
	struct segment_losses losses = { 0 }; /* passed over */
	query.order = HISTREE_SEGMENTS_UNSORTED;
	query.descending = false;
	query.limit = 0;
	enum histree_status status = histree_segment_iter_create(store, &iter, error);
	if (status == HISTREE_OK)
		status = histree_segment_iter_start(iter, &query, NULL, error);
	for (uint64_t step = 0; status == HISTREE_OK; step++) {
		status = cancel_check(&scatter->request->cancel, step, error);
		if (status == HISTREE_OK)
			status = segment_losses_next(&losses, iter, &segment, error);
		if (status == HISTREE_OK)
			status = take(scatter, &segment, error);
	}
	histree_segment_iter_free(iter);
	return status == HISTREE_END ? HISTREE_OK : status;
}

static int compare_points(const void *a, const void *b)
{
	const struct histree_segment_point *one = a, *other = b;
	if (one->value != other->value)
		return one->value < other->value ? -1 : 1;
	if (one->start != other->start)
		return one->start < other->start ? -1 : 1;
	return (one->duration > other->duration) - (one->duration < other->duration);
}

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
		if (status == HISTREE_OK)
			status = read_segments(scatter, store, error);
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
