/* SPDX-License-Identifier: MIT */
/*
 * event.h - the neutral event: its fields, the words that formats and analyses share, and the packets that events
 * describe.
 *
 * The *words* are names of classes and fields by which analyses understand events that are not a kernel's, whatever
 * the format: samples of where threads were, and spans, counters and flows on tracks.
 *
 * Samples: what profilers other than perf write, and perf when it writes text; their frames have names already.
 *
 * A trace with samples sets `has_samples`.  Its samples are events with the field SAMPLE_STACK and those of the
 * other fields that the format provides; the class is named after what was counted, "cycles:u", or "samples".  A
 * format without times numbers its samples, one per ns, in the order of the file.
 *
 * SAMPLE_STACK is one of two things:
 *   a number      of a stack of `trace->stacks`, where a format has stacks in tables, or the reader keeps them once
 *   a text        the frames, innermost first, a line each: the function, and behind a tab its binary, and behind
 *                 another one the line of the source; what is not known is empty, or not there
 * The number means something to this reading of the trace only.
 *
 * Tracks: the events of traces that browsers, and programs with their own instrumentation, write.
 *
 * The domain of such a trace is TRACK_DOMAIN. Its classes have the names in track_class_names, and all have the
 * same fields, track_field_names; an event has those that it needs.
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
 *
 * An *event* is what trace/ hands to analysis/.
 *
 * An event is a view: its fields are decoded only when they are asked for, through two functions of its
 * trace, and it is valid until the next event is read.  Classes and traces live as long as the input.
 *
 * Fields are the top-level members of the payload, then of the specific context, then of the common context, in one
 * list; the first one with a name is the one that event_class_field() finds.  The inside of a field, elements of
 * arrays and members of structures, is visited, or found by its path: "regs[3]", "from.port".
 *
 * The state of the system when a recording began is not made of events: which files were mapped where in processes,
 * and what threads were called.
 *
 * A recorder that begins while programs run records this for each of them, but not since when, so there are no
 * events for it.  Later changes are events.
 *
 * A *packet* is a TCP segment that a host sent or received, in the words of several tracers; its identity as text
 * is "SEQ/ACK/FLAGS".
 */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "histree/value.h"

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
	TRACK_LOSS,         /* for TRACK_DURATION, events of its track, or of the counter TRACK_NAME, are missing */
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
	TRACK_ONCE,            /* int: of a span_begin that says nothing where a span is open on its track */
	TRACK_ARGS,            /* anything, as a rule a structure: what else the event says */
	TRACK_SERVICE,         /* text, as the next five: of a span of a request, in a trace that `has_requests` */
	TRACK_KIND,            /* "server", "client", "internal", "producer", "consumer" */
	TRACK_STATUS,          /* "ok", "error" */
	TRACK_TRACE_ID,        /* of the request */
	TRACK_SPAN_ID,         /* of the span */
	TRACK_PARENT_ID,       /* of the one that caused it */
	TRACK_SELF,            /* int, ns: of such a span, in which none that it caused lasted, on any track */
	TRACK_CRITICAL,        /* int, ns: of it, for which the request would have ended earlier without it */
	TRACK_FIELD_COUNT,
	TRACK_REQUEST_TEXTS = TRACK_SELF - TRACK_SERVICE,
};

extern const char *const track_class_names[TRACK_CLASS_COUNT];

extern const char *const track_field_names[TRACK_FIELD_COUNT];

/* Part of a file, in the memory of a process. */
struct event_image {
	int64_t pid;
	uint64_t begin, size; /* addresses */
	uint64_t offset;      /* offset in the file of the bytes at `begin` */
	const char *path;     /* terminated; also a word in brackets for what is no file: "[vdso]" */
	const uint8_t *build_id;
	size_t build_id_size; /* 0: not known */
};

struct event_thread_name {
	int64_t pid, tid;
	const char *name; /* terminated */
};

/* Which process made another one. */
struct event_parent {
	int64_t pid, parent;
};

/* In the order in which they were said: of what overlaps, the later one is there. */
struct event_images {
	const struct event_image *images;
	size_t image_count;
	const struct event_thread_name *names; /* one of each thread */
	size_t name_count;
	const struct event_parent *parents; /* by number of the process */
	size_t parent_count;
};

struct event;
struct event_images;
struct event_part;
struct event_stacks;

/* Returns false to end the visit. */
typedef bool (*event_visitor)(void *context, const struct event_part *part);

