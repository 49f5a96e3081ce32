// SPDX-License-Identifier: MIT
/*
 * state_filter.c - the states that pass a filter, and what is known of a state besides its value and its times.
 */
#include "server/model/state_filter.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "histree/filter.h"
#include "histree/states.h"
#include "server/text/json_writer.h"
#include "view/view.h"

/* ---- state text ---------------------------------------------------------------------------------------------- */

void state_value_text(const struct histree_value *value, struct byte_buffer *text)
{
	char number[NUMBER_TEXT_SIZE];
	switch (value->type) {
	case HISTREE_NULL:
		break;
	case HISTREE_UNKNOWN:
		byte_buffer_put_chars(text, "unknown");
		break;
	case HISTREE_INT:
		byte_buffer_put(text, number, number_format_signed(value->int32, number));
		break;
	case HISTREE_LONG:
		byte_buffer_put(text, number, number_format_signed(value->int64, number));
		break;
	case HISTREE_DOUBLE:
		byte_buffer_put(text, number, number_format_real(value->real, number));
		break;
	case HISTREE_BOOL:
		byte_buffer_put_chars(text, value->boolean ? "true" : "false");
		break;
	case HISTREE_STRING:
		byte_buffer_put(text, value->bytes, value->size);
		break;
	case HISTREE_CUSTOM:
		byte_buffer_format(text, "%" PRIu32 " bytes", value->size);
		break;
	}
}

void state_any_text(const void *view, const struct histree_label_table *table, const struct histree_value *value,
		    histree_time at, struct byte_buffer *text)
{
	const char *words = histree_label_words(table, value);
	(void)view, (void)at;
	if (words != NULL)
		byte_buffer_put_chars(text, words);
	else
		state_value_text(value, text);
}

void attribute_name_put(const struct histree_attributes *attributes, histree_quark quark, struct byte_buffer *name)
{
	size_t size = histree_attributes_name(attributes, quark, NULL, 0);
	char *room = (char *)byte_buffer_room(name, size + 1);
	if (room != NULL)
		name->size += histree_attributes_name(attributes, quark, room, size + 1);
}

/* ---- state filter -------------------------------------------------------------------------------------------- */

enum {
	FIELD_LABEL,
	FIELD_STATE,
	FIELD_VALUE,
	FIELD_START,
	FIELD_END,
	FIELD_DURATION,
	FIELD_HOST,
	FIELD_FACTS, /* the first of them */
	FIELDS_MAX = FIELD_FACTS + 2 * STATE_FACTS_MAX,
	EXPRESSIONS_MAX = 32,
};

struct state_filter {
	const struct state_kind *kind;
	struct histree_filter *filters[EXPRESSIONS_MAX];
	size_t filter_count;
	bool needs[FIELDS_MAX];
	size_t field_count, known_count; /* those after the known ones are null */
	struct histree_history *history; /* that the query is of */
	struct histree_cursor *query;
	struct byte_buffer label;
	struct fact_memory memories[STATE_FACTS_MAX + 1]; /* the last one for the label */
};

/* ---- expressions ----------------------------------------------------------------------------------------- */

/* What other views know: a client may send one expression to all of them, and here none of its states has that. */
static const char *const known_elsewhere[] = { "TID",         "PID",      "PTID",     "Exec_Name", "CPU",
					       "System call", "Priority", "Resource", "Depth",     NULL };

static bool is_listed(const struct histree_filter_field *fields, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(fields[i].name, name) == 0)
			return true;
	return false;
}

/* Returns how many; those from *known on have no values. */
static size_t list_fields(const struct state_kind *kind, struct histree_filter_field *fields, size_t *known)
{
	static const struct histree_filter_field own[FIELD_FACTS] = {
		[FIELD_LABEL] = { "Label", HISTREE_NULL, HISTREE_FILTER_PLAIN },
		[FIELD_STATE] = { "State", HISTREE_STRING, HISTREE_FILTER_PLAIN },
		[FIELD_VALUE] = { "Value", HISTREE_NULL, HISTREE_FILTER_PLAIN },
		[FIELD_START] = { "Start Time", HISTREE_LONG, HISTREE_FILTER_TIME },
		[FIELD_END] = { "End Time", HISTREE_LONG, HISTREE_FILTER_TIME },
		[FIELD_DURATION] = { "Duration", HISTREE_LONG, HISTREE_FILTER_DURATION },
		[FIELD_HOST] = { "host", HISTREE_NULL, HISTREE_FILTER_PLAIN },
	};
	size_t count = FIELD_FACTS;
	memcpy(fields, own, sizeof(own));
	for (const struct state_fact *fact = kind->facts; fact != NULL && fact->name != NULL; fact++)
		fields[count++] = (struct histree_filter_field){ fact->name, HISTREE_NULL, HISTREE_FILTER_PLAIN };
	*known = count;
	for (const char *const *name = known_elsewhere; *name != NULL; name++)
		if (!is_listed(fields, *known, *name))
			fields[count++] =
				(struct histree_filter_field){ *name, HISTREE_NULL, HISTREE_FILTER_PLAIN };
	return count;
}

