/* SPDX-License-Identifier: MIT */
/*
 * kernel_cpus.h - CPUs: CPUs/<cpu> and what is below it, but for interrupts (kernel_interrupts.h).
 */
#ifndef ANALYSIS_KERNEL_KERNEL_CPUS_H
#define ANALYSIS_KERNEL_KERNEL_CPUS_H

#include "analysis/kernel/kernel_threads.h"

/* Values of CPU_STATUS, those of Trace Compass; null: unknown. */
enum cpu_status {
	CPU_IDLE = 0,
	CPU_RUNS_USERMODE = 2,
	CPU_RUNS_SYSCALL = 4,
	CPU_IN_SOFTIRQ = 8,
	CPU_IN_IRQ = 16,
};

enum cpu_attribute {
	CPU_STATUS,
	CPU_CURRENT_THREAD,
	CPU_IRQS,
	CPU_SOFT_IRQS,
	CPU_FREQUENCY,
	CPU_FREQUENCY_MIN,
	CPU_FREQUENCY_MAX,
	CPU_ATTRIBUTE_COUNT,
};

/* It is not known whether one of these is handled on the CPU. */
enum cpu_doubt { DOUBT_IRQS = 1, DOUBT_SOFTIRQS = 2 };

/*
 * Softirqs that were raised while events were lost are handled one after the other: between two of them a thread is
 * interrupted still, and only what happens after them says that they were all.
 */
enum cpu_raised { RAISED_ARE_SEEN, RAISED_UNSEEN, RAISED_UNSEEN_END };

struct interrupt;

struct kernel_cpu {
	int32_t number;
	histree_quark node;
	histree_quark attributes[CPU_ATTRIBUTE_COUNT];
	struct interrupt *first_irq, *first_softirq; /* kernel_interrupts.h */
	unsigned in_doubt;                           /* or of enum cpu_doubt, since then (kernel_gap.h) */
	histree_time in_doubt_since;                 /* INT64_MIN: since the trace began */
	enum cpu_raised raised;
	bool had_irq;                                /* one ended there since in_doubt_since, in a softirq or not */
	bool is_losing;                              /* it had no event since a gap began */
	bool has_gaps;                               /* there was one: what is heard of first may not be new */
	bool is_nameless; /* something happened there before anybody said in which thread */
	/* The thread that it runs, which then says so too (kernel_occupancy.h); NULL: none is known. */
	struct kernel_thread *runs;
	/* When somebody entered or left a system call there, who is not known yet; INT64_MIN: nobody. */
	histree_time stepped;
	/* When another CPU last began to wake that thread (kernel_event_is_woken_leaving); INT64_MIN: not. */
	histree_time waking;
	/* The thread that was found to be the current one last: it is asked for more often than it changes. */
	int32_t last_tid;
	struct kernel_thread *last_thread;
	/* Of a slice (kernel_slice.h): it is taken for true that it ran this thread at the beginning. */
	bool is_claimed;
	bool is_taken_for_recorded;
	int32_t claimed_tid;
};

/* Returns NULL for a negative number: the trace does not say which CPU it is. */
struct kernel_cpu *kernel_cpu(struct kernel_model *model, int32_t number);

/*
 * Whether something happened on the CPU so far.  Where nothing ever does, it is not recorded, and who is put into
 * its queue may run there.  In a slice that is taken for true.
 */
bool kernel_cpu_is_recorded(struct kernel_model *model, int32_t number);

/* Returns the name of an attribute below the node of a CPU. */
const char *cpu_attribute_name(enum cpu_attribute attribute);

histree_quark cpu_attribute(struct kernel_model *model, struct kernel_cpu *cpu, enum cpu_attribute attribute);
void cpu_change(struct kernel_model *model, struct kernel_cpu *cpu, enum cpu_attribute attribute,
		struct histree_value value);

/*
 * In a slice: take for true that the CPU ran this thread when the slice began, unless that was said before.  A CPU
 * of which nothing is known by any other event was idle, 0.
 */
void cpu_claim(struct kernel_model *model, struct kernel_cpu *cpu, int32_t tid);

/* Returns the thread that runs there: the pseudo-thread -1 before the first switch, NULL while it is unknown. */
struct kernel_thread *cpu_current_thread(struct kernel_model *model, struct kernel_cpu *cpu);

/* Returns what the CPU does if no interrupt is in progress; null before anything is known of it. */
struct histree_value cpu_status_of_thread(struct kernel_model *model, struct kernel_cpu *cpu);

#endif
