// SPDX-License-Identifier: MIT
#include "trace/trace_notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void trace_notes_warn(struct trace_notes *notes, const char *format, ...)
{
	if (notes->report.warning_count == TRACE_WARNINGS_MAX) {
		notes->warnings[TRACE_WARNINGS_MAX] = notes->last;
		snprintf(notes->last, sizeof(notes->last), "and %zu more warnings", ++notes->left_out);
		return;
	}
	char text[1024];
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	const char *copy = arena_copy(&notes->texts, text, strlen(text));
	if (copy != NULL)
		notes->warnings[notes->report.warning_count++] = copy;
}

struct trace_report trace_notes_report(const struct trace_notes *notes)
{
	struct trace_report report = notes->report;
	report.warnings = notes->warnings;
	if (notes->left_out > 0)
		report.warning_count++;
	return report;
}

void trace_notes_release(struct trace_notes *notes)
{
	arena_release(&notes->texts);
}
