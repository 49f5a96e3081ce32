// SPDX-License-Identifier: MIT
#include "partial/replay.h"

#include <stdlib.h>

#include "base/error.h"
#include "state/slice_maker.h"

struct replay {
	const struct replay_source *source;
	struct trace *trace;
	bool *applies; /* by the id of a trace */
	struct trace_position *positions;
};

void replay_free(struct replay *replay)
{
	if (replay == NULL)
		return;
	trace_close(replay->trace);
	free(replay->applies);
	free(replay->positions);
	free(replay);
}

static enum histree_status has_changed(struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_TRACE,
			 "the trace is not the one that the history was built of; build it again");
}

static enum histree_status prepare(struct replay *replay, struct histree_error *error)
{
	const struct replay_source *source = replay->source;
	size_t traces = trace_count(replay->trace), files = trace_file_count(replay->trace);
	if (trace_bytes(replay->trace) != source->origin.trace_bytes || files != source->origin.file_count ||
	    !trace_can_begin_here(replay->trace))
		return has_changed(error);
	replay->applies = calloc(traces + 1, sizeof(*replay->applies));
	replay->positions = calloc(files + 1, sizeof(*replay->positions));
	if (replay->applies == NULL || replay->positions == NULL)
		return error_memory(error, "a part of a history");
	for (size_t i = 0; i < traces; i++) {
		const struct event_trace *trace = trace_at(replay->trace, i);
		replay->applies[trace->id] = source->analysis->applies(trace);
	}
	if (!source->origin.ignores_gaps)
		trace_want_gaps(replay->trace);
	if (source->has_clock)
		trace_set_clock(replay->trace, &source->clock);
	return HISTREE_OK;
}

enum histree_status replay_create(const struct replay_source *source, struct replay **out,
				  struct histree_error *error)
{
	*out = NULL;
	struct replay *replay = calloc(1, sizeof(*replay));
	if (replay == NULL)
		return error_memory(error, "a part of a history");
	replay->source = source;
	enum histree_status status =
		trace_open((const char *const *)source->traces, source->trace_count, &replay->trace, error);
	if (status == HISTREE_OK)
		status = prepare(replay, error);
	if (status != HISTREE_OK) {
		error_prefix(error,
			     "a partial history reads its trace again, which 'histree rebuild STORE TRACE...' "
			     "takes from wherever it is now");
		replay_free(replay);
		return status;
	}
	*out = replay;
	return HISTREE_OK;
}

/* ---- the run ------------------------------------------------------------------------------------------------- */

struct run {
	const struct partial_checkpoint *checkpoint;
	struct slice_maker maker;
	struct histree_state_system *system;
	struct analysis_inputs inputs;
	void *instance;
};

static enum histree_status make_instance(const struct replay *replay, struct byte_reader *knowledge,
					 struct run *run, struct histree_error *error)
{
	const struct analysis *analysis = replay->source->analysis;
	void *input;
	enum histree_status status = analysis_inputs_get(&run->inputs, analysis->input, &input, error);
	if (status == HISTREE_OK)
		status = analysis->create(run->system, input, &run->instance, error);
	if (status == HISTREE_OK)
		status = analysis->load(run->instance, run->checkpoint->attribute_count, knowledge, error);
	return status;
}

static enum histree_status handle(const struct replay *replay, struct run *run, const struct event *event,
				  struct histree_error *error)
{
	const struct analysis *analysis = replay->source->analysis;
	const struct event_trace *trace = event->gap != NULL ? event->gap->trace : event->class->trace;
	enum histree_status status = analysis_inputs_begin(&run->inputs, event, error);
	if (status != HISTREE_OK)
		return status;
	if (replay->applies[trace->id] && event->gap == NULL)
		status = analysis->event(run->instance, event, error);
	else if (replay->applies[trace->id] && analysis->gap != NULL)
		status = analysis->gap(run->instance, event->gap, error);
	return status >= 0 ? analysis_inputs_end(&run->inputs, error) : status;
}

/* Read `count` events and gaps, or all that are left. */
static enum histree_status handle_events(struct replay *replay, struct run *run, uint64_t count,
					 struct histree_error *error)
{
	struct event event;
	for (uint64_t i = 0; i < count; i++) {
		enum histree_status status = trace_next(replay->trace, &event, error);
		if (status == HISTREE_END && count == UINT64_MAX)
			return HISTREE_OK;
		if (status == HISTREE_END)
			return has_changed(error);
		if (status == HISTREE_OK)
			status = handle(replay, run, &event, error);
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

/* Returns how many events and gaps the slice has; UINT64_MAX: all that are left. */
static enum histree_status slice_length(const struct replay *replay, size_t number, uint64_t before,
					uint64_t *length, struct histree_error *error)
{
	const struct partial_section *partial = history_partial(replay->source->history);
	*length = UINT64_MAX;
	if (number + 1 == partial->checkpoint_count)
		return HISTREE_OK;
	const struct partial_checkpoint *next = &partial->checkpoints[number + 1];
	struct byte_reader reader = byte_reader(next->knowledge, next->knowledge_size);
	uint64_t end = read_varint(&reader);
	if (reader.failed || end < before)
		return error_set(error, HISTREE_ERR_FORMAT, "checkpoint %zu of the history makes no sense",
				 number + 1);
	*length = end - before;
	return HISTREE_OK;
}

static enum histree_status go_through(struct replay *replay, size_t number, struct run *run,
				      struct histree_error *error)
{
	const struct replay_source *source = replay->source;
	struct byte_reader reader = byte_reader(run->checkpoint->knowledge, run->checkpoint->knowledge_size);
	uint64_t before, length;
	knowledge_read_place(&reader, &before, replay->positions, source->origin.file_count);
	if (reader.failed)
		return error_set(error, HISTREE_ERR_FORMAT, "checkpoint %zu of the history makes no sense", number);
	enum histree_status status = slice_length(replay, number, before, &length, error);
	if (status == HISTREE_OK)
		status = trace_move(replay->trace, replay->positions, source->origin.file_count, error);
	if (status == HISTREE_OK)
		status = make_instance(replay, &reader, run, error);
	if (status == HISTREE_OK)
		status = handle_events(replay, run, length, error);
	if (status == HISTREE_OK && length == UINT64_MAX)
		status = histree_state_close(run->system, histree_history_info(source->history)->end, error);
	return status;
}

enum histree_status replay_run(struct replay *replay, size_t number, struct state_slice *out,
			       struct histree_error *error)
{
	const struct replay_source *source = replay->source;
	struct run run = { .checkpoint = &history_partial(source->history)->checkpoints[number] };
	*out = (struct state_slice){ 0 };
	enum histree_status status = slice_maker_begin(&run.maker, source->history, &source->names, number,
						       source->null_empty_stacks, &run.system, error);
	if (status == HISTREE_OK)
		status = go_through(replay, number, &run, error);
	if (run.instance != NULL)
		source->analysis->free(run.instance);
	analysis_inputs_release(&run.inputs);
	bool is_wanted = status == HISTREE_OK;
	enum histree_status ended = slice_maker_end(&run.maker, run.system, is_wanted ? out : NULL, error);
	return is_wanted ? ended : status;
}
