// SPDX-License-Identifier: MIT
/*
 * api_state.c - the state under the pointer, and the search for states.
 *
 * The states of all rows of a view that match an expression: the next one, and where they are.
 *
 * The next row of a name, the next state that matches an expression, and where such states are.
 *
 * One state, for whoever points at it.
 */
#include <stdlib.h>
#include <time.h>

#include "base/array.h"
#include "base/cancel.h"
#include "base/error.h"
#include "histree/query.h"
#include "histree/rows.h"
#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/model/kernel_rows.h"
#include "server/model/row_order.h"
#include "server/model/state_filter.h"
#include "server/model/state_text.h"

/* The rows [first, first + count) of an order. */
struct state_rows_asked {
	struct dataset *dataset;
	const struct host_rows *rows;
	const struct row_order *order;
	uint32_t first, count;
	struct state_filter *filter;
	struct histree_cancel cancel;
};

/* States are in the order of their starts, and of rows if they start at one time. */
struct state_found {
	histree_time start, end; /* both inclusive */
	uint32_t position;
};

/* A position in that order, with a state or without; row -1 is before all others, UINT32_MAX after them. */
struct search_position {
	histree_time start;
	int64_t position;
};

/* ---- state search -------------------------------------------------------------------------------------------- */

enum {
	STATES_MAX = 4 * 1024 * 1024, /* that are looked at for one picture */
	SEARCH_MS = 10000,
	MATCHES_PER_LOOK = 64,
	FIRST_PART = 1024, /* of the history: how much is searched at first */
	CANDIDATES_MAX = 1 << 16,
	SMALLER = 8, /* the next part, after one with more than that */
};

/* Where the states of an attribute are shown. */
struct searched_row {
	uint16_t history; /* of the dataset */
	histree_quark quark;
	uint32_t position;
};

struct search {
	const struct state_rows_asked *asked;
	struct searched_row *rows; /* by history, then quark */
	histree_quark *quarks;
	size_t count;
	struct histree_query *queries[DATASET_HISTORIES_MAX];
	uint64_t looked;               /* states */
	uint64_t matched, matched_max; /* states that did not match; 0: as many as there are */
	int64_t deadline_ms;           /* 0: none yet */
};

/* ---- which rows ------------------------------------------------------------------------------------------ */

static int compare_rows(const void *a, const void *b)
{
	const struct searched_row *first = a, *second = b;
	if (first->history != second->history)
		return first->history < second->history ? -1 : 1;
	return (first->quark > second->quark) - (first->quark < second->quark);
}

static uint16_t history_index(const struct dataset *dataset, const struct histree_history *history)
{
	uint16_t i = 0;
	while (i + 1u < dataset->history_count && dataset->histories[i] != history)
		i++;
	return i;
}

static void search_close(struct search *search)
{
	for (size_t i = 0; i < DATASET_HISTORIES_MAX; i++)
		histree_query_free(search->queries[i]);
	free(search->rows);
	free(search->quarks);
}

static enum histree_status search_open(struct search *search, const struct state_rows_asked *asked,
				       struct histree_error *error)
{
	*search = (struct search){ .asked = asked };
	search->rows = malloc(((size_t)asked->count + 1) * sizeof(*search->rows));
	search->quarks = malloc(((size_t)asked->count + 1) * sizeof(*search->quarks));
	if (search->rows == NULL || search->quarks == NULL)
		return error_memory(error, "a search");
	for (uint32_t i = 0; i < asked->count; i++) {
		struct row_facts facts;
		uint32_t position = asked->first + i;
		host_rows_facts(asked->rows, row_order_at(asked->order, position), &facts);
		if (facts.quark != HISTREE_ROOT)
			search->rows[search->count++] =
				(struct searched_row){ history_index(asked->dataset, facts.history), facts.quark,
						       position };
	}
	if (search->count > 0)
		qsort(search->rows, search->count, sizeof(*search->rows), compare_rows);
	for (size_t i = 0; i < search->count; i++)
		search->quarks[i] = search->rows[i].quark;
	return HISTREE_OK;
}

static bool matches(const struct search *search, const struct searched_row *row,
		    const struct histree_interval *state)
{
	struct row_facts facts;
	host_rows_facts(search->asked->rows, row_order_at(search->asked->order, row->position), &facts);
	const struct state_owner owner = row_owner(&search->asked->rows->model->kind, &facts);
	return state_filter_match(search->asked->filter, &owner, state);
}

static int64_t monotonic_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool is_over(const struct search *search)
{
	return (search->matched_max != 0 && search->matched >= search->matched_max) ||
	       (search->deadline_ms != 0 && monotonic_ms() >= search->deadline_ms);
}

/* ---- their states ---------------------------------------------------------------------------------------- */

