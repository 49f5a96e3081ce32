// SPDX-License-Identifier: MIT
/*
 * output_events.c - the events as a table, read from the trace.
 *
 * Viewers know the time of a line by the column that is called exactly "Timestamp ns".
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/event_list.h"
#include "server/output.h"
#include "server/parameters.h"

enum { LINES_MAX = 2000, TAG_MATCHES = 8 };

static const struct {
	const char *name, *description, *type;
} column_headers[EVENT_COLUMNS] = {
	[EVENT_CLOCK] = { "Timestamp", "time of the day, UTC", "STRING" },
	[EVENT_CPU] = { "CPU", "where it was recorded", "NUMBER" },
	[EVENT_TYPE] = { "Event type", "its name", "STRING" },
	[EVENT_CONTENTS] = { "Contents", "its fields", "STRING" },
	[EVENT_TIME] = { "Timestamp ns", "nanoseconds since the epoch", "TIMESTAMP" },
};

static void columns(const struct output_call *output)
{
	struct json_writer *json = &output->call->reply->json;
	reply_envelope(output->call->reply);
	json_begin_array(json);
	for (int i = 0; i < EVENT_COLUMNS; i++) {
		json_begin_object(json);
		json_int_member(json, "id", i);
		json_text_member(json, "name", column_headers[i].name);
		json_text_member(json, "description", column_headers[i].description);
		json_text_member(json, "type", column_headers[i].type);
		json_end(json);
	}
	json_end(json);
}

/* ---- lines ----------------------------------------------------------------------------------------------- */

/* What is asked for, and where it is written. */
struct line_request {
	struct json_writer *json;
	enum event_column columns[EVENT_COLUMNS];
	size_t column_count;
	struct event_match match;
	bool has_match;
};

/* Ids that are none of ours are passed over; no list, or an empty one, is all of them. */
static void choose_columns(const struct call *call, struct line_request *request)
{
	const json_t *ids = json_object_get(call->parameters, "requested_table_column_ids"), *id;
	size_t i;
	json_array_foreach(ids, i, id)
	{
		if (json_is_integer(id) && json_integer_value(id) >= 0 && json_integer_value(id) < EVENT_COLUMNS &&
		    request->column_count < EVENT_COLUMNS)
			request->columns[request->column_count++] = (enum event_column)json_integer_value(id);
	}
	while (json_array_size(ids) == 0 && request->column_count < EVENT_COLUMNS) {
		request->columns[request->column_count] = (enum event_column)request->column_count;
		request->column_count++;
	}
}

static enum histree_status read_expressions(const struct call *call, struct line_request *request,
					    struct histree_error *error)
{
	json_t *expressions = json_object_get(call->parameters, "table_search_expressions"), *expression;
	const char *key;
	json_object_foreach(expressions, key, expression)
	{
		char *end;
		long column = strtol(key, &end, 10);
		if (*key == '\0' || *end != '\0' || column < 0 || column >= EVENT_COLUMNS ||
		    !json_is_string(expression) || request->match.patterns[column] != NULL)
			return error_set(error, HISTREE_ERR_ARGUMENT, "table_search_expressions has no column '%s'",
					 key);
		enum histree_status status = event_match_add(&request->match, (enum event_column)column,
							     json_string_value(expression), error);
		if (status != HISTREE_OK)
			return status;
		request->has_match = true;
	}
	return HISTREE_OK;
}

static void write_line(void *context, const struct event_line *line)
{
	const struct line_request *request = context;
	struct json_writer *json = request->json;
	char room[EVENT_CELL_SIZE];
	json_begin_object(json);
	json_int_member(json, "index", (int64_t)line->number);
	json_key(json, "cells");
	json_begin_array(json);
	for (size_t i = 0; i < request->column_count; i++) {
		json_begin_object(json);
		json_text_member(json, "content", event_line_cell(line, request->columns[i], room));
		json_end(json);
	}
	json_end(json);
	if (request->has_match && event_match_line(&request->match, line))
		json_int_member(json, "tags", TAG_MATCHES);
	json_end(json);
}

