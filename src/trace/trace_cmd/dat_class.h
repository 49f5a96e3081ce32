/* SPDX-License-Identifier: MIT */
/*
 * dat_class.h - the classes of events in a trace.dat: "SYSTEM:NAME", with the fields of its description, and
 * `common_tgid`, where the file says of which processes threads are.
 */
#ifndef TRACE_TRACE_CMD_DAT_CLASS_H
#define TRACE_TRACE_CMD_DAT_CLASS_H

#include "event/event.h"
#include "trace/trace_cmd/dat_file.h"

struct dat_class {
	struct event_class class;
	const struct tracepoint *tracepoint;
	const struct id_map *processes;     /* of the file */
	const struct tracepoint_field *pid; /* the thread in which it happened; NULL: it does not say */
};

/* By the number in an event; NULL: not met yet. */
struct dat_classes {
	struct dat_class **of;
};

enum { DAT_CLASSES_MAX = 1 << 16 };

/* Returns false when memory is out. */
bool dat_classes_init(struct dat_classes *classes);

void dat_classes_release(struct dat_classes *classes);

/*
 * Find, or make, the class of a number; *out is NULL if the file does not describe it.  Returns HISTREE_ERR_MEMORY.
 */
enum histree_status dat_classes_find(struct dat_classes *classes, struct dat_file *file, uint16_t number,
				     const struct event_trace *trace, uint32_t *class_count,
				     const struct dat_class **out, struct histree_error *error);

/* The two functions of struct event_trace; a handle is a struct tracepoint_bytes. */
bool dat_event_int(const struct event *event, uint32_t field, int64_t *out);
bool dat_event_string(const struct event *event, uint32_t field, const char **text, size_t *size);

#endif
