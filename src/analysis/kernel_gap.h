/* SPDX-License-Identifier: MIT */
/*
 * kernel_gap.h - what lost events leave in doubt.
 *
 * When the events of a CPU are lost, that CPU may have done anything: switched threads, handled interrupts, woken
 * up threads that run nowhere else, and run them.  So in doubt are what the CPU does, its interrupts, and status,
 * system call, run queue and priority of each thread but those that run on other CPUs.  All this becomes unknown,
 * attribute by attribute, until an event says what it is.  Names and parents of threads are kept, and the dead stay
 * dead: a tid that came to life again in the gap is seen with its next event.
 */
#ifndef ANALYSIS_KERNEL_GAP_H
#define ANALYSIS_KERNEL_GAP_H

#include "analysis/kernel_cpus.h"

/* A gap begins, on one CPU or, for -1, on all. */
void kernel_begin_gap(struct kernel_model *model, int32_t cpu_number);

/*
 * What an event of this role says of interrupts by where it happens: a thread runs only while none is handled, and
 * the kernel nests neither interrupts nor softirqs.
 */
void kernel_settle(struct kernel_model *model, int32_t cpu_number, enum kernel_role role);

#endif
