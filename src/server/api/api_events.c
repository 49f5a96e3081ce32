// SPDX-License-Identifier: MIT
/*
 * api_events.c - events for the page: lines of a table, the next one that matches, how many of which type.
 */
#include <stdlib.h>

#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/model/event_list.h"

enum { LINES_MAX = 512 };

/* The events of the experiment of a request; release the dataset. */
static bool open_list(const struct call *call, struct dataset **dataset, struct event_list **list)
{
	struct histree_error error = { 0 };
	void *view;
	if (!page_dataset(call, dataset))
		return false;
	if (!event_list_applies(*dataset))
		reply_error(call->reply, HTTP_NOT_FOUND,
			    "the store has no index of events; unless its warnings say that there are too many, "
			    "build it again");
	else if (dataset_view(*dataset, event_list_make, event_list_free, &view, &error) != HISTREE_OK)
		reply_failure(call->reply, &error);
	else {
		*list = view;
		return true;
	}
	dataset_release(*dataset);
	return false;
}

/* ---- lines ----------------------------------------------------------------------------------------------- */

struct line_writer {
	struct json_writer *json;
	histree_time start;
};

static void write_line(void *context, const struct event_line *line)
{
	const struct line_writer *writer = context;
	json_begin_object(writer->json);
	json_int_member(writer->json, "time", line->time - writer->start);
	json_int_member(writer->json, "cpu", line->cpu);
	json_text_member(writer->json, "type", line->type);
	json_text_member(writer->json, "text", line->contents);
	if (line->host != NULL)
		json_text_member(writer->json, "host", line->host);
	json_end(writer->json);
}

static enum histree_status write_lines(struct call *call, struct event_list *list, int64_t first, int64_t count,
				       int64_t at, struct histree_error *error)
{
	struct line_writer writer = { &call->reply->json, list->start };
	uint64_t number = (uint64_t)first;
	if (at >= 0) {
		enum histree_status status = event_list_find(list, list->start + at, &number, error);
		if (status != HISTREE_OK)
			return status;
	}
	json_begin_object(writer.json);
	json_int_member(writer.json, "total", (int64_t)list->count);
	json_int_member(writer.json, "first", (int64_t)number);
	json_begin_array_member(writer.json, "lines");
	enum histree_status status = event_list_read(list, number, (uint64_t)count, write_line, &writer, error);
	if (status == HISTREE_OK) {
		json_end(writer.json);
		json_end(writer.json);
	}
	return status;
}

void api_events(struct call *call)
{
	struct dataset *dataset;
	struct event_list *list;
	struct histree_error error = { 0 };
	int64_t first, count, at;
	if (!open_list(call, &dataset, &list))
		return;
	if (page_number(call, "first", 0, INT64_MAX, 0, &first) &&
	    page_number(call, "count", 0, LINES_MAX, 0, &count) &&
	    page_number(call, "at", -1, list->end - list->start, -1, &at) &&
	    write_lines(call, list, first, count, at, &error) != HISTREE_OK)
		reply_failure(call->reply, &error);
	dataset_release(dataset);
}

/* ---- search ---------------------------------------------------------------------------------------------- */

static void write_found(struct call *call, struct event_list *list, const struct cell_match *match, int64_t after,
			bool backwards)
{
	struct histree_error error = { 0 };
	uint64_t number;
	enum histree_status status = HISTREE_NOT_FOUND;
	int64_t from = backwards ? after - 1 : after + 1;
	if (from >= 0)
		status = event_list_search(list, match, (uint64_t)from, backwards, reply_cancel(call->reply),
					   &number, &error);
	if (status < 0) {
		reply_failure(call->reply, &error);
		return;
	}
	json_begin_object(&call->reply->json);
	json_int_member(&call->reply->json, "number", status == HISTREE_OK ? (int64_t)number : -1);
	json_end(&call->reply->json);
}

void api_event_search(struct call *call)
{
	struct dataset *dataset;
	struct event_list *list;
	struct cell_match match = { .any = true };
	struct histree_error error = { 0 };
	int64_t after, backwards;
	const char *text = page_text(call, "text");
	if (!open_list(call, &dataset, &list))
		return;
	if (!page_number(call, "after", -1, INT64_MAX - 1, -1, &after) ||
	    !page_number(call, "backwards", 0, 1, 0, &backwards))
		goto out;
	if (cell_match_add(&match, EVENT_TYPE, text, &error) != HISTREE_OK ||
	    cell_match_add(&match, EVENT_CONTENTS, text, &error) != HISTREE_OK)
		reply_error(call->reply, HTTP_BAD_REQUEST, "%s", error.message);
	else
		write_found(call, list, &match, after, backwards != 0);
out:
	cell_match_release(&match);
	dataset_release(dataset);
}

/* ---- types ----------------------------------------------------------------------------------------------- */

static void write_types(struct json_writer *json, const struct event_list *list, const uint64_t *counts,
			const uint64_t *totals, const uint32_t *order)
{
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

void api_event_types(struct call *call)
{
	struct dataset *dataset;
	struct event_list *list;
	struct histree_error error = { 0 };
	int64_t from, to;
	if (!open_list(call, &dataset, &list))
		return;
	int64_t duration = list->end - list->start;
	uint64_t *counts = calloc(list->type_count + 1, sizeof(*counts));
	uint64_t *totals = calloc(list->type_count + 1, sizeof(*totals));
	uint32_t *order = calloc(list->type_count + 1, sizeof(*order));
	if (counts == NULL || totals == NULL || order == NULL) {
		reply_error(call->reply, HTTP_SERVER_ERROR, "out of memory");
		goto out;
	}
	if (!page_number(call, "from", 0, duration, 0, &from) ||
	    !page_number(call, "to", from, duration, duration, &to))
		goto out;
	if (event_list_count_types(list, list->start, list->end, totals, &error) != HISTREE_OK ||
	    event_list_count_types(list, list->start + from, list->start + to, counts, &error) != HISTREE_OK) {
		reply_failure(call->reply, &error);
		goto out;
	}
	event_list_order_types(list, counts, order);
	write_types(&call->reply->json, list, counts, totals, order);
out:
	free(counts);
	free(totals);
	free(order);
	dataset_release(dataset);
}
