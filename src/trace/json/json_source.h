/* SPDX-License-Identifier: MIT */
/*
 * json_source.h - a trace in the Trace Event Format, as browsers and many other programs write it: JSON, which may
 * be packed by gzip.
 *
 * The format: "Trace Event Format", Google, 2016, of which an array of events needs no end.  Its events become
 * those of event.h (json_tracks.h).  An event is read at a time, in memory that does not grow
 * with the file: one that is larger than JSON_EVENT_MAX is passed over.
 */
#ifndef TRACE_JSON_JSON_SOURCE_H
#define TRACE_JSON_JSON_SOURCE_H

#include "trace/trace_source.h"

enum { JSON_EVENT_MAX = 16 << 20 };

extern const struct trace_format_kind json_format;

#endif
