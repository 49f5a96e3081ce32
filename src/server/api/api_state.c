// SPDX-License-Identifier: MIT
/*
 * api_state.c - the state under the pointer; the next row of a name, the next state that matches an expression, and
 * where such states are.
 */
#include "histree/states.h"
#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/model/row_order.h"
#include "server/model/state_filter.h"
#include "server/model/state_search.h"

/* ---- api search ---------------------------------------------------------------------------------------------- */

/* ---- rows -------------------------------------------------------------------------------------------- */

/* From `after` on, round the end once. */
static int64_t find_position(const struct host_rows *rows, const struct row_order *order, const char *text,
			     int64_t after, bool backwards)
{
	for (uint32_t i = 1; i <= order->count; i++) {
		int64_t step = backwards ? -(int64_t)i : (int64_t)i;
		int64_t position = (after + step) % (int64_t)order->count;
		position += position < 0 ? order->count : 0;
		if (host_rows_match(rows, row_order_at(order, (uint32_t)position), text))
			return position;
	}
	return -1;
}

void api_search(struct call *call)
{
	struct page_rows rows;
	int64_t after, backwards;
	struct json_writer *json = call->json;
	if (page_rows_open(call, &rows) && page_number(call, "after", -1, UINT32_MAX, -1, &after) &&
	    page_number(call, "backwards", 0, 1, 0, &backwards)) {
		int64_t position =
			find_position(rows.rows, rows.order, page_text(call, "text"), after, backwards != 0);
		json_begin_object(json);
		json_int_member(json, "position", position);
		if (position >= 0)
			json_int_member(json, "row", row_order_at(rows.order, (uint32_t)position));
		json_end(json);
	}
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
	int64_t tid, cpu, at;
	struct json_writer *json = call->json;
	if (page_rows_open(call, &rows) && page_number(call, "tid", -1, INT32_MAX, -1, &tid) &&
	    page_number(call, "cpu", -1, INT32_MAX, -1, &cpu) &&
	    page_number(call, "at", 0, rows.info->end - rows.info->start, -1, &at)) {
		struct row_wanted wanted = { (int32_t)tid, (int32_t)cpu, rows.info->start + at,
					     page_text(call, "host") };
		uint32_t row = host_rows_seek(rows.rows, &wanted);
		int64_t position = row != HISTREE_NO_INDEX ? position_of(rows.order, row) : -1;
		json_begin_object(json);
		json_int_member(json, "position", position);
		json_int_member(json, "row", position >= 0 ? (int64_t)row : -1);
		json_end(json);
	}
	page_rows_close(&rows);
}

/* ---- states ------------------------------------------------------------------------------------------ */

/* The rows of a request and the expression on their states; close it even after failure. */
struct state_request {
	struct page_rows rows;
	struct state_filter *filter;
};

static bool state_request_open(struct call *call, struct state_request *out)
{
	const char *text = page_text(call, "text");
	out->filter = NULL;
	return page_rows_open(call, &out->rows) &&
	       reply_ok(call->reply,
			state_filter_create(&text, 1, &out->rows.rows->model->kind, out->rows.info->start,
					    out->rows.info->end, &out->filter, &call->reply->error));
}

static void state_request_close(struct state_request *request)
{
	state_filter_free(request->filter);
	page_rows_close(&request->rows);
}

/* The rows [first, first + count) of an order. */
struct rows_of_order {
	const struct host_rows *rows;
	const struct row_order *order;
	uint32_t first;
};

static void facts_of_order(const void *context, uint32_t position, struct row_facts *out)
{
	const struct rows_of_order *part = context;
	host_rows_facts(part->rows, row_order_at(part->order, part->first + position), out);
}

static struct searched_rows rows_asked(const struct call *call, const struct state_request *request, uint32_t first,
				       uint32_t count, struct rows_of_order *part)
{
	const uint32_t total = request->rows.order->count;
	*part = (struct rows_of_order){ request->rows.rows, request->rows.order, first < total ? first : total };
	return (struct searched_rows){
		.facts = facts_of_order,
		.context = part,
		.count = count < total - part->first ? count : total - part->first,
		.kind = &request->rows.rows->model->kind,
		.filter = request->filter,
		.work = reply_cancel(call->reply),
	};
}

static void write_found(struct json_writer *json, const struct state_request *request, enum histree_status status,
			const struct state_found *found, const struct search_position *reached)
{
	json_begin_object(json);
	json_bool_member(json, "found", status == HISTREE_OK);
	if (status == HISTREE_OK) {
		json_int_member(json, "start", found->start - request->rows.info->start);
		json_int_member(json, "end", found->end - request->rows.info->start);
		json_int_member(json, "position", found->position);
		json_int_member(json, "row", row_order_at(request->rows.order, found->position));
	} else if (status == HISTREE_PARTIAL) {
		json_int_member(json, "at", reached->start - request->rows.info->start);
		json_int_member(json, "position", reached->position);
	}
	json_end(json);
}