/* Who recorded it: what analyses choose their event layout by.  Strings are "" where unknown. */
struct event_trace {
	uint32_t id;                    /* dense, by input */
	const char *path;               /* as given by the user */
	const char *domain;             /* "kernel", "ust", "" */
	const char *tracer_name;        /* "lttng-modules", "lttng-ust", "perf", "trace-cmd" */
	int tracer_major, tracer_minor; /* -1 where unknown */
	const char *hostname;
	const char *machine; /* "x86_64", ...: whose system-call numbers */
	/* Bits of the states of tasks, as in prev_state, are read as those of Linux 4.14 and later. */
	bool has_new_task_states;
	/*
	 * The trace does not declare that it is a kernel's, but it declares switches between threads, with names as
	 * one of these tracers gives them: it is a kernel's if the caller says so.
	 */
	enum { EVENT_NO_KERNEL, EVENT_LIKE_LTTNG, EVENT_LIKE_PERF } kernel_words;
	/* What the names of declared events show before events come; the first two are those of a program. */
	enum {
		EVENT_DECLARES_CALLS = 1,
		EVENT_DECLARES_MEMORY = 2,
		EVENT_DECLARES_SYSTEM_CALLS = 4,
		EVENT_DECLARES_ALL = 8 /* it has no events that it does not declare */
	} declares;
	/* Its spans are those of requests: they have the fields of tracks from TRACK_SERVICE on. */
	bool has_requests;
	/* There are samples of where programs were, with their stacks or without; there is nothing else. */
	bool has_samples, has_only_samples;
	/*
	 * The tracer's own records number threads as the container does in which it ran, and not as events of the
	 * kernel do.
	 */
	bool counts_otherwise;
	/*
	 * The time of the first recorded event, if records of the tracer itself, such as perf's maps and names, may
	 * come before it.
	 */
	bool has_first;
	histree_time first;
	/* What was mapped when it began; NULL: not known.  Whole before the first event. */
	const struct event_images *images;
	/* Stacks that samples have by number (event.h); NULL: none.  Whole before the first event. */
	const struct event_stacks *stacks;
	/* How to decode: false where the field is absent in this event or of another kind. */
	bool (*get_int)(const struct event *event, uint32_t field, int64_t *out);
	/* Where get_int gives states of tasks as they were meant (task_states.h), the other one; else NULL. */
	bool (*get_int_as_written)(const struct event *event, uint32_t field, int64_t *out);
	bool (*get_string)(const struct event *event, uint32_t field, const char **text, size_t *size);
	/* Visit a field with all that is inside; false if the visitor ended it.  NULL: nothing is inside. */
	bool (*visit)(const struct event *event, uint32_t field, event_visitor visitor, void *context);
};

struct event_class {
	const struct event_trace *trace;
	uint32_t id; /* dense, 0 .. over all traces of the input: an index for tables of handlers */
	const char *name;
	uint32_t field_count;
	const char *const *fields; /* names */
	uint32_t payload_count;    /* the number of fields of the payload, which come first */
};

/* What was recorded from one time to another, and is not there: lost by the tracer, or damaged in the file. */
struct event_gap {
	const struct event_trace *trace;
	int32_t cpu;             /* of the stream; -1 where the trace does not say */
	histree_time begin, end; /* the first and the last ns of it; INT64_MAX: to the end of the trace */
	uint64_t events;         /* that the tracer counted as lost; 0: not counted */
};

struct event {
	histree_time time;
	int32_t cpu; /* -1 where the trace does not say */
	const struct event_class *class;
	const void *handle; /* means something to the trace only */
	/* NULL; else this is no event, but the beginning of a gap: class and handle are NULL. */
	const struct event_gap *gap;
};

enum event_part_kind {
	EVENT_NOTHING, /* an optional field that is not there */
	EVENT_INT,
	EVENT_UNSIGNED,
	EVENT_REAL,
	EVENT_TEXT,
	EVENT_BYTES,
	EVENT_STRUCTURE, /* its members follow, up to an end */
	EVENT_ARRAY,     /* its elements follow, up to an end */
	EVENT_END,
};

/*
 * A field, or what is inside of one.  Texts and bytes are borrowed until the next visit of the event, or the next
 * event.
 */
struct event_part {
	enum event_part_kind kind;
	const char *name; /* NULL: it is an element */
	uint64_t index;   /* of the element */
	uint32_t depth;   /* 0: the field itself; an end has that of its beginning */
	int64_t integer;  /* those that are EVENT_UNSIGNED are it as uint64_t */
	/* How the trace would have an integer shown: its name, or NULL; its digits, 2, 8, 16; 0: decimal ones. */
	const char *label;
	bool is_truth;      /* an integer that is true or false, as its label says: JSON has words for these */
	uint8_t base, bits; /* of a negative one in such digits; 0: 64 */
	double real;
	const char *bytes; /* of a text, UTF-8, or other ones */
	size_t size;
};

#define EVENT_NO_FIELD UINT32_MAX

enum { EVENT_DIGITS_SIZE = 68 };

/* The number of an integer whose base is not 10, without a sign, as its digits show it. */
uint64_t event_part_unsigned(const struct event_part *part);

/* Write an integer as the trace would show it without its label: 0xff, 0377, 0b11 or 255. */
void event_part_digits(const struct event_part *part, char text[EVENT_DIGITS_SIZE]);

