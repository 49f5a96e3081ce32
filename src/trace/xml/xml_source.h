/* SPDX-License-Identifier: MIT */
/*
 * xml_source.h - traces in XML, the format in which Trace Compass keeps traces for tests of its XML analyses:
 *
 * 	<trace>
 * 	<event timestamp="1" name="entry">
 * 	<field name="cpu" type="int" value="0" />
 * 	</event>
 * 	</trace>
 *
 * Times are nanoseconds, types are int, long, double and string, and a field "cpu" is the CPU of its event.
 */
#ifndef TRACE_XML_XML_SOURCE_H
#define TRACE_XML_XML_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "trace/trace_source.h"

/* Whether the first bytes of a file are those of such a trace, also in a build that cannot read it. */
static inline bool xml_begins(const void *bytes, size_t size)
{
	static const char tag[] = "<trace";
	const char *text = bytes, *end = text + size;
	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) /* the mark of UTF-8 */
		text += 3;
	while (text < end && (*text == ' ' || *text == '\n' || *text == '\r' || *text == '\t'))
		text++;
	if (text == end || *text != '<')
		return false;
	const char *found = memmem(text, (size_t)(end - text), tag, sizeof(tag) - 1);
	const char *after = found != NULL ? found + sizeof(tag) - 1 : end;
	return after < end &&
	       (*after == '>' || *after == ' ' || *after == '\n' || *after == '\r' || *after == '\t');
}

#define XML_NAME "a trace in XML"

#endif