void api_search_state(struct call *call)
{
	struct state_request request;
	struct state_found found = { 0 };
	int64_t at, position, backwards, states;
	if (!state_request_open(call, &request) || !page_number(call, "states", 0, INT64_MAX, 0, &states) ||
	    !page_number(call, "at", 0, request.rows.info->end - request.rows.info->start, -1, &at) ||
	    !page_number(call, "position", -1, UINT32_MAX, -1, &position) ||
	    !page_number(call, "backwards", 0, 1, 0, &backwards))
		goto out;
	struct rows_of_order part;
	struct searched_rows asked = rows_asked(call, &request, 0, UINT32_MAX, &part);
	struct search_position from = { request.rows.info->start + at, position };
	enum histree_status status = state_search_next(&asked, request.rows.info, &from, backwards != 0,
						       (uint64_t)states, &found, &call->reply->error);
	if (status < 0)
		reply_failure(call->reply, &call->reply->error);
	else
		write_found(call->json, &request, status, &found, &from);
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

static void write_matches(struct call *call, const struct searched_rows *asked, const struct page_range *range)
{
	bool all;
	struct json_writer *json = call->json;
	bool *pixels = reply_memory(call->reply, (size_t)asked->count + 1, range->pixels * sizeof(*pixels));
	if (pixels == NULL ||
	    !reply_ok(call->reply, state_search_pixels(asked, range->from, range->to, range->pixels, pixels, &all,
						       &call->reply->error)))
		return;
	json_begin_object(json);
	json_bool_member(json, "all", all);
	json_begin_array_member(json, "rows");
	for (uint32_t i = 0; i < asked->count; i++)
		write_runs(json, pixels + (size_t)i * range->pixels, range->pixels);
	json_end(json);
	json_end(json);
}

void api_matches(struct call *call)
{
	struct state_request request;
	struct page_range range;
	struct rows_of_order part;
	int64_t first, count;
	if (state_request_open(call, &request) &&
	    page_range(call, request.rows.info->start, request.rows.info->end, &range) &&
	    page_number(call, "first", 0, UINT32_MAX, 0, &first) &&
	    page_number(call, "count", 0, PAGE_ROWS_MAX, PAGE_ROWS_MAX, &count)) {
		struct searched_rows asked = rows_asked(call, &request, (uint32_t)first, (uint32_t)count, &part);
		write_matches(call, &asked, &range);
	}
	state_request_close(&request);
}

/* ---- api state ----------------------------------------------------------------------------------------------- */

struct pointed {
	struct page_rows rows;
	struct row_facts facts;
	uint32_t row;
	histree_time start, at; /* of the history; that is pointed at */
};

static bool find_pointed(struct call *call, struct pointed *out)
{
	int64_t row, at;
	if (!page_rows_open_unordered(call, &out->rows))
		return false;
	const struct histree_store_info *info = out->rows.info;
	if (!page_number(call, "row", 0, (int64_t)out->rows.rows->count - 1, -1, &row) ||
	    !page_number(call, "at", 0, info->end - info->start, -1, &at))
		return false;
	out->row = (uint32_t)row;
	out->start = info->start;
	out->at = info->start + at;
	host_rows_facts(out->rows.rows, out->row, &out->facts);
	return true;
}

static void write_state(const struct pointed *pointed, const struct histree_interval *state,
			struct json_writer *json)
{
	struct piece text = { 0 };
	const struct histree_style *style = histree_style_of(pointed->facts.table, &state->value);
	json_int_member(json, "start", state->start - pointed->start);
	json_int_member(json, "end", state->end - pointed->start);
	if (row_is_open(&pointed->facts, state))
		json_bool_member(json, "open", true);
	state_value_text(&state->value, &text);
	json_string_member(json, "value", text.bytes, text.size);
	text.size = 0;
	row_put_text(pointed->rows.rows->model, &pointed->facts, &state->value, state->start, &text);
	json_string_member(json, "text", text.bytes, text.size);
	piece_release(&text);
	if (style != NULL) {
		json_key(json, "style");
		api_write_style(json, style);
	}
}

/* The values at this time of the attributes below that of the row: of a thread its system call, its CPU, ... */
static void write_others(const struct pointed *pointed, struct histree_cursor *query, struct json_writer *json)
{
	const struct histree_attributes *attributes = histree_history_attributes(pointed->facts.history);
	struct piece text = { 0 }, name = { 0 };
	json_begin_object_member(json, "others");
	histree_quark child = histree_attributes_first_child(attributes, pointed->facts.quark);
	for (int i = 0; child != HISTREE_ROOT && i < 16; i++) {
		struct histree_interval other;
		text.size = 0;
		if (histree_query_single(query, child, pointed->at, &other, NULL) == HISTREE_OK)
			state_value_text(&other.value, &text);
		if (text.size > 0) {
			piece_put_name(attributes, child, &name);
			json_key_string(json, name.bytes, name.size);
			json_put_string(json, text.bytes, text.size);
		}
		child = histree_attributes_next_sibling(attributes, child);
	}
	json_end(json);
	piece_release(&name);
	piece_release(&text);
}

void api_state(struct call *call)
{
	struct pointed pointed;
	struct histree_cursor *query = NULL;
	struct histree_interval state;
	struct histree_error *error = &call->reply->error;
	struct json_writer *json = call->json;
	if (!find_pointed(call, &pointed))
		return;
	json_begin_object(json);
	if (pointed.facts.quark != HISTREE_ROOT) {
		if (!reply_ok(call->reply, histree_query_create(pointed.facts.history, &query, error)) ||
		    !reply_ok(call->reply,
			      histree_query_single(query, pointed.facts.quark, pointed.at, &state, error)))
			goto out;
		write_state(&pointed, &state, json);
		write_others(&pointed, query, json);
	}
	host_rows_describe(pointed.rows.rows, pointed.row, json);
	json_end(json);
out:
	histree_cursor_free(query);
}
