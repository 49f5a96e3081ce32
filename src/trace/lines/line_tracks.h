/* SPDX-License-Identifier: MIT */
/*
 * line_tracks.h - the spans, counters and instants in a text, as a trace of domain "tracks" beside that of the
 * kernel: markers of programs among its events (packed_markers.h), or calls of functions that ftrace drew
 * (line_graph.h), or system calls that strace printed (line_strace.h).  They are read once and sorted.
 */
#ifndef TRACE_LINES_LINE_TRACKS_H
#define TRACE_LINES_LINE_TRACKS_H

#include "trace/trace_source.h"

extern const struct trace_format_kind line_tracks_format, line_tracks_in_json_format;

#endif
