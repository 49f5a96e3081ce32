/* SPDX-License-Identifier: MIT */
/*
 * xml_source.h - traces in XML, as Trace Compass has them for tests of its XML analyses:
 *
 *	<trace>
 *	<event timestamp="1" name="entry">
 *	<field name="cpu" type="int" value="0" />
 *	</event>
 *	</trace>
 *
 * Times are nanoseconds, types are int, long, double and string, and a field "cpu" is the CPU of its event.
 */
#ifndef TRACE_XML_XML_SOURCE_H
#define TRACE_XML_XML_SOURCE_H

#include "trace/trace_source.h"

extern const struct trace_format_kind xml_format;

/* Whether the first bytes of a file are those of such a trace. */
bool xml_source_begins(const void *bytes, size_t size);

#endif
