// SPDX-License-Identifier: MIT
/*
 * window.c - a row as states or as cells of pixels, and the groups of rows into which a request is divided.
 */
#include "query/window.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/cancel.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/filter.h"
#include "histree/states.h"
#include "histree/status.h"
#include "query/row_group.h"
#include "query/thread_names.h"

/* A zeroed one is empty. */
struct visible_states {
	struct histree_visible_state *states;
	size_t count, capacity;
};

/* ---- visible states ------------------------------------------------------------------------------------------ */

static enum histree_status append(struct visible_states *states, struct histree_visible_state state,
				  struct histree_error *error)
{
	assert(state.start <= state.end);
	assert(states->count == 0 || states->states[states->count - 1].end < state.start);
	if (!array_reserve(&states->states, &states->capacity, states->count + 1))
		return error_memory(error, "the states of a row");
	states->states[states->count++] = state;
	return HISTREE_OK;
}

/* A piece of a gap, the part of it in one pixel; it goes on from the one before if they look alike. */
static enum histree_status append_piece(struct visible_states *states, size_t gap, histree_time start,
					histree_time end, struct histree_cell cell, struct histree_error *error)
{
	struct histree_visible_state *before = states->count > gap ? &states->states[states->count - 1] : NULL;
	if (before == NULL || before->value != cell.value || before->other != cell.other)
		return append(states, (struct histree_visible_state){ start, end, cell.value, cell.other }, error);
	assert(before->end < end);
	before->end = end;
	return HISTREE_OK;
}

/* What a pixel has beside the states that are resolved. */
static enum histree_status cell_of_gap(const struct row_group *group, size_t row, uint32_t pixel,
				       histree_time start, histree_time end, struct histree_cursor *query,
				       struct value_table *values, struct histree_cell *cell,
				       struct histree_error *error)
{
	*cell = cell_sums_get(&group->sums, row * group->scale.pixels + pixel, values);
	if (cell->value == HISTREE_NO_VALUE) {
		struct histree_interval interval;
		enum histree_status status =
			histree_query_single(query, group->quarks[row], start, &interval, error);
		if (status == HISTREE_OK)
			status = value_table_add(values, &interval.value, &cell->value, error);
		if (status != HISTREE_OK || interval.end >= end)
			return status;
	}
	if (group->readings[row].sampled && cell->other == HISTREE_NO_VALUE)
		cell->other = HISTREE_UNKNOWN_VALUE;
	return HISTREE_OK;
}

/* From start to end, both inclusive, nothing is resolved. */
static enum histree_status fill_gap(struct visible_states *states, const struct row_group *group, size_t row,
				    histree_time start, histree_time end, struct histree_cursor *query,
				    struct value_table *values, struct histree_error *error)
{
	assert(start <= end);
	const struct pixel_scale *scale = &group->scale;
	size_t gap = states->count;
	uint32_t last = pixel_to(scale, end);
	for (uint32_t pixel = pixel_to(scale, start); pixel <= last; pixel++) {
		histree_time piece_end = pixel_last(scale, pixel) < end ? pixel_last(scale, pixel) : end;
		struct histree_cell cell;
		enum histree_status status =
			cell_of_gap(group, row, pixel, start, piece_end, query, values, &cell, error);
		if (status == HISTREE_OK)
			status = append_piece(states, gap, start, piece_end, cell, error);
		if (status != HISTREE_OK)
			return status;
		if (piece_end < end)
			start = piece_end + 1;
	}
	return HISTREE_OK;
}

static size_t first_of_row(const struct row_group *group, size_t row)
{
	const size_t low = SEARCH(i, 0, group->resolved_count, group->resolved[i].row < row);
	return low;
}

/*
 * Make the states of one row of a group that was read for states.  `query` is for gaps that no sample met, one
 * state each; their values are added to `values`.
 */
