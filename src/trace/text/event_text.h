/* SPDX-License-Identifier: MIT */
/*
 * event_text.h - events in a table of text (text/text_table.h), one a row: when, what, on which CPU, with fields.
 *
 * A text is one stream.  Its rows are sorted by time within a window (event_window.h); one that is further from
 * its place ends the stream with an error that says where it is, as does one that cannot be understood.
 * What each column is, a map says (event_map.h): a trace is written "text:MAP:FILE", or "FILE" with the default
 * map.
 */
#ifndef TRACE_TEXT_EVENT_TEXT_H
#define TRACE_TEXT_EVENT_TEXT_H

#include <stdbool.h>

#include "trace/text/event_text_inside.h"

struct io;
struct trace_format_kind;

extern const struct trace_format_kind event_text_format;

/* Returns whether a file is a table of text; of JSON, one whose first row has a time. */
bool event_text_is(const struct io *io, const char *path);

#endif
