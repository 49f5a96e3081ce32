/* SPDX-License-Identifier: MIT */
/*
 * kernel_gap.h - what nobody saw: losses, what went on before the first event that says so, which thread has which
 * CPU; and the handlers that every kernel analysis has alike.
 *
 * *Occupancy* is which thread each CPU runs, and what becomes of that when an event denies it.
 *
 * At every moment a CPU runs one thread, and a thread that runs has a CPU.  An event that finds a thread where it
 * was not known to be shows that others are missing.  What they would have said is unknown, from the last event
 * that said something (kernel_thread.said) up to the one that denies it: of the CPU which thread it runs and what
 * it does, of the thread status, system call, run queue and priority.
 *
 * Only versions that say so are told here who runs; for others no CPU runs anybody.
 *
 * The *past* is what an event says of the time before it.
 *
 * A system call, an interrupt or a softirq that ends, and whose beginning is not in the trace, went on when the
 * trace began, or when the last loss ended: from there on each beginning is seen.  In the same way a system call
 * that begins says that the thread was in none.  Until then nobody knows.  After a loss states say so; when the
 * trace begins they say that nothing goes on, as most traces have no such events of most threads.
 *
 * Changed are ongoing states, since then or since they began: of the call or interrupt itself, and of who runs.
 * Those that ended are never touched, as in all of this analysis; the turns of a thread that ran and left its CPU
 * before its first exit have not been given away by then (thread_mode()).
 *
 * An entry or exit is of the thread that the CPU runs.  Where nobody knows which that is, it says of the one that
 * is found there that what it did before was not seen (kernel_cpu.stepped).
 *
 * A *gap* is what lost events leave in doubt.
 *
 * While the events of a CPU are lost, it may do anything: switch threads, handle interrupts, wake up threads that
 * run nowhere else, and run them.  So in doubt are what the CPU does, its interrupts, those of all CPUs together,
 * and status, system call, run queue and priority of each thread but those that run on other CPUs, when the gap
 * begins or, if a thread leaves another CPU, at that time.  All this becomes unknown, attribute by
 * attribute, until an event after the gap says what it is; the gap ends with the next event of its CPU.  What the
 * trace does not record, such as system calls, is in no doubt; it does if it declares them (struct event_trace), or
 * had one by then.  Threads of the kernel, as far as events tell them, make none.
 *
 * Who is named after the gap runs, waits or is blocked as ever, and the CPU has a current thread.  In which mode a
 * thread runs, an entry or exit says; whether it is interrupted, a switch, a call, or the end of the interrupt:
 * until then its status is unknown, and so is that of its CPU.  Then it is known back to the loss; what may have
 * been interrupted stays unknown.
 *
 * Kept are names and parents of threads; the dead stay dead, as a tid that came to life again is seen with its next
 * event; and what nobody has heard of is null.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_GAP_H
#define ANALYSIS_KERNEL_KERNEL_GAP_H

#include "analysis/kernel/kernel_layout.h"
#include "analysis/kernel/kernel_threads.h"

/* Until this event the thread ran on the CPU. */
void occupancy_find(struct kernel_model *model, struct kernel_cpu *cpu, struct kernel_thread *thread);

/* At this event the thread runs on no CPU. */
void occupancy_find_nowhere(struct kernel_model *model, struct kernel_thread *thread);

/* From this event on, which has changed the states, the CPU runs the thread, and none that it ran before. */
void occupancy_change(struct kernel_model *model, struct kernel_cpu *cpu, struct kernel_thread *thread);

/* A thread enters or leaves a system call, and nobody knew whether it was in one. */
void past_of_call(struct kernel_model *model, struct kernel_cpu *cpu, struct kernel_thread *thread,
		  const struct kernel_event *event);

/* A gap begins, on one CPU or, for -1, on all, up to `end`. */
void kernel_begin_gap(struct kernel_model *model, int32_t cpu_number, histree_time end);

/*
 * An event of a CPU comes, of which something is in doubt since a gap, or since the trace began: it ends the gap of
 * that CPU, and says something of interrupts by where it happens.  A thread runs only while none is handled, and
 * the kernel nests neither interrupts nor softirqs.
 */
void kernel_resolve(struct kernel_model *model, const struct kernel_event *event);

#endif
