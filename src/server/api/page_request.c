// SPDX-License-Identifier: MIT
/*
 * page_request.c - what a request of the page asks, checked, and the answers about states and events.
 *
 * Of states: the one under the pointer; the next row of a name, the next state that matches an expression, and
 * where such states are.
 *
 * Of events: lines of a table, the next one that matches, how many of which type.
 */
#include "server/api/page_request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "histree/states.h"
#include "server/api/api.h"
#include "server/catalogue/catalogue.h"
#include "server/http/http.h"
#include "server/model/event_list.h"
#include "server/model/row_order.h"
#include "server/model/segment_list.h"
#include "server/model/state_filter.h"
#include "server/model/state_search.h"

/* ---- page request -------------------------------------------------------------------------------------------- */

static const char *parameter(const struct call *call, const char *name)
{
	return target_parameter(&call->request->target, name);
}

static bool bad(const struct call *call, const char *name)
{
	reply_error(call->reply, HTTP_BAD_REQUEST, "'%s' is missing or out of range", name);
	return false;
}

bool page_number(const struct call *call, const char *name, int64_t min, int64_t max, int64_t otherwise,
		 int64_t *out)
{
	const char *text = parameter(call, name);
	*out = otherwise;
	if (text != NULL) {
		char *rest;
		errno = 0;
		*out = strtoll(text, &rest, 10);
		if (errno != 0 || rest == text || *rest != '\0')
			return bad(call, name);
	}
	return (*out >= min && *out <= max) || bad(call, name);
}

const char *page_text(const struct call *call, const char *name)
{
	const char *text = parameter(call, name);
	return text != NULL ? text : "";
}

bool page_dataset(struct call *call)
{
	call->dataset = catalogue_dataset(call->service->catalogue, page_text(call, "experiment"));
	reply_hold(call->reply, call->dataset);
	if (call->dataset == NULL)
		reply_error(call->reply, HTTP_NOT_FOUND, "there is no such experiment");
	else if (dataset_status(call->dataset) != DATASET_READY)
		reply_error(call->reply, HTTP_CONFLICT, "the trace has not been read yet");
	return call->dataset != NULL && dataset_status(call->dataset) == DATASET_READY;
}

bool page_view(struct call *call, const struct view_kind *kind, const char *otherwise)
{
	if (!page_dataset(call))
		return false;
	if (otherwise != NULL && !kind->applies(call->dataset)) {
		reply_error(call->reply, HTTP_NOT_FOUND, "%s", otherwise);
		return false;
	}
	return reply_ok(call->reply, dataset_view(call->dataset, kind, &call->view, &call->reply->error));
}

/* Early rows are in no order but their own, and all are shown. */
static bool asks_for_early_rows(const struct call *call, struct dataset *dataset, const struct row_model *model)
{
	const char *early = page_text(call, "early"), *sort = page_text(call, "sort");
	if (model->early == NULL || dataset->host_count > 0 || *early == '\0')
		return false;
	if (strcmp(early, "2") == 0)
		return true;
	return strcmp(early, "1") == 0 && (*sort == '\0' || strcmp(sort, "tree") == 0) &&
	       *page_text(call, "filter") == '\0' &&
	       (*page_text(call, "folded") == '\0' || strcmp(page_text(call, "folded"), "0") == 0) &&
	       dataset_view_is_pending(dataset, &model->own);
}

static bool page_rows_open_unordered(struct call *call, struct page_rows *out)
{
	void *rows;
	*out = (struct page_rows){ 0 };
	if (!page_dataset(call))
		return false;
	out->info = histree_store_info(call->dataset->store);
	const struct row_model *model = row_model_find(call->dataset, page_text(call, "view"));
	if (model == NULL) {
		reply_error(call->reply, HTTP_NOT_FOUND, "there is no such view");
		return false;
	}
	out->is_early = asks_for_early_rows(call, call->dataset, model);
	model = out->is_early ? model->early : model;
	if (reply_ok(call->reply, dataset_view(call->dataset, model->all, &rows, &call->reply->error)))
		out->rows = rows;
	return out->rows != NULL;
}