enum histree_status state_filter_create(const char *const *texts, size_t count, const struct state_kind *kind,
					histree_time start, histree_time end, struct state_filter **out,
					struct histree_error *error)
{
	struct histree_filter_field fields[FIELDS_MAX];
	*out = NULL;
	if (count > EXPRESSIONS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "more than %d filter expressions", EXPRESSIONS_MAX);
	struct state_filter *filter = calloc(1, sizeof(*filter));
	if (filter == NULL)
		return error_memory(error, "a filter");
	filter->kind = kind;
	filter->field_count = list_fields(kind, fields, &filter->known_count);
	struct histree_filter_scope scope = { fields, filter->field_count, start, end };
	for (size_t i = 0; i < count; i++) {
		enum histree_status status =
			histree_filter_create(texts[i], &scope, &filter->filters[filter->filter_count], error);
		if (status != HISTREE_OK) {
			state_filter_free(filter);
			return status;
		}
		for (size_t field = 0; field < filter->field_count; field++)
			filter->needs[field] = filter->needs[field] ||
					       histree_filter_needs(filter->filters[filter->filter_count], field);
		filter->filter_count++;
	}
	*out = filter;
	return HISTREE_OK;
}

void state_filter_free(struct state_filter *filter)
{
	if (filter == NULL)
		return;
	for (size_t i = 0; i < filter->filter_count; i++)
		histree_filter_free(filter->filters[i]);
	histree_cursor_free(filter->query);
	byte_buffer_release(&filter->label);
	free(filter);
}

void state_filter_narrow(const struct state_filter *filter, histree_time *from, histree_time *to)
{
	histree_time end_min = INT64_MIN; /* says nothing of where a state starts */
	for (size_t i = 0; i < filter->filter_count; i++) {
		histree_filter_bounds(filter->filters[i], FIELD_START, from, to);
		histree_filter_bounds(filter->filters[i], FIELD_END, &end_min, to);
	}
}

/* ---- values ---------------------------------------------------------------------------------------------- */

struct histree_value state_fact_attribute(const struct fact_request *request, histree_quark own)
{
	if (request->query == NULL || own == HISTREE_ROOT)
		return histree_null();
	struct histree_interval found;
	histree_quark quark = own + request->facts->first;
	struct remembered *slot = &request->memory->slots[quark % STATE_FACTS_REMEMBERED];
	bool is_known = slot->is_known && slot->state.quark == quark && slot->state.start <= request->start &&
			slot->state.end >= request->start;
	if (is_known)
		return slot->state.value;
	if (histree_query_single(request->query, quark, request->start, &found, NULL) != HISTREE_OK)
		return histree_null();
	slot->state = found;
	slot->is_known = true;
	if (found.value.size > STATE_FACT_TEXT_SIZE)
		slot->state.value.size = STATE_FACT_TEXT_SIZE;
	if (found.value.size > 0) {
		memcpy(slot->bytes, found.value.bytes, slot->state.value.size);
		slot->state.value.bytes = slot->bytes;
	}
	return slot->state.value;
}

/* Colours of a palette mean nothing but that values differ. */
static struct histree_value state_name(const struct row_facts *facts, const struct histree_interval *state)
{
	const struct histree_label_table *table = facts->table;
	const struct histree_label *label = histree_label_find(table, &state->value);
	if (label != NULL)
		return label->is_hidden ? histree_null() : histree_string(label->style.name);
	bool is_lost = state->value.type == HISTREE_UNKNOWN && table != NULL && !table->uses_palette;
	return is_lost ? histree_string(histree_style_of(table, &state->value)->name) : histree_null();
}

static struct histree_value field_value(struct state_filter *filter, size_t field, const struct row_facts *facts,
					struct fact_request *request, const struct histree_interval *state)
{
	switch (field) {
	case FIELD_LABEL:
		request->memory = &filter->memories[STATE_FACTS_MAX];
		if (state_is_named(facts->label, &state->value))
			return state_fact_attribute(request, facts->label - facts->first);
		filter->label.size = 0;
		if (filter->kind->text != NULL && facts->view != NULL)
			filter->kind->text(facts->view, facts->table, &state->value, state->start, &filter->label);
		return filter->label.size > 0
			       ? histree_string_n(byte_buffer_chars(&filter->label), filter->label.size)
			       : histree_null();
	case FIELD_STATE:
		return state_name(facts, state);
	case FIELD_VALUE:
		return state->value;
	case FIELD_START:
		return histree_long(state->start);
	case FIELD_END:
		return histree_long(state->end);
	case FIELD_DURATION:
		return histree_long((int64_t)((uint64_t)state->end - (uint64_t)state->start + 1));
	case FIELD_HOST:
		return facts->host != NULL ? histree_string(facts->host) : histree_null();
	default:
		if (facts->view == NULL)
			return histree_null();
		request->memory = &filter->memories[field - FIELD_FACTS];
		return filter->kind->fact(request, field - FIELD_FACTS);
	}
}

static struct histree_cursor *query_of(struct state_filter *filter, struct histree_history *history)
{
	if (filter->history != history) {
		histree_cursor_free(filter->query);
		filter->query = NULL;
		filter->history =
			histree_query_create(history, &filter->query, NULL) == HISTREE_OK ? history : NULL;
	}
	return filter->query;
}

bool state_filter_match(struct state_filter *filter, const struct row_facts *facts,
			const struct histree_interval *state)
{
	if (state->value.type == HISTREE_NULL)
		return false;
	struct histree_value values[FIELDS_MAX];
	struct fact_request request = {
		.facts = facts,
		.start = state->start,
		.query = query_of(filter, facts->history),
	};
	for (size_t i = 0; i < filter->field_count; i++)
		values[i] = filter->needs[i] && i < filter->known_count
				    ? field_value(filter, i, facts, &request, state)
				    : histree_null();
	for (size_t i = 0; i < filter->filter_count; i++)
		if (!histree_filter_match(filter->filters[i], values))
			return false;
	return true;
}
