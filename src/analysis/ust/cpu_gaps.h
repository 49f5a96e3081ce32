/* SPDX-License-Identifier: MIT */
/*
 * cpu_gaps.h - until when lost events leave in doubt what programs did.
 *
 * Where events of a CPU are lost, any thread may have run there.  That ends with the next event of the CPU, as for
 * the kernel (kernel_gap.h), or where the trace says.
 */
#ifndef ANALYSIS_UST_CPU_GAPS_H
#define ANALYSIS_UST_CPU_GAPS_H

#include "base/arena.h"
#include "base/id_map.h"
#include "event/event.h"

struct cpu_gaps {
	histree_time end;          /* of the last gap of any CPU; INT64_MIN: no gap yet */
	histree_time end_anywhere; /* of the last one of which it is not said on which CPU */
	struct id_map cpus;        /* the end of the last gap, by trace and CPU */
	struct arena records;
};

void cpu_gaps_init(struct cpu_gaps *gaps);
void cpu_gaps_release(struct cpu_gaps *gaps);

/* A gap begins.  Where there is no memory to keep its CPU apart, it is one of all CPUs. */
void cpu_gaps_begin(struct cpu_gaps *gaps, const struct event_gap *gap);

/* An event comes: it ends the gap of its CPU.  Returns whether it is in another one still. */
bool cpu_gaps_meet(struct cpu_gaps *gaps, const struct event *event);

#endif
