// SPDX-License-Identifier: MIT
#include "query/window_states.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/cancel.h"
#include "base/error.h"

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

/* Reads the window; *is_whole is false if it is too long. */
static enum histree_status read_window(struct window_states *states, bool *is_whole, struct histree_error *error)
{
	const struct histree_region region = {
		.quarks = states->quarks,
		.quark_count = states->quark_count,
		.from = states->from,
		.to = states->to,
	};
	struct histree_interval interval;
	enum histree_status status = histree_query_start(states->query, &region, error);
	*is_whole = true;
	states->state_count = 0;
	for (uint64_t step = 0; status == HISTREE_OK && *is_whole; step++) {
		status = cancel_check(states->cancel, step, error);
		if (status == HISTREE_OK)
			status = histree_query_next(states->query, &interval, error);
		if (status != HISTREE_OK)
			break;
		status = take_state(states, &interval, error);
		if (status == HISTREE_END) {
			*is_whole = false;
			status = HISTREE_OK;
		}
	}
	states->is_damaged |= histree_query_stats(states->query).nodes_damaged > 0;
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---- lists -------------------------------------------------------------------------------------------------- */

static int by_start(const void *one, const void *other)
{
	const struct window_state *a = one, *b = other;
	return (a->start > b->start) - (a->start < b->start);
}

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

/* So long that it has half of the states that are kept, if they are all alike. */
static uint64_t first_length(const struct window_states *states)
{
	const struct histree_history_info *info = histree_history_info(states->history);
	double ns = (double)info->end - (double)info->start + 1;
	double length = ns * ((double)states->states_max / 2) / ((double)info->interval_count + 1);
	return length < 1 ? 1 : length > 1e18 ? (uint64_t)1e18 : (uint64_t)length;
}

static enum histree_status begin(struct window_states *states, struct histree_error *error)
{
	states->ends = calloc((size_t)states->list_count + 1, sizeof(*states->ends));
	if (states->ends == NULL)
		return error_memory(error, states->what);
	states->length = first_length(states);
	states->from = states->first;
	states->is_over = states->quark_count == 0 || states->first > states->last;
	return histree_query_create(states->history, &states->query, error);
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
		status = begin(states, error);
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
	histree_query_free(states->query);
	free(states->states);
	free(states->sorted);
	free(states->ends);
}
