// SPDX-License-Identifier: MIT
/*
 * replies.c - the parts that answers are made of: trees, tables, lines, styles, tags, arrows, tooltips.
 */
#include "server/tsp/replies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "histree/states.h"
#include "server/http/http.h"
#include "server/model/state_filter.h"
#include "server/tsp/outputs.h"
#include "server/tsp/parameters.h"
#include "view/view.h"

/* ---- tooltip ------------------------------------------------------------------------------------------------- */

static bool is_of_state(const struct call *call)
{
	const json_t *element = json_object_get(call->parameters, "requested_element");
	const char *type = json_string_value(json_object_get(element, "elementType"));
	return type == NULL || strcasecmp(type, "state") == 0;
}

bool tooltip_begin(struct call *call, histree_time start, histree_time end, struct tooltip_request *request)
{
	struct parameter_times times;
	int64_t *items;
	size_t item_count;
	if (!parameters_times(call, &times))
		return false;
	request->time = times.start;
	if (!parameters_items(call, &items, &item_count))
		return false;
	bool is_asked = item_count > 0 && is_of_state(call) && request->time >= start && request->time <= end;
	request->item = item_count > 0 ? items[0] : 0;
	reply_envelope(call->reply);
	json_begin_object(&call->reply->json);
	return is_asked;
}

void tooltip_pair(struct call *call, const char *key, const struct byte_buffer *text)
{
	if (text->size > 0)
		json_string_member(&call->reply->json, key, byte_buffer_chars(text), text->size);
}

/* ---- style reply --------------------------------------------------------------------------------------------- */

/* Areas have the colour of their ground, lines that of ink. */
static void write_style(struct json_writer *json, const struct histree_style *style, bool is_line)
{
	char colour[8];
	snprintf(colour, sizeof(colour), "#%06X", style->light & 0xffffff);
	json_key_string(json, style->key, strlen(style->key));
	json_begin_object(json);
	json_begin_object_member(json, "values");
	json_text_member(json, "style-name", style->name);
	json_text_member(json, "background-color", colour);
	if (is_line)
		json_text_member(json, "color", colour);
	json_real_member(json, "height", style->height);
	json_end(json);
	json_end(json);
}

/* Keys are unique within a table only; tables that share one show it alike. */
static bool is_known_before(const struct histree_label_table *const *tables, size_t table_count, size_t style_count,
			    const char *key)
{
	for (size_t i = 0; i <= table_count; i++) {
		const struct histree_style *style;
		for (size_t k = 0;
		     (i < table_count || k < style_count) && (style = histree_styles(tables[i], k)) != NULL; k++)
			if (strcmp(style->key, key) == 0)
				return true;
	}
	return false;
}

/* The member of a state or an arrow. */
static void style_reference(struct json_writer *json, const char *key)
{
	json_begin_object_member(json, "style");
	json_text_member(json, "parentKey", key);
	json_begin_object_member(json, "values");
	json_end(json);
	json_end(json);
}

/* ---- states reply -------------------------------------------------------------------------------------------- */

struct states {
	const struct states_source *source;
	void *context;
	const int64_t *items;
	size_t count, item;
	bool is_open; /* the object of the item has been begun */
};

static void states_release(void *state)
{
	const struct states *states = state;
	if (states->source->release != NULL)
		states->source->release(states->context);
}

/* States of the item, until there are no more or the piece is full. */
static enum histree_status write_states(struct states *states, struct json_writer *json,
					struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (!states->is_open) {
		status = states->source->row(states->context, states->items[states->item], error);
		if (status != HISTREE_OK)
			return status == HISTREE_NOT_FOUND ? HISTREE_END : status;
		states->is_open = true;
		json_begin_object(json);
		json_int_member(json, "entryId", states->items[states->item]);
		json_begin_array_member(json, "states");
	}
	while (status == HISTREE_OK && json->out->size < PIECE_SIZE) {
		struct shown_state state;
		status = states->source->next(states->context, &state, error);
		if (status == HISTREE_OK) {
			json_begin_object(json);
			json_int_member(json, "start", state.start);
			json_int_member(json, "end", state.end);
			if (state.label != NULL)
				json_string_member(json, "label", state.label, state.label_size);
			if (state.style != NULL)
				style_reference(json, state.style->key);
			if (state.tags != 0)
				json_int_member(json, "tags", state.tags);
			json_end(json);
		}
	}
	if (status == HISTREE_END) {
		json_end(json);
		json_end(json);
		states->is_open = false;
	}
	return status;
}

static enum histree_status states_next(void *state, struct json_writer *json, struct histree_error *error)
{
	struct states *states = state;
	while (states->item < states->count && json->out->size < PIECE_SIZE) {
		enum histree_status status = write_states(states, json, error);
		if (status != HISTREE_END)
			return status;
		states->item++;
	}
	return states->item < states->count ? HISTREE_OK : HISTREE_END;
}

