// SPDX-License-Identifier: MIT
/*
 * api_search.c - the next row of a name, the next state that matches an expression, and where such states are.
 */
#include <stdlib.h>

#include "base/error.h"
#include "server/api/api.h"
#include "server/api/state_search.h"

/* ---- rows -------------------------------------------------------------------------------------------- */

/* From `after` on, round the end once. */
static int64_t find_position(const struct page_rows *rows, const struct row_order *order, const char *text,
			     int64_t after, bool backwards)
{
	for (uint32_t i = 1; i <= order->count; i++) {
		int64_t step = backwards ? -(int64_t)i : (int64_t)i;
		int64_t position = (after + step) % (int64_t)order->count;
		position += position < 0 ? order->count : 0;
		if (rows->model->matches(rows->view, row_order_at(order, (uint32_t)position), text))
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
			json_int_member(json, "row", row_order_at(order.order, (uint32_t)position));
		json_end(json);
	}
	page_order_close(&order);
out:
	page_rows_close(&rows);
}

/* ---- the row of a selection -------------------------------------------------------------------------- */

static int64_t position_of(const struct row_order *order, uint32_t row)
{
	for (uint32_t position = 0; position < order->count; position++)
		if (row_order_at(order, position) == row)
			return position;
	return -1;
}

void api_find_row(struct call *call)
{
	struct page_rows rows;
	struct page_order order;
	int64_t tid, cpu, at;
	struct json_writer *json = &call->reply->json;
	if (!page_rows_open(call, &rows))
		return;
	const struct histree_store_info *info = histree_store_info(rows.dataset->store);
	if (!page_number(call, "tid", -1, INT32_MAX, -1, &tid) ||
	    !page_number(call, "cpu", -1, INT32_MAX, -1, &cpu) ||
	    !page_number(call, "at", 0, info->end - info->start, -1, &at) || !page_order_open(call, &rows, &order))
		goto out;
	struct row_wanted wanted = { (int32_t)tid, (int32_t)cpu, info->start + at, page_text(call, "host") };
	uint32_t row = rows.model->find != NULL ? rows.model->find(rows.view, &wanted) : HISTREE_NO_INDEX;
	int64_t position = row != HISTREE_NO_INDEX ? position_of(order.order, row) : -1;
	json_begin_object(json);
	json_int_member(json, "position", position);
	json_int_member(json, "row", position >= 0 ? (int64_t)row : -1);
	json_end(json);
	page_order_close(&order);
out:
	page_rows_close(&rows);
}

/* ---- states ------------------------------------------------------------------------------------------ */

/* The rows of a request and the expression on their states; close it even after failure. */
struct state_request {
	struct page_rows rows;
	struct page_order order;
	struct state_filter *filter;
	const struct histree_store_info *info;
};

static bool state_request_open(const struct call *call, struct state_request *out)
{
	const char *text = page_text(call, "text");
	struct histree_error error = { 0 };
	*out = (struct state_request){ 0 };
	if (!page_rows_open(call, &out->rows) || !page_order_open(call, &out->rows, &out->order))
		return false;
	out->info = histree_store_info(out->rows.dataset->store);
	if (state_filter_create(&text, 1, &out->rows.model->kind, out->info->start, out->info->end, &out->filter,
				&error) == HISTREE_OK)
		return true;
	reply_failure(call->reply, &error);
	return false;
}

static void state_request_close(struct state_request *request)
{
	state_filter_free(request->filter);
	if (request->order.order != NULL)
		page_order_close(&request->order);
	if (request->rows.dataset != NULL)
		page_rows_close(&request->rows);
}

static struct state_rows_asked rows_asked(const struct call *call, const struct state_request *request,
					  uint32_t first, uint32_t count)
{
	uint32_t total = request->order.order->count;
	first = first < total ? first : total;
	return (struct state_rows_asked){
		.rows = &request->rows,
		.order = request->order.order,
		.first = first,
		.count = count < total - first ? count : total - first,
		.filter = request->filter,
		.cancel = reply_cancel(call->reply),
	};
}

