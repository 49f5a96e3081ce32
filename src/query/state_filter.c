// SPDX-License-Identifier: MIT
/*
 * state_filter.c - filter expressions over states and over the fields of segments: the parts of an expression about
 * attributes and times narrow a selection, or leave a window of a query, and each state or segment of the answer is
 * tested.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "filter/filter.h"
#include "histree/attributes.h"
#include "histree/filter.h"
#include "histree/segment_stats.h"
#include "histree/states.h"

/* ---- state filter -------------------------------------------------------------------------------------------- */

enum { PATH, QUARK, START, END, DURATION, TYPE, VALUE, LABEL, FIELDS };

static const struct histree_filter_field state_fields[FIELDS] = {
	[PATH] = { "path", HISTREE_STRING, HISTREE_FILTER_PLAIN },
	[QUARK] = { "quark", HISTREE_LONG, HISTREE_FILTER_PLAIN },
	[START] = { "start", HISTREE_LONG, HISTREE_FILTER_TIME },
	[END] = { "end", HISTREE_LONG, HISTREE_FILTER_TIME },
	[DURATION] = { "duration", HISTREE_LONG, HISTREE_FILTER_DURATION },
	[TYPE] = { "type", HISTREE_STRING, HISTREE_FILTER_PLAIN },
	[VALUE] = { "value", HISTREE_NULL, HISTREE_FILTER_PLAIN },
	[LABEL] = { "label", HISTREE_STRING, HISTREE_FILTER_PLAIN },
};

struct histree_state_filter {
	struct histree_filter *filter;
	struct histree_selection paths; /* of the last state; nothing is selected */
	bool needs_path, needs_label;
	bool is_of_attributes; /* the expression says something of paths, quarks or labels */
};

enum histree_status histree_state_filter_create(struct histree_history *history, const char *text,
						struct histree_state_filter **out, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(history);
	const struct histree_filter_scope scope = { state_fields, FIELDS, info->start, info->end };
	*out = NULL;
	struct histree_state_filter *filter = calloc(1, sizeof(*filter));
	if (filter == NULL)
		return error_memory(error, "a filter");
	enum histree_status status = histree_filter_create(text, &scope, &filter->filter, error);
	if (status != HISTREE_OK) {
		free(filter);
		return status;
	}
	histree_selection_begin(&filter->paths, history);
	filter->needs_path = histree_filter_needs(filter->filter, PATH);
	filter->needs_label = histree_filter_needs(filter->filter, LABEL);
	filter->is_of_attributes =
		filter->needs_path || filter->needs_label || histree_filter_needs(filter->filter, QUARK);
	*out = filter;
	return HISTREE_OK;
}

void histree_state_filter_free(struct histree_state_filter *filter)
{
	if (filter == NULL)
		return;
	histree_filter_free(filter->filter);
	histree_selection_release(&filter->paths);
	free(filter);
}

/* ---- the selection -------------------------------------------------------------------------------------- */

static void find_path(void *context, const struct filter_test *test)
{
	const char **path = context;
	if (test->field == PATH && test->operator== FILTER_EQUAL)
		*path = test->text;
}

/* Where no value means more than it says, no label passes a comparison. */
static bool has_words(const struct histree_label_table *table)
{
	for (size_t i = 0; table != NULL && i < table->label_count; i++)
		if (table->labels[i].is_code)
			return true;
	return false;
}

static bool may_have_states(void *context, histree_quark quark, const char *path, size_t size)
{
	const struct histree_state_filter *filter = context;
	const bool are_known[FIELDS] = { [PATH] = true,
					 [QUARK] = true,
					 [LABEL] = filter->needs_label &&
						   !has_words(histree_labels_of(filter->paths.history, quark)) };
	const struct histree_value values[FIELDS] = {
		[PATH] = histree_string_n(path, size), [QUARK] = histree_long(quark)
	};
	return histree_filter_may_pass(filter->filter, values, are_known);
}

enum histree_status histree_state_filter_select(struct histree_state_filter *filter,
						struct histree_selection *selection, struct histree_error *error)
{
	const char *path = NULL;
	enum histree_status status = HISTREE_OK;
	histree_filter_bounds(filter->filter, START, &selection->window.from, &selection->window.to);
	histree_filter_bounds(filter->filter, END, &selection->window.from, &selection->window.to);
	if (!filter->is_of_attributes)
		return HISTREE_OK;
	filter_required(filter->filter, find_path, (void *)&path);
	if (path != NULL && selection->has_all) {
		histree_selection_none(selection);
		status = histree_selection_add_path(selection, path, error);
	}
	return status == HISTREE_OK ? histree_selection_keep_wanted(selection, may_have_states, filter, error)
				    : status;
}

/* ---- a state -------------------------------------------------------------------------------------------- */

bool histree_state_filter_match(struct histree_state_filter *filter, const struct histree_interval *state)
{
	uint64_t duration = (uint64_t)state->end - (uint64_t)state->start;
	struct histree_value values[FIELDS] = {
		[QUARK] = histree_long(state->quark),
		[START] = histree_long(state->start),
		[END] = histree_long(state->end),
		[DURATION] = histree_long(duration >= INT64_MAX ? INT64_MAX : (int64_t)duration + 1),
		[TYPE] = histree_string(histree_type_name(state->value.type)),
		[VALUE] = state->value,
	};
	if (filter->needs_path) {
		size_t size;
		const char *path = histree_selection_path(&filter->paths, state->quark, &size);
		values[PATH] = path != NULL ? histree_string_n(path, size) : histree_null();
	}
	const char *label = NULL;
	if (filter->needs_label)
		label = histree_label_of(filter->paths.history, state->quark, &state->value);
	values[LABEL] = label != NULL ? histree_string(label) : histree_null();
	return histree_filter_match(filter->filter, values);
}

