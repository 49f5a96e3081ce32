/* SPDX-License-Identifier: MIT */
/*
 * line_graph.h - calls of functions as ftrace's tracer function_graph draws them, as spans of threads.
 *
 *	   100.000100 |   1)    sh-4802      |               |  do_sys_open() {
 *	   100.000102 |   1)    sh-4802      |   1.000 us    |    getname();
 *	   100.000110 |   1)    sh-4802      | + 10.000 us   |  }
 *
 * The columns in front may be there or not; without times ("funcgraph-abstime") nothing can be said of them.  Of a
 * line without the thread ("funcgraph-proc") it is the one that was switched to on its CPU, as the lines between
 * rules say; before the first, calls are on a track of the CPU.  Source: kernel/trace/trace_functions_graph.c.
 *
 * A span begins at the time of the line that opens it and lasts as long as the line that closes it says, which is
 * finer, but for less than a microsecond where that would make it end before a span inside of it.  The depth is
 * that of the drawing: so an end that was lost ends nothing else.  A function that was called before the trace
 * began is a span where its end says how long it took.
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
