// SPDX-License-Identifier: MIT
/*
 * Samples of where programs were, of `perf record` or another profiler: each lasts no time.
 *
 * The name is that of the innermost function.  The stack is the number of its node in `sample-stacks` of the same
 * store, which also has the line: here that would take 3 of 17 bytes a sample.  The period is what the event
 * counted since the sample before: ns of cpu-clock, cycles; null where the recording does not say.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/samples/sample_input.h"
#include "analysis/segment_analysis.h"
#include "base/error.h"

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

static const struct histree_segment_field fields[COLUMN_FIELD_COUNT] = {
	{ "name", HISTREE_STRING },   { "binary", HISTREE_STRING }, { "process", HISTREE_STRING },
	{ "thread", HISTREE_STRING }, { "pid", HISTREE_INT },       { "tid", HISTREE_INT },
	{ "cpu", HISTREE_INT },       { "event", HISTREE_STRING },  { "period", HISTREE_LONG },
	{ "stack", HISTREE_INT },
};

struct samples {
	struct histree_segment_store *store; /* borrowed */
	struct sample_input *input;          /* borrowed */
};

static enum histree_status create(struct histree_segment_store *store, void *input, void **instance,
				  struct histree_error *error)
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

static enum histree_status on_event(void *instance, const struct event *event, struct histree_error *error)
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

static struct segment_counts counts(const void *instance)
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
	.fields = fields,
	.field_count = COLUMN_FIELD_COUNT,
	.input = &sample_input_kind,
	.applies = sample_input_applies,
	.create = create,
	.event = on_event,
	.counts = counts,
	.missing = missing,
	.free = free,
};