/* ---- segment filter ------------------------------------------------------------------------------------------ */

/* The fields of every segment; those of the schema come after them. */
enum { FIELD_START, FIELD_END, FIELD_DURATION, OWN_FIELDS };

static const struct histree_filter_field segment_fields[OWN_FIELDS] = {
	[FIELD_START] = { "start", HISTREE_LONG, HISTREE_FILTER_TIME },
	[FIELD_END] = { "end", HISTREE_LONG, HISTREE_FILTER_TIME },
	[FIELD_DURATION] = { "duration", HISTREE_LONG, HISTREE_FILTER_DURATION },
};

/* The last field of a union of several hosts. */
#define FIELD_HOST "host"
struct histree_segment_filter {
	struct histree_filter *filter;
	size_t content_count;
	size_t host; /* where it is among the fields of the expression; 0: nowhere */
};

enum histree_status histree_segment_filter_create(const struct histree_segment_schema *schema, const char *text,
						  histree_time start, histree_time end,
						  struct histree_segment_filter **out, struct histree_error *error)
{
	*out = NULL;
	if (schema->field_count > HISTREE_SEGMENT_FIELDS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a schema of %zu fields; it may have %d",
				 schema->field_count, HISTREE_SEGMENT_FIELDS_MAX);
	struct histree_filter_field fields[OWN_FIELDS + HISTREE_SEGMENT_FIELDS_MAX];
	memcpy(fields, segment_fields, sizeof(segment_fields));
	for (size_t i = 0; i < schema->field_count; i++)
		fields[OWN_FIELDS + i] = (struct histree_filter_field){ .name = schema->fields[i].name,
									.type = schema->fields[i].type };
	const struct histree_filter_scope scope = {
		.fields = fields, .field_count = OWN_FIELDS + schema->field_count, .start = start, .end = end
	};
	struct histree_segment_filter *filter = malloc(sizeof(*filter));
	if (filter == NULL)
		return error_memory(error, "a filter");
	filter->content_count = schema->field_count;
	const struct histree_segment_field *last =
		schema->field_count > 0 ? &schema->fields[schema->field_count - 1] : NULL;
	bool has_host = last != NULL && last->type == HISTREE_STRING && strcmp(last->name, FIELD_HOST) == 0;
	filter->host = has_host ? OWN_FIELDS + schema->field_count - 1 : 0;
	enum histree_status status = histree_filter_create(text, &scope, &filter->filter, error);
	if (status == HISTREE_OK)
		*out = filter;
	else
		free(filter);
	return status;
}

bool histree_segment_filter_match(const struct histree_segment_filter *filter,
				  const struct histree_segment *segment)
{
	struct histree_value values[OWN_FIELDS + HISTREE_SEGMENT_FIELDS_MAX];
	uint64_t duration = histree_segment_duration(segment);
	values[FIELD_START] = histree_long(segment->start);
	values[FIELD_END] = histree_long(segment->end);
	values[FIELD_DURATION] = histree_long(duration > INT64_MAX ? INT64_MAX : (int64_t)duration);
	for (size_t i = 0; i < filter->content_count; i++)
		values[OWN_FIELDS + i] = segment->content != NULL ? segment->content[i] : histree_null();
	return histree_filter_match(filter->filter, values);
}

static bool pass(void *context, const struct histree_segment *segment)
{
	return histree_segment_filter_match(context, segment);
}

/* Whether the expression may hold for a segment of which no more than this is known. */
static bool wants_host(void *context, const char *host)
{
	const struct histree_segment_filter *filter = context;
	struct histree_value values[OWN_FIELDS + HISTREE_SEGMENT_FIELDS_MAX] = { 0 };
	bool are_known[OWN_FIELDS + HISTREE_SEGMENT_FIELDS_MAX] = { false };
	values[filter->host] = histree_string(host);
	are_known[filter->host] = true;
	return histree_filter_may_pass(filter->filter, values, are_known);
}

void histree_segment_filter_apply(struct histree_segment_filter *filter, struct histree_segment_query *query)
{
	query->filter = pass;
	query->filter_context = filter;
	query->host_filter = filter->host > 0 ? wants_host : NULL;
	query->host_context = filter;
	struct histree_window window = { .from = query->from, .to = query->to };
	histree_filter_bounds(filter->filter, FIELD_START, &window.from, &window.to);
	histree_filter_bounds(filter->filter, FIELD_END, &window.from, &window.to);
	if (!histree_window_fit(&window, query->from, query->to))
		window.to = window.from = query->from; /* nothing can pass, and there is no empty window */
	query->from = window.from;
	query->to = window.to;
}

void histree_segment_filter_free(struct histree_segment_filter *filter)
{
	if (filter == NULL)
		return;
	histree_filter_free(filter->filter);
	free(filter);
}