void states_reply(struct call *call, const struct states_source *source, void *context, const int64_t *items,
		  size_t item_count)
{
	struct states *states = reply_memory(call->reply, 1, sizeof(*states));
	if (states == NULL) {
		states_release(&(struct states){ .source = source, .context = context });
		return;
	}
	*states = (struct states){ .source = source, .context = context, .items = items, .count = item_count };
	reply_envelope(call->reply);
	json_begin_object(call->json);
	json_begin_array_member(call->json, "rows");
	reply_steps(call->reply, &(struct reply_steps){ states_next, states_release, states });
}

/* ---- arrows -------------------------------------------------------------------------------------------------- */

void arrows_reply(struct call *call, const struct reply_steps *steps)
{
	reply_envelope(call->reply);
	json_begin_array(call->json);
	reply_steps(call->reply, steps);
}

void arrow_put(struct json_writer *json, int64_t from, int64_t to, histree_time start, histree_time end,
	       const char *style)
{
	json_begin_object(json);
	json_int_member(json, "sourceId", from);
	json_int_member(json, "targetId", to);
	json_int_member(json, "start", start);
	json_int_member(json, "end", end);
	style_reference(json, style);
	json_end(json);
}

/* ---- styles -------------------------------------------------------------------------------------------------- */

void style_reply(struct call *call, const struct histree_label_table *const *tables, size_t count)
{
	style_reply_with_arrows(call, tables, count, NULL, 0);
}

void style_reply_with_arrows(struct call *call, const struct histree_label_table *const *tables, size_t table_count,
			     const enum histree_arrow_kind *arrows, size_t arrow_count)
{
	struct json_writer *json = call->json;
	reply_envelope(call->reply);
	json_begin_object(json);
	json_begin_object_member(json, "styles");
	for (size_t i = 0; i < table_count; i++) {
		const struct histree_style *style;
		for (size_t k = 0; (style = histree_styles(tables[i], k)) != NULL; k++)
			if (!is_known_before(tables, i, k, style->key))
				write_style(json, style, false);
	}
	for (size_t i = 0; i < arrow_count; i++)
		write_style(json, histree_arrow_style(arrows[i]), true);
	json_end(json);
	json_end(json);
}

/* ---- table reply --------------------------------------------------------------------------------------------- */

enum { LINES_MAX = 2000, TAG_MATCHES = 8 };

void table_reply_columns(struct call *call, const struct table_column *columns, unsigned count)
{
	struct json_writer *json = call->json;
	reply_envelope(call->reply);
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
	struct histree_error *error = &call->reply->error;
	*out = (struct table_request){ 0 };

	/* Ids that are not ours are passed over; no list, or an empty one, is all of them. */
	const json_t *ids = json_object_get(call->parameters, "requested_table_column_ids"), *id;
	size_t i;
	json_array_foreach(ids, i, id)
	{
		if (json_is_integer(id) && json_integer_value(id) >= 0 && json_integer_value(id) < column_count &&
		    out->column_count < column_count)
			out->columns[out->column_count++] = (unsigned)json_integer_value(id);
	}
	while (json_array_size(ids) == 0 && out->column_count < column_count) {
		out->columns[out->column_count] = out->column_count;
		out->column_count++;
	}
	enum histree_status status = read_expressions(call, column_count, out, error);
	if (status == HISTREE_OK)
		status = read_position(call, out, error);
	if (status != HISTREE_OK)
		reply_error(call->reply, HTTP_BAD_REQUEST, "%s", error->message);
	return status == HISTREE_OK;
}

void table_request_release(struct table_request *request)
{
	cell_match_release(&request->match);
}

/* ---- answers --------------------------------------------------------------------------------------------- */

struct line_answer {
	const struct table_request *request;
	const struct line_table *lines;
	struct json_writer *json;
};

static void write_line(void *context, void *line, uint64_t number)
{
	const struct line_answer *table = context;
	const struct table_request *request = table->request;
	struct json_writer *json = table->json;
	cell_text *cell = table->lines->kind->cell;
	json_begin_object(json);
	json_int_member(json, "index", (int64_t)number);
	json_begin_array_member(json, "cells");
	for (unsigned i = 0; i < request->column_count; i++) {
		json_begin_object(json);
		json_text_member(json, "content", cell(line, request->columns[i]));
		json_end(json);
	}
	json_end(json);
	if (request->has_match && cell_match_line(&request->match, cell, line))
		json_int_member(json, "tags", TAG_MATCHES);
	json_end(json);
}

