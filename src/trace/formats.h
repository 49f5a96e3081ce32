/* SPDX-License-Identifier: MIT */
/*
 * formats.h - the table of input formats: a format is a folder of trace/, and a line here.
 *
 * A format is a struct trace_format_kind (trace_source.h), NAME_format.  This is the order in which users are told
 * the formats, and in which paths are examined.  A file is of the last format in the table that its first bytes
 * fit.  So formats recognised by the grammar of their text, the most reliable last, take precedence over formats
 * recognised by a few bytes.
 */
#ifndef TRACE_FORMATS_H
#define TRACE_FORMATS_H

#include "trace/trace_source.h"

#define TRACE_FORMATS(format)                                                                           \
	format(ctf) format(perf) format(dat) format(perfetto) format(json) format(line) format(profile) \
		format(xml) format(uftrace) format(event_text)

#define TRACE_FORMAT_DECLARE(name) extern const struct trace_format_kind name##_format;
TRACE_FORMATS(TRACE_FORMAT_DECLARE)

/* The text of ftrace in a member of a trace in JSON, beside that trace: no file is recognised as this format. */
extern const struct trace_format_kind line_in_json_format;

#endif
