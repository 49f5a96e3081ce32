// SPDX-License-Identifier: MIT
#include "analysis/program/program_missing.h"

#include <stdio.h>
#include <string.h>

enum { SAID_MAX = 3 }; /* names of a kind */

void program_missing_note(const struct program_expected *expected, const struct event_class *class, bool is_handled,
			  bool *met)
{
	for (size_t i = 0; i < expected->event_count; i++)
		met[i] = met[i] || strcmp(expected->events[i], class->name) == 0;
	met += expected->event_count;
	for (size_t i = 0; is_handled && i < expected->field_count; i++)
		met[i] = met[i] || event_class_field(class, expected->fields[i]) != EVENT_NO_FIELD;
}

/* Append "KIND 'a', 'b'"; returns the length of the text. */
static size_t say(const char *kind, const char *const *names, const bool *met, size_t count, char *text,
		  size_t size, size_t length)
{
	size_t said = 0;
	for (size_t i = 0; i < count && length < size; i++) {
		if (met[i] || said++ >= SAID_MAX)
			continue;
		if (said == 1)
			length += (size_t)snprintf(text + length, size - length, "%s%s ",
						   length > 0 ? ", and " : "", kind);
		if (length < size)
			length += (size_t)snprintf(text + length, size - length, "%s'%.60s'", said > 1 ? ", " : "",
						   names[i]);
	}
	if (said > SAID_MAX && length < size)
		length += (size_t)snprintf(text + length, size - length, " and %zu more", said - SAID_MAX);
	return length;
}

void program_missing_say(const struct program_expected *expected, const bool *met, char *text, size_t size)
{
	text[0] = '\0';
	size_t length = say("no event of the trace has the name", expected->events, met, expected->event_count,
			    text, size, 0);
	say("none that it handles has the field", expected->fields, met + expected->event_count,
	    expected->field_count, text, size, length);
}
