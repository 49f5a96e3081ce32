/* SPDX-License-Identifier: MIT */
/*
 * trace_stream.h - what a stream of events has, whatever decodes it: the event that comes next, gaps, steps back.
 */
#ifndef TRACE_TRACE_STREAM_H
#define TRACE_TRACE_STREAM_H

#include "event/event.h"
#include "histree/status.h"
#include "trace/trace_notes.h"

struct trace_position;
struct trace_stream;

/* What decodes it. */
struct trace_stream_kind {
	/*
	 * Make the next event, or the next gap, the upcoming one.  Returns HISTREE_END when there are no more;
	 * HISTREE_ERR_MEMORY.
	 */
	enum histree_status (*next)(struct trace_stream *stream, struct histree_error *error);
	/*
	 * For a stream that was just opened: skip `events` events of its packet.  NULL: the events are stepped
	 * over one by one.
	 */
	enum histree_status (*skip)(struct trace_stream *stream, uint64_t events, struct histree_error *error);
	/* Write where the upcoming event comes first; of a source that has places. */
	void (*position)(const struct trace_stream *stream, struct trace_position *out);
	/* Returns whether the upcoming event is earlier than its packet begins.  NULL: there are no packets. */
	bool (*is_before_packet)(const struct trace_stream *stream);
};

struct trace_stream {
	const struct trace_stream_kind *kind; /* NULL: of a live session */
	size_t first_file;                    /* of the stream, among those of its trace */
	const struct event_trace *trace;
	struct trace_notes *notes;
	const char *name;      /* as the user would write it */
	struct event upcoming; /* the event, or the beginning of a gap, that comes next */
	bool has_upcoming;
	bool has_events;
	histree_time last; /* time of the last event, if there was one */
	struct event_gap gap;
	bool has_gap; /* it was met, and is still to become the upcoming event */
	uint64_t steps_back;
	histree_time first_step_back;
};

/* Make an event the upcoming one. */
void trace_stream_put(struct trace_stream *stream, const struct event *event);

/* Make the gap that was met the upcoming event, if there is one.  Returns whether there was. */
bool trace_stream_put_gap(struct trace_stream *stream);

/* Two times between which something is missing; INT64_MIN: that one is not known. */
struct trace_span {
	histree_time begin, end;
};

/*
 * The stream lacks what comes in a span.  What it had before its first event is not known anyway; and what its last
 * event said is known at that event's time.
 */
void trace_stream_lose(struct trace_stream *stream, struct trace_span span, uint64_t events);

/* Note that the tracer lost a number of something, "event" or "packet"; NULL: not counted. */
void trace_stream_note_loss(struct trace_stream *stream, const char *what, const uint64_t *count,
			    struct trace_span span);

/* Say in the notes what is known at the end of the stream. */
void trace_stream_end(struct trace_stream *stream);

#endif
