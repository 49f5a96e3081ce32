// SPDX-License-Identifier: MIT
/*
 * rows.c - the public functions of rows: a request is cut into groups, and the cells of a group into rows or
 * states.
 */
#include "histree/states.h"

#include <assert.h>
#include <stdlib.h>

#include "base/table.h"
#include "base/cursor.h"
#include "base/error.h"
#include "query/window.h"

struct rows {
	struct histree_cursor cursor;
	struct histree_row handed_out; /* last */
	struct row_sources sources;
	const struct histree_history_info *info;
	struct histree_rows_request request; /* zeroed: nothing was started */
	struct value_table values;
	struct row_group group;
	size_t next;              /* of the request's quarks */
	size_t group_end;         /* those before it were read */
	struct histree_cell *row; /* the cells of the last row */
	size_t row_capacity;
	struct visible_states states;
	bool sampled; /* the last row was */
};

static enum histree_status next_row(struct histree_cursor *cursor, struct histree_error *error);
static void free_rows(struct histree_cursor *cursor);

static struct histree_loss loss_of_rows(const struct histree_cursor *cursor)
{
	return (struct histree_loss){ .nodes = ((const struct rows *)cursor)->sources.met_damage };
}

static const struct cursor_kind kind_of_rows = {
	.rows = CURSOR_ROWS,
	.next = next_row,
	.loss = loss_of_rows,
	.free = free_rows,
};

static struct rows *rows_of(struct histree_cursor *cursor)
{
	assert(cursor->kind == &kind_of_rows);
	return (struct rows *)cursor;
}

static const struct rows *const_rows_of(const struct histree_cursor *cursor)
{
	assert(cursor->kind == &kind_of_rows);
	return (const struct rows *)cursor;
}

enum histree_status histree_rows_create(struct histree_history *history, struct histree_cursor **out,
					struct histree_error *error)
{
	*out = NULL;
	struct rows *rows = calloc(1, sizeof(*rows));
	if (rows == NULL)
		return error_memory(error, "rows");
	rows->cursor = (struct histree_cursor){ .kind = &kind_of_rows, .row = &rows->handed_out };
	rows->info = histree_history_info(history);
	rows->sources.history = history;
	enum histree_status status = histree_query_create(history, &rows->sources.query, error);
	if (status == HISTREE_OK)
		status = value_table_reset(&rows->values, error);
	if (status != HISTREE_OK) {
		free_rows(&rows->cursor);
		return status;
	}
	*out = &rows->cursor;
	return HISTREE_OK;
}

static enum histree_status check(const struct histree_history_info *info,
				 const struct histree_rows_request *request, struct histree_error *error)
{
	if (request->pixels < 1 || request->pixels > HISTREE_PIXELS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "rows of %u pixels; 1 to %d are possible",
				 request->pixels, HISTREE_PIXELS_MAX);
	if (request->shape != HISTREE_ROWS_CELLS && request->shape != HISTREE_ROWS_STATES)
		return error_set(error, HISTREE_ERR_ARGUMENT, "rows of shape %d, which there is not",
				 (int)request->shape);
	if (request->from > request->to)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a range from %lld to %lld", (long long)request->from,
				 (long long)request->to);
	if (request->from < info->start || request->to > info->end)
		return error_set(error, HISTREE_ERR_TIME_RANGE,
				 "rows from %lld to %lld; the history goes from %lld to %lld",
				 (long long)request->from, (long long)request->to, (long long)info->start,
				 (long long)info->end);
	for (size_t i = 0; i < request->quark_count; i++)
		if (request->quarks[i] >= info->attribute_count)
			return error_set(error, HISTREE_ERR_QUARK, "there is no attribute %u; the history has %u",
					 request->quarks[i], info->attribute_count);
	return HISTREE_OK;
}

enum histree_status histree_rows_start(struct histree_cursor *cursor, const struct histree_rows_request *request,
				       struct histree_error *error)
{
	struct rows *rows = rows_of(cursor);
	rows->next = rows->group_end = 0;
	rows->request = (struct histree_rows_request){ 0 };
	enum histree_status status = check(rows->info, request, error);
	if (status == HISTREE_OK && !array_reserve(&rows->row, &rows->row_capacity, request->pixels))
		status = error_memory(error, "rows");
	if (status == HISTREE_OK)
		status = value_table_reset(&rows->values, error);
	rows->sources.met_damage = false;
	if (status == HISTREE_OK)
		rows->request = *request;
	return status;
}

/* Read the rows from `next` on.  If it fails they can be asked for again. */
static enum histree_status read_group(struct rows *rows, struct histree_error *error)
{
	const struct histree_rows_request *request = &rows->request;
	size_t left = request->quark_count - rows->next, count = GROUP_CELLS_MAX / request->pixels;
	if (count > left)
		count = left;
	enum histree_status status = row_group_choose(&rows->group, request->quarks + rows->next, count, error);
	if (status == HISTREE_OK)
		status = row_group_read(&rows->group, request, &rows->sources, &rows->values, error);
	if (status == HISTREE_OK)
		rows->group_end = rows->next + count;
	return status;
}