typedef void visit_state(void *context, const struct search *search, const struct searched_row *row,
			 const struct histree_interval *state);

/* Visits the states of the rows [first, end) of one history.  HISTREE_PARTIAL: the search was over before. */
static enum histree_status visit_history(struct search *search, size_t first, size_t end, histree_time from,
					 histree_time to, visit_state *visit, void *context,
					 struct histree_error *error)
{
	uint16_t index = search->rows[first].history;
	struct histree_history *history = search->asked->dataset->histories[index];
	const struct histree_history_info *info = histree_history_info(history);
	struct histree_region region = {
		.quarks = search->quarks + first,
		.quark_count = end - first,
		.from = from > info->start ? from : info->start,
		.to = to < info->end ? to : info->end,
	};
	struct histree_interval state;
	enum histree_status status = HISTREE_OK;
	state_filter_narrow(search->asked->filter, &region.from, &region.to);
	if (region.from > region.to)
		return HISTREE_OK;
	if (search->queries[index] == NULL)
		status = histree_query_create(history, &search->queries[index], error);
	if (status == HISTREE_OK)
		status = histree_query_start(search->queries[index], &region, error);
	while (status == HISTREE_OK &&
	       (status = histree_query_next(search->queries[index], &state, error)) == HISTREE_OK) {
		const struct histree_cancel *cancel = &search->asked->cancel;
		if (search->looked++ % CANCEL_STEPS == 0) {
			if (cancel_asked(cancel))
				return error_set(error, HISTREE_ERR_CANCELLED, "the search is no longer wanted");
			if (is_over(search))
				return HISTREE_PARTIAL;
		}
		const struct searched_row key = { .history = index, .quark = state.quark };
		const struct searched_row *row =
			bsearch(&key, search->rows + first, end - first, sizeof(key), compare_rows);
		if (row != NULL)
			visit(context, search, row, &state);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status visit_states(struct search *search, histree_time from, histree_time to,
					visit_state *visit, void *context, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t first = 0, end; first < search->count && status == HISTREE_OK; first = end) {
		end = first + 1;
		while (end < search->count && search->rows[end].history == search->rows[first].history)
			end++;
		status = visit_history(search, first, end, from, to, visit, context, error);
	}
	return status;
}

/* ---- the next one ---------------------------------------------------------------------------------------- */

/* A state that may match, copied. */
struct candidate {
	struct histree_interval state;
	size_t text; /* where the bytes of its value are */
	const struct searched_row *row;
};

/*
 * Candidates are gathered part by part, and then looked at in their order: to match one may take several queries.
 */
struct next_search {
	struct search_position from; /* after, or before, what was searched */
	bool backwards;
	histree_time part_start; /* only states that start in a part belong to it */
	struct candidate *candidates;
	size_t count, capacity, candidates_max;
	struct piece text;
	bool is_full, failed; /* there are more than `candidates_max`; memory is out */
};

/* In the order of states: below, at or above 0. */
static int compare_found(histree_time start, int64_t position, histree_time other_start, int64_t other_position)
{
	if (start != other_start)
		return start < other_start ? -1 : 1;
	return (position > other_position) - (position < other_position);
}

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *one = a, *other = b;
	return compare_found(one->state.start, one->row->position, other->state.start, other->row->position);
}

static void gather(void *context, const struct search *search, const struct searched_row *row,
		   const struct histree_interval *state)
{
	(void)search;
	struct next_search *next = context;
	int order = compare_found(state->start, row->position, next->from.start, next->from.position);
	if (next->is_full || state->value.type == HISTREE_NULL || state->start < next->part_start ||
	    (next->backwards ? order >= 0 : order <= 0))
		return;
	if (next->count == next->candidates_max) {
		next->is_full = true;
		return;
	}
	if (!array_reserve(&next->candidates, &next->capacity, next->count + 1)) {
		next->failed = true;
		return;
	}
	next->candidates[next->count++] = (struct candidate){ *state, next->text.size, row };
	if (state->value.size > 0)
		piece_put(&next->text, state->value.bytes, state->value.size);
}

/* The first that matches.  HISTREE_PARTIAL: none up to the position that next->from then is. */
static enum histree_status match_in_order(struct search *search, struct next_search *next, struct state_found *out,
					  struct histree_error *error)
{
	const struct histree_cancel *cancel = &search->asked->cancel;
	if (next->count > 0)
		qsort(next->candidates, next->count, sizeof(*next->candidates), compare_candidates);
	for (size_t i = 0; i < next->count; i++) {
		struct candidate *candidate = &next->candidates[next->backwards ? next->count - 1 - i : i];
		if (candidate->state.value.size > 0)
			candidate->state.value.bytes = next->text.bytes + candidate->text;
		next->from = (struct search_position){ candidate->state.start, candidate->row->position };
		*out = (struct state_found){ candidate->state.start, candidate->state.end,
					     candidate->row->position };
		if (matches(search, candidate->row, &candidate->state))
			return HISTREE_OK;
		search->matched++;
		if (search->matched % MATCHES_PER_LOOK == 0 && cancel_asked(cancel))
			return error_set(error, HISTREE_ERR_CANCELLED, "the search is no longer wanted");
		if (is_over(search))
			return HISTREE_PARTIAL;
	}
	return HISTREE_NOT_FOUND;
}

