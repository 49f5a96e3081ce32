/* SPDX-License-Identifier: MIT */
/*
 * tracing_data.h - what perf and trace-cmd copy out of the kernel's tracing folder: the layout of pages, and the
 * descriptions of tracepoints, system by system.
 *
 * In perf.data it is a section of tracing data, in a trace.dat of version 6 its beginning, and in one of version 7
 * its parts are sections of their own (trace-cmd.dat.v6(5), trace-cmd.dat.v7(5)).
 */
#ifndef TRACE_TRACING_DATA_H
#define TRACE_TRACING_DATA_H

#include "base/arena.h"
#include "base/id_map.h"
#include "trace/trace_cursor.h"
#include "trace/tracepoint.h"

struct tracing_head {
	char version[8];
	bool is_big;
	uint8_t long_size; /* of programs */
	uint32_t page_size;
};

/* How a page of the kernel's buffers begins: a time of 64 bits, a long word, and then events. */
struct tracing_page {
	uint32_t long_size; /* of the kernel; 0: it does not say */
	uint32_t begin;     /* of events */
};

/* Where descriptions go. */
struct tracing_points {
	struct id_map *by_id; /* const struct tracepoint *; the first of an id is kept */
	struct arena *memory;
	struct tracepoint_parser *parser;
};

/*
 * Each reads on from the cursor and sets its byte order where that is said.  They return false, and HISTREE_END, if
 * the bytes end early or are of something else.
 */
bool tracing_head_read(struct trace_cursor *cursor, struct tracing_head *out);
bool tracing_page_read(struct trace_cursor *cursor, struct tracing_page *out);

/* Those of events that the tracer of functions writes itself, of the system "ftrace"; NULL: step over them. */
enum histree_status tracing_ftrace_read(struct trace_cursor *cursor, const struct tracing_points *points,
					struct histree_error *error);
enum histree_status tracing_systems_read(struct trace_cursor *cursor, const struct tracing_points *points,
					 struct histree_error *error);

#endif