void page_rows_close(struct page_rows *rows)
{
	row_order_release(rows->order);
}

/* "3,17,4" */
static bool read_toggled(const struct call *call, struct page_rows *rows)
{
	const char *at = page_text(call, "toggled");
	while (*at != '\0') {
		char *rest;
		errno = 0;
		unsigned long row = strtoul(at, &rest, 10);
		if (errno != 0 || rest == at || row > UINT32_MAX || rows->request.toggled_count == ROW_TOGGLES_MAX)
			return bad(call, "toggled");
		rows->toggled[rows->request.toggled_count++] = (uint32_t)row;
		at = rest + (*rest == ',');
	}
	qsort(rows->toggled, rows->request.toggled_count, sizeof(rows->toggled[0]), compare_u32);
	return true;
}

static enum histree_status get_order(struct call *call, struct page_rows *rows)
{
	void *orders;
	struct histree_error *error = &call->reply->error;
	enum histree_status status = host_rows_prepare(rows->rows, rows->request.sort, error);
	if (status == HISTREE_OK)
		status = dataset_view(call->dataset, &row_orders_kind, &orders, error);
	return status == HISTREE_OK ? row_order_get(orders, &rows->request, &rows->order, error) : status;
}

/* `activeFrom` and `activeTo`: the range in which rows were active that are shown. */
static bool read_active_range(const struct call *call, struct page_rows *out)
{
	int64_t from, to;
	const int64_t last = out->info->end - out->info->start;
	if (!page_number(call, "activeFrom", 0, last, 0, &from) ||
	    !page_number(call, "activeTo", from, last, last, &to))
		return false;
	out->request.from = out->info->start + from;
	out->request.to = out->info->start + to;
	return true;
}

bool page_rows_open(struct call *call, struct page_rows *out)
{
	int64_t folded;
	const char *sort = page_text(call, "sort");
	if (!page_rows_open_unordered(call, out))
		return false;
	out->request = (struct row_order_request){
		.rows = out->rows,
		.sort = *sort == '\0' ? ROW_SORT_TREE : row_sort_find(sort),
		.filter = page_text(call, "filter"),
		.toggled = out->toggled,
	};
	if (out->request.sort == ROW_SORT_COUNT ||
	    (out->rows->model->sort_key == NULL && out->request.sort != ROW_SORT_TREE) ||
	    (out->rows->model->active_keys == NULL && out->request.sort == ROW_SORT_ACTIVE))
		return bad(call, "sort");
	if (out->request.sort == ROW_SORT_ACTIVE && !read_active_range(call, out))
		return false;
	if (!page_number(call, "folded", 0, ROW_FOLDS - 1, 0, &folded) || !read_toggled(call, out))
		return false;
	out->request.folded = (enum row_fold)folded;
	return reply_ok(call->reply, get_order(call, out));
}

bool page_range(const struct call *call, histree_time start, histree_time end, struct page_range *out)
{
	int64_t from, to, pixels;
	int64_t last = end - start;
	if (!page_number(call, "from", 0, last, 0, &from) || !page_number(call, "to", from, last, last, &to) ||
	    !page_number(call, "pixels", 1, PAGE_PIXELS_MAX, -1, &pixels))
		return false;
	*out = (struct page_range){ start + from, start + to, (uint32_t)pixels };
	return true;
}

/* ---- segment request ----------------------------------------------------------------------------------------- */

/* "" is by start; else a key of time or the name of a field. */
static bool read_sort(const struct segment_list *list, const char *sort, struct segment_listing_key *key)
{
	static const struct {
		const char *name;
		enum histree_segment_order order;
	} orders[] = {
		{ "", HISTREE_SEGMENTS_BY_START },
		{ "start", HISTREE_SEGMENTS_BY_START },
		{ "end", HISTREE_SEGMENTS_BY_END },
		{ "duration", HISTREE_SEGMENTS_BY_DURATION },
	};
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		if (strcmp(sort, orders[i].name) == 0) {
			key->order = orders[i].order;
			return true;
		}
	}
	key->order = HISTREE_SEGMENTS_BY_FIELD;
	return histree_segment_store_field(list->store, sort, &key->field) == HISTREE_OK;
}

