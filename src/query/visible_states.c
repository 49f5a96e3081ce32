// SPDX-License-Identifier: MIT
#include "query/visible_states.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

static enum histree_status append(struct visible_states *states, struct histree_visible_state state,
				  struct histree_error *error)
{
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
	before->end = end;
	return HISTREE_OK;
}

/* What a pixel has beside the states that are resolved. */
static enum histree_status cell_of_gap(const struct row_group *group, size_t row, uint32_t pixel,
				       histree_time start, histree_time end, struct histree_query *query,
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
				    histree_time start, histree_time end, struct histree_query *query,
				    struct value_table *values, struct histree_error *error)
{
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
	size_t low = 0, high = group->resolved_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (group->resolved[middle].row < row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

enum histree_status visible_states_make(struct visible_states *states, const struct row_group *group, size_t row,
					struct histree_query *query, struct value_table *values,
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

void visible_states_release(struct visible_states *states)
{
	free(states->states);
	*states = (struct visible_states){ 0 };
}
