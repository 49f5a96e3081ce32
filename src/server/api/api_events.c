// SPDX-License-Identifier: MIT
/*
 * api_events.c - events for the page: lines of a table, the next one that matches, how many of which type.
 */
#include <stdlib.h>

#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/model/event_list.h"

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

static void write_found(struct call *call, const struct cell_match *match, int64_t after, bool backwards)
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
		write_found(call, &match, after, backwards != 0);
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