/* Returns the index of a field by name, or EVENT_NO_FIELD. */
uint32_t event_class_field(const struct event_class *class, const char *name);

/* Returns the index of a field of the contexts, even if the payload has that name; or EVENT_NO_FIELD. */
uint32_t event_class_context_field(const struct event_class *class, const char *name);

/* Whether an event of this name, as any tracer of a kernel has it, is the beginning or the end of a system call. */
bool event_name_is_system_call(const char *name, size_t size);

/*
 * Returns whether the field is a number (an integer, enumeration or boolean), and the number in *out, which else
 * stays as it was: a 0 from a reader would be the idle thread.
 */
static inline bool event_int(const struct event *event, uint32_t field, int64_t *out)
{
	int64_t number;
	if (field == EVENT_NO_FIELD || !event->class->trace->get_int(event, field, &number))
		return false;
	*out = number;
	return true;
}

/* As event_int() of a field that is there, but states of tasks are as the kernel wrote them. */
static inline bool event_int_as_written(const struct event *event, uint32_t field, int64_t *out)
{
	const struct event_trace *trace = event->class->trace;
	return (trace->get_int_as_written != NULL ? trace->get_int_as_written : trace->get_int)(event, field, out);
}

/*
 * Returns whether the field is text, or an array of 8-bit text integers up to its first zero, and the text.  It is
 * borrowed as the event is; `size` says where it ends, not a terminator.
 */
static inline bool event_string(const struct event *event, uint32_t field, const char **text, size_t *size)
{
	return field != EVENT_NO_FIELD && event->class->trace->get_string(event, field, text, size);
}

/* Visit a field and what is inside of it.  Returns false if the visitor ended that. */
bool event_visit(const struct event *event, uint32_t field, event_visitor visitor, void *context);

/*
 * Find a value by its path: the name of a field, then "[3]" for an element and ".name" for a member, as often as
 * it takes.  Returns whether the event has a value there; a structure or an array is not a value.
 */
bool event_find(const struct event *event, const char *path, struct event_part *out);

/* What the header of a segment says: enough to know it again on the other host. */
struct packet_key {
	uint32_t seq, ack_seq, flags;
};

/* Where a class of events has these numbers: paths of event_find(). */
struct packet_place {
	const char *field; /* of the event, by which the place is known */
	const char *seq, *ack_seq, *flags;
};

struct packet_class {
	bool is_known, is_sent;
	const struct packet_place *place; /* NULL: it is about no packet */
};

/* Returns what a class is; `is_known` is set. */
struct packet_class packet_class_of(const struct event_class *class);

/* Returns whether a class of that name may be about packets. */
bool packet_name_is_known(const char *name);

/* Returns whether the event, of such a class, has the numbers of a segment, and them in *out. */
bool packet_read(const struct packet_class *class, const struct event *event, struct packet_key *out);

enum { PACKET_TEXT_SIZE = 40, PACKET_BUCKETS = 256 };

/* Returns how many bytes it has. */
static inline size_t packet_text(const struct packet_key *key, char text[PACKET_TEXT_SIZE])
{
	return (size_t)snprintf(text, PACKET_TEXT_SIZE, "%" PRIu32 "/%" PRIu32 "/%" PRIu32, key->seq, key->ack_seq,
				key->flags);
}

/*
 * Reads what packet_text() wrote, and after a slash the thread that sent it, unless `tid` is NULL.  Returns false
 * if it is something else.
 */
static inline bool packet_text_read(const char *bytes, size_t size, struct packet_key *key, int32_t *tid)
{
	int64_t numbers[4];
	const size_t count = tid != NULL ? 4 : 3;
	size_t at = 0;
	for (size_t i = 0; i < count; i++) {
		const size_t first = at;
		bool is_negative = i == 3 && at < size && bytes[at] == '-';
		at += is_negative;
		numbers[i] = 0;
		for (; at < size && bytes[at] >= '0' && bytes[at] <= '9' && numbers[i] <= UINT32_MAX; at++)
			numbers[i] = numbers[i] * 10 + (bytes[at] - '0');
		if (at == first + is_negative || numbers[i] > UINT32_MAX)
			return false;
		numbers[i] = is_negative ? -numbers[i] : numbers[i];
		if (i + 1 < count && (at >= size || bytes[at++] != '/'))
			return false;
	}
	if (at != size || (tid != NULL && (numbers[3] < INT32_MIN || numbers[3] > INT32_MAX)))
		return false;
	*key = (struct packet_key){ (uint32_t)numbers[0], (uint32_t)numbers[1], (uint32_t)numbers[2] };
	if (tid != NULL)
		*tid = (int32_t)numbers[3];
	return true;
}

/* Returns the list that a packet is kept in after it was sent. */
static inline uint32_t packet_bucket(const struct packet_key *key)
{
	return (key->seq * UINT32_C(2654435761) ^ key->ack_seq * UINT32_C(2246822519)) >> 24;
}

#endif
