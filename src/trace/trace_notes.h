/* SPDX-License-Identifier: MIT */
/*
 * trace_notes.h - counts and warnings about an input, as trace_report() hands them out.
 *
 * The number of warnings is bounded: the last one says how many more there were.
 */
#ifndef TRACE_TRACE_NOTES_H
#define TRACE_TRACE_NOTES_H

#include "base/arena.h"
#include "trace/trace_report.h"

enum { TRACE_WARNINGS_MAX = 100 };

struct trace_notes {
	struct trace_report report;
	struct arena texts;
	const char *warnings[TRACE_WARNINGS_MAX + 1];
	size_t left_out;
	char last[64]; /* "and 3 more warnings" */
};

/* A sentence, lower case, no full stop.  Out of memory costs the warning and nothing else. */
void trace_notes_warn(struct trace_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The report with its warnings; they live as long as the notes. */
struct trace_report trace_notes_report(const struct trace_notes *notes);

void trace_notes_release(struct trace_notes *notes);

#endif
