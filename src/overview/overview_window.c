// SPDX-License-Identifier: MIT
#include "overview/overview_window.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "state/history_overviews.h"

enum { READ_AT_ONCE = 256 }; /* 10 KiB: they stay in the nearest cache */

/* ---- reading --------------------------------------------------------------------------------------------- */

/* There is room for it. */
static enum histree_status keep_state(struct overview_window *window, const struct overview_choice *choice,
				      const struct histree_interval *interval, struct histree_error *error)
{
	const struct histree_value *of = &interval->value;
	uint32_t attribute = window->state_count > 0 ? window->states[window->state_count - 1].attribute : 0;
	uint32_t value = 0;
	enum histree_status status = HISTREE_OK;
	if (overview_value_is_rest(of))
		value = OVERVIEW_REST;
	else if (of->type != HISTREE_INT || !value_table_has_recent(&window->values, of->int32, &value))
		status = value_table_add(&window->values, of, &value, error);
	/* Most come after another one of the same. */
	if (choice->condensed[attribute].source != interval->quark)
		attribute = overview_choice_find(choice, interval->quark, attribute);
	window->states[window->state_count++] = (struct overview_state){
		.start = interval->start,
		.end = interval->end,
		.value = value,
		.attribute = attribute,
	};
	return status;
}

