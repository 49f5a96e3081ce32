// SPDX-License-Identifier: MIT
#include "pipeline/slice_run.h"

#include <stdlib.h>

#include "base/error.h"

enum { EVENTS_PER_LOOK = 1024 }; /* at whether to go on */

struct slice_reader {
	const struct slice_source *source;
	struct trace *trace;
	bool *applies; /* by the id of a trace */
};

struct slice_run {
	const struct slice_source *source;
	struct analysis_inputs inputs;
	void *instance;
	bool is_spoiled;
};

/* ---- readers ------------------------------------------------------------------------------------------------- */

static enum histree_status has_changed(struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_TRACE, "the trace has changed while it was read");
}

static enum histree_status prepare(struct slice_reader *reader, struct histree_error *error)
{
	const struct slice_source *source = reader->source;
	size_t traces = trace_count(reader->trace);
	if (trace_bytes(reader->trace) != source->bytes || trace_file_count(reader->trace) != source->file_count)
		return has_changed(error);
	reader->applies = calloc(traces + 1, sizeof(*reader->applies));
	if (reader->applies == NULL)
		return error_memory(error, "a slice of the trace");
	for (size_t i = 0; i < traces; i++) {
		const struct event_trace *trace = trace_at(reader->trace, i);
		reader->applies[trace->id] = source->analysis->applies(trace);
	}
	if (!source->ignores_gaps)
		trace_want_gaps(reader->trace);
	trace_set_clock(reader->trace, source->clock);
	return HISTREE_OK;
}

enum histree_status slice_reader_open(const struct slice_source *source, struct slice_reader **out,
				      struct histree_error *error)
{
	*out = NULL;
	struct slice_reader *reader = calloc(1, sizeof(*reader));
	if (reader == NULL)
		return error_memory(error, "a slice of the trace");
	reader->source = source;
	enum histree_status status = trace_open(source->traces, source->trace_count, &reader->trace, error);
	if (status == HISTREE_OK)
		status = prepare(reader, error);
	if (status != HISTREE_OK) {
		slice_reader_close(reader);
		return status;
	}
	*out = reader;
	return HISTREE_OK;
}

void slice_reader_close(struct slice_reader *reader)
{
	if (reader == NULL)
		return;
	trace_close(reader->trace);
	free(reader->applies);
	free(reader);
}

/* The next event; the trace had one here before. */
static enum histree_status next_event(struct slice_reader *reader, struct event *event, bool *applies,
				      struct histree_error *error)
{
	enum histree_status status = trace_next(reader->trace, event, error);
	if (status == HISTREE_END)
		return has_changed(error);
	if (status == HISTREE_OK)
		*applies = reader->applies[(event->gap != NULL ? event->gap->trace : event->class->trace)->id];
	return status;
}

enum histree_status slice_feed(const struct analysis *analysis, struct analysis_inputs *inputs, void *instance,
			       const struct event *event, bool applies, struct histree_error *error)
{
	enum histree_status status = analysis_inputs_begin(inputs, event, error);
	if (status == HISTREE_OK && applies && event->gap == NULL)
		status = analysis->event(instance, event, error);
	else if (status == HISTREE_OK && applies && analysis->gap != NULL)
		status = analysis->gap(instance, event->gap, error);
	return status >= 0 ? analysis_inputs_end(inputs, error) : status;
}

enum histree_status slice_reader_feed(struct slice_reader *reader, const struct trace_position *from,
				      uint64_t count, struct analysis_inputs *inputs, void *instance,
				      struct histree_error *error)
{
	struct event event;
	bool applies = false;
	enum histree_status status = trace_move(reader->trace, from, reader->source->file_count, error);
	for (uint64_t i = 0; i < count && status == HISTREE_OK; i++) {
		status = next_event(reader, &event, &applies, error);
		if (status == HISTREE_OK)
			status = slice_feed(reader->source->analysis, inputs, instance, &event, applies, error);
	}
	return status;
}

/* ---- runs ---------------------------------------------------------------------------------------------------- */

enum histree_status slice_run_create(const struct slice_source *source, const struct slice_frame *frame,
				     void *owner, struct slice_run **out, struct histree_error *error)
{
	const struct analysis *analysis = source->analysis;
	void *input;
	*out = NULL;
	struct slice_run *run = calloc(1, sizeof(*run));
	if (run == NULL)
		return error_memory(error, "a slice of the trace");
	run->source = source;
	enum histree_status status = analysis_inputs_get(&run->inputs, analysis->input, &input, error);
	if (status == HISTREE_OK)
		status = analysis->slices->create(frame, input, &run->instance, error);
	if (status != HISTREE_OK) {
		slice_run_free(run);
		return status;
	}
	analysis->slices->hint(run->instance, owner);
	*out = run;
	return HISTREE_OK;
}

static enum histree_status guess(struct slice_run *run, const struct event *event, bool applies,
				 struct histree_error *error)
{
	enum histree_status status = analysis_inputs_begin(&run->inputs, event, error);
	if (status == HISTREE_OK && applies && event->gap == NULL)
		run->source->analysis->slices->guess(run->instance);
	return status == HISTREE_OK ? analysis_inputs_end(&run->inputs, error) : status;
}

enum histree_status slice_run_read(struct slice_run *run, struct slice_reader *reader,
				   const struct slice_range *range, const atomic_bool *is_stopping,
				   struct histree_error *error)
{
	const struct analysis *analysis = run->source->analysis;
	struct event event;
	bool applies = false;
	if (reader == NULL)
		return HISTREE_ERR_TRACE;
	enum histree_status status = trace_move(reader->trace, range->known_from, run->source->file_count, error);
	for (uint64_t i = 0; i < range->known + range->events && status == HISTREE_OK; i++) {
		if (i == range->known)
			analysis->slices->begin(run->instance);
		if (i % EVENTS_PER_LOOK == 0 &&
		    (atomic_load(is_stopping) || analysis->slices->failure(run->instance) != NULL))
			break;
		status = next_event(reader, &event, &applies, error);
		if (status == HISTREE_OK)
			status = i < range->known ? guess(run, &event, applies, error)
						  : slice_feed(analysis, &run->inputs, run->instance, &event,
							       applies, error);
	}
	return status;
}

void slice_run_spoil(struct slice_run *run)
{
	run->is_spoiled = true;
}

enum histree_status slice_run_commit(struct slice_run *run, void *owner, struct histree_error *error)
{
	return run->is_spoiled ? HISTREE_NOT_FOUND
			       : run->source->analysis->slices->commit(owner, run->instance, error);
}

void slice_run_free(struct slice_run *run)
{
	if (run == NULL)
		return;
	if (run->instance != NULL)
		run->source->analysis->free(run->instance);
	analysis_inputs_release(&run->inputs);
	free(run);
}