static bool read_query(const struct call *call, struct segment_request *request)
{
	int64_t descending;
	const char *sort = page_text(call, "sort");
	if (!page_number(call, "descending", 0, 1, 0, &descending))
		return false;
	request->key =
		(struct segment_listing_key){ .descending = descending != 0, .filter = page_text(call, "filter") };
	if (!read_sort(request->list, sort, &request->key)) {
		reply_error(call->reply, HTTP_BAD_REQUEST, "there is no field '%.80s'", sort);
		return false;
	}
	if (!reply_ok(call->reply, segment_list_filter(request->list, request->key.filter, &request->filter,
						       &call->reply->error)))
		return false;
	request->query = HISTREE_SEGMENTS_ALL;
	request->query.order = request->key.order;
	request->query.field = request->key.field;
	request->query.descending = request->key.descending;
	if (request->filter != NULL)
		histree_segment_filter_apply(request->filter, &request->query);
	return true;
}

bool segment_request_open(struct call *call, struct segment_request *out)
{
	*out = (struct segment_request){ 0 };
	return page_view(call, &segment_lists_kind, NULL) &&
	       reply_ok(call->reply, segment_list_find(call->view, page_text(call, "analysis"), &out->list,
						       &call->reply->error)) &&
	       read_query(call, out);
}

void segment_request_close(struct segment_request *request)
{
	histree_segment_filter_free(request->filter);
}

bool segment_request_range(const struct call *call, struct segment_request *request)
{
	int64_t from, to, last = request->list->end - request->list->start;
	if (!page_number(call, "from", 0, last, 0, &from) || !page_number(call, "to", from, last, last, &to))
		return false;
	histree_time start = request->list->start + from, end = request->list->start + to;
	/* The filter may have made the window narrower. */
	request->query.from = request->query.from > start ? request->query.from : start;
	request->query.to = request->query.to < end ? request->query.to : end;
	request->is_empty = request->query.from > request->query.to;
	return true;
}

void segment_request_end(const struct call *call, const struct segment_request *request)
{
	if (histree_segment_store_loss(request->list->store).nodes > 0)
		json_bool_member(call->json, "isDamaged", true);
	json_end(call->json);
}

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
		.filter = request->filter,
		.work = reply_cancel(call->reply),
	};
}

static void api_state_write_found(struct json_writer *json, const struct state_request *request,
				  enum histree_status status, const struct state_found *found,
				  const struct search_position *reached)
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
		api_state_write_found(call->json, &request, status, &found, &from);
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

/* ---- api events ---------------------------------------------------------------------------------------------- */

enum { LINES_MAX = 512 };

/* The view of a call is then the list of its experiment's events. */
static bool open_list(struct call *call)
{
	return page_view(call, &event_list_kind,
			 "the store has no index of events; unless its warnings say that there are too many, "
			 "build it again");
}

/* ---- lines ----------------------------------------------------------------------------------------------- */

struct line_writer {
	struct json_writer *json;
	histree_time start;
};

static void write_line(void *context, void *lines, uint64_t number)
{
	(void)number;
	const struct line_writer *writer = context;
	const struct event_line *line = &((const struct event_lines *)lines)->line;
	json_begin_object(writer->json);
	json_int_member(writer->json, "time", line->time - writer->start);
	json_int_member(writer->json, "cpu", line->cpu);
	json_text_member(writer->json, "type", line->type);
	json_text_member(writer->json, "text", line->contents);
	if (line->host != NULL)
		json_text_member(writer->json, "host", line->host);
	json_end(writer->json);
}

