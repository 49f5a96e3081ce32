// SPDX-License-Identifier: MIT
#include "server/model/deep_states.h"

#include <stdlib.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/search.h"
#include "histree/query.h"

static int compare_rows(const void *a, const void *b)
{
	const struct deep_row *first = a, *second = b;
	return (first->quark > second->quark) - (first->quark < second->quark);
}

struct sought_time {
	const histree_time *times;
	histree_time time;
};

static bool is_before(const void *context, size_t index)
{
	const struct sought_time *sought = context;
	return sought->times[index] < sought->time;
}

/* How many samples are before a time. */
static size_t samples_before(const struct deep_request *request, histree_time time)
{
	const struct sought_time sought = { request->times, time };
	return search_first(0, request->time_count, request->time_count / 2, is_before, &sought);
}

/* The gap that a state lies in; false: a sample meets it. */
static bool find_gap(const struct deep_request *request, const struct histree_interval *state, size_t *gap)
{
	*gap = samples_before(request, state->start);
	return *gap == request->time_count || request->times[*gap] > state->end;
}

static enum histree_status take(const struct deep_request *request, const struct histree_interval *state,
				bool *taken, deep_state_visit *visit, void *context, struct histree_error *error)
{
	size_t gap;
	const struct deep_row key = { .quark = state->quark };
	const struct deep_row *row = bsearch(&key, request->rows, request->row_count, sizeof(key), compare_rows);
	if (row == NULL || !find_gap(request, state, &gap))
		return HISTREE_OK;
	bool *is_taken = &taken[(size_t)(row - request->rows) * request->time_count + gap];
	if (*is_taken || !state_filter_match(request->filter, &row->owner, state))
		return HISTREE_OK;
	*is_taken = true;
	return visit(context, row, state, error);
}

static enum histree_status read_all(const struct deep_request *request, struct histree_query *query,
				    const histree_quark *quarks, bool *taken, deep_state_visit *visit,
				    void *context, struct histree_error *error)
{
	struct histree_region region = {
		.quarks = quarks,
		.quark_count = request->row_count,
		.from = request->times[0],
		.to = request->times[request->time_count - 1],
	};
	struct histree_interval state;
	enum histree_status status = histree_query_start(query, &region, error);
	for (uint64_t i = 0; status == HISTREE_OK; i++) {
		if (i % CANCEL_STEPS == 0 && cancel_asked(&request->cancel))
			return error_set(error, HISTREE_ERR_CANCELLED,
					 "the search took too long; ask for a smaller part");
		status = histree_query_next(query, &state, error);
		if (status == HISTREE_OK)
			status = take(request, &state, taken, visit, context, error);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

enum histree_status deep_states_each(const struct deep_request *request, deep_state_visit *visit, void *context,
				     struct histree_error *error)
{
	if (request->row_count == 0 || request->time_count == 0)
		return HISTREE_OK;
	struct histree_query *query = NULL;
	bool *taken = calloc(request->row_count * request->time_count, sizeof(*taken));
	histree_quark *quarks = malloc(request->row_count * sizeof(*quarks));
	enum histree_status status = taken != NULL && quarks != NULL
					     ? histree_query_create(request->history, &query, error)
					     : error_memory(error, "a search");
	for (size_t i = 0; status == HISTREE_OK && i < request->row_count; i++)
		quarks[i] = request->rows[i].quark;
	if (status == HISTREE_OK)
		status = read_all(request, query, quarks, taken, visit, context, error);
	histree_query_free(query);
	free(quarks);
	free(taken);
	return status;
}
