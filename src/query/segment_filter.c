// SPDX-License-Identifier: MIT
/*
 * segment_filter.c - filter expressions over the fields of a schema, and the window that they leave of a query.
 */
#include "histree/segment_filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "histree/filter.h"
#include "histree/window.h"

/* The fields of every segment; those of the schema come after them. */
enum { FIELD_START, FIELD_END, FIELD_DURATION, OWN_FIELDS };

static const struct histree_filter_field own_fields[OWN_FIELDS] = {
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
	memcpy(fields, own_fields, sizeof(own_fields));
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
