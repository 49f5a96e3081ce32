/* SPDX-License-Identifier: MIT */
/*
 * kernel_states.h - which states follow from each event, as in version 31 of Trace Compass's provider: what the
 * analyses `kernel` and `kernel-tc` share.
 *
 *	CPUs/<cpu>                     what the CPU does (enum cpu_status)
 *	CPUs/<cpu>/Current_thread      tid, 0 when idle
 *	CPUs/<cpu>/IRQs/...            and Soft_IRQs/...: kernel_interrupts.h
 *	CPUs/<cpu>/Frequency           Hz; Min frequency, Max frequency: the extremes of the whole trace
 *	IRQs/..., Soft_IRQs/...        the same of all CPUs together
 *	Threads/<tid>                  what the thread does (enum thread_status)
 *	Threads/<tid>/System_call      its name
 *	Threads/<tid>/Current_cpu_rq   the CPU in whose run queue it is
 *	Threads/<tid>/Exec_name, PPID, PID (where it is not the tid), Prio
 */
#ifndef ANALYSIS_KERNEL_KERNEL_STATES_H
#define ANALYSIS_KERNEL_KERNEL_STATES_H

#include "analysis/kernel/kernel_threads.h"

/* Returns what the CPU does, interrupts included. */
struct histree_value states_cpu_status(struct kernel_model *model, struct kernel_cpu *cpu);

/*
 * What a switch says, which leaves the previous thread in this status; names come last: one that is too long ends
 * the event.
 */
void states_switch(struct kernel_model *model, const struct kernel_event *event, struct kernel_cpu *cpu,
		   struct kernel_thread *previous, struct kernel_thread *next, struct histree_value status);

void states_name(struct kernel_model *model, const struct kernel_event *event, struct kernel_thread *previous,
		 struct kernel_thread *next);

/* What the thread is, was just said: if it makes no system calls, the mode in which it runs is known. */
void states_settle_mode(struct kernel_model *model, struct kernel_thread *thread);

/* Returns the status that a dump of states means; what is learned of the thread besides, and where it is new. */
struct histree_value states_of_dump(int32_t status);
void states_learn_thread(struct kernel_model *model, const struct kernel_event *event, struct histree_value status);

/* Handlers, by role. */
void states_on_wakeup(struct kernel_model *model, const struct kernel_event *event);
void states_wake(struct kernel_model *model, const struct kernel_event *event, struct kernel_thread *thread,
		 int32_t prio);
void states_on_migrate(struct kernel_model *model, const struct kernel_event *event);
void states_on_fork(struct kernel_model *model, const struct kernel_event *event);
void states_on_irq_entry(struct kernel_model *model, const struct kernel_event *event);
void states_on_irq_exit(struct kernel_model *model, const struct kernel_event *event);
void states_on_vector_exit(struct kernel_model *model, const struct kernel_event *event);
void states_on_softirq_raise(struct kernel_model *model, const struct kernel_event *event);
void states_on_softirq_entry(struct kernel_model *model, const struct kernel_event *event);
void states_on_softirq_exit(struct kernel_model *model, const struct kernel_event *event);
void states_on_syscall_entry(struct kernel_model *model, const struct kernel_event *event);
void states_on_frequency(struct kernel_model *model, const struct kernel_event *event);

#endif
