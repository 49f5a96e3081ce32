/* SPDX-License-Identifier: MIT */
/*
 * trace_report.h - what became of an input: counts, and what went wrong.
 */
#ifndef TRACE_TRACE_REPORT_H
#define TRACE_TRACE_REPORT_H

#include <stddef.h>
#include <stdint.h>

/* What became of the input so far.  Strings belong to the trace. */
struct trace_report {
	uint64_t events;
	uint64_t gaps; /* handed out */
	uint64_t clock_steps_back;
	uint64_t discarded_events; /* said by the tracer to be lost */
	uint64_t discarded_packets;
	uint64_t repeated_packets;   /* that were taken once, elsewhere */
	uint64_t damaged_streams;    /* streams that were cut short or could not be opened */
	const char *const *warnings; /* a sentence each, about a hundred at most */
	size_t warning_count;
	uint64_t bytes_done, bytes_total; /* of the stream files; total 0: not known */
};

#endif
