/* SPDX-License-Identifier: MIT */
/*
 * track_vocabulary.h - spans, counters and flows on tracks: the events of browsers' traces and of programs that
 * describe themselves, in the words that analyses understand, whatever format they were read from.
 *
 * The domain of such a trace is TRACK_DOMAIN.  Its classes have the names of track_class_names, and all of them
 * have the same fields, track_field_names; an event has those of them that it needs.
 *
 * Where an event belongs:
 *   TRACK_TRACK      a track besides threads, told from all others of the trace by this text ("net:0x1f"); its
 *                    process is TRACK_PID of its `track_name`, else of its outermost span; absent: of no process
 *   TRACK_TID, _PID  else the thread's own track: a thread is told by both numbers
 *   TRACK_PID        else the process' own; nothing of it all: the trace's own
 * Numbers are those of the system.  A reader that meets a process or thread named by text numbers it -1, -2, ...,
 * but for numbers that the trace has itself, and hands out its `process_name` or `thread_name`.
 *
 * Spans nest on their track, by the rules of analysis/tracks/track_stacks.h.  A `span_end` with a name ends the
 * innermost open span of that name, one without a name the innermost of all.  A `span` is both at once: it begins
 * at the time of the event and lasts TRACK_DURATION, and need not be in the order of its end.  A flow is one
 * flow_begin, any flow_step and one flow_end or more with the same TRACK_ID, each on its track: arrows go from
 * each to the next, and to every end.  A `counter` has its value from its time on.
 */
#ifndef EVENT_TRACK_VOCABULARY_H
#define EVENT_TRACK_VOCABULARY_H

#define TRACK_DOMAIN "tracks"

enum track_class {
	TRACK_SPAN_BEGIN,
	TRACK_SPAN_END,
	TRACK_SPAN,
	TRACK_INSTANT,
	TRACK_COUNTER,
	TRACK_FLOW_BEGIN,
	TRACK_FLOW_STEP,
	TRACK_FLOW_END,
	TRACK_PROCESS_NAME, /* TRACK_PID is called TRACK_NAME, comes TRACK_SORT_INDEX-th, or both */
	TRACK_THREAD_NAME,  /* so is TRACK_TID of TRACK_PID */
	TRACK_TRACK_NAME,   /* so is TRACK_TRACK */
	TRACK_CLASS_COUNT,
};

enum track_field {
	TRACK_NAME,            /* text: of the span, instant, counter, flow, or what is named */
	TRACK_CATEGORY,        /* text: of the event */
	TRACK_PID,             /* int */
	TRACK_TID,             /* int */
	TRACK_TRACK,           /* text */
	TRACK_ID,              /* text: of a flow, the same for nothing else in the trace */
	TRACK_DURATION,        /* int, ns: of a span */
	TRACK_THREAD_DURATION, /* int, ns: how long of it the thread ran, if that was measured */
	TRACK_THREAD_TIME,     /* int, ns: of a span_begin and its span_end, what the thread has run until then */
	TRACK_SERIES,          /* text: which of several values of the counter; absent: it has one */
	TRACK_VALUE,           /* int or real: of a counter */
	TRACK_SORT_INDEX,      /* int */
	TRACK_ARGS,            /* anything, as a rule a structure: what else the event says */
	TRACK_FIELD_COUNT,
};

extern const char *const track_class_names[TRACK_CLASS_COUNT];
extern const char *const track_field_names[TRACK_FIELD_COUNT];

#endif
