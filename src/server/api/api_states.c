// SPDX-License-Identifier: MIT
/*
 * api_states.c - states in the rows of a view for the page: the next one that matches an expression, how many there
 * are, the pixels in which they are, and the one under the pointer.  A search that takes long says where it is, and
 * goes on from there when it is asked again.
 */
#include "base/bytes.h"
#include "histree/states.h"
#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/model/row_model.h"
#include "server/model/state_search.h"

/* ---- the states that an expression means --------------------------------------------------------------- */

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
		.filter = request->filter,
		.work = reply_cancel(call->reply),
	};
}

/* Reads where the search is: at a time in a row, or in the row at a position, by its place in the order. */
static bool read_place(const struct call *call, const struct state_request *request, struct search_position *out)
{
	int64_t at, position, row;
	if (!page_number(call, "at", 0, request->rows.info->end - request->rows.info->start, -1, &at) ||
	    !page_number(call, "position", -1, UINT32_MAX, -1, &position) ||
	    !page_number(call, "row", -1, UINT32_MAX, -1, &row))
		return false;
	if (row >= 0) {
		const uint32_t place = row_order_find(request->rows.order, (uint32_t)row);
		position = place != HISTREE_NO_INDEX ? (int64_t)place : -1;
	}
	*out = (struct search_position){ request->rows.info->start + at, position };
	return true;
}

void api_search_state(struct call *call)
{
	struct state_request request;
	struct state_found found = { 0 };
	struct search_position from;
	int64_t backwards, states;
	if (!state_request_open(call, &request) || !page_number(call, "states", 0, INT64_MAX, 0, &states) ||
	    !read_place(call, &request, &from) || !page_number(call, "backwards", 0, 1, 0, &backwards))
		goto out;
	struct rows_of_order part;
	struct searched_rows asked = rows_asked(call, &request, 0, UINT32_MAX, &part);
	enum histree_status status = state_search_next(&asked, request.rows.info, &from, backwards != 0,
						       (uint64_t)states, &found, &call->reply->error);
	if (status < 0) {
		reply_failure(call->reply);
	} else {
		json_begin_object(call->json);
		json_bool_member(call->json, "found", status == HISTREE_OK);
		if (status == HISTREE_OK) {
			json_int_member(call->json, "start", found.start - request.rows.info->start);
			json_int_member(call->json, "end", found.end - request.rows.info->start);
			json_int_member(call->json, "position", found.position);
			json_int_member(call->json, "row", row_order_at(request.rows.order, found.position));
		} else if (status == HISTREE_PARTIAL) {
			json_int_member(call->json, "at", from.start - request.rows.info->start);
			json_int_member(call->json, "position", from.position);
		}
		json_end(call->json);
	}
out:
	state_request_close(&request);
}

static void write_state_hits(struct json_writer *json, const struct page_rows *rows, const struct state_hits *hits)
{
	json_begin_object(json);
	json_unsigned_member(json, "count", hits->count);
	json_unsigned_member(json, "number", hits->before);
	json_bool_member(json, "all", hits->are_all);
	json_begin_array_member(json, "hits");
	for (size_t i = 0; i < hits->listed; i++) {
		const uint32_t row = row_order_at(rows->order, hits->first[i].position);
		json_begin_object(json);
		json_int_member(json, "row", row);
		json_int_member(json, "start", hits->first[i].start - rows->info->start);
		json_int_member(json, "end", hits->first[i].end - rows->info->start);
		host_rows_describe(rows->rows, row, json);
		json_end(json);
	}
	json_end(json);
	json_end(json);
}