/* The first line of the answer.  By time it is the first event at or after it, the last one if there is none. */
static enum histree_status find_first(const struct call *call, struct event_list *list, uint64_t *first,
				      struct histree_error *error)
{
	int64_t index = 0;
	const json_t *times = json_object_get(call->parameters, "requested_times");
	*first = 0;
	if (json_array_size(times) > 0) {
		const json_t *time = json_array_get(times, 0);
		if (!json_is_integer(time))
			return error_set(error, HISTREE_ERR_ARGUMENT, "requested_times is not as it should be");
		enum histree_status status = event_list_find(list, json_integer_value(time), first, error);
		if (status == HISTREE_OK && *first == list->count && list->count > 0)
			(*first)--;
		return status;
	}
	if (parameters_int(call, "requested_table_index", &index) && index < 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "requested_table_index is negative");
	*first = (uint64_t)index;
	return HISTREE_OK;
}

/* HISTREE_NOT_FOUND: a search found nothing, which is an answer without lines. */
static enum histree_status find_lines(const struct call *call, struct event_list *list,
				      struct line_request *request, uint64_t *first, struct histree_error *error)
{
	const char *direction = parameters_text(call, "table_search_direction");
	choose_columns(call, request);
	enum histree_status status = read_expressions(call, request, error);
	if (status == HISTREE_OK)
		status = find_first(call, list, first, error);
	if (status == HISTREE_OK && direction != NULL && request->has_match)
		status = event_list_search(list, &request->match, *first, strcmp(direction, "PREVIOUS") == 0,
					   reply_cancel(call->reply), first, error);
	return status;
}

static void write_model(struct event_list *list, const struct line_request *request, uint64_t first)
{
	struct json_writer *json = request->json;
	json_begin_object(json);
	json_int_member(json, "size", (int64_t)list->count);
	json_int_member(json, "lowIndex", (int64_t)first);
	json_key(json, "columnIds");
	json_begin_array(json);
	for (size_t i = 0; i < request->column_count; i++)
		json_put_int(json, request->columns[i]);
	json_end(json);
	json_key(json, "lines");
	json_begin_array(json);
}

static void lines(const struct output_call *output)
{
	struct call *call = output->call;
	struct event_list *list = output->view;
	struct line_request request = { .json = &call->reply->json };
	struct histree_error error = { 0 };
	uint64_t first;
	int64_t count = 1;
	if (parameters_int(call, "requested_table_count", &count) && (count < 0 || count > LINES_MAX)) {
		reply_error(call->reply, HTTP_BAD_REQUEST, "requested_table_count is not from 0 to %d", LINES_MAX);
		return;
	}
	enum histree_status status = find_lines(call, list, &request, &first, &error);
	if (status == HISTREE_ERR_ARGUMENT) {
		reply_error(call->reply, HTTP_BAD_REQUEST, "%s", error.message);
	} else if (status < 0) {
		reply_failure(call->reply, &error);
	} else {
		reply_envelope(call->reply);
		write_model(list, &request, status == HISTREE_NOT_FOUND ? 0 : first);
		if (status == HISTREE_OK)
			status = event_list_read(list, first, (uint64_t)count, write_line, &request, &error);
		if (status < 0) {
			reply_failure(call->reply, &error);
		} else {
			json_end(request.json);
			json_end(request.json);
		}
	}
	event_match_release(&request.match);
}

const struct output output_events = {
	.id = "org.eclipse.tracecompass.internal.provisional.tmf.core.model.events.TmfEventTableDataProvider",
	.name = "Events",
	.description = "The events of the trace, one a line",
	.type = OUTPUT_TABLE,
	.applies = event_list_applies,
	.make = event_list_make,
	.free = event_list_free,
	.columns = columns,
	.lines = lines,
};