static enum histree_status make_cells(struct rows *rows, size_t row, struct histree_error *error)
{
	const struct row_group *group = &rows->group;
	const uint32_t pixels = group->scale.pixels;
	const size_t first = row * pixels;
	const bool is_sampled = group->readings[row].sampled;
	for (uint32_t pixel = 0; pixel < pixels; pixel++) {
		struct histree_cell cell = cell_sums_get(&group->sums, first + pixel, &rows->values);
		if (cell.value == HISTREE_NO_VALUE)
			return error_set(error, HISTREE_ERR_FORMAT,
					 "attribute %u has no state at %lld: verify the history",
					 group->quarks[row], (long long)pixel_first(&group->scale, pixel));
		const bool is_decided = group->sums.cells[first + pixel].value != HISTREE_NO_VALUE;
		if (is_sampled && !is_decided && cell.other == HISTREE_NO_VALUE)
			cell.other = HISTREE_UNKNOWN_VALUE;
		rows->row[pixel] = cell;
	}
	return HISTREE_OK;
}

/* Index 0 is null.  A pixel that two lives share is the earlier one's: the later one begins with nothing. */
static void cut_cells(const struct rows *rows, const struct histree_row_life *life)
{
	const struct pixel_scale *scale = &rows->group.scale;
	for (uint32_t pixel = 0; pixel < scale->pixels; pixel++)
		if (pixel_first(scale, pixel) < life->from || pixel_first(scale, pixel) > life->to)
			rows->row[pixel] = (struct histree_cell){ .value = 0, .other = HISTREE_NO_VALUE };
}

/* One that is across an end of the life is shown as it is: there, statuses end. */
static void cut_states(struct visible_states *states, const struct histree_row_life *life)
{
	for (size_t i = 0; i < states->count; i++) {
		struct histree_visible_state *state = &states->states[i];
		if (state->end < life->from || state->start > life->to) {
			state->value = 0;
			state->other = HISTREE_NO_VALUE;
		}
	}
}

static enum histree_status next_row(struct histree_cursor *cursor, struct histree_error *error)
{
	struct rows *rows = rows_of(cursor);
	if (rows->next == rows->request.quark_count)
		return HISTREE_END;
	enum histree_status status = rows->next < rows->group_end ? HISTREE_OK : read_group(rows, error);
	if (status != HISTREE_OK)
		return status;
	histree_quark quark = rows->request.quarks[rows->next];
	size_t row = row_group_find(&rows->group, quark);
	bool as_states = rows->request.shape == HISTREE_ROWS_STATES;
	rows->sampled = rows->group.readings[row].sampled;
	if (as_states)
		status = visible_states_make(&rows->states, &rows->group, row, rows->sources.query, &rows->values,
					     error);
	else
		status = make_cells(rows, row, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_row_life *life = rows->request.lives != NULL ? &rows->request.lives[rows->next] : NULL;
	const bool is_cut = life != NULL && (life->from > rows->request.from || life->to < rows->request.to);
	if (is_cut && as_states)
		cut_states(&rows->states, life);
	else if (is_cut)
		cut_cells(rows, life);
	rows->handed_out = (struct histree_row){
		.index = rows->next++,
		.quark = quark,
		.cells = as_states ? NULL : rows->row,
		.states = as_states ? rows->states.states : NULL,
		.state_count = as_states ? rows->states.count : 0,
	};
	return HISTREE_OK;
}

uint32_t histree_rows_value_count(const struct histree_cursor *cursor)
{
	return (uint32_t)const_rows_of(cursor)->values.count;
}

struct histree_value histree_rows_value(const struct histree_cursor *cursor, uint32_t index)
{
	const struct rows *rows = const_rows_of(cursor);
	return index < rows->values.count ? rows->values.values[index] : histree_null();
}

bool histree_rows_sampled(const struct histree_cursor *cursor)
{
	return const_rows_of(cursor)->sampled;
}

static void free_rows(struct histree_cursor *cursor)
{
	struct rows *rows = rows_of(cursor);
	row_sources_release(&rows->sources);
	value_table_release(&rows->values);
	row_group_release(&rows->group);
	visible_states_release(&rows->states);
	free(rows->row);
	free(rows);
}

size_t histree_cells_to_spans(const struct histree_cell *cells, uint32_t pixels, struct histree_cell_span *out)
{
	size_t count = 0;
	for (uint32_t pixel = 0; pixel < pixels; pixel++) {
		struct histree_cell_span *before = count > 0 ? &out[count - 1] : NULL;
		if (before != NULL && before->cell.value == cells[pixel].value &&
		    before->cell.other == cells[pixel].other)
			before->length++;
		else
			out[count++] =
				(struct histree_cell_span){ .start = pixel, .length = 1, .cell = cells[pixel] };
	}
	return count;
}