void api_state_hits(struct call *call)
{
	struct state_request request;
	struct search_position place;
	struct rows_of_order part;
	int64_t list;
	if (state_request_open(call, &request) && read_place(call, &request, &place) &&
	    page_number(call, "list", 0, PAGE_ROWS_MAX, 0, &list)) {
		const struct searched_rows asked = rows_asked(call, &request, 0, UINT32_MAX, &part);
		struct state_hits hits = { .first =
						   reply_memory(call->reply, (size_t)list + 1, sizeof(*hits.first)),
					   .room = (size_t)list };
		if (hits.first != NULL &&
		    reply_ok(call->reply,
			     state_search_count(&asked, request.rows.info, &place, &hits, &call->reply->error)))
			write_state_hits(call->json, &request.rows, &hits);
	}
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

/* ---- the state under the pointer ----------------------------------------------------------------------- */

struct pointed {
	struct page_rows rows;
	struct row_facts facts;
	uint32_t row;
	histree_time start, at; /* of the history; that is pointed at */
};

/* The values at this time of the attributes below that of the row: of a thread its system call, its CPU, ... */
static void write_others(const struct pointed *pointed, struct histree_cursor *query, struct json_writer *json)
{
	const struct histree_attributes *attributes = histree_history_attributes(pointed->facts.history);
	struct byte_buffer text = { 0 }, name = { 0 };
	json_begin_object_member(json, "others");
	histree_quark child = histree_attributes_first_child(attributes, pointed->facts.quark);
	for (int i = 0; child != HISTREE_ROOT && i < 16; i++) {
		struct histree_interval other;
		text.size = 0;
		if (histree_query_single(query, child, pointed->at, &other, NULL) == HISTREE_OK)
			state_value_text(&other.value, &text);
		if (text.size > 0) {
			name.size = 0;
			attribute_name_put(attributes, child, &name);
			json_key_string(json, byte_buffer_chars(&name), name.size);
			json_put_string(json, byte_buffer_chars(&text), text.size);
		}
		child = histree_attributes_next_sibling(attributes, child);
	}
	json_end(json);
	byte_buffer_release(&name);
	byte_buffer_release(&text);
}

void api_state(struct call *call)
{
	struct pointed pointed;
	struct histree_cursor *query = NULL;
	struct histree_interval state;
	struct histree_error *error = &call->reply->error;
	struct json_writer *json = call->json;
	int64_t row, at;
	if (!page_rows_open_unordered(call, &pointed.rows))
		return;
	const struct histree_store_info *info = pointed.rows.info;
	if (!page_number(call, "row", 0, (int64_t)pointed.rows.rows->count - 1, -1, &row) ||
	    !page_number(call, "at", 0, info->end - info->start, -1, &at))
		return;
	pointed.row = (uint32_t)row;
	pointed.start = info->start;
	pointed.at = info->start + at;
	host_rows_facts(pointed.rows.rows, pointed.row, &pointed.facts);
	json_begin_object(json);
	if (pointed.facts.quark != HISTREE_ROOT) {
		if (!reply_ok(call->reply, histree_query_create(pointed.facts.history, &query, error)) ||
		    !reply_ok(call->reply,
			      histree_query_single(query, pointed.facts.quark, pointed.at, &state, error)))
			goto out;
		struct byte_buffer text = { 0 };
		const struct histree_style *style = histree_style_of(pointed.facts.table, &state.value);
		json_int_member(json, "start", state.start - pointed.start);
		json_int_member(json, "end", state.end - pointed.start);
		if (row_is_open(&pointed.facts, &state))
			json_bool_member(json, "open", true);
		state_value_text(&state.value, &text);
		json_string_member(json, "value", byte_buffer_chars(&text), text.size);
		text.size = 0;
		row_put_text(pointed.rows.rows->model, &pointed.facts, &state.value, state.start, &text);
		json_string_member(json, "text", byte_buffer_chars(&text), text.size);
		byte_buffer_release(&text);
		if (style != NULL) {
			json_key(json, "style");
			api_write_style(json, style);
		}
		write_others(&pointed, query, json);
	}
	host_rows_describe(pointed.rows.rows, pointed.row, json);
	json_end(json);
out:
	histree_cursor_free(query);
}