static void write_found(struct json_writer *json, const struct state_request *request, enum histree_status status,
			const struct state_found *found, const struct search_position *reached)
{
	json_begin_object(json);
	json_bool_member(json, "found", status == HISTREE_OK);
	if (status == HISTREE_OK) {
		json_int_member(json, "start", found->start - request->info->start);
		json_int_member(json, "end", found->end - request->info->start);
		json_int_member(json, "position", found->position);
		json_int_member(json, "row", row_order_at(request->order.order, found->position));
	} else if (status == HISTREE_PARTIAL) {
		json_int_member(json, "at", reached->start - request->info->start);
		json_int_member(json, "position", reached->position);
	}
	json_end(json);
}

void api_search_state(struct call *call)
{
	struct state_request request;
	struct state_found found;
	struct histree_error error = { 0 };
	int64_t at, position, backwards, states;
	if (!state_request_open(call, &request) || !page_number(call, "states", 0, INT64_MAX, 0, &states) ||
	    !page_number(call, "at", 0, request.info->end - request.info->start, -1, &at) ||
	    !page_number(call, "position", -1, UINT32_MAX, -1, &position) ||
	    !page_number(call, "backwards", 0, 1, 0, &backwards))
		goto out;
	struct state_rows_asked asked = rows_asked(call, &request, 0, UINT32_MAX);
	struct search_position from = { request.info->start + at, position };
	enum histree_status status =
		state_search_next(&asked, &from, backwards != 0, (uint64_t)states, &found, &error);
	if (status < 0)
		reply_failure(call->reply, &error);
	else
		write_found(&call->reply->json, &request, status, &found, &from);
out:
	state_request_close(&request);
}

/* ---- where they are ---------------------------------------------------------------------------------- */

/* The spans of pixels that are true: first, length, first, length, ... */
static void write_runs(struct json_writer *json, const bool *pixels, uint32_t count)
{
	json_begin_array(json);
	for (uint32_t at = 0, end; at < count; at = end) {
		end = at;
		while (end < count && pixels[end] == pixels[at])
			end++;
		if (pixels[at]) {
			json_put_int(json, at);
			json_put_int(json, end - at);
		}
	}
	json_end(json);
}

static enum histree_status write_matches(struct call *call, const struct state_rows_asked *asked,
					 const struct page_range *range, struct histree_error *error)
{
	struct json_writer *json = &call->reply->json;
	bool all;
	bool *pixels = calloc((size_t)asked->count + 1, range->pixels * sizeof(*pixels));
	if (pixels == NULL)
		return error_memory(error, "a search");
	enum histree_status status = state_search_pixels(asked, range, pixels, &all, error);
	if (status == HISTREE_OK) {
		json_begin_object(json);
		json_bool_member(json, "all", all);
		json_key(json, "rows");
		json_begin_array(json);
		for (uint32_t i = 0; i < asked->count; i++)
			write_runs(json, pixels + (size_t)i * range->pixels, range->pixels);
		json_end(json);
		json_end(json);
	}
	free(pixels);
	return status;
}

void api_matches(struct call *call)
{
	struct state_request request;
	struct page_range range;
	struct histree_error error = { 0 };
	int64_t first, count;
	if (!state_request_open(call, &request) ||
	    !page_range(call, request.info->start, request.info->end, &range) ||
	    !page_number(call, "first", 0, UINT32_MAX, 0, &first) ||
	    !page_number(call, "count", 0, PAGE_ROWS_MAX, PAGE_ROWS_MAX, &count))
		goto out;
	struct state_rows_asked asked = rows_asked(call, &request, (uint32_t)first, (uint32_t)count);
	if (write_matches(call, &asked, &range, &error) != HISTREE_OK)
		reply_failure(call->reply, &error);
out:
	state_request_close(&request);
}
