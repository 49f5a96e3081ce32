// SPDX-License-Identifier: MIT
#include "trace/trace_stream.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/number_text.h"

void trace_stream_put(struct trace_stream *stream, const struct event *event)
{
	if (stream->has_events && event->time < stream->last) {
		if (stream->steps_back++ == 0)
			stream->first_step_back = event->time;
		stream->notes->report.clock_steps_back++;
	}
	stream->has_events = true;
	stream->last = event->time;
	stream->upcoming = *event;
	stream->has_upcoming = true;
}

bool trace_stream_put_gap(struct trace_stream *stream)
{
	if (!stream->has_gap)
		return false;
	stream->has_gap = false;
	stream->upcoming = (struct event){ .time = stream->gap.begin, .cpu = stream->gap.cpu, .gap = &stream->gap };
	stream->has_upcoming = true;
	return true;
}

void trace_stream_lose(struct trace_stream *stream, struct trace_span span, uint64_t events)
{
	if (!stream->has_events || stream->last == INT64_MAX)
		return;
	histree_time begin = span.begin <= stream->last ? stream->last + 1 : span.begin;
	if (stream->has_gap && stream->gap.begin < begin)
		begin = stream->gap.begin;
	events += stream->has_gap ? stream->gap.events : 0;
	stream->gap = (struct event_gap){
		.trace = stream->trace,
		.cpu = stream->upcoming.cpu,
		.begin = begin,
		.end = span.end > begin ? span.end : begin,
		.events = events,
	};
	stream->has_gap = true;
}

void trace_stream_note_loss(struct trace_stream *stream, const char *what, const uint64_t *count,
			    struct trace_span span)
{
	char lost[48], range[2 * TIME_TEXT_SIZE + 16] = "", from[TIME_TEXT_SIZE], to[TIME_TEXT_SIZE];
	if (count != NULL)
		snprintf(lost, sizeof(lost), "%" PRIu64 " %s%s", *count, what, *count == 1 ? "" : "s");
	else
		snprintf(lost, sizeof(lost), "an unknown number of %ss", what);
	if (span.begin != INT64_MIN && span.end != INT64_MIN) {
		time_format_date(span.begin, from);
		time_format_date(span.end, to);
		snprintf(range, sizeof(range), " between %s and %s", from, to);
	}
	trace_notes_warn(stream->notes, "%s: the tracer lost %s%s", stream->name, lost, range);
}

void trace_stream_end(struct trace_stream *stream)
{
	char first[TIME_TEXT_SIZE];
	if (stream->steps_back == 0)
		return;
	time_format_date(stream->first_step_back, first);
	trace_notes_warn(stream->notes,
			 "%s: the clock steps back %" PRIu64
			 " time%s, first to %s; its events are taken in the order of the file",
			 stream->name, stream->steps_back, stream->steps_back == 1 ? "" : "s", first);
}
