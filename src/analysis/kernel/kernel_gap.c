// SPDX-License-Identifier: MIT
#include "analysis/kernel/kernel_gap.h"

#include <string.h>

#include "analysis/kernel/kernel_interrupts.h"
#include "analysis/kernel/kernel_occupancy.h"
#include "analysis/kernel/kernel_past.h"
#include "analysis/kernel/kernel_slice.h"
#include "base/costly.h"

/* Idle threads are in the upper half of the ids, by CPU (kernel_threads.c). */
static bool is_idle_thread(uint64_t id)
{
	return id >> 32 != 0;
}

static void doubt(struct kernel_model *model, histree_quark quark)
{
	if (quark != NO_ATTRIBUTE)
		change(&model->changes, quark, histree_unknown());
}

/* The totals of all CPUs are in doubt too: any interrupt may be handled where nothing is seen. */
static void doubt_totals(struct kernel_model *model, const struct interrupt *first)
{
	for (const struct interrupt *interrupt = first; interrupt != NULL; interrupt = interrupt->next)
		doubt(model, interrupt->total);
}

/* A softirq that was seen on other CPUs only may be raised on this one, which then counts in its total. */
static void doubt_unseen_softirqs(struct kernel_model *model, struct kernel_cpu *cpu)
{
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&model->softirqs, &at)) != NULL;) {
		struct interrupt *softirq = cpu_softirq(model, cpu, (int32_t)entry->id);
		if (softirq != NULL && softirq->softirq == NULL)
			softirq_change_with_total(model, softirq, histree_unknown());
	}
}

static void doubt_interrupts(struct kernel_model *model, struct kernel_cpu *cpu)
{
	for (struct interrupt *irq = cpu->first_irq; irq != NULL; irq = irq->next) {
		irq->progress = PROGRESS_UNKNOWN;
		doubt(model, irq->quark);
	}
	doubt_unseen_softirqs(model, cpu);
	for (struct interrupt *softirq = cpu->first_softirq; softirq != NULL; softirq = softirq->next) {
		softirq->progress = PROGRESS_UNKNOWN;
		if (model->softirqs.count > 0)
			softirq_change_with_total(model, softirq, histree_unknown());
		else
			doubt(model, softirq->quark);
	}
}

static void doubt_cpu(struct kernel_model *model, struct kernel_cpu *cpu)
{
	doubt(model, cpu->attributes[CPU_STATUS]);
	doubt(model, cpu_attribute(model, cpu, CPU_CURRENT_THREAD)); /* null would be before the first switch */
	doubt(model, cpu->attributes[CPU_FREQUENCY]);
	doubt_interrupts(model, cpu);
	occupancy_forget(model, cpu);
	model->cpus_in_doubt += cpu->in_doubt == 0;
	cpu->in_doubt = DOUBT_IRQS | DOUBT_SOFTIRQS;
	cpu->raised = RAISED_UNSEEN;
	cpu->had_irq = false;
	cpu->stepped = INT64_MIN;
	model->open_gaps += !cpu->is_losing;
	cpu->is_losing = cpu->has_gaps = true;
}

static bool is_in_gap(const struct kernel_cpu *cpu, int32_t cpu_number)
{
	return cpu_number < 0 || cpu->number == cpu_number;
}

/* Mark, or unmark, the threads that run on CPUs of which nothing is lost. */
static void mark_running(struct kernel_model *model, int32_t cpu_number, bool mark)
{
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&model->cpus, &at)) != NULL;) {
		struct kernel_cpu *cpu = entry->record;
		if (is_in_gap(cpu, cpu_number) || cpu->attributes[CPU_CURRENT_THREAD] == NO_ATTRIBUTE)
			continue;
		struct kernel_thread *thread = cpu_current_thread(model, cpu);
		if (thread != NULL)
			thread->is_certain = mark;
	}
}

void kernel_begin_gap(struct kernel_model *model, int32_t cpu_number, histree_time end)
{
	if (model->slice != NULL) {
		change_log_fail(model->slice->log, "events are lost");
		return;
	}
	model->has_gaps = true;
	if (cpu_number < 0) {
		model->all_open = true;
		model->all_end = end;
	} else if (kernel_cpu(model, cpu_number) == NULL) {
		return;
	}
	if (COSTLY_ASSERTIONS && model->changes.status == HISTREE_OK)
		softirq_assert_totals(model);
	mark_running(model, cpu_number, true);
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&model->threads, &at)) != NULL;) {
		struct kernel_thread *thread = entry->record;
		bool elsewhere =
			is_idle_thread(entry->id) && cpu_number >= 0 && (uint32_t)entry->id != (uint32_t)cpu_number;
		if (!thread->is_certain && !elsewhere)
			thread_doubt(model, thread);
	}
	mark_running(model, cpu_number, false);
	for (size_t at = 0; (entry = id_map_next(&model->cpus, &at)) != NULL;) {
		struct kernel_cpu *cpu = entry->record;
		if (is_in_gap(cpu, cpu_number))
			doubt_cpu(model, cpu);
		doubt_totals(model, cpu->first_irq);
		doubt_totals(model, cpu->first_softirq);
	}
}

/*
 * What is certain about interrupts when such an event happens; DOUBT_IRQS: that none is handled, or was till now.
 */