void api_events(struct call *call)
{
	int64_t first, count, at;
	struct event_lines lines;
	if (!open_list(call))
		return;
	struct event_list *list = call->view;
	const struct line_table table = event_list_table(list, &lines);
	struct line_writer writer = { call->json, list->start };
	if (!page_number(call, "first", 0, INT64_MAX, 0, &first) ||
	    !page_number(call, "count", 0, LINES_MAX, 0, &count) ||
	    !page_number(call, "at", -1, list->end - list->start, -1, &at))
		return;
	uint64_t number = (uint64_t)first;
	if (at >= 0 &&
	    !reply_ok(call->reply, line_table_find(&table, list->start + at, &number, &call->reply->error)))
		return;
	json_begin_object(call->json);
	json_int_member(call->json, "total", (int64_t)list->count);
	json_int_member(call->json, "first", (int64_t)number);
	json_begin_array_member(call->json, "lines");
	if (!reply_ok(call->reply,
		      line_table_read(&table, number, (uint64_t)count, write_line, &writer, &call->reply->error)))
		return;
	json_end(call->json);
	json_end(call->json);
}

/* ---- search ---------------------------------------------------------------------------------------------- */

static void api_events_write_found(struct call *call, const struct cell_match *match, int64_t after, bool backwards)
{
	struct event_lines lines;
	uint64_t number;
	enum histree_status status = HISTREE_NOT_FOUND;
	const struct line_table table = event_list_table(call->view, &lines);
	int64_t from = backwards ? after - 1 : after + 1;
	if (from >= 0)
		status = line_table_search(&table, match, (uint64_t)from, backwards, reply_cancel(call->reply),
					   &number, &call->reply->error);
	if (status < 0) {
		reply_failure(call->reply, &call->reply->error);
		return;
	}
	json_begin_object(call->json);
	json_int_member(call->json, "number", status == HISTREE_OK ? (int64_t)number : -1);
	json_end(call->json);
}

void api_event_search(struct call *call)
{
	struct cell_match match = { .any = true };
	struct histree_error *error = &call->reply->error;
	int64_t after, backwards;
	const char *text = page_text(call, "text");
	if (!open_list(call) || !page_number(call, "after", -1, INT64_MAX - 1, -1, &after) ||
	    !page_number(call, "backwards", 0, 1, 0, &backwards))
		return;
	if (cell_match_add(&match, EVENT_TYPE, text, error) != HISTREE_OK ||
	    cell_match_add(&match, EVENT_CONTENTS, text, error) != HISTREE_OK)
		reply_error(call->reply, HTTP_BAD_REQUEST, "%s", error->message);
	else
		api_events_write_found(call, &match, after, backwards != 0);
	cell_match_release(&match);
}

/* ---- types ----------------------------------------------------------------------------------------------- */

void api_event_types(struct call *call)
{
	int64_t from, to;
	struct json_writer *json = call->json;
	struct histree_error *error = &call->reply->error;
	if (!open_list(call))
		return;
	struct event_list *list = call->view;
	int64_t duration = list->end - list->start;
	uint64_t *counts = reply_memory(call->reply, list->type_count + 1, sizeof(*counts));
	uint64_t *totals = reply_memory(call->reply, list->type_count + 1, sizeof(*totals));
	uint32_t *order = reply_memory(call->reply, list->type_count + 1, sizeof(*order));
	if (counts == NULL || totals == NULL || order == NULL ||
	    !page_number(call, "from", 0, duration, 0, &from) ||
	    !page_number(call, "to", from, duration, duration, &to) ||
	    !reply_ok(call->reply, event_list_count_types(list, list->start, list->end, totals, error)) ||
	    !reply_ok(call->reply,
		      event_list_count_types(list, list->start + from, list->start + to, counts, error)))
		return;
	event_list_order_types(list, counts, order);
	json_begin_array(json);
	for (size_t i = 0; i < list->type_count; i++) {
		json_begin_object(json);
		json_text_member(json, "name", list->types[order[i]]);
		json_int_member(json, "count", (int64_t)counts[order[i]]);
		json_int_member(json, "total", (int64_t)totals[order[i]]);
		json_end(json);
	}
	json_end(json);
}
