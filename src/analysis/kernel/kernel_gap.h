/* SPDX-License-Identifier: MIT */
/*
 * kernel_gap.h - what lost events leave in doubt.
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
 * until then its status is unknown, and so is that of its CPU.  Then it is known back to where its turn began, or
 * to the last interrupt in it (kernel_past.h); turns that ended stay unknown.
 *
 * Kept are names and parents of threads; the dead stay dead, as a tid that came to life again is seen with its next
 * event; and what nobody has heard of is null.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_GAP_H
#define ANALYSIS_KERNEL_KERNEL_GAP_H

#include "analysis/kernel/kernel_cpus.h"

/* A gap begins, on one CPU or, for -1, on all, up to `end`. */
void kernel_begin_gap(struct kernel_model *model, int32_t cpu_number, histree_time end);

/*
 * An event of a CPU comes, of which something is in doubt since a gap, or since the trace began: it ends the gap of
 * that CPU, and says something of interrupts by where it happens.  A thread runs only while none is handled, and
 * the kernel nests neither interrupts nor softirqs.
 */
void kernel_resolve(struct kernel_model *model, const struct kernel_event *event);

#endif
