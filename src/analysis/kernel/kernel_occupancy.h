/* SPDX-License-Identifier: MIT */
/*
 * kernel_occupancy.h - which thread each CPU runs, and what becomes of that when an event denies it.
 *
 * At every moment a CPU runs one thread, and a thread that runs has a CPU.  An event that finds a thread where it
 * was not known to be shows that others are missing.  What they would have said is unknown, from the last event
 * that said something (kernel_thread.said) up to the one that denies it: of the CPU which thread it runs and what
 * it does, of the thread status, system call, run queue and priority.
 *
 * Only versions that say so are told here who runs; for others no CPU runs anybody.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_OCCUPANCY_H
#define ANALYSIS_KERNEL_KERNEL_OCCUPANCY_H

#include "analysis/kernel/kernel_threads.h"

/* Until this event the thread ran on the CPU. */
void occupancy_find(struct kernel_model *model, struct kernel_cpu *cpu, struct kernel_thread *thread);

/* At this event the thread runs on no CPU. */
void occupancy_find_nowhere(struct kernel_model *model, struct kernel_thread *thread);

/* From this event on, which has changed the states, the CPU runs the thread, and none that it ran before. */
void occupancy_change(struct kernel_model *model, struct kernel_cpu *cpu, struct kernel_thread *thread);

/* Nobody knows any more which thread the CPU runs; states say so already. */
void occupancy_forget(struct kernel_model *model, struct kernel_cpu *cpu);

#endif