/* By time it is the first line at or after it, else the last one.  HISTREE_NOT_FOUND: a search found nothing. */
static enum histree_status find_first(struct call *call, const struct table_request *request,
				      const struct line_table *table, uint64_t *first)
{
	struct histree_error *error = &call->reply->error;
	enum histree_status status = HISTREE_OK;
	*first = request->index;
	if (request->by_time)
		status = line_table_find(table, request->time, first, error);
	if (status < 0)
		return status;
	if (request->by_time && *first == table->count && table->count > 0)
		(*first)--;
	if (request->direction == TABLE_STAYS)
		return HISTREE_OK;
	return line_table_search(table, &request->match, *first, request->direction == TABLE_PREVIOUS,
				 reply_cancel(call->reply), first, error);
}

void table_reply(struct call *call, const struct table_request *request, const struct line_table *table)
{
	uint64_t first;
	struct json_writer *json = call->json;
	struct line_answer answer = { request, table, json };
	enum histree_status status = find_first(call, request, table, &first);
	if (status >= 0) {
		reply_envelope(call->reply);
		json_begin_object(json);
		json_int_member(json, "size", (int64_t)table->count);
		json_int_member(json, "lowIndex", status == HISTREE_OK ? (int64_t)first : 0);
		json_begin_array_member(json, "columnIds");
		for (unsigned i = 0; i < request->column_count; i++)
			json_put_int(json, request->columns[i]);
		json_end(json);
		json_begin_array_member(json, "lines");
	}
	if (status == HISTREE_OK)
		status = line_table_read(table, first, request->count, write_line, &answer, &call->reply->error);
	if (status < 0)
		reply_failure(call->reply);
}

/* ---- tree reply ---------------------------------------------------------------------------------------------- */

struct tree {
	void *context;
	const struct tree_source *source;
	size_t next;
};

static void tree_release(void *state)
{
	const struct tree *tree = state;
	if (tree->source->release != NULL)
		tree->source->release(tree->context);
}

void tree_entry_begin(struct json_writer *json, const struct tree_entry *entry)
{
	json_begin_object(json);
	json_int_member(json, "id", entry->id);
	json_int_member(json, "parentId", entry->parent);
	json_int_member(json, "start", entry->start);
	json_int_member(json, "end", entry->end + 1);
	json_bool_member(json, "hasData", entry->has_data);
	if (entry->is_default)
		json_bool_member(json, "isDefault", true);
}

void tree_entry_label(struct json_writer *json, const char *text, size_t size)
{
	json_begin_array_member(json, "labels");
	json_put_string(json, text, size);
	json_end(json);
}

static enum histree_status tree_next(void *state, struct json_writer *json, struct histree_error *error)
{
	(void)error;
	struct tree *tree = state;
	while (json->out->size < PIECE_SIZE) {
		if (!tree->source->entry(tree->context, tree->next++, json))
			return HISTREE_END;
		json_end(json);
	}
	return HISTREE_OK;
}

void tree_reply(struct call *call, const struct tree_source *source, void *context)
{
	struct json_writer *json = call->json;
	struct tree *tree = reply_memory(call->reply, 1, sizeof(*tree));
	if (tree == NULL) {
		tree_release(&(struct tree){ context, source, 0 });
		return;
	}
	*tree = (struct tree){ context, source, 0 };
	reply_envelope(call->reply);
	json_begin_object(json);
	json_begin_array_member(json, "headers");
	for (const struct tree_header *header = source->headers; header->name != NULL; header++) {
		json_begin_object(json);
		json_text_member(json, "name", header->name);
		json_text_member(json, "tooltip", header->tooltip);
		json_text_member(json, "dataType", header->type != NULL ? header->type : "STRING");
		json_end(json);
	}
	json_end(json);
	if (source->auto_expand_level >= 0)
		json_int_member(json, "autoExpandLevel", source->auto_expand_level);
	json_begin_array_member(json, "entries");
	reply_steps(call->reply, &(struct reply_steps){ tree_next, tree_release, tree });
}

/* ---- xy reply ------------------------------------------------------------------------------------------------ */

bool xy_request_read(const struct call *call, histree_time start, histree_time end, struct xy_request *out)
{
	struct parameter_times times;
	*out = (struct xy_request){ 0 };
	if (!parameters_times(call, &times) || !parameters_items(call, &out->items, &out->item_count))
		return false;
	size_t count = times.count;
	histree_time from = times.start > start ? times.start : start;
	histree_time to = times.end < end ? times.end : end;
	if (from < to)
		out->samples = (struct xy_samples){
			.start = from,
			.from = from + 1,
			.to = to,
			.pixels = count < 2                    ? 1
				  : count > HISTREE_PIXELS_MAX ? HISTREE_PIXELS_MAX
							       : (uint32_t)count - 1,
		};
	return true;
}

void xy_begin(struct reply *reply, const char *title)
{
	struct json_writer *json = &reply->json;
	reply_envelope(reply);
	json_begin_object(json);
	json_text_member(json, "title", title);
	json_begin_array_member(json, "series");
}

