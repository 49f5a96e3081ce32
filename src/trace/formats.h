/* SPDX-License-Identifier: MIT */
/*
 * formats.h - the table of input formats: a format is a folder of trace/, and a line here.
 *
 * A format is a struct trace_format_kind (trace_source.h), NAME_format.  In this order users are told what is read,
 * and paths are looked at.  By its first bytes a file is of the last format that they fit: those that are told by
 * the grammar of their text, the surest last, are asked before those that a few bytes tell.
 */
#ifndef TRACE_FORMATS_H
#define TRACE_FORMATS_H

#include "trace/trace_source.h"

#define TRACE_FORMATS(format)                                                                           \
	format(ctf) format(perf) format(dat) format(perfetto) format(json) format(line) format(profile) \
		format(xml) format(uftrace) format(event_text)

#define TRACE_FORMAT_DECLARE(name) extern const struct trace_format_kind name##_format;
TRACE_FORMATS(TRACE_FORMAT_DECLARE)

/* The text of ftrace in a member of a trace in JSON, beside it: no file is told to be of it. */
extern const struct trace_format_kind line_in_json_format;

#endif