/* The part of a length next to `from`; false: it is the last one. */
static bool choose_part(const struct next_search *next, const struct histree_store_info *info, int64_t length,
			histree_time *from, histree_time *to)
{
	*from = *to = next->from.start;
	if (next->backwards) {
		*from = *to - info->start > length ? *to - length : info->start;
		return *from > info->start;
	}
	*to = info->end - *from > length ? *from + length : info->end;
	return *to < info->end;
}

/* HISTREE_PARTIAL: not to its end, for it is over. */
static enum histree_status gather_part(struct search *search, struct next_search *next, histree_time from,
				       histree_time to, bool is_last, struct histree_error *error)
{
	next->part_start = next->backwards && is_last ? INT64_MIN : from;
	next->candidates_max = to - from > 1 ? CANDIDATES_MAX : SIZE_MAX;
	next->count = next->text.size = 0;
	next->is_full = false;
	enum histree_status status = visit_states(search, from, to, gather, next, error);
	return next->failed || next->text.failed ? error_memory(error, "a search") : status;
}

/*
 * Parts of doubling length, away from where the search begins: what is near is found soon.  It is over at the first
 * candidate at the earliest, so that a search which goes on comes further each time.
 */
static enum histree_status search_parts(struct search *search, struct next_search *next, struct state_found *out,
					struct histree_error *error)
{
	const struct histree_store_info *info = histree_store_info(search->asked->dataset->store);
	const int64_t deadline = monotonic_ms() + SEARCH_MS;
	int64_t length = (info->end - info->start) / FIRST_PART + 1;
	for (;;) {
		histree_time from, to;
		bool has_more = choose_part(next, info, length, &from, &to);
		enum histree_status status = gather_part(search, next, from, to, !has_more, error);
		if (status == HISTREE_OK && next->is_full) {
			length = (to - from) / SMALLER + 1;
			continue;
		}
		search->deadline_ms = deadline;
		if (status == HISTREE_OK)
			status = match_in_order(search, next, out, error);
		if (status != HISTREE_NOT_FOUND || !has_more)
			return status;
		next->from = next->backwards ? (struct search_position){ from, -1 }
					     : (struct search_position){ to, UINT32_MAX };
		if (is_over(search))
			return HISTREE_PARTIAL;
		if (next->count < CANDIDATES_MAX / 4)
			length *= 2;
	}
}

/*
 * Finds the first state that matches after `from`, or before it.  Returns HISTREE_NOT_FOUND if there is none, and
 * HISTREE_PARTIAL if there was none up to the position that `from` then is, from where the search can go on,
 * because ten seconds are over or `states_max` states, unless that is 0, did not match.
 */
static enum histree_status state_search_next(const struct state_rows_asked *asked, struct search_position *from,
					     bool backwards, uint64_t states_max, struct state_found *out,
					     struct histree_error *error)
{
	struct search search;
	struct next_search next = { .from = *from, .backwards = backwards };
	enum histree_status status = search_open(&search, asked, error);
	search.matched_max = states_max;
	if (status == HISTREE_OK)
		status = search_parts(&search, &next, out, error);
	search_close(&search);
	free(next.candidates);
	piece_release(&next.text);
	*from = next.from;
	return status;
}

/* ---- all of a picture ------------------------------------------------------------------------------------ */

struct pixel_search {
	const struct page_range *range;
	bool *out;
	bool is_over; /* there are too many */
};

/* The last pixel that begins at or before a time, as in rows.h; the first one for times before the range. */
static uint32_t pixel_of(const struct page_range *range, histree_time time)
{
	double share = ((double)time - (double)range->from) / ((double)range->to - (double)range->from + 1);
	double near = share * range->pixels;
	uint32_t pixel = near < 0 ? 0 : near >= range->pixels ? range->pixels - 1 : (uint32_t)near;
	while (pixel > 0 && histree_pixel_start(range->from, range->to, range->pixels, pixel) > time)
		pixel--;
	while (pixel + 1 < range->pixels &&
	       histree_pixel_start(range->from, range->to, range->pixels, pixel + 1) <= time)
		pixel++;
	return pixel;
}

