/* SPDX-License-Identifier: MIT */
/*
 * vocabulary.h - the words in which analyses understand events that are not of a kernel, whatever format they were
 * read from: samples of where threads were, and spans, counters and flows on tracks.
 *
 * Samples: what profilers other than perf write, and perf where it writes text; their frames have names already.
 *
 * A trace says so by `has_samples`.  Its samples are events with the field SAMPLE_STACK, and those of the others
 * that the format knows; the class is called as what was counted, "cycles:u", or "samples".  Who has no time
 * counts samples, one a ns, in the order of the file.
 *
 * SAMPLE_STACK is one of two things:
 *   a number      of a stack of `trace->stacks`, where a format has stacks in tables, or the reader keeps them once
 *   a text        the frames, innermost first, a line each: the function, and behind a tab its binary, and behind
 *                 another one the line of the source; what is not known is empty, or not there
 * The number means something to this reading of the trace only.
 *
 * Tracks: the events of browsers' traces and of programs that describe themselves.
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
#ifndef EVENT_VOCABULARY_H
#define EVENT_VOCABULARY_H

#include <stdint.h>

enum sample_field {
	SAMPLE_STACK,
	SAMPLE_WEIGHT,  /* int: what was counted since the sample before; absent: a sample counts one */
	SAMPLE_PID,     /* int */
	SAMPLE_TID,     /* int; absent: not known */
	SAMPLE_PROCESS, /* text: what the process is called */
	SAMPLE_THREAD,  /* text: so is the thread */
	SAMPLE_FIELD_COUNT,
};

extern const char *const sample_field_names[SAMPLE_FIELD_COUNT];

#define EVENT_NO_STACK UINT32_MAX

/* A stack: a frame, and the stack of its caller. */
struct event_stack {
	uint32_t parent; /* EVENT_NO_STACK: it is the outermost.  Any number: files may lie. */
	uint32_t frame;
};

/* Texts are terminated, and "" where they are not known. */
struct event_frame {
	const char *function, *binary, *line;
};

/* Whole before the first event of the trace. */
struct event_stacks {
	const struct event_frame *frames;
	uint32_t frame_count;
	const struct event_stack *stacks;
	uint32_t stack_count;
};

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
