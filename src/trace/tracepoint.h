/* SPDX-License-Identifier: MIT */
/*
 * tracepoint.h - how the kernel lays out the events of a tracepoint, as its own description says: the text of
 * /sys/kernel/tracing/events/SYSTEM/NAME/format, which perf and trace-cmd copy into their recordings.
 *
 * Only tracepoint.c calls libtraceevent.
 */
#ifndef TRACE_TRACEPOINT_H
#define TRACE_TRACEPOINT_H

#include "base/arena.h"
#include "histree/status.h"
#include "trace/tracepoint_field.h"

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
