/* SPDX-License-Identifier: MIT */
/*
 * kernel_interrupts.h - interrupts and softirqs: CPUs/<cpu>/IRQs/... and CPUs/<cpu>/Soft_IRQs/...
 *
 * The value of an interrupt is the CPU while its handler runs there, that of a softirq two bits; both are null
 * otherwise.  A CPU has only a few of them, so they are a list.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_INTERRUPTS_H
#define ANALYSIS_KERNEL_KERNEL_INTERRUPTS_H

#include "analysis/kernel/kernel_threads.h"
#include "base/bytes.h"

enum softirq_bits { SOFTIRQ_RAISED = 1, SOFTIRQ_RUNNING = 8 };
enum { SOFTIRQ_VALUE_MAX = SOFTIRQ_RAISED | SOFTIRQ_RUNNING };

/*
 * The total of a softirq is the greatest of its values on all CPUs.  It is counted, not searched: on a
 * machine with a thousand CPUs softirqs are a good part of all events.
 */
struct softirq_total {
	uint32_t cpu_counts[SOFTIRQ_VALUE_MAX + 1]; /* how many CPUs have this value; [0]: null */
	uint32_t unknown_count;                     /* on how many CPUs it is unknown */
};

/* An interrupt or softirq on one CPU. */
struct interrupt {
	int32_t number;
	struct kernel_text name; /* NULL bytes for one that is known by its number alone */
	histree_quark quark;
	histree_quark total;           /* the attribute of all CPUs together, below IRQs or Soft_IRQs */
	struct softirq_total *softirq; /* where `total` is that of a softirq */
	bool began_before;             /* an event ends it, and its name is not known (kernel_gap.h) */
	bool is_known;                 /* since a gap it was asked for (kernel_gap.h) */
	enum kernel_progress progress; /* of its handler */
	enum kernel_step first_step;   /* of that, in a slice (kernel_threads.h) */
	struct interrupt *next;        /* in the order of creation: where several fit, the first counts */
};

/* Returns the interrupt with this number and name; its attribute is `NUMBER/NAME`, without a name `NUMBER`. */
struct interrupt *cpu_irq(struct kernel_model *model, struct kernel_cpu *cpu, int32_t number,
			  struct kernel_text name);
struct interrupt *cpu_softirq(struct kernel_model *model, struct kernel_cpu *cpu, int32_t number);

/*
 * Returns the interrupt of this number that is in progress on the CPU, NULL if none is.  One without a name is only
 * known where its end told of it (kernel_gap.h).
 */
struct interrupt *cpu_irq_in_progress(struct kernel_model *model, struct kernel_cpu *cpu, int32_t number);

/* Returns the value of the first interrupt, or softirq, of the CPU that is known to have one; null if none is. */
struct histree_value cpu_irq_value(struct kernel_model *model, struct kernel_cpu *cpu);
struct histree_value cpu_softirq_value(struct kernel_model *model, struct kernel_cpu *cpu);

/* Returns any named interrupt of this number that began on the CPU before; NULL if none did. */
struct interrupt *cpu_irq_before(struct kernel_cpu *cpu, int32_t number);

bool cpu_doubts_softirqs(struct kernel_model *model, const struct kernel_cpu *cpu); /* whether one is unknown */
bool cpu_softirq_runs(struct kernel_model *model, struct kernel_cpu *cpu);

/* Whether it may be handling an interrupt or softirq, of a kind that the trace has, whose beginning was lost. */
bool cpu_may_be_interrupted(const struct kernel_model *model, const struct kernel_cpu *cpu);

/* Returns what the CPU does, interrupts included. */
struct histree_value cpu_status_now(struct kernel_model *model, struct kernel_cpu *cpu);

/*
 * What the thread is, was just said: if it makes no system calls, and its CPU handles no interrupt, it is known in
 * which mode it runs.
 */
void thread_settle_mode(struct kernel_model *model, struct kernel_thread *thread);

/* Returns what a softirq becomes when it is raised, or is done: it may have been raised again meanwhile. */
struct histree_value softirq_when_raised(struct kernel_model *model, const struct kernel_cpu *cpu,
					 const struct interrupt *softirq);
struct histree_value softirq_when_done(struct kernel_model *model, const struct interrupt *softirq);

/* What is known of the interrupts of a CPU besides their states, and back (kernel_provider.h). */
void interrupts_save(const struct kernel_cpu *cpu, struct byte_buffer *out);
void interrupts_load(struct kernel_model *model, struct kernel_cpu *cpu, uint32_t attribute_count,
		     struct byte_reader *reader);

/* ---- of all CPUs together --------------------------------------------------------------------------- */

/* The latest of all CPUs counts. */
void irq_change_total(struct kernel_model *model, struct interrupt *irq, struct histree_value value);

/* Have a softirq, which has a value, in its total, in which it is not yet; the total does not change. */
void softirq_count(struct kernel_model *model, struct interrupt *softirq);

/* Returns the total of a softirq, in which one more CPU, whose softirq has no value, counts. */
struct softirq_total *softirq_count_null(struct kernel_model *model, int32_t number);

/* Change a softirq and its total: the greatest value that it has on any CPU. */
void softirq_change_with_total(struct kernel_model *model, struct interrupt *softirq, struct histree_value value);

/* Assert that totals count what the ongoing states are; it looks at all CPUs. */
void softirq_assert_totals(struct kernel_model *model);

#endif
