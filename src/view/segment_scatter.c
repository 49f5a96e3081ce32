// SPDX-License-Identifier: MIT
#include "histree/segment_view.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "query/pixel_scale.h"
#include "query/segment_losses.h"
#include "query/value_table.h"
#include "view/cancel.h"

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
	uint32_t *slots; /* of cells: open addressing, linear probing; index + 1, 0 is free */
	uint32_t slot_mask;
	struct histree_segment_point *points;
	uint64_t segments;
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

/* The slot of a cell's point of one value, or the free one where it belongs. */
static uint32_t find_slot(const struct histree_segment_scatter *scatter, uint32_t column, uint32_t row,
			  uint32_t value)
{
	uint64_t hash = hash_mix(((uint64_t)(column >> scatter->coarser) << 32 | row >> scatter->coarser) ^
				 hash_mix(value));
	for (uint32_t slot = (uint32_t)hash & scatter->slot_mask;; slot = (slot + 1) & scatter->slot_mask) {
		if (scatter->slots[slot] == 0)
			return slot;
		const struct cell_point *cell = &scatter->cells[scatter->slots[slot] - 1];
		if (cell->column >> scatter->coarser == column >> scatter->coarser &&
		    cell->row >> scatter->coarser == row >> scatter->coarser && cell->point.value == value)
			return slot;
	}
}

/* The longer one of two stays; of equals the first. */
static void keep(struct histree_segment_scatter *scatter, const struct cell_point *cell)
{
	uint32_t *slot = &scatter->slots[find_slot(scatter, cell->column, cell->row, cell->point.value)];
	if (*slot == 0) {
		scatter->cells[scatter->count++] = *cell;
		*slot = (uint32_t)scatter->count;
	} else if (cell->point.duration > scatter->cells[*slot - 1].point.duration) {
		scatter->cells[*slot - 1] = *cell;
	}
}

/* At most half of the slots are taken. */
static bool make_slots(struct histree_segment_scatter *scatter, size_t slot_count)
{
	uint32_t *slots = slot_count <= UINT32_MAX ? calloc(slot_count, sizeof(*slots)) : NULL;
	if (slots == NULL)
		return false;
	free(scatter->slots);
	scatter->slots = slots;
	scatter->slot_mask = (uint32_t)slot_count - 1;
	size_t count = scatter->count;
	scatter->count = 0;
	/* What is kept moves down in the same array, never past what is still to be read. */
	for (size_t i = 0; i < count; i++) {
		struct cell_point cell = scatter->cells[i];
		keep(scatter, &cell);
	}
	return true;
}

static bool make_room(struct histree_segment_scatter *scatter)
{
	enum { COARSEST = 31 };
	size_t slot_count = scatter->slots != NULL ? (size_t)scatter->slot_mask + 1 : 64;
	while (scatter->count >= scatter->request->points_max && scatter->coarser < COARSEST) {
		scatter->coarser++;
		if (!make_slots(scatter, slot_count))
			return false;
	}
	if (!array_reserve(&scatter->cells, &scatter->capacity, scatter->count + 1))
		return false;
	if (scatter->slots != NULL && (scatter->count + 1) * 2 <= slot_count)
		return true;
	return make_slots(scatter, scatter->slots != NULL ? slot_count * 2 : slot_count);
}

static enum histree_status take(struct histree_segment_scatter *scatter, const struct histree_segment *segment,
				struct histree_error *error)
{
	const struct histree_segment_scatter_request *request = scatter->request;
	struct cell_point cell = { .point = { .start = segment->start,
					      .duration = histree_segment_duration(segment) } };
	enum histree_status status = HISTREE_OK;
	if (segment->start < request->query.from)
		return HISTREE_OK;
	scatter->segments++;
	if (request->field != HISTREE_SEGMENTS_TOGETHER)
		status = value_table_add(&scatter->values, &segment->content[request->field], &cell.point.value,
					 error);
	if (status != HISTREE_OK)
		return status;
	if (!make_room(scatter))
		return error_memory(error, "a scatter chart");
	cell.column = pixel_from(&scatter->columns, segment->start);
	cell.row = row_of(scatter, cell.point.duration);
	/* Even one point a value would be too many. */
	bool is_full = scatter->count >= request->points_max;
	if (!is_full || scatter->slots[find_slot(scatter, cell.column, cell.row, cell.point.value)] != 0)
		keep(scatter, &cell);
	return HISTREE_OK;
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
	free(scatter->slots);
	scatter->cells = NULL;
	scatter->slots = NULL;
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
	status = value_table_reset(&scatter->values, error);
	if (status == HISTREE_OK)
		status = read_segments(scatter, store, error);
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
	free(scatter->slots);
	free(scatter->points);
	free(scatter);
}
