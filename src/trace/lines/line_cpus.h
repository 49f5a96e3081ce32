/* SPDX-License-Identifier: MIT */
/*
 * line_cpus.h - the CPUs of events of a text that does not print them, as "perf script" of a recording without
 * CPUs.
 *
 * The thread that does nothing is called by the CPU, "swapper/3", so a switch from it or to it says where it was.
 * A switch hands its CPU from one thread to the next: from there on it is known where each of them runs.  What is
 * before the first such switch of a CPU has none.
 */
#ifndef TRACE_LINES_LINE_CPUS_H
#define TRACE_LINES_LINE_CPUS_H

#include "trace/lines/line_head.h"
#include "trace/lines/line_text.h"
#include "trace/text/event_row.h"

/* A zeroed one knows no CPU. */
struct line_cpus {
	int64_t *runs; /* on each CPU: its thread, or LINE_NO_THREAD */
	size_t count, capacity;
	uint64_t unknown; /* events that have none */
};

/* Learn from an event, which follows the others in time, and tell its CPU or LINE_NO_CPU.  False: memory is out. */
bool line_cpus_tell(struct line_cpus *cpus, struct event_row *row, int32_t thread);

/*
 * HISTREE_ERR_TRACE, and how to print the CPUs, if a text has switches of which none says where it was; or it
 * cannot be read.
 */
enum histree_status line_cpus_check(const struct line_place *place, struct histree_error *error);

void line_cpus_release(struct line_cpus *cpus);

#endif
