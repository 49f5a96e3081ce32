// SPDX-License-Identifier: MIT
/*
 * segments_samples.c - the analyses `samples` and `sample-stacks`: a segment for each sample, and one for each
 * stack.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/samples/sample_input.h"
#include "analysis/segment_analysis.h"
#include "base/error.h"

/* ---- segments samples ---------------------------------------------------------------------------------------- */

enum {
	COLUMN_NAME,
	COLUMN_BINARY,
	COLUMN_PROCESS,
	COLUMN_THREAD,
	COLUMN_PID,
	COLUMN_TID,
	COLUMN_CPU,
	COLUMN_EVENT,
	COLUMN_PERIOD,
	COLUMN_STACK,
	COLUMN_FIELD_COUNT,
};

enum { EVENT_SIZE_MAX = 255 }; /* a name is cut */

static const struct histree_segment_field segments_samples_fields[COLUMN_FIELD_COUNT] = {
	{ "name", HISTREE_STRING },   { "binary", HISTREE_STRING }, { "process", HISTREE_STRING },
	{ "thread", HISTREE_STRING }, { "pid", HISTREE_INT },       { "tid", HISTREE_INT },
	{ "cpu", HISTREE_INT },       { "event", HISTREE_STRING },  { "period", HISTREE_LONG },
	{ "stack", HISTREE_INT },
};

struct samples {
	struct histree_segment_store *store; /* borrowed */
	struct sample_input *input;          /* borrowed */
};

static enum histree_status segments_samples_create(struct histree_segment_store *store, void *input,
						   void **instance, struct histree_error *error)
{
	struct samples *samples = calloc(1, sizeof(*samples));
	*instance = samples;
	if (samples == NULL)
		return error_memory(error, "the analysis of samples");
	samples->store = store;
	samples->input = input;
	return HISTREE_OK;
}

static struct histree_value text_or_null(const char *text)
{
	return text != NULL && *text != '\0' ? histree_string(text) : histree_null();
}

static enum histree_status segments_samples_on_event(void *instance, const struct event *event,
						     struct histree_error *error)
{
	const struct samples *samples = instance;
	const struct sample *sample = &samples->input->sample;
	struct histree_value values[COLUMN_FIELD_COUNT];
	const struct histree_segment segment = { event->time, event->time, values };
	if (!sample->is_there)
		return HISTREE_OK;
	const struct frame_text text =
		frame_names_text(&samples->input->names, samples->input->tree.nodes[sample->stack].frame);
	values[COLUMN_NAME] = histree_string(text.name);
	values[COLUMN_BINARY] = histree_string(text.binary);
	values[COLUMN_PROCESS] = text_or_null(sample->process);
	values[COLUMN_THREAD] = text_or_null(sample->thread);
	values[COLUMN_PID] = sample->has_pid ? histree_int((int32_t)sample->pid) : histree_null();
	values[COLUMN_TID] = sample->has_tid ? histree_int((int32_t)sample->tid) : histree_null();
	values[COLUMN_CPU] = event->cpu >= 0 ? histree_int(event->cpu) : histree_null();
	values[COLUMN_EVENT] = histree_string_n(event->class->name, strnlen(event->class->name, EVENT_SIZE_MAX));
	values[COLUMN_PERIOD] =
		sample->has_period && sample->period >= 0 ? histree_long(sample->period) : histree_null();
	values[COLUMN_STACK] = histree_int((int32_t)sample->stack);
	return histree_segment_store_add(samples->store, &segment, error);
}

static struct segment_counts segments_samples_counts(const void *instance)
{
	(void)instance;
	return (struct segment_counts){ .without_start = 0 };
}

static void missing(const void *instance, char *text, size_t size)
{
	sample_input_missing(((const struct samples *)instance)->input, text, size);
}

const struct segment_analysis segment_analysis_samples = {
	.name = "samples",
	.version = 1,
	.summary =
		"samples of where programs were (perf record), with their function, thread, CPU, event and period",
	.fields = segments_samples_fields,
	.field_count = COLUMN_FIELD_COUNT,
	.input = &sample_input_kind,
	.applies = sample_input_applies,
	.create = segments_samples_create,
	.event = segments_samples_on_event,
	.counts = segments_samples_counts,
	.missing = missing,
	.free = free,
};

/* ---- segments sample stacks ---------------------------------------------------------------------------------- */

enum { STACK_NAME, STACK_LINE, STACK_BINARY, STACK_NUMBER, STACK_PARENT, STACK_SAMPLES, STACK_FIELD_COUNT };

static const struct histree_segment_field segments_sample_stacks_fields[STACK_FIELD_COUNT] = {
	{ "name", HISTREE_STRING }, { "line", HISTREE_STRING }, { "binary", HISTREE_STRING },
	{ "stack", HISTREE_INT },   { "parent", HISTREE_INT },  { "samples", HISTREE_LONG },
};

struct sample_stacks {
	struct histree_segment_store *store; /* borrowed */
	struct sample_input *input;          /* borrowed */
};

static enum histree_status segments_sample_stacks_create(struct histree_segment_store *store, void *input,
							 void **instance, struct histree_error *error)
{
	struct sample_stacks *stacks = calloc(1, sizeof(*stacks));
	*instance = stacks;
	if (stacks == NULL)
		return error_memory(error, "the analysis of the stacks of samples");
	stacks->store = store;
	stacks->input = input;
	return HISTREE_OK;
}

/* All of them come at the end, when it is known until when they were seen. */
static enum histree_status segments_sample_stacks_on_event(void *instance, const struct event *event,
							   struct histree_error *error)
{
	(void)instance, (void)event, (void)error;
	return HISTREE_OK;
}

static enum histree_status finish(void *instance, histree_time *end, struct histree_error *error)
{
	struct sample_stacks *stacks = instance;
	struct stack_tree *tree = &stacks->input->tree;
	enum histree_status status = HISTREE_OK;
	*end = INT64_MIN;
	stack_tree_finish(tree);
	for (uint32_t i = 0; i < tree->count && status == HISTREE_OK; i++) {
		if (i % 512 == 0)
			table_space_look(stacks->input->space);
		const struct stack_node *node = &tree->nodes[i];
		const struct frame_text text = frame_names_text(&stacks->input->names, node->frame);
		const struct histree_value values[STACK_FIELD_COUNT] = {
			[STACK_NAME] = histree_string(text.name),
			[STACK_LINE] = *text.line != '\0' ? histree_string(text.line) : histree_null(),
			[STACK_BINARY] = histree_string(text.binary),
			[STACK_NUMBER] = histree_int((int32_t)i),
			[STACK_PARENT] =
				node->parent != STACK_NONE ? histree_int((int32_t)node->parent) : histree_null(),
			[STACK_SAMPLES] = histree_long((int64_t)node->samples),
		};
		const struct histree_segment segment = { node->first, node->last, values };
		status = histree_segment_store_add(stacks->store, &segment, error);
	}
	return status;
}

static struct segment_counts segments_sample_stacks_counts(const void *instance)
{
	(void)instance;
	return (struct segment_counts){ .without_start = 0 };
}

const struct segment_analysis segment_analysis_sample_stacks = {
	.name = "sample-stacks",
	.version = 1,
	.summary = "the stacks of samples, a frame below its caller, from the first sample that has it to the last",
	.fields = segments_sample_stacks_fields,
	.field_count = STACK_FIELD_COUNT,
	.input = &sample_input_kind,
	.applies = sample_input_applies,
	.create = segments_sample_stacks_create,
	.event = segments_sample_stacks_on_event,
	.finish = finish,
	.counts = segments_sample_stacks_counts,
	.free = free,
};