void xy_put_axis(struct reply *reply, const char *name, const char *label, const char *unit, const char *type)
{
	struct json_writer *json = &reply->json;
	json_begin_object_member(json, name);
	json_text_member(json, "label", label);
	json_text_member(json, "unit", unit);
	json_text_member(json, "dataType", type);
	json_end(json);
}

void xy_put_style(struct reply *reply, const char *series_type)
{
	struct json_writer *json = &reply->json;
	json_begin_object_member(json, "style");
	json_begin_object_member(json, "values");
	json_text_member(json, "series-type", series_type);
	json_end(json);
	json_end(json);
}

void xy_put(struct reply *reply, const struct xy_samples *samples, const struct xy_curve *curve)
{
	struct json_writer *json = &reply->json;
	json_begin_object(json);
	json_int_member(json, "seriesId", curve->id);
	json_text_member(json, "seriesName", curve->name);
	json_begin_array_member(json, "xValues");
	for (uint32_t i = 0; samples->pixels > 0 && i <= samples->pixels; i++)
		json_put_int(json, histree_pixel_start(samples->from, samples->to, samples->pixels, i) - 1);
	json_end(json);
	json_begin_array_member(json, "yValues");
	for (uint32_t i = 0; samples->pixels > 0 && i <= samples->pixels; i++)
		json_put_known(json, i > 0 ? curve->values[i - 1] : curve->first);
	json_end(json);
	xy_put_axis(reply, "xValuesDescription", "Time", "ns", "TIMESTAMP");
	xy_put_axis(reply, "yValuesDescription", curve->label, curve->unit, "NUMBER");
	xy_put_style(reply, "line");
	json_end(json);
}

void xy_end(struct reply *reply)
{
	json_end(&reply->json);
	json_end(&reply->json);
}

/* ---- state tags ---------------------------------------------------------------------------------------------- */

enum { EXPRESSIONS_MAX = 32 };

static bool bad(const struct call *call, const char *message)
{
	return reply_error(call->reply, HTTP_BAD_REQUEST, "filter_query_parameters: %s", message);
}

/* Appends the texts of a list; returns false if it is no list, or too long. */
static bool list_texts(const json_t *list, const char **texts, size_t *count)
{
	if (list != NULL && !json_is_array(list))
		return false;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *text = json_string_value(json_array_get(list, i));
		if (text == NULL || *count == EXPRESSIONS_MAX)
			return false;
		if (strspn(text, " \t") < strlen(text))
			texts[(*count)++] = text;
	}
	return true;
}

bool state_tags_read(const struct call *call, const struct state_kind *kind, histree_time start, histree_time end,
		     struct state_tags *out)
{
	const json_t *given = json_object_get(call->parameters, "filter_query_parameters");
	const json_t *map = json_object_get(given, "filter_expressions_map");
	const char *strategy = json_string_value(json_object_get(given, "strategy"));
	const char *texts[EXPRESSIONS_MAX];
	size_t search_count = 0, count;
	struct histree_error *error = &call->reply->error;
	*out = (struct state_tags){ 0 };
	if (strategy != NULL && strcmp(strategy, "SAMPLED") != 0 && strcmp(strategy, "DEEP") != 0)
		return bad(call, "the strategy is SAMPLED or DEEP");
	if (!list_texts(json_object_get(map, "1"), texts, &search_count))
		return bad(call, "the expressions of key 1 are no list of texts, or too many");
	count = search_count;
	if (!list_texts(json_object_get(map, "4"), texts, &count))
		return bad(call, "the expressions of key 4 are no list of texts, or too many");
	bool is_deep = strategy != NULL && strcmp(strategy, "DEEP") == 0 && count > 0;
	enum histree_status status = HISTREE_OK;
	if (search_count > 0)
		status = state_filter_create(texts, search_count, kind, start, end, &out->search, error);
	if (status == HISTREE_OK && count > search_count)
		status = state_filter_create(texts + search_count, count - search_count, kind, start, end,
					     &out->filter, error);
	if (status == HISTREE_OK && is_deep)
		status = state_filter_create(texts, count, kind, start, end, &out->both, error);
	if (status != HISTREE_OK)
		state_tags_release(out);
	return reply_ok(call->reply, status);
}

void state_tags_release(struct state_tags *tags)
{
	state_filter_free(tags->search);
	state_filter_free(tags->filter);
	state_filter_free(tags->both);
	*tags = (struct state_tags){ 0 };
}

unsigned state_tags_of(const struct state_tags *tags, const struct row_facts *facts,
		       const struct histree_interval *state)
{
	unsigned bits = 0;
	if (tags->search != NULL && !state_filter_match(tags->search, facts, state))
		bits |= STATE_DIMMED;
	if (tags->filter != NULL && !state_filter_match(tags->filter, facts, state))
		bits |= STATE_EXCLUDED;
	return bits;
}
