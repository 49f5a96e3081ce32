// SPDX-License-Identifier: MIT
#include "pipeline/build/slice_reader.h"

#include <stdlib.h>

#include "base/error.h"
#include "trace/trace_notes.h"

const char slice_changed[] = "the trace has changed while it was read";

enum { EVENTS_PER_LOOK = 1024 }; /* at whether to go on */

/* Read from a stream, which is open. */
static enum histree_status begin_reading(struct slice_reader *reader, struct event_stream *stream,
					 struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	reader->stream = stream;
	reader->feed.analysis = reader->source->analysis;
	for (size_t i = 0; i < trace_count(stream->trace) && status == HISTREE_OK; i++)
		status = analysis_feed_meet(&reader->feed, trace_at(stream->trace, i), error);
	return status;
}

enum histree_status slice_reader_open(const struct slice_source *source, struct event_stream *stream,
				      struct slice_reader **out, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	struct slice_reader *reader = *out = calloc(1, sizeof(*reader));
	if (reader == NULL)
		return error_memory(error, "a slice of the trace");
	reader->source = source;
	if (stream == NULL)
		status = event_stream_open(&reader->own, &source->origin, NULL, error);
	if (status == HISTREE_OK)
		status = begin_reading(reader, stream != NULL ? stream : &reader->own, error);
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
	event_stream_close(&reader->own);
	analysis_feed_release(&reader->feed);
	free(reader);
}

/* The owner has met the gaps on the way there. */
enum histree_status slice_reader_go(struct slice_reader *reader, const struct trace_position *positions,
				    struct histree_error *error)
{
	event_stream_forget(reader->stream);
	return trace_move_silently(reader->stream->trace, positions, reader->source->origin.file_count, error);
}

bool slice_reader_is_at(const struct slice_reader *reader, histree_time time)
{
	const struct event_stream *stream = reader->stream;
	return stream->events->gap == NULL && trace_time_here(stream->trace) >= time &&
	       trace_can_begin_here(stream->trace);
}

bool slice_reader_has_said_more(const struct slice_reader *reader, const struct trace_report *before)
{
	const struct trace_report now = trace_report(reader->stream->trace);
	return before->gaps != now.gaps || before->clock_steps_back != now.clock_steps_back ||
	       before->discarded_events != now.discarded_events ||
	       before->discarded_packets != now.discarded_packets ||
	       before->repeated_packets != now.repeated_packets || before->damaged_streams != now.damaged_streams ||
	       before->warning_count != now.warning_count || now.warning_count > TRACE_WARNINGS_MAX;
}

void slice_reader_find(const struct slice_reader *reader, struct trace_position *positions)
{
	const bool has_next = reader->stream->count > 0;
	if (has_next)
		trace_positions(reader->stream->trace, positions);
	for (size_t i = 0; !has_next && i < reader->source->origin.file_count; i++)
		positions[i] = (struct trace_position){ .packet = TRACE_FILE_DONE };
}

enum histree_status slice_reader_pass(struct slice_reader *reader, histree_time to, struct slice_pass *pass,
				      struct trace_position *positions, struct histree_error *error)
{
	struct event_stream *stream = reader->stream;
	enum histree_status status;
	for (uint64_t i = 0;
	     (status = event_stream_look(stream, error)) == HISTREE_OK && !slice_reader_is_at(reader, to); i++) {
		const struct event *event = stream->events;
		pass->last = event->time > pass->last ? event->time : pass->last;
		pass->events += event->gap == NULL;
		status = analysis_feed_handle(&reader->feed, pass->inputs, pass->instance, event, error);
		if (status == HISTREE_OK)
			status = event_stream_pass(stream, error);
		if (status == HISTREE_OK && i % EVENTS_PER_LOOK == 0 && pass->go_on != NULL)
			status = pass->go_on(pass->context, error);
		if (status != HISTREE_OK)
			return status;
	}
	if (status < 0)
		return status;
	slice_reader_find(reader, positions);
	return HISTREE_OK;
}
