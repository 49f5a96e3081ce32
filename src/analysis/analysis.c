// SPDX-License-Identifier: MIT
/*
 * analysis.c - what an analysis is: a provider of states or of segments, the inputs that several analyses share,
 * the bindings of event classes, and feeding it events.
 */
#include "analysis/analysis.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/change_log.h"
#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/table.h"
#include "event/event.h"
#include "histree/attributes.h"
#include "histree/history.h"
#include "histree/segments.h"
#include "histree/status.h"
#include "symbols/symbol_source.h"

/* ---- analysis inputs ----------------------------------------------------------------------------------------- */

enum histree_status analysis_inputs_get(struct analysis_inputs *inputs, const struct analysis_input_kind *kind,
					void **input, struct histree_error *error)
{
	*input = NULL;
	if (kind == NULL)
		return HISTREE_OK;
	for (size_t i = 0; i < inputs->count; i++) {
		if (inputs->all[i].kind == kind) {
			*input = inputs->all[i].input;
			return HISTREE_OK;
		}
	}
	if (!array_reserve(&inputs->all, &inputs->capacity, inputs->count + 1))
		return error_memory(error, "the inputs of analyses");
	enum histree_status status =
		kind->create_of != NULL ? kind->create_of(kind, input, error) : kind->create(input, error);
	if (status == HISTREE_OK && kind->use_space != NULL)
		kind->use_space(*input, inputs->tables);
	if (status != HISTREE_OK)
		return status;
	inputs->all[inputs->count++] = (struct analysis_input){ .kind = kind, .input = *input };
	return kind->use_symbols != NULL && inputs->symbols != NULL
		       ? kind->use_symbols(*input, inputs->symbols, error)
		       : HISTREE_OK;
}

void analysis_inputs_learn_as(const struct analysis_inputs *inputs, const struct analysis_inputs *other)
{
	for (size_t i = 0; i < inputs->count; i++)
		for (size_t from = 0; from < other->count; from++)
			if (inputs->all[i].kind == other->all[from].kind && inputs->all[i].kind->learn_as != NULL)
				inputs->all[i].kind->learn_as(inputs->all[i].input, other->all[from].input);
}

void analysis_inputs_release(struct analysis_inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		inputs->all[i].kind->free(inputs->all[i].input);
	free(inputs->all);
	*inputs = (struct analysis_inputs){ 0 };
}

/* ---- class table --------------------------------------------------------------------------------------------- */

const void *class_table_add(struct class_table *table, const struct event_class *class, const void *binding,
			    size_t size)
{
	void *copy = arena_allocate(&table->memory, size, alignof(max_align_t));
	if (copy == NULL || !dense_put(&table->bindings, class->id, copy))
		return NULL;
	return memcpy(copy, binding, size);
}

void class_table_release(struct class_table *table)
{
	dense_release(&table->bindings);
	arena_release(&table->memory);
	*table = (struct class_table){ 0 };
}

/* ---- analysis feed ------------------------------------------------------------------------------------------- */

enum histree_status analysis_feed_meet(struct analysis_feed *feed, const struct event_trace *trace,
				       struct histree_error *error)
{
	if (!array_reserve(&feed->applies, &feed->trace_capacity, (size_t)trace->id + 1))
		return error_memory(error, "an analysis");
	while (feed->trace_count <= trace->id)
		feed->applies[feed->trace_count++] = false;
	feed->applies[trace->id] = feed->analysis->applies(trace);
	return HISTREE_OK;
}

enum histree_status analysis_feed_handle(const struct analysis_feed *feed, struct analysis_inputs *inputs,
					 void *instance, const struct event *event, struct histree_error *error)
{
	const struct analysis *analysis = feed->analysis;
	const bool applies = analysis_feed_applies(feed, event);
	enum histree_status status = analysis_inputs_begin(inputs, event, error);
	if (status == HISTREE_OK && applies && event->gap == NULL)
		status = analysis->event(instance, event, error);
	else if (status == HISTREE_OK && applies && analysis->gap != NULL)
		status = analysis->gap(instance, event->gap, error);
	return status >= 0 ? analysis_inputs_end(inputs, error) : status;
}

void analysis_feed_release(struct analysis_feed *feed)
{
	free(feed->applies);
	feed->applies = NULL;
}

/* ---- segment analysis ---------------------------------------------------------------------------------------- */

enum histree_status segment_analysis_create(const struct segment_analysis *analysis,
					    struct histree_segment_store *store, void *input, void **instance,
					    struct histree_error *error)
{
	if (analysis->size == 0)
		return analysis->create(analysis, store, input, instance, error);
	uint8_t *made = *instance = calloc(1, analysis->size);
	if (made == NULL)
		return error_memory(error, "an analysis that makes segments");
	memcpy(made, &store, sizeof(store));
	memcpy(made + sizeof(store), &input, sizeof(input));
	if (analysis->begin != NULL)
		analysis->begin(analysis, made);
	return HISTREE_OK;
}
