/* SPDX-License-Identifier: MIT */
/*
 * kernel_gap.h - what was not recorded: losses, what was going on before the first event that shows it, and which
 * thread has which CPU.
 *
 * *Occupancy* is which thread each CPU runs, and what happens to that when an event contradicts it.
 *
 * At any time a CPU runs one thread, and a running thread has a CPU. An event that finds a thread where it was not
 * known to be shows that other events are missing.  What they would have shown is unknown, from the last event
 * about it (kernel_thread.said) up to the one that contradicts it: of the CPU which thread it runs and what it
 * does, of the thread status, system call, run queue and priority.
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
 * A *gap*: the states that lost events leave in doubt.
 *
 * While the events of a CPU are lost, it may do anything: switch threads, handle interrupts, wake up threads that
 * run nowhere else, and run them.  So the status of the CPU, its interrupts, the interrupts of all CPUs together,
 * and status, system call, run queue and priority of each thread are in doubt; threads that run on other CPUs only
 * from the time at which they leave those.  All of these become unknown, attribute by attribute, until an event
 * after the gap shows them; the gap ends with the next event of its CPU. What the trace does not record, such as
 * system calls, is not in doubt; it records them if it declares them (struct event_trace), or has had one by then.
 * Kernel threads, as far as events identify them, make no system calls.
 *
 * A thread named by an event after the gap runs, waits or is blocked as usual, and the CPU has a current thread.
 * The mode in which a thread runs is known from an entry or exit; whether it is interrupted, from a switch, a call,
 * or the end of the interrupt: until then its status is unknown, and so is that of its CPU. Then it becomes known
 * back to the loss; the part that may have been interrupted stays unknown.
 *
 * Names and parents of threads are kept; dead threads stay dead, because a reused tid shows up with its next event;
 * and threads that have not been seen are null.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_GAP_H
#define ANALYSIS_KERNEL_KERNEL_GAP_H

#include "analysis/kernel/kernel_layout.h"
#include "analysis/kernel/kernel_threads.h"

/* Until this event the thread ran on the CPU. */
void occupancy_find(struct kernel_model *model, struct kernel_cpu *cpu, struct kernel_thread *thread);

/* Whether an event is of the thread that the CPU is just leaving, which denies nothing (kernel_layout.h). */
bool occupancy_is_in_switch(struct kernel_model *model, const struct kernel_event *event);

/* At this event the thread runs on no CPU. */
void occupancy_find_nowhere(struct kernel_model *model, struct kernel_thread *thread);

/* From this event on the thread runs nowhere, and who runs there is not known. */
void occupancy_leave(struct kernel_model *model, struct kernel_thread *thread);

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
