/* SPDX-License-Identifier: MIT */
/*
 * line_preface.h - what a text says before its first event, and whether it is the text of a trace at all.
 */
#ifndef TRACE_LINES_LINE_PREFACE_H
#define TRACE_LINES_LINE_PREFACE_H

#include "trace/lines/line_text.h"
#include "trace/trace_facts.h"

struct line_preface {
	bool is_trace;                /* it has an event, or says which tracer wrote it */
	bool has_event;               /* among the first lines */
	bool is_strace;               /* it has no events, but system calls (line_strace.h) */
	bool is_graph;                /* it has no events, but calls of functions (line_graph.h) */
	bool has_samples;             /* with chains of calls, or where it was alone */
	bool has_only_samples;        /* and no tracepoint */
	bool has_no_times;            /* which samples can do without */
	bool lacks_cpu;               /* the first of these, and it is not of samples alone */
	bool is_count;                /* the clock of which counts something else than time */
	char tracer[TRACE_FACT_SIZE]; /* of ftrace: "nop", "function_graph"; "" where it does not say */
	char machine[TRACE_FACT_SIZE];
	struct trace_facts facts;
	uint64_t overwritten; /* events that were written, and are not there any more */
	histree_time first;   /* of the first event; INT64_MIN: it has no time */
	unsigned columns;     /* of flags; 0: no line says it */
};

/* Returns HISTREE_ERR_IO, HISTREE_ERR_TRACE, HISTREE_ERR_MEMORY if it cannot be read. */
enum histree_status line_preface_read(const struct line_place *place, struct line_preface *out,
				      struct histree_error *error);

#endif
