// SPDX-License-Identifier: MIT
/*
 * row_pyramid.c - the cells of rows: the states of one attribute, made fewer.
 */
#include "overview/row_pyramid.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"

/* ---- one cell -------------------------------------------------------------------------------------------- */

/*
 * As many shares as there are values, or states: no value has to be left out, however short it was before it grew
 * long.
 */
static enum histree_status make_room(struct overview_cells *cells, uint32_t value_count, size_t count,
				     struct histree_error *error)
{
	size_t had = cells->slots_capacity;
	if (!array_reserve(&cells->shares, &cells->shares_capacity, value_count < count ? value_count : count) ||
	    !table_reserve(&cells->of_slots, &cells->slots, &cells->slots_capacity, value_count))
		return error_memory(error, "an overview");
	if (cells->slots_capacity > had)
		memset(cells->slots + had, 0, (cells->slots_capacity - had) * sizeof(*cells->slots));
	return HISTREE_OK;
}

static void add_share(struct overview_cells *cells, uint32_t value, uint64_t ns)
{
	if (value == OVERVIEW_REST) {
		cells->rest += ns;
		return;
	}
	uint32_t slot = cells->slots[value];
	if (slot < cells->share_count && cells->shares[slot].value == value) {
		cells->shares[slot].ns += ns;
		return;
	}
	cells->slots[value] = (uint32_t)cells->share_count;
	cells->shares[cells->share_count++] = (struct overview_share){ ns, value };
}

static void swap(struct overview_share *one, struct overview_share *other)
{
	struct overview_share kept = *one;
	*one = *other;
	*other = kept;
}

static bool is_apart(const struct overview_scale *scale, uint32_t value)
{
	for (unsigned i = 0; i < OVERVIEW_VALUES_APART; i++)
		if (scale->apart[i] == value)
			return true;
	return false;
}

/* The values to keep come first, those of the most time before the others; returns how many they are. */
static size_t choose_kept(struct overview_cells *cells, const struct overview_scale *scale)
{
	struct overview_share *shares = cells->shares;
	size_t kept = 0;
	for (; kept < cells->share_count && kept < OVERVIEW_VALUES_KEPT; kept++)
		for (size_t i = kept + 1; i < cells->share_count; i++)
			if (shares[i].ns > shares[kept].ns)
				swap(&shares[i], &shares[kept]);
	for (size_t i = kept; i < cells->share_count; i++)
		if (is_apart(scale, shares[i].value))
			swap(&shares[i], &shares[kept++]);
	for (size_t i = kept; i < cells->share_count; i++)
		cells->rest += shares[i].ns;
	return kept;
}

static enum histree_status cell_put(struct overview_cells *cells, uint32_t attribute, uint32_t value,
				    histree_time start, histree_time end, struct histree_error *error)
{
	if (!array_reserve(&cells->states, &cells->capacity, cells->count + 1))
		return error_memory(error, "an overview");
	cells->states[cells->count++] = (struct overview_state){ start, end, value, attribute };
	return HISTREE_OK;
}

/* `ns` of a value from *start on, as part of the state before where that had the same value. */
static enum histree_status put_part(struct overview_cells *cells, uint32_t attribute, uint32_t value, uint64_t ns,
				    histree_time *start, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (ns == 0)
		return HISTREE_OK;
	histree_time end = (histree_time)((uint64_t)*start + ns - 1);
	if (cells->can_go_on && cells->states[cells->count - 1].value == value)
		cells->states[cells->count - 1].end = end;
	else
		status = cell_put(cells, attribute, value, *start, end, error);
	cells->can_go_on = true;
	*start = (histree_time)((uint64_t)*start + ns);
	return status;
}

/* How long the values of the cell lasted, all together. */
static uint64_t filled_ns(const struct overview_cells *cells)
{
	uint64_t ns = cells->rest;
	for (size_t i = 0; i < cells->share_count; i++)
		ns += cells->shares[i].ns;
	return ns;
}

/*
 * What goes on from the cell before comes first, and what lasted longest comes last, for it is the likeliest to go
 * on: so a value that is there all the time is one state for two cells.
 */
