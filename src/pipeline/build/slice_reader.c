// SPDX-License-Identifier: MIT
#include "pipeline/build/slice_reader.h"

#include <stdlib.h>

#include "base/error.h"
#include "trace/trace_notes.h"

enum { EVENTS_PER_LOOK = 1024 }; /* at whether to go on */

static enum histree_status has_changed(struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_TRACE, "the trace has changed while it was read");
}

static enum histree_status learn_traces(struct slice_reader *reader, struct histree_error *error)
{
	size_t traces = trace_count(reader->trace);
	reader->applies = calloc(traces + 1, sizeof(*reader->applies));
	if (reader->applies == NULL)
		return error_memory(error, "a slice of the trace");
	for (size_t i = 0; i < traces; i++) {
		const struct event_trace *trace = trace_at(reader->trace, i);
		reader->applies[trace->id] = reader->source->analysis->applies(trace);
	}
	return HISTREE_OK;
}

static enum histree_status prepare(struct slice_reader *reader, struct histree_error *error)
{
	const struct slice_source *source = reader->source;
	if (trace_bytes(reader->trace) != source->bytes || trace_file_count(reader->trace) != source->file_count)
		return has_changed(error);
	if (!source->ignores_gaps)
		trace_want_gaps(reader->trace);
	trace_set_clock(reader->trace, source->clock);
	return learn_traces(reader, error);
}

static struct slice_reader *make_reader(const struct slice_source *source, struct histree_error *error)
{
	struct slice_reader *reader = calloc(1, sizeof(*reader));
	if (reader == NULL)
		error_memory(error, "a slice of the trace");
	else
		reader->source = source;
	return reader;
}

enum histree_status slice_reader_open(const struct slice_source *source, struct slice_reader **out,
				      struct histree_error *error)
{
	struct slice_reader *reader = *out = make_reader(source, error);
	if (reader == NULL)
		return HISTREE_ERR_MEMORY;
	enum histree_status status = trace_open(source->traces, source->trace_count, &reader->trace, error);
	if (status == HISTREE_OK)
		status = prepare(reader, error);
	if (status != HISTREE_OK) {
		slice_reader_close(reader);
		*out = NULL;
	}
	return status;
}

enum histree_status slice_reader_over(const struct slice_source *source, struct trace *trace,
				      const struct event *event, struct slice_reader **out,
				      struct histree_error *error)
{
	struct slice_reader *reader = *out = make_reader(source, error);
	if (reader == NULL)
		return HISTREE_ERR_MEMORY;
	reader->trace = trace;
	reader->is_borrowed = true;
	reader->next = *event;
	reader->has_next = true;
	enum histree_status status = learn_traces(reader, error);
	if (status != HISTREE_OK) {
		slice_reader_close(reader);
		*out = NULL;
	}
	return status;
}

void slice_reader_close(struct slice_reader *reader)
{
	if (reader == NULL)
		return;
	if (!reader->is_borrowed)
		trace_close(reader->trace);
	free(reader->applies);
	free(reader);
}

enum histree_status slice_reader_go(struct slice_reader *reader, const struct trace_position *positions,
				    struct histree_error *error)
{
	reader->has_next = false;
	return trace_move_silently(reader->trace, positions, reader->source->file_count, error);
}

enum histree_status slice_reader_look(struct slice_reader *reader, struct histree_error *error)
{
	enum histree_status status =
		reader->has_next ? HISTREE_OK : trace_next(reader->trace, &reader->next, error);
	reader->has_next = status == HISTREE_OK;
	return status;
}

bool slice_reader_applies(const struct slice_reader *reader, const struct event *event)
{
	return reader->applies[(event->gap != NULL ? event->gap->trace : event->class->trace)->id];
}

enum histree_status slice_reader_feed(const struct slice_reader *reader, struct analysis_inputs *inputs,
				      void *instance, struct histree_error *error)
{
	const struct analysis *analysis = reader->source->analysis;
	const struct event *event = &reader->next;
	bool is_for_it = slice_reader_applies(reader, event);
	enum histree_status status = analysis_inputs_begin(inputs, event, error);
	if (status == HISTREE_OK && is_for_it && event->gap == NULL)
		status = analysis->event(instance, event, error);
	else if (status == HISTREE_OK && is_for_it && analysis->gap != NULL)
		status = analysis->gap(instance, event->gap, error);
	return status >= 0 ? analysis_inputs_end(inputs, error) : status;
}

bool slice_reader_is_at(const struct slice_reader *reader, histree_time time)
{
	return reader->next.gap == NULL && trace_time_here(reader->trace) >= time &&
	       trace_can_begin_here(reader->trace);
}

bool slice_reader_has_said_more(const struct slice_reader *reader, const struct trace_report *before)
{
	const struct trace_report now = trace_report(reader->trace);
	return before->gaps != now.gaps || before->clock_steps_back != now.clock_steps_back ||
	       before->discarded_events != now.discarded_events ||
	       before->discarded_packets != now.discarded_packets ||
	       before->repeated_packets != now.repeated_packets || before->damaged_streams != now.damaged_streams ||
	       before->warning_count != now.warning_count || now.warning_count > TRACE_WARNINGS_MAX;
}

void slice_reader_find(const struct slice_reader *reader, struct trace_position *positions)
{
	if (reader->has_next)
		trace_positions(reader->trace, positions);
	for (size_t i = 0; !reader->has_next && i < reader->source->file_count; i++)
		positions[i] = (struct trace_position){ .packet = TRACE_FILE_DONE };
}

static enum histree_status index_next(const struct slice_reader *reader, struct event_index_writer *index,
				      struct histree_error *error)
{
	const struct event *event = &reader->next;
	if (index == NULL)
		return HISTREE_OK;
	return event->gap == NULL ? event_index_add(index, reader->trace, event, error)
				  : event_index_add_gap(index, event->gap, error);
}

enum histree_status slice_reader_pass(struct slice_reader *reader, histree_time to, struct slice_pass *pass,
				      struct trace_position *positions, struct histree_error *error)
{
	enum histree_status status;
	for (uint64_t i = 0;
	     (status = slice_reader_look(reader, error)) == HISTREE_OK && !slice_reader_is_at(reader, to); i++) {
		const struct event *event = &reader->next;
		pass->last = event->time > pass->last ? event->time : pass->last;
		pass->events += event->gap == NULL;
		status = slice_reader_feed(reader, pass->inputs, pass->instance, error);
		if (status == HISTREE_OK)
			status = index_next(reader, pass->index, error);
		if (status == HISTREE_OK && i % EVENTS_PER_LOOK == 0 && pass->go_on != NULL)
			status = pass->go_on(pass->context, error);
		if (status != HISTREE_OK)
			return status;
		reader->has_next = false;
	}
	if (status < 0)
		return status;
	slice_reader_find(reader, positions);
	return HISTREE_OK;
}