static unsigned certain_at(enum kernel_role role)
{
	switch (role) {
	case KERNEL_SWITCH:
	case KERNEL_SYSCALL_ENTRY:
	case KERNEL_SYSCALL_EXIT:
	case KERNEL_SOFTIRQ_ENTRY:
	case KERNEL_SOFTIRQ_EXIT:
		return DOUBT_IRQS | DOUBT_SOFTIRQS;
	case KERNEL_IRQ_ENTRY:
	case KERNEL_IRQ_EXIT:
	case KERNEL_VECTOR_ENTRY:
	case KERNEL_VECTOR_EXIT:
		return DOUBT_IRQS;
	case KERNEL_NO_ROLE:
	case KERNEL_WAKEUP:
	case KERNEL_WAKING:
	case KERNEL_MIGRATE:
	case KERNEL_SETPRIO:
	case KERNEL_FORK:
	case KERNEL_FREE:
	case KERNEL_NEW_TASK:
	case KERNEL_PROCESS_STATE:
	case KERNEL_PERF_FORK:
	case KERNEL_PERF_NAME:
	case KERNEL_PERF_THREAD:
	case KERNEL_SOFTIRQ_RAISE:
	case KERNEL_FREQUENCY:
	case KERNEL_CPU_IDLE:
	case KERNEL_BLOCK_INSERT:
	case KERNEL_BLOCK_ISSUE:
	case KERNEL_BLOCK_COMPLETE:
	case KERNEL_BLOCK_DEVICE:
	case KERNEL_BLOCK_FRONT_MERGE:
	case KERNEL_BLOCK_REQUEST_MERGE:
	case KERNEL_BLOCK_MERGE:
	case KERNEL_PAGES_ALLOC:
	case KERNEL_PAGES_FREE:
	case KERNEL_HEAP_ALLOC:
	case KERNEL_HEAP_FREE:
	case KERNEL_PACKET_QUEUE:
	case KERNEL_PACKET_TRANSMIT:
	case KERNEL_PACKET_RECEIVE:
	case KERNEL_PACKET_COPY:
	case KERNEL_PACKET_CONSUME:
	case KERNEL_PACKET_DROP:
	case KERNEL_EXIT:
	case KERNEL_EXEC:
	case KERNEL_RENAME:
	case KERNEL_TRY_TO_WAKE:
	case KERNEL_HRTIMER_ENTRY:
	case KERNEL_HRTIMER_EXIT:
	case KERNEL_WHOLE_IRQ_ENTRY:
	case KERNEL_WHOLE_IRQ_EXIT:
	case KERNEL_RECEPTION_ENTRY:
	case KERNEL_RECEPTION_EXIT:
	case KERNEL_ROLE_COUNT:
		break;
	}
	return 0;
}

/* The loss is over: what begins from now on is seen. */
static void end_gap(struct kernel_model *model, struct kernel_cpu *cpu)
{
	doubt_unseen_softirqs(model, cpu);
	cpu->is_losing = false;
	cpu->in_doubt_since = model->changes.time;
	model->open_gaps--;
	model->loss_end = model->changes.time;
}

static bool says_that_thread_runs(enum kernel_role role)
{
	return role == KERNEL_SWITCH || role == KERNEL_SYSCALL_ENTRY || role == KERNEL_SYSCALL_EXIT;
}

/* What one run of softirqs leaves, because it takes too long, this thread handles. */
static bool is_to_ksoftirqd(const struct kernel_event *event)
{
	static const char name[] = "ksoftirqd/";
	return event->role == KERNEL_SWITCH && event->comm.size >= strlen(name) &&
	       memcmp(event->comm.bytes, name, strlen(name)) == 0;
}

static void resolve_interrupts(struct kernel_model *model, struct kernel_cpu *cpu, const struct kernel_event *event)
{
	unsigned certain = cpu->in_doubt & certain_at(event->role);
	if (certain == 0)
		return;
	if (model->corrects_past)
		past_of_interrupts(model, cpu, event);
	if ((certain & DOUBT_IRQS) != 0)
		for (struct interrupt *irq = cpu->first_irq; irq != NULL; irq = irq->next)
			if (changes_value(&model->changes, irq->quark).type == HISTREE_UNKNOWN)
				change(&model->changes, irq->quark, histree_null());
	cpu->in_doubt &= ~certain;
	model->cpus_in_doubt -= cpu->in_doubt == 0;
}

void kernel_resolve(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_cpu *cpu = event->cpu < 0 ? NULL : id_map_find(&model->cpus, (uint64_t)event->cpu);
	if (model->all_open && model->changes.time > model->all_end) {
		model->all_open = false;
		model->loss_end = model->changes.time;
	}
	if (cpu == NULL)
		return;
	if (cpu->is_losing)
		end_gap(model, cpu);
	if (cpu->raised == RAISED_UNSEEN_END && says_that_thread_runs(event->role))
		cpu->raised = RAISED_ARE_SEEN;
	if (cpu->has_gaps && is_to_ksoftirqd(event))
		cpu->raised = RAISED_UNSEEN;
	resolve_interrupts(model, cpu, event);
	if (model->corrects_past && cpu->has_gaps && says_that_thread_runs(event->role))
		past_of_thread(model, cpu);
}