static enum histree_status close_cell(struct overview_cells *cells, const struct overview_scale *scale,
				      uint32_t attribute, histree_time start, struct histree_error *error)
{
	const uint64_t end = (uint64_t)start + filled_ns(cells);
	size_t kept = choose_kept(cells, scale), first = kept;
	for (size_t i = 0; cells->can_go_on && i < kept; i++)
		if (cells->shares[i].value == cells->states[cells->count - 1].value)
			first = i;
	enum histree_status status = HISTREE_OK;
	if (first < kept)
		status = put_part(cells, attribute, cells->shares[first].value, cells->shares[first].ns, &start,
				  error);
	if (status == HISTREE_OK)
		status = put_part(cells, attribute, OVERVIEW_REST, cells->rest, &start, error);
	for (size_t i = kept; i-- > 0 && status == HISTREE_OK;)
		if (i != first)
			status = put_part(cells, attribute, cells->shares[i].value, cells->shares[i].ns, &start,
					  error);
	assert(status != HISTREE_OK || (uint64_t)start == end);
	cells->share_count = 0;
	cells->rest = 0;
	return status;
}

/*
 * In Current_thread the int 0 is the idle thread; null and unknown are no thread.  Everything else is work, and so
 * the rest is, for the usage of CPUs.
 */
void overview_scale_keep_idle_apart(struct overview_scale *scale, struct value_table *values)
{
	const struct histree_value idle[OVERVIEW_VALUES_APART] = { histree_int(0), histree_null(),
								   histree_unknown() };
	for (unsigned i = 0; i < OVERVIEW_VALUES_APART; i++)
		if (!value_table_find(values, &idle[i], &scale->apart[i]))
			scale->apart[i] = OVERVIEW_REST;
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

static bool is_long(const struct overview_scale *scale, const struct overview_state *state)
{
	return (uint64_t)state->end - (uint64_t)state->start >= (UINT64_C(1) << scale->width_log2) - 1;
}

/* The last ns of the cell that has the time `t`, or of the range. */
static histree_time cell_end(const struct overview_scale *scale, histree_time t)
{
	uint64_t cell = ((uint64_t)t - (uint64_t)scale->origin) >> scale->width_log2;
	uint64_t after = (cell + 1) << scale->width_log2;
	histree_time end = (histree_time)((uint64_t)scale->origin + after - 1);
	return end < t || end > scale->to ? scale->to : end;
}

/*
 * From *start on, in states[0], which is short: what lies in one cell.  Returns how many states are done with; of
 * the one that comes next, *start is the first ns that is not.
 */
static size_t fill_cell(struct overview_cells *cells, const struct overview_scale *scale,
			const struct overview_state *states, size_t count, histree_time *start)
{
	histree_time end = cell_end(scale, *start);
	size_t i = 0;
	for (; i < count && states[i].start <= end && (i == 0 || !is_long(scale, &states[i])); i++) {
		histree_time first = states[i].start > *start ? states[i].start : *start;
		histree_time last = states[i].end < end ? states[i].end : end;
		add_share(cells, states[i].value, (uint64_t)last - (uint64_t)first + 1);
		if (states[i].end > end) {
			*start = end + 1; /* the rest of it belongs to the next cell */
			break;
		}
	}
	return i;
}

/* States of one attribute follow each other without gap and without overlap. */
static void states_assert(const struct overview_state *states, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		assert(states[i].start <= states[i].end);
		assert(i == 0 || (states[i].attribute == states[0].attribute &&
				  states[i - 1].end < states[i].start && states[i - 1].end + 1 == states[i].start));
	}
}

enum histree_status overview_cells_add(struct overview_cells *cells, const struct overview_scale *scale,
				       const struct overview_state *states, size_t count,
				       struct histree_error *error)
{
	histree_time from = scale->from; /* what comes before is done with */
	enum histree_status status = make_room(cells, scale->value_count, count, error);
	states_assert(states, count);
	assert(!cells->can_go_on || cells->count > 0);
	for (size_t i = 0; i < count && status == HISTREE_OK;) {
		if (is_long(scale, &states[i])) {
			cells->can_go_on = false;
			if (states[i].end <= scale->to)
				status = cell_put(cells, states[i].attribute, states[i].value, states[i].start,
						  states[i].end, error);
			i++;
			continue;
		}
		histree_time start = states[i].start > from ? states[i].start : from;
		if (start > scale->to)
			break;
		uint32_t attribute = states[i].attribute;
		from = start;
		i += fill_cell(cells, scale, states + i, count - i, &from);
		status = close_cell(cells, scale, attribute, start, error);
	}
	return status;
}

void overview_cells_drop(struct overview_cells *cells, size_t count)
{
	assert(count < cells->count || (count == cells->count && !cells->can_go_on));
	cells->count -= count;
	memmove(cells->states, cells->states + count, cells->count * sizeof(*cells->states));
}

void overview_cells_clear(struct overview_cells *cells)
{
	cells->count = 0;
	cells->can_go_on = false;
}

void overview_cells_release(struct overview_cells *cells)
{
	free(cells->states);
	free(cells->shares);
	table_release(&cells->of_slots, cells->slots);
	*cells = (struct overview_cells){ 0 };
}
