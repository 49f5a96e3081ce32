/* SPDX-License-Identifier: MIT */
/*
 * line_graph.h - function calls in the output of ftrace's function_graph tracer, as spans of threads.
 *
 * 	   100.000100 |   1)    sh-4802      |               |  do_sys_open() {
 * 	   100.000102 |   1)    sh-4802      |   1.000 us    |    getname();
 * 	   100.000110 |   1)    sh-4802      | + 10.000 us   |  }
 *
 * The columns in front are optional; without times ("funcgraph-abstime") calls cannot be placed.  The tracers of
 * latencies have "102 us |" in place of them, since their buffer began ("display-graph").  A line without
 * the thread ("funcgraph-proc") belongs to the thread last switched to on its CPU, which the lines between rules
 * give; before the first switch, calls are on a track of the CPU. Source: kernel/trace/trace_functions_graph.c.
 *
 * A span begins at the time of the line that opens it and lasts as long as the line that closes it says, which is
 * more precise than the difference of the times; it is made up to a microsecond longer if it would otherwise end
 * before a span inside it.  The depth is taken from the indentation, so a lost end affects no other span.  A
 * function called before the trace began is a span if its end says how long it took.
 */
#ifndef TRACE_LINES_LINE_GRAPH_H
#define TRACE_LINES_LINE_GRAPH_H

#include "trace/lines/line_head.h"
#include "trace/lines/line_text.h"
#include "trace/packed/packed_markers.h"

/* Returns whether a line is one of such a drawing. */
bool line_graph_is(char *line, size_t size);

/* HISTREE_ERR_TRACE, and which option to set, if the text has no times; or if it has no calls. */
enum histree_status line_graph_check(const struct line_place *place, struct histree_error *error);

struct line_graph;

enum histree_status line_graph_create(struct line_graph **out, struct packed_source *packed,
				      struct histree_error *error);

/* Whether an event is of such a drawing, as "trace-cmd report" has them: "funcgraph_entry:   1.000 us  |  f();". */
bool line_graph_is_event(const struct line_head *head);

/* Take such an event, of a thread. */
enum histree_status line_graph_take(struct line_graph *graph, const struct line_head *head,
				    const struct marker_thread *thread);

/* Say what was left out, and free it. */
void line_graph_free(struct line_graph *graph);

/* Read all lines; HISTREE_END behind the last. */
enum histree_status line_graph_read(struct packed_source *packed, struct line_text *text,
				    struct histree_error *error);

#endif
