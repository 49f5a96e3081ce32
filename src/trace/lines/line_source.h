/* SPDX-License-Identifier: MIT */
/*
 * line_source.h - the text of a trace of the kernel, an event a line: what ftrace has in `trace` and `trace_pipe`,
 * and what "trace-cmd report" and "perf script" write.  One file, one stream.
 *
 * Lines are sorted by time within a window (event_text.h).  One that is earlier than what was handed
 * out comes behind all lines before it, as the clock has stepped back.  A line that is no event is left out, and
 * counted.
 *
 * Spans, counters and instants in the text are a trace of domain "tracks" beside that of the kernel: markers of
 * programs among its events (packed_markers.h), or calls of functions that ftrace drew (line_graph.h), or system
 * calls that strace printed (line_strace.h).  They are read once and sorted.
 *
 * A trace is written "FILE", or "text:machine=x86_64:FILE" where the text does not say whose numbers its system
 * calls have.
 */
#ifndef TRACE_LINES_LINE_SOURCE_H
#define TRACE_LINES_LINE_SOURCE_H

#include "trace/lines/line_text.h"
#include "trace/trace_source.h"

extern const struct trace_format_kind line_tracks_format, line_tracks_in_json_format;

extern const struct trace_format_kind line_format;

/* The same in a member of a trace in JSON (line_text.h), if it has one. */
extern const struct trace_format_kind line_in_json_format;

/* Returns whether a trace, as the user wrote it, is such a text. */
bool line_source_is(const char *word);

#endif
