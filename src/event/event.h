/* SPDX-License-Identifier: MIT */
/*
 * event.h - one neutral event: what trace/ hands to analysis/.
 *
 * An event is a view: its fields are decoded only when they are asked for, through two functions of its
 * trace, and it is valid until the next event is read.  Classes and traces live as long as the input.
 *
 * Fields are the top-level members of the payload, then of the specific context, then of the common
 * context, in one list; the first one with a name is the one that event_class_field() finds.  What a field has
 * inside, elements of arrays and members of structures, is visited, or found by its path: "regs[3]", "from.port".
 *
 * What was so when a recording began is no event: which files lay where in processes, and what threads were called.
 *
 * A recorder that begins while programs run says so of each of them, but not when that came to be: it makes no
 * events of it.  What changes later are events.
 */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histree/value.h"

/* Part of a file, in the memory of a process. */
struct event_image {
	int64_t pid;
	uint64_t begin, size; /* addresses */
	uint64_t offset;      /* in the file, of what lies at `begin` */
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
	const struct event_thread_name *names;
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
	 * It does not say that it is of a kernel, but declares switches between threads, with names as one of
	 * these tracers gives them: it is of a kernel if the caller says so.
	 */
	enum { EVENT_NO_KERNEL, EVENT_LIKE_LTTNG, EVENT_LIKE_PERF } kernel_words;
	/* What the names of declared events show, before they come; the first two are those of a program. */
	enum {
		EVENT_DECLARES_CALLS = 1,
		EVENT_DECLARES_MEMORY = 2,
		EVENT_DECLARES_SYSTEM_CALLS = 4,
		EVENT_DECLARES_ALL = 8 /* it has no events that it does not declare */
	} declares;
	/* There are samples of where programs were, with their stacks or without; there is nothing else. */
	bool has_samples, has_only_samples;
	/*
	 * The tracer's own records number threads as the container does in which it ran, and not as events of the
	 * kernel do.
	 */
	bool counts_otherwise;
	/*
	 * When the first event of what is recorded happened, if records of the tracer's own, such as those of maps
	 * and names by perf, may come before it.
	 */
	bool has_first;
	histree_time first;
	/* What was mapped when it began; NULL: not known.  Whole before the first event. */
	const struct event_images *images;
	/* Stacks that samples have by number (vocabulary.h); NULL: none.  Whole before the first event. */
	const struct event_stacks *stacks;
	/* How to decode: false where the field is absent in this event or of another kind. */
	bool (*get_int)(const struct event *event, uint32_t field, int64_t *out);
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

/* Returns whether the field is a number (an integer, enumeration or boolean), and the number in *out. */
/* Whether an event of this name, as any tracer of a kernel has it, is the beginning or the end of a system call. */
bool event_name_is_system_call(const char *name, size_t size);

static inline bool event_int(const struct event *event, uint32_t field, int64_t *out)
{
	return field != EVENT_NO_FIELD && event->class->trace->get_int(event, field, out);
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

#endif