static void mark_pixels(void *context, const struct search *search, const struct searched_row *row,
			const struct histree_interval *state)
{
	struct pixel_search *pixels = context;
	pixels->is_over = pixels->is_over || search->looked > STATES_MAX;
	uint32_t first = pixel_of(pixels->range, state->start), last = pixel_of(pixels->range, state->end);
	bool *marks = pixels->out + (size_t)(row->position - search->asked->first) * pixels->range->pixels;
	if (pixels->is_over || memchr(marks + first, false, last - first + 1) == NULL ||
	    !matches(search, row, state))
		return;
	memset(marks + first, true, last - first + 1);
}

/*
 * Says for each row and each pixel of a range whether a state that matches meets it: `out` has room for rows
 * times pixels, and is zero.  Sets *all to false if there were too many states to look at all of them.
 */
static enum histree_status state_search_pixels(const struct state_rows_asked *asked, const struct page_range *range,
					       bool *out, bool *all, struct histree_error *error)
{
	struct search search;
	struct pixel_search pixels = { .range = range, .out = out };
	enum histree_status status = search_open(&search, asked, error);
	if (status == HISTREE_OK)
		status = visit_states(&search, range->from, range->to, mark_pixels, &pixels, error);
	search_close(&search);
	*all = !pixels.is_over;
	return status;
}

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
	struct json_writer *json = &call->reply->json;
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
	struct json_writer *json = &call->reply->json;
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

static bool state_request_open(const struct call *call, struct state_request *out)
{
	const char *text = page_text(call, "text");
	struct histree_error error = { 0 };
	out->filter = NULL;
	if (!page_rows_open(call, &out->rows))
		return false;
	if (state_filter_create(&text, 1, &out->rows.rows->model->kind, out->rows.info->start, out->rows.info->end,
				&out->filter, &error) == HISTREE_OK)
		return true;
	reply_failure(call->reply, &error);
	return false;
}

static void state_request_close(struct state_request *request)
{
	state_filter_free(request->filter);
	page_rows_close(&request->rows);
}

static struct state_rows_asked rows_asked(const struct call *call, const struct state_request *request,
					  uint32_t first, uint32_t count)
{
	uint32_t total = request->rows.order->count;
	first = first < total ? first : total;
	return (struct state_rows_asked){
		.dataset = request->rows.dataset,
		.rows = request->rows.rows,
		.order = request->rows.order,
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
	struct histree_error error = { 0 };
	int64_t at, position, backwards, states;
	if (!state_request_open(call, &request) || !page_number(call, "states", 0, INT64_MAX, 0, &states) ||
	    !page_number(call, "at", 0, request.rows.info->end - request.rows.info->start, -1, &at) ||
	    !page_number(call, "position", -1, UINT32_MAX, -1, &position) ||
	    !page_number(call, "backwards", 0, 1, 0, &backwards))
		goto out;
	struct state_rows_asked asked = rows_asked(call, &request, 0, UINT32_MAX);
	struct search_position from = { request.rows.info->start + at, position };
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
		json_begin_array_member(json, "rows");
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
	    !page_range(call, request.rows.info->start, request.rows.info->end, &range) ||
	    !page_number(call, "first", 0, UINT32_MAX, 0, &first) ||
	    !page_number(call, "count", 0, PAGE_ROWS_MAX, PAGE_ROWS_MAX, &count))
		goto out;
	struct state_rows_asked asked = rows_asked(call, &request, (uint32_t)first, (uint32_t)count);
	if (write_matches(call, &asked, &range, &error) != HISTREE_OK)
		reply_failure(call->reply, &error);
out:
	state_request_close(&request);
}

/* ---- api state ----------------------------------------------------------------------------------------------- */

struct pointed {
	struct page_rows rows;
	struct row_facts facts;
	uint32_t row;
	histree_time start, at; /* of the history; that is pointed at */
};

static bool find_pointed(const struct call *call, struct pointed *out)
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
static void write_others(const struct pointed *pointed, struct histree_query *query, struct json_writer *json)
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
	struct histree_query *query = NULL;
	struct histree_interval state;
	struct histree_error error = { 0 };
	struct json_writer *json = &call->reply->json;
	if (!find_pointed(call, &pointed))
		goto out;
	json_begin_object(json);
	if (pointed.facts.quark != HISTREE_ROOT) {
		if (histree_query_create(pointed.facts.history, &query, &error) != HISTREE_OK ||
		    histree_query_single(query, pointed.facts.quark, pointed.at, &state, &error) != HISTREE_OK) {
			reply_failure(call->reply, &error);
			goto out;
		}
		write_state(&pointed, &state, json);
		write_others(&pointed, query, json);
	}
	host_rows_describe(pointed.rows.rows, pointed.row, json);
	json_end(json);
out:
	histree_query_free(query);
	page_rows_close(&pointed.rows);
}