enum histree_status overview_window_read(struct overview_window *window, struct histree_query *query,
					 const struct overview_choice *choice, const histree_quark *quarks,
					 size_t states_max, struct histree_error *error)
{
	struct histree_interval batch[READ_AT_ONCE];
	const struct histree_region region = {
		.quarks = quarks,
		.quark_count = choice->count,
		.from = window->from,
		.to = window->to,
	};
	size_t count;
	window->state_count = 0;
	enum histree_status status = value_table_reset(&window->values, error);
	if (status == HISTREE_OK)
		status = histree_query_start(query, &region, error);
	while (status == HISTREE_OK) {
		status = histree_query_read(query, batch, READ_AT_ONCE, &count, error);
		if (status == HISTREE_OK &&
		    !array_reserve(&window->states, &window->states_capacity, window->state_count + count))
			status = error_memory(error, "an overview");
		for (size_t i = 0; status == HISTREE_OK && i < count; i++)
			status = keep_state(window, choice, &batch[i], error);
		if (status == HISTREE_OK && window->state_count > states_max)
			return HISTREE_PARTIAL;
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---- making fewer ---------------------------------------------------------------------------------------- */

static enum histree_status make_order(struct overview_window *window, size_t count, struct histree_error *error)
{
	if (count <= UINT32_MAX && array_reserve(&window->order, &window->order_capacity, count) &&
	    array_reserve(&window->spare, &window->spare_capacity, count))
		return HISTREE_OK;
	return error_memory(error, "an overview");
}

/* The time from the beginning of the window on; at most one state of an attribute began before. */
static uint64_t time_key(const struct overview_window *window, histree_time t)
{
	return t > window->from ? (uint64_t)t - (uint64_t)window->from : 0;
}

/* The states by attribute, those of one as they came; `ends` says where those of each end. */
static void sort_by_attribute(struct overview_window *window, uint32_t attribute_count)
{
	uint32_t *ends = window->ends, sum = 0;
	memset(ends, 0, attribute_count * sizeof(*ends));
	for (size_t i = 0; i < window->state_count; i++)
		ends[window->states[i].attribute]++;
	for (uint32_t attribute = 0; attribute < attribute_count; attribute++) {
		uint32_t here = ends[attribute];
		ends[attribute] = sum;
		sum += here;
	}
	for (size_t i = 0; i < window->state_count; i++)
		window->sorted[ends[window->states[i].attribute]++] = window->states[i];
}

/* False, and then still the same states, if that takes more moves than there are states. */
static bool sort_nearly_sorted(struct overview_state *states, size_t count)
{
	size_t moves_left = count;
	for (size_t i = 1; i < count; i++) {
		if (states[i - 1].start <= states[i].start)
			continue;
		struct overview_state state = states[i];
		size_t slot = i;
		for (; slot > 0 && states[slot - 1].start > state.start && moves_left > 0; slot--, moves_left--)
			states[slot] = states[slot - 1];
		states[slot] = state;
		if (moves_left == 0)
			return false;
	}
	return true;
}

/* The states of one attribute come batch by batch, but long ones later than short ones. */
static void sort_by_time(struct overview_window *window, size_t first, size_t count)
{
	struct overview_state *sorted = window->sorted + first, *room = window->states;
	if (sort_nearly_sorted(sorted, count))
		return;
	for (size_t i = 0; i < count; i++)
		window->order[i] = (struct keyed_index){ time_key(window, sorted[i].start), (uint32_t)i };
	radix_sort(window->order, window->spare, count);
	memcpy(room, sorted, count * sizeof(*room));
	for (size_t i = 0; i < count; i++)
		sorted[i] = room[window->order[i].index];
}

enum histree_status overview_window_sort(struct overview_window *window, const struct overview_choice *choice,
					 struct histree_error *error)
{
	size_t count = window->state_count;
	enum histree_status status = make_order(window, count, error);
	if (status != HISTREE_OK || !array_reserve(&window->sorted, &window->sorted_capacity, count) ||
	    !array_reserve(&window->ends, &window->ends_capacity, choice->count))
		return error_memory(error, "an overview");
	sort_by_attribute(window, choice->count);
	for (uint32_t attribute = 0, first = 0; attribute < choice->count; first = window->ends[attribute++])
		sort_by_time(window, first, window->ends[attribute] - first);
	return HISTREE_OK;
}

/*
 * In Current_thread the int 0 is the idle thread; null and unknown are no thread.  Everything else is work, and so
 * the rest is, for the usage of CPUs.
 */
static void keep_idle_apart(struct overview_window *window, struct overview_scale *scale)
{
	const struct histree_value idle[OVERVIEW_VALUES_APART] = { histree_int(0), histree_null(),
								   histree_unknown() };
	for (unsigned i = 0; i < OVERVIEW_VALUES_APART; i++)
		if (!value_table_find(&window->values, &idle[i], &scale->apart[i]))
			scale->apart[i] = OVERVIEW_REST;
}

static enum histree_status fill_cells(struct overview_window *window, const struct overview_choice *choice,
				      histree_time origin, struct histree_error *error)
{
	struct overview_scale scale = {
		.origin = origin,
		.from = window->from,
		.to = window->to,
		.value_count = (uint32_t)window->values.count,
	};
	enum histree_status status = HISTREE_OK;
	keep_idle_apart(window, &scale);
	overview_cells_clear(&window->cells);
	for (size_t first = 0, end; first < window->state_count && status == HISTREE_OK; first = end) {
		uint32_t attribute = window->sorted[first].attribute;
		end = window->ends[attribute];
		scale.width_log2 = choice->condensed[attribute].width_log2;
		if (scale.width_log2 == OVERVIEW_NO_WIDTH)
			continue;
		status = overview_cells_add(&window->cells, &scale, window->sorted + first, end - first, error);
	}
	return status;
}

/* A tree wants them by their ends. */
static enum histree_status sort_cells(struct overview_window *window, struct histree_error *error)
{
	const struct overview_cells *cells = &window->cells;
	enum histree_status status = make_order(window, cells->count, error);
	if (status != HISTREE_OK)
		return status;
	for (size_t i = 0; i < cells->count; i++)
		window->order[i] = (struct keyed_index){ time_key(window, cells->states[i].end), (uint32_t)i };
	radix_sort(window->order, window->spare, cells->count);
	return HISTREE_OK;
}

enum histree_status overview_window_condense(struct overview_window *window, const struct overview_choice *choice,
					     histree_time origin, struct histree_error *error)
{
	enum histree_status status = fill_cells(window, choice, origin, error);
	return status == HISTREE_OK ? sort_cells(window, error) : status;
}

void overview_window_release(struct overview_window *window)
{
	value_table_release(&window->values);
	overview_cells_release(&window->cells);
	free(window->states);
	free(window->sorted);
	free(window->ends);
	free(window->order);
	free(window->spare);
	*window = (struct overview_window){ 0 };
}
