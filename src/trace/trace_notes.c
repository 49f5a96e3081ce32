// SPDX-License-Identifier: MIT
/*
 * trace_notes.c - facts about a trace as a whole, and warnings about its input.
 */
#include "trace/trace_notes.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "histree/value.h"
#include "trace/trace_report.h"

/* ---- trace facts --------------------------------------------------------------------------------------------- */

#define NS_PER_SECOND INT64_C(1000000000)
__extension__ typedef __int128 wide;

bool trace_release_has_new_task_states(const char *release)
{
	unsigned major, minor;
	return sscanf(release, "%3u.%3u", &major, &minor) == 2 && (major > 4 || (major == 4 && minor >= 14));
}

bool trace_facts_time(const struct trace_facts *facts, uint64_t cycles, histree_time *out)
{
	if (!facts->has_clock)
		return false;
	wide ns = (wide)cycles * NS_PER_SECOND / (wide)facts->frequency + facts->zero;
	*out = (histree_time)ns;
	return *out == ns;
}

/* ---- trace notes --------------------------------------------------------------------------------------------- */

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
