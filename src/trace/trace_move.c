// SPDX-License-Identifier: MIT
/*
 * trace_move.c - where the reading of a trace is, and how it goes on from there.
 */
#include "base/error.h"
#include "trace/trace.h"
#include "trace/trace_inside.h"

size_t trace_file_count(const struct trace *trace)
{
	for (size_t index = 0; index < trace->source_count; index++)
		if (!trace->sources[index]->kind->has_places(trace->sources[index]))
			return 0;
	return trace->file_count;
}

void trace_positions(const struct trace *trace, struct trace_position *out)
{
	const struct trace_merge *merge = &trace->merge;
	for (size_t index = 0; index < trace->file_count; index++)
		out[index] = (struct trace_position){ .packet = TRACE_FILE_DONE };
	for (size_t index = 0; index < merge->queue_count; index++) {
		const struct trace_stream *stream = merge->streams[merge->queue[index].stream];
		const struct trace_source *source = trace->sources[stream->trace->id];
		stream->kind->position(stream, &out[source->first_file + stream->first_file]);
	}
}

size_t trace_position_here(const struct trace *trace, struct trace_position *out)
{
	const struct trace_stream *stream = trace_merge_first(&trace->merge);
	stream->kind->position(stream, out);
	return trace->sources[stream->trace->id]->first_file + stream->first_file;
}

histree_time trace_time_here(const struct trace *trace)
{
	return trace->merge.queue[0].time;
}

static bool positions_fit(const struct trace *trace, const struct trace_position *positions, size_t position_count)
{
	bool fits = position_count == trace->file_count;
	for (size_t index = 0; fits && index < trace->source_count; index++) {
		const struct trace_source *source = trace->sources[index];
		for (size_t file = 0; fits && file < source->file_count; file++, positions++)
			fits = positions->packet == TRACE_FILE_DONE ||
			       source->kind->has_position(source, file, positions);
	}
	return fits;
}

enum histree_status trace_check_positions(const struct trace *trace, const struct trace_position *positions,
					  size_t position_count, struct histree_error *error)
{
	if (positions_fit(trace, positions, position_count))
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_TRACE,
			 "the trace has changed since its store was built; build it again");
}

bool trace_can_move(const struct trace *trace)
{
	for (size_t index = 0; index < trace->source_count; index++)
		if (trace->sources[index]->kind->leave == NULL)
			return false;
	return trace->live == NULL;
}

bool trace_can_begin_here(const struct trace *trace)
{
	const struct trace_merge *merge = &trace->merge;
	if (!trace_can_move(trace) || trace_file_count(trace) == 0)
		return false;
	for (size_t index = 0; index < merge->queue_count; index++) {
		const struct trace_stream *stream = merge->streams[merge->queue[index].stream];
		if (stream->upcoming.gap != NULL || stream->has_gap)
			return false;
	}
	return true;
}

enum histree_status trace_move(struct trace *trace, const struct trace_position *positions, size_t position_count,
			       struct histree_error *error)
{
	if (!trace_can_move(trace))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "the trace cannot be read from another place; it has to be opened there");
	enum histree_status status = trace_check_positions(trace, positions, position_count, error);
	if (status != HISTREE_OK)
		return status;
	trace_merge_release(&trace->merge);
	for (size_t index = 0; index < trace->source_count; index++)
		if (!trace->sources[index]->is_copy)
			trace->sources[index]->kind->leave(trace->sources[index]);
	return trace_open_sources(trace, positions, error);
}

enum histree_status trace_move_silently(struct trace *trace, const struct trace_position *positions,
					size_t position_count, struct histree_error *error)
{
	const struct trace_report said = trace->notes.report;
	const size_t left_out = trace->notes.left_out;
	enum histree_status status = trace_move(trace, positions, position_count, error);
	trace->notes.report = said;
	trace->notes.left_out = left_out;
	return status;
}
