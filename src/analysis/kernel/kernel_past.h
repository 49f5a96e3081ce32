/* SPDX-License-Identifier: MIT */
/*
 * kernel_past.h - what an event says of the time before it.
 *
 * A system call, an interrupt or a softirq that ends, and whose beginning is not in the trace, went on when the
 * trace began, or when the last loss ended: from there on each beginning is seen.  In the same way a system call
 * that begins says that the thread was in none.  Until then nobody knows.  After a loss states say so; when the
 * trace begins they say that nothing goes on, as most traces have no such events of most threads.
 *
 * Changed are ongoing states, since then or since they began: of the call or interrupt itself, and of who runs.
 * Those that ended are never touched, as in all of this analysis; a thread that ran and left its CPU before its
 * first exit keeps user mode for that turn, after a loss an unknown one.
 *
 * An entry or exit is of the thread that the CPU runs.  Where nobody knows which that is, it says of the one that
 * is found there that what it did before was not seen (kernel_cpu.stepped).
 */
#ifndef ANALYSIS_KERNEL_KERNEL_PAST_H
#define ANALYSIS_KERNEL_KERNEL_PAST_H

#include "analysis/kernel/kernel_cpus.h"

/* A thread enters or leaves a system call, and nobody knew whether it was in one. */
void past_of_call(struct kernel_model *model, struct kernel_cpu *cpu, struct kernel_thread *thread,
		  const struct kernel_event *event);

/*
 * A thread leaves its CPU while nobody knows whether it is in a call.  Its turn stays in user mode, also if an exit
 * says later that it was in one: the threads of which one does are counted.
 */
void past_note_turn(struct kernel_model *model, struct kernel_thread *thread);

/* An event of a CPU, of which it is not known what interrupts it handles, may be the end of one. */
void past_of_interrupts(struct kernel_model *model, struct kernel_cpu *cpu, const struct kernel_event *event);

/* The CPU runs its thread, as an event says, and handled no interrupt where nobody knew whether it did. */
void past_of_thread(struct kernel_model *model, struct kernel_cpu *cpu);

#endif
