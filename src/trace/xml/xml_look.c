// SPDX-License-Identifier: MIT
#include "trace/xml/xml_source.h"

#include <string.h>

bool xml_source_begins(const void *bytes, size_t size)
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
