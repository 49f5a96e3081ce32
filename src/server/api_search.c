// SPDX-License-Identifier: MIT
/*
 * api_search.c - the next row of a name, the next state of a label.
 */
#include <stdlib.h>

#include "histree/query.h"
#include "server/api.h"
#include "server/page_request.h"
#include "server/state_rows.h"

/* ---- rows -------------------------------------------------------------------------------------------- */

/* From `after` on, round the end once. */
static int64_t find_position(const struct page_rows *rows, const struct row_order *order, const char *text,
			     int64_t after, bool backwards)
{
	for (uint32_t i = 1; i <= order->count; i++) {
		int64_t step = backwards ? -(int64_t)i : (int64_t)i;
		int64_t position = (after + step) % (int64_t)order->count;
		position += position < 0 ? order->count : 0;
		if (rows->model->matches(rows->view, order->rows[position], text))
			return position;
	}
	return -1;
}

void api_search(struct call *call)
{
	struct page_rows rows;
	struct page_order order;
	int64_t after, backwards;
	struct json_writer *json = &call->reply->json;
	const char *text = page_text(call, "text");
	if (!page_rows_open(call, &rows))
		return;
	if (!page_order_open(call, &rows, &order))
		goto out;
	if (page_number(call, "after", -1, UINT32_MAX, -1, &after) &&
	    page_number(call, "backwards", 0, 1, 0, &backwards)) {
		int64_t position = find_position(&rows, order.order, text, after, backwards != 0);
		json_begin_object(json);
		json_int_member(json, "position", position);
		if (position >= 0)
			json_int_member(json, "row", order.order->rows[position]);
		json_end(json);
	}
	page_order_close(&order);
out:
	page_rows_close(&rows);
}

/* ---- states ------------------------------------------------------------------------------------------ */

/* What is looked for, and the best that was found. */
struct state_search {
	const char *text;
	histree_time at;
	bool backwards;
	bool found;
	struct histree_interval best; /* its bytes are gone */
};

static bool is_better(const struct state_search *search, const struct histree_interval *state)
{
	bool is_ahead = search->backwards ? state->start < search->at : state->start > search->at;
	if (!is_ahead)
		return false;
	if (!search->found)
		return true;
	return search->backwards ? state->start > search->best.start : state->start < search->best.start;
}

/* In a part of the history. */
static enum histree_status search_part(struct state_search *search, struct histree_query *query,
				       histree_quark quark, histree_time from, histree_time to,
				       struct histree_error *error)
{
	struct histree_region region = { .quarks = &quark, .quark_count = 1, .from = from, .to = to };
	struct histree_interval state;
	struct piece text = { 0 };
	enum histree_status status = histree_query_start(query, &region, error);
	while (status == HISTREE_OK && (status = histree_query_next(query, &state, error)) == HISTREE_OK) {
		text.size = 0;
		state_value_text(&state.value, &text);
		if (text.size > 0 && row_text_contains(text.bytes, text.size, search->text) &&
		    is_better(search, &state)) {
			search->best = state;
			search->found = true;
		}
	}
	piece_release(&text);
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* Parts of doubling length, away from where the search begins: what is near is found soon. */
static enum histree_status search_states(struct state_search *search, struct histree_history *history,
					 histree_quark quark, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(history);
	struct histree_query *query;
	enum histree_status status = histree_query_create(history, &query, error);
	int64_t length = (info->end - info->start) / 1024 + 1;
	histree_time from = search->at, to = search->at;
	while (status == HISTREE_OK && !search->found &&
	       (search->backwards ? from > info->start : to < info->end)) {
		if (search->backwards) {
			to = from;
			from = from - info->start > length ? from - length : info->start;
		} else {
			from = to;
			to = info->end - to > length ? to + length : info->end;
		}
		status = search_part(search, query, quark, from, to, error);
		length *= 2;
	}
	histree_query_free(query);
	return status;
}

void api_search_state(struct call *call)
{
	struct page_rows rows;
	struct row_facts facts;
	struct histree_error error = { 0 };
	int64_t row, at, backwards;
	struct json_writer *json = &call->reply->json;
	if (!page_rows_open(call, &rows))
		return;
	const struct histree_store_info *info = histree_store_info(rows.dataset->store);
	if (!page_number(call, "row", 0, (int64_t)rows.model->count(rows.view) - 1, -1, &row) ||
	    !page_number(call, "at", 0, info->end - info->start, -1, &at) ||
	    !page_number(call, "backwards", 0, 1, 0, &backwards))
		goto out;
	rows.model->facts(rows.view, (uint32_t)row, &facts);
	struct state_search search = {
		.text = page_text(call, "text"),
		.at = info->start + at,
		.backwards = backwards != 0,
	};
	histree_quark quark = facts.label != HISTREE_ROOT ? facts.label : facts.quark;
	if (quark != HISTREE_ROOT && search_states(&search, facts.history, quark, &error) != HISTREE_OK) {
		reply_failure(call->reply, &error);
		goto out;
	}
	json_begin_object(json);
	json_bool_member(json, "found", search.found);
	if (search.found) {
		json_int_member(json, "start", search.best.start - info->start);
		json_int_member(json, "end", search.best.end - info->start);
	}
	json_end(json);
out:
	page_rows_close(&rows);
}
