/* SPDX-License-Identifier: MIT */
/*
 * tracepoint.h - how the kernel lays out the events of a tracepoint, as its own description says: the text of
 * /sys/kernel/tracing/events/SYSTEM/NAME/format, which perf and trace-cmd copy into their recordings.
 *
 * Offsets and sizes are what the description says: whoever decodes an event compares them with its size.
 *
 * Only tracepoint.c calls libtraceevent.
 */
#ifndef TRACE_TRACEPOINT_H
#define TRACE_TRACEPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "histree/status.h"

enum tracepoint_field_kind {
	TRACEPOINT_OTHER,        /* an array of numbers, or larger than a number */
	TRACEPOINT_INTEGER,      /* of 1, 2, 4 or 8 bytes */
	TRACEPOINT_TEXT,         /* so many bytes at most, up to the first zero */
	TRACEPOINT_DISTANT_TEXT, /* 32 bits that say where in the event it is: the lower half; and how long */
	TRACEPOINT_RELATIVE_TEXT /* the same, from the end of the field on */
};

struct tracepoint_field {
	const char *name;
	enum tracepoint_field_kind kind;
	bool is_signed;
	uint32_t offset, size;
};

struct tracepoint {
	const char *system, *name;
	uint32_t id;
	uint32_t field_count;
	const struct tracepoint_field *fields; /* in the order of the description, the common ones first */
};

struct tracepoint_parser;

/* For events in this byte order.  Returns NULL when memory is out. */
struct tracepoint_parser *tracepoint_parser_create(bool is_big);

/*
 * Understand a description; what comes of it lives in `memory`.  *out is NULL if it cannot be understood.  Returns
 * HISTREE_ERR_MEMORY.
 */
enum histree_status tracepoint_parse(struct tracepoint_parser *parser, const char *text, size_t size,
				     const char *system, struct arena *memory, const struct tracepoint **out,
				     struct histree_error *error);

void tracepoint_parser_free(struct tracepoint_parser *parser);

#endif