static enum histree_status visible_states_make(struct visible_states *states, const struct row_group *group,
					       size_t row, struct histree_cursor *query, struct value_table *values,
					       struct histree_error *error)
{
	const struct pixel_scale *scale = &group->scale;
	histree_time next = scale->from; /* the first time that has no state yet */
	enum histree_status status = HISTREE_OK;
	states->count = 0;
	for (size_t i = first_of_row(group, row); i < group->resolved_count && group->resolved[i].row == row; i++) {
		const struct resolved_state *state = &group->resolved[i];
		if (state->start > next)
			status = fill_gap(states, group, row, next, state->start - 1, query, values, error);
		if (status == HISTREE_OK)
			status = append(states,
					(struct histree_visible_state){ state->start, state->end, state->value,
									HISTREE_NO_VALUE },
					error);
		if (status != HISTREE_OK || state->end >= scale->to)
			return status;
		next = state->end + 1;
	}
	return fill_gap(states, group, row, next, scale->to, query, values, error);
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

/* Returns HISTREE_END if there are more states than are kept, so that the window has to be shorter. */
static enum histree_status take_state(struct window_states *states, const struct histree_interval *interval,
				      struct histree_error *error)
{
	int64_t value;
	enum window_keep keep = states->keep(states->context, interval, &value);
	if (keep == WINDOW_HAS_NO_MEMORY)
		return error_memory(error, states->what);
	if (keep == WINDOW_SKIPS)
		return HISTREE_OK;
	bool is_too_long = states->state_count >= states->states_max + states->quark_count;
	if (is_too_long && states->to > states->from)
		return HISTREE_END;
	if (!array_reserve(&states->states, &states->state_capacity, states->state_count + 1))
		return error_memory(error, states->what);
	states->states[states->state_count++] =
		(struct window_state){ interval->start, interval->end, value, states->list_of[interval->quark] };
	return HISTREE_OK;
}

/* Reads what the region has of the window; *is_whole becomes false if it is too long. */
static enum histree_status read_region(struct window_states *states, struct histree_cursor *query,
				       const struct histree_region *region, const histree_quark *quarks,
				       bool *is_whole, struct histree_error *error)
{
	struct histree_interval interval;
	enum histree_status status = histree_query_start(query, region, error);
	for (uint64_t step = 0; status == HISTREE_OK && *is_whole; step++) {
		status = cancel_or_next(states->work, step, query, error);
		if (status == HISTREE_OK)
			interval = *histree_cursor_interval(query);
		if (status != HISTREE_OK)
			break;
		if (quarks != NULL)
			interval.quark = quarks[interval.quark - 1];
		status = take_state(states, &interval, error);
		if (status == HISTREE_END) {
			*is_whole = false;
			status = HISTREE_OK;
		}
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* What the file of names cannot say is asked of the history from then on. */
static void drop_names(struct window_states *states)
{
	if (states->names != NULL)
		thread_names_release(states->names);
	free(states->names);
	states->names = NULL;
	states->own_count = 0;
}

static enum histree_status read_names(struct window_states *states, bool *is_whole, struct histree_error *error)
{
	const struct histree_region region = {
		.quarks = states->own,
		.quark_count = states->own_count,
		.from = states->from,
		.to = states->to,
	};
	if (states->names == NULL)
		return HISTREE_OK;
	const enum histree_status status =
		thread_names_judge(states->names, read_region(states, states->names->cursor, &region,
							      states->names->quarks, is_whole, error));
	if (!states->names->is_wrong)
		return status;
	drop_names(states);
	states->state_count = 0;
	*is_whole = true;
	return HISTREE_OK;
}

/* Reads the window; *is_whole is false if it is too long. */
static enum histree_status read_window(struct window_states *states, bool *is_whole, struct histree_error *error)
{
	*is_whole = true;
	states->state_count = 0;
	enum histree_status status = read_names(states, is_whole, error);
	const struct histree_region region = {
		.quarks = states->names != NULL ? states->rest : states->quarks,
		.quark_count = states->names != NULL ? states->rest_count : states->quark_count,
		.from = states->from,
		.to = states->to,
	};
	if (status != HISTREE_OK || !*is_whole || region.quark_count == 0)
		return status;
	status = read_region(states, states->query, &region, NULL, is_whole, error);
	states->is_damaged |= histree_cursor_loss(states->query).nodes > 0;
	return status;
}

/* ---- lists -------------------------------------------------------------------------------------------------- */

COMPARE(by_start, struct window_state, BY(start))

/* Most come in their order. */
static void sort_list(struct window_state *states, size_t count)
{
	bool in_order = true;
	for (size_t i = 1; i < count && in_order; i++)
		in_order = states[i - 1].start <= states[i].start;
	if (!in_order)
		qsort(states, count, sizeof(*states), by_start);
}

/* Puts the states into their lists. */
static enum histree_status sort_states(struct window_states *states, struct histree_error *error)
{
	size_t *ends = states->ends, sum = 0;
	if (!array_reserve(&states->sorted, &states->sorted_capacity, states->state_count + 1))
		return error_memory(error, states->what);
	for (uint32_t list = 0; list <= states->list_count; list++)
		ends[list] = 0;
	for (size_t i = 0; i < states->state_count; i++)
		ends[states->states[i].list]++;
	for (uint32_t list = 0; list <= states->list_count; list++) {
		size_t count = ends[list];
		ends[list] = sum;
		sum += count;
	}
	for (size_t i = 0; i < states->state_count; i++)
		states->sorted[ends[states->states[i].list]++] = states->states[i];
	for (uint32_t list = 0; list < states->list_count; list++) {
		size_t first = list > 0 ? ends[list - 1] : 0;
		sort_list(states->sorted + first, ends[list] - first);
	}
	return HISTREE_OK;
}

struct window_list window_states_list(const struct window_states *states, uint32_t list)
{
	size_t first = list > 0 ? states->ends[list - 1] : 0;
	return (struct window_list){ states->sorted + first, states->ends[list] - first };
}

/* ---- windows ------------------------------------------------------------------------------------------------ */

/* In a short range there are fewer leaves than the file has. */
enum { SHORT = 16 /* of the history's time */ };

/* What is in the file of names, and what is not. */
static enum histree_status find_names(struct window_states *states, const struct histree_history_info *info,
				      struct histree_error *error)
{
	const uint64_t ns = (uint64_t)states->last - (uint64_t)states->first;
	if (states->is_over || ns < ((uint64_t)info->end - (uint64_t)info->start) / SHORT)
		return HISTREE_OK;
	states->names = calloc(1, sizeof(*states->names));
	states->own = malloc((states->quark_count + 1) * sizeof(*states->own));
	states->rest = malloc((states->quark_count + 1) * sizeof(*states->rest));
	if (states->names == NULL || states->own == NULL || states->rest == NULL)
		return error_memory(error, states->what);
	const enum histree_status status = thread_names_open(states->names, states->history, error);
	for (size_t i = 0; i < states->quark_count && status == HISTREE_OK && states->names->cursor != NULL; i++) {
		const histree_quark own = thread_names_find(states->names, states->quarks[i]);
		if (own != HISTREE_ROOT)
			states->own[states->own_count++] = own;
		else
			states->rest[states->rest_count++] = states->quarks[i];
	}
	if (states->own_count == 0)
		drop_names(states);
	return status;
}

static enum histree_status window_begin(struct window_states *states, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(states->history);
	states->ends = calloc((size_t)states->list_count + 1, sizeof(*states->ends));
	if (states->ends == NULL)
		return error_memory(error, states->what);
	states->from = states->first;
	states->is_over = states->quark_count == 0 || states->first > states->last;
	enum histree_status status = find_names(states, info, error);
	/* So long that it has half of the states that are kept, if they are all alike. */
	const uint64_t count =
		states->names != NULL && states->rest_count == 0 ? states->names->states : info->interval_count;
	double ns = (double)info->end - (double)info->start + 1;
	double length = ns * ((double)states->states_max / 2) / ((double)count + 1);
	states->length = length < 1 ? 1 : length > 1e18 ? (uint64_t)1e18 : (uint64_t)length;
	return status == HISTREE_OK ? histree_query_create(states->history, &states->query, error) : status;
}

/* What lies after the window before, and the states in it decide how long the next one is. */
static void step(struct window_states *states)
{
	states->is_over = states->to == states->last;
	if (states->is_over)
		return;
	states->length *= states->state_count < states->states_max / 2 && states->length < UINT64_MAX / 4 ? 2 : 1;
	states->from = states->to + 1;
}

enum histree_status window_states_next(struct window_states *states, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	bool is_whole = false;
	if (states->length == 0)
		status = window_begin(states, error);
	else
		step(states);
	if (status == HISTREE_OK && states->is_over)
		return HISTREE_END;
	while (status == HISTREE_OK && !is_whole) {
		bool is_last = (uint64_t)states->last - (uint64_t)states->from < states->length;
		states->to = is_last ? states->last : (histree_time)((uint64_t)states->from + states->length - 1);
		status = read_window(states, &is_whole, error);
		if (status == HISTREE_OK && !is_whole)
			states->length = ((uint64_t)states->to - (uint64_t)states->from + 1) / 2;
	}
	return status == HISTREE_OK ? sort_states(states, error) : status;
}

void window_states_release(struct window_states *states)
{
	histree_cursor_free(states->query);
	drop_names(states);
	free(states->rest);
	free(states->own);
	free(states->states);
	free(states->sorted);
	free(states->ends);
}

/* ---- window -------------------------------------------------------------------------------------------------- */

static void at_least(struct histree_window *window, int64_t bound)
{
	if (window->from < bound)
		window->from = bound;
}

static void at_most(struct histree_window *window, int64_t bound)
{
	if (window->to > bound)
		window->to = bound;
}

static void narrow_by_integer(struct histree_window *window, enum histree_comparison comparison, int64_t bound)
{
	switch (comparison) {
	case HISTREE_EQUAL_TO:
		at_least(window, bound);
		at_most(window, bound);
		break;
	case HISTREE_AT_LEAST:
		at_least(window, bound);
		break;
	case HISTREE_AT_MOST:
		at_most(window, bound);
		break;
	case HISTREE_ABOVE:
		if (bound == INT64_MAX)
			window->is_empty = true;
		else
			at_least(window, bound + 1);
		break;
	case HISTREE_BELOW:
		if (bound == INT64_MIN)
			window->is_empty = true;
		else
			at_most(window, bound - 1);
		break;
	}
}

/* The bound is above every int64, or with `is_below` below every one. */
static void narrow_by_infinite(struct histree_window *window, enum histree_comparison comparison, bool is_below)
{
	bool holds = is_below ? comparison == HISTREE_ABOVE || comparison == HISTREE_AT_LEAST
			      : comparison == HISTREE_BELOW || comparison == HISTREE_AT_MOST;
	if (!holds)
		window->is_empty = true;
}

/* 2^63, the first number that is no int64. */
static const double limit = 9223372036854775808.0;

static void narrow_by_real(struct histree_window *window, enum histree_comparison comparison, double bound)
{
	if (isnan(bound))
		window->is_empty = true;
	else if (bound >= limit || bound < -limit)
		narrow_by_infinite(window, comparison, bound < 0);
	else if (bound == floor(bound))
		narrow_by_integer(window, comparison, (int64_t)bound);
	else if (comparison == HISTREE_EQUAL_TO)
		window->is_empty = true;
	else if (comparison == HISTREE_ABOVE || comparison == HISTREE_AT_LEAST)
		narrow_by_integer(window, HISTREE_ABOVE, (int64_t)floor(bound));
	else
		narrow_by_integer(window, HISTREE_AT_MOST, (int64_t)floor(bound));
}

void histree_window_narrow(struct histree_window *window, enum histree_comparison comparison,
			   const struct histree_value *number)
{
	switch (number->type) {
	case HISTREE_NULL:
		window->is_empty = true;
		break;
	case HISTREE_INT:
		narrow_by_integer(window, comparison, number->int32);
		break;
	case HISTREE_LONG:
		if (number->size == HISTREE_UNSIGNED)
			narrow_by_infinite(window, comparison, false);
		else
			narrow_by_integer(window, comparison, number->int64);
		break;
	case HISTREE_DOUBLE:
		narrow_by_real(window, comparison, number->real);
		break;
	case HISTREE_BOOL:
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
	case HISTREE_UNKNOWN:
		break;
	}
}

bool histree_window_fit(struct histree_window *window, histree_time start, histree_time end)
{
	if (window->is_empty || window->from > end || window->to < start)
		return false;
	at_least(window, start);
	at_most(window, end);
	if (window->from > window->to) /* what covers both covers one of them */
		window->from = window->to;
	return true;
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

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
	if (is_cut && as_states) {
		/* One that is across an end of the life is shown as it is: there, statuses end. */
		for (size_t i = 0; i < rows->states.count; i++) {
			struct histree_visible_state *state = &rows->states.states[i];
			if (state->end < life->from || state->start > life->to) {
				state->value = 0;
				state->other = HISTREE_NO_VALUE;
			}
		}
	} else if (is_cut) {
		/*
		 * Index 0 is null.  A pixel that two lives share is the earlier one's: the later one begins with
		 * nothing.
		 */
		const struct pixel_scale *scale = &rows->group.scale;
		for (uint32_t pixel = 0; pixel < scale->pixels; pixel++)
			if (pixel_first(scale, pixel) < life->from || pixel_first(scale, pixel) > life->to)
				rows->row[pixel] = (struct histree_cell){ .value = 0, .other = HISTREE_NO_VALUE };
	}
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
	struct visible_states *states = &rows->states;
	free(states->states);
	*states = (struct visible_states){ 0 };
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
