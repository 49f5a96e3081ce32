/* SPDX-License-Identifier: MIT */
/*
 * trace_notes.h - what a trace says of itself as a whole, whose it is and by which clock; and the counts and
 * warnings about an input, as trace_report() hands them out.
 *
 * The number of warnings is bounded: the last one says how many more there were.
 */
#ifndef TRACE_TRACE_NOTES_H
#define TRACE_TRACE_NOTES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "histree/value.h"
#include "trace/trace_report.h"

/* Longer than Linux allows (sethostname(2), uname(2)); what is longer is cut. */
enum { TRACE_FACT_SIZE = 96 };

struct trace_facts {
	char uuid[TRACE_FACT_SIZE]; /* of the trace; texts are "" where it does not say */
	char hostname[TRACE_FACT_SIZE];
	char kernel[TRACE_FACT_SIZE]; /* its release */
	char tracer[TRACE_FACT_SIZE];
	/* Which start of which machine: LTTng gives its clock the UUID in /proc/sys/kernel/random/boot_id. */
	char boot[TRACE_FACT_SIZE];
	bool has_clock;     /* exactly one, whose times can be told */
	histree_time zero;  /* the time at which the clock was 0 */
	uint64_t frequency; /* of the clock, in Hz */
};

/* Returns whether a release of Linux, "6.1.0-13-amd64", is known to be 4.14 or later: task states changed there. */
bool trace_release_has_new_task_states(const char *release);

/* Returns whether a value of the clock is a time of 64 bits, and the time. */
bool trace_facts_time(const struct trace_facts *facts, uint64_t cycles, histree_time *out);

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
