// SPDX-License-Identifier: MIT
#include "server/tsp/table_reply.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/tsp/parameters.h"

enum { LINES_MAX = 2000, TAG_MATCHES = 8 };

void table_reply_columns(struct reply *reply, const struct table_column *columns, unsigned count)
{
	struct json_writer *json = &reply->json;
	reply_envelope(reply);
	json_begin_array(json);
	for (unsigned i = 0; i < count; i++) {
		json_begin_object(json);
		json_int_member(json, "id", i);
		json_text_member(json, "name", columns[i].name);
		json_text_member(json, "description", columns[i].description);
		json_text_member(json, "type", columns[i].type);
		json_end(json);
	}
	json_end(json);
}

/* ---- requests -------------------------------------------------------------------------------------------- */

/* Ids that are none of ours are passed over; no list, or an empty one, is all of them. */
static void choose_columns(const struct call *call, unsigned column_count, struct table_request *request)
{
	const json_t *ids = json_object_get(call->parameters, "requested_table_column_ids"), *id;
	size_t i;
	json_array_foreach(ids, i, id)
	{
		if (json_is_integer(id) && json_integer_value(id) >= 0 && json_integer_value(id) < column_count &&
		    request->column_count < column_count)
			request->columns[request->column_count++] = (unsigned)json_integer_value(id);
	}
	while (json_array_size(ids) == 0 && request->column_count < column_count) {
		request->columns[request->column_count] = request->column_count;
		request->column_count++;
	}
}

/* {"2": "^sched_"}: a line matches that matches them all. */
static enum histree_status read_expressions(const struct call *call, unsigned column_count,
					    struct table_request *request, struct histree_error *error)
{
	const char *key;
	json_t *expression;
	json_object_foreach(json_object_get(call->parameters, "table_search_expressions"), key, expression)
	{
		char *end;
		long column = strtol(key, &end, 10);
		if (*key == '\0' || *end != '\0' || column < 0 || column >= (long)column_count ||
		    !json_is_string(expression) || request->match.patterns[column] != NULL)
			return error_set(error, HISTREE_ERR_ARGUMENT, "table_search_expressions has no column '%s'",
					 key);
		enum histree_status status =
			cell_match_add(&request->match, (unsigned)column, json_string_value(expression), error);
		if (status != HISTREE_OK)
			return status;
		request->has_match = true;
	}
	return HISTREE_OK;
}

static enum histree_status read_position(const struct call *call, struct table_request *request,
					 struct histree_error *error)
{
	int64_t index = 0, count = 1;
	const json_t *time = json_array_get(json_object_get(call->parameters, "requested_times"), 0);
	const char *direction = parameters_text(call, "table_search_direction");
	if (time != NULL && !json_is_integer(time))
		return error_set(error, HISTREE_ERR_ARGUMENT, "requested_times does not begin with a time");
	if (parameters_int(call, "requested_table_index", &index) && index < 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "requested_table_index is negative");
	if (parameters_int(call, "requested_table_count", &count) && (count < 0 || count > LINES_MAX))
		return error_set(error, HISTREE_ERR_ARGUMENT, "requested_table_count is not from 0 to %d",
				 LINES_MAX);
	request->by_time = time != NULL;
	request->time = json_integer_value(time);
	request->index = (uint64_t)index;
	request->count = (uint64_t)count;
	if (direction != NULL && request->has_match)
		request->direction = strcmp(direction, "PREVIOUS") == 0 ? TABLE_PREVIOUS : TABLE_NEXT;
	return HISTREE_OK;
}

bool table_request_read(const struct call *call, unsigned column_count, struct table_request *out)
{
	struct histree_error error;
	*out = (struct table_request){ 0 };
	choose_columns(call, column_count, out);
	enum histree_status status = read_expressions(call, column_count, out, &error);
	if (status == HISTREE_OK)
		status = read_position(call, out, &error);
	if (status != HISTREE_OK)
		reply_error(call->reply, HTTP_BAD_REQUEST, "%s", error.message);
	return status == HISTREE_OK;
}

void table_request_release(struct table_request *request)
{
	cell_match_release(&request->match);
}

/* ---- answers --------------------------------------------------------------------------------------------- */

void table_reply_begin(struct reply *reply, const struct table_request *request, uint64_t size, uint64_t first)
{
	struct json_writer *json = &reply->json;
	reply_envelope(reply);
	json_begin_object(json);
	json_int_member(json, "size", (int64_t)size);
	json_int_member(json, "lowIndex", (int64_t)first);
	json_key(json, "columnIds");
	json_begin_array(json);
	for (unsigned i = 0; i < request->column_count; i++)
		json_put_int(json, request->columns[i]);
	json_end(json);
	json_key(json, "lines");
	json_begin_array(json);
}

void table_reply_line(struct reply *reply, const struct table_request *request, uint64_t number, cell_text *text,
		      void *line)
{
	struct json_writer *json = &reply->json;
	json_begin_object(json);
	json_int_member(json, "index", (int64_t)number);
	json_key(json, "cells");
	json_begin_array(json);
	for (unsigned i = 0; i < request->column_count; i++) {
		json_begin_object(json);
		json_text_member(json, "content", text(line, request->columns[i]));
		json_end(json);
	}
	json_end(json);
	if (request->has_match && cell_match_line(&request->match, text, line))
		json_int_member(json, "tags", TAG_MATCHES);
	json_end(json);
}
