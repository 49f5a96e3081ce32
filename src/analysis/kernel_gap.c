// SPDX-License-Identifier: MIT
#include "analysis/kernel_gap.h"

#include "analysis/kernel_interrupts.h"

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

static void doubt_thread(struct kernel_model *model, struct kernel_thread *thread)
{
	static const enum thread_attribute in_doubt[] = { THREAD_STATUS, THREAD_SYSTEM_CALL, THREAD_RUN_QUEUE,
							  THREAD_PRIO };
	bool lives = thread_has(thread, THREAD_STATUS) &&
		     thread_value(model, thread, THREAD_STATUS).type != HISTREE_NULL;
	for (size_t i = 0; lives && i < sizeof(in_doubt) / sizeof(in_doubt[0]); i++)
		doubt(model, thread->attributes[in_doubt[i]]);
}

static void doubt_interrupts(struct kernel_model *model, struct kernel_cpu *cpu)
{
	for (struct interrupt *irq = cpu->first_irq; irq != NULL; irq = irq->next) {
		doubt(model, irq->quark);
		doubt(model, irq->total);
	}
	for (struct interrupt *softirq = cpu->first_softirq; softirq != NULL; softirq = softirq->next) {
		if (softirq->softirq != NULL)
			softirq_change_with_total(model, softirq, histree_unknown());
		else
			doubt(model, softirq->quark);
	}
}

static void doubt_cpu(struct kernel_model *model, struct kernel_cpu *cpu)
{
	doubt(model, cpu->attributes[CPU_STATUS]);
	doubt(model, cpu->attributes[CPU_CURRENT_THREAD]);
	doubt(model, cpu->attributes[CPU_FREQUENCY]);
	doubt_interrupts(model, cpu);
	cpu->in_doubt = DOUBT_IRQS | DOUBT_SOFTIRQS;
}

static bool is_in_gap(const struct kernel_cpu *cpu, int32_t cpu_number)
{
	return cpu_number < 0 || cpu->number == cpu_number;
}

/* Mark, or unmark, the threads that run on CPUs of which nothing is lost. */
static void mark_running(struct kernel_model *model, int32_t cpu_number, bool mark)
{
	for (size_t i = 0; i < model->cpus.slot_count; i++) {
		struct kernel_cpu *cpu = model->cpus.slots[i].record;
		if (cpu == NULL || is_in_gap(cpu, cpu_number) ||
		    cpu->attributes[CPU_CURRENT_THREAD] == NO_ATTRIBUTE)
			continue;
		struct kernel_thread *thread = cpu_current_thread(model, cpu);
		if (thread != NULL)
			thread->is_certain = mark;
	}
}

void kernel_begin_gap(struct kernel_model *model, int32_t cpu_number)
{
	mark_running(model, cpu_number, true);
	for (size_t i = 0; i < model->threads.slot_count; i++) {
		const struct id_slot *slot = &model->threads.slots[i];
		struct kernel_thread *thread = slot->record;
		bool elsewhere =
			is_idle_thread(slot->id) && cpu_number >= 0 && (uint32_t)slot->id != (uint32_t)cpu_number;
		if (thread != NULL && !thread->is_certain && !elsewhere)
			doubt_thread(model, thread);
	}
	mark_running(model, cpu_number, false);
	for (size_t i = 0; i < model->cpus.slot_count; i++) {
		struct kernel_cpu *cpu = model->cpus.slots[i].record;
		if (cpu != NULL && is_in_gap(cpu, cpu_number))
			doubt_cpu(model, cpu);
	}
}

/* What is certain about interrupts when such an event happens; DOUBT_IRQS: that none is handled, or was till now.
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
	case KERNEL_PROCESS_STATE:
	case KERNEL_SOFTIRQ_RAISE:
	case KERNEL_FREQUENCY:
	case KERNEL_ROLE_COUNT:
		break;
	}
	return 0;
}

void kernel_settle(struct kernel_model *model, int32_t cpu_number, enum kernel_role role)
{
	struct kernel_cpu *cpu = cpu_number < 0 ? NULL : id_map_find(&model->cpus, (uint64_t)cpu_number);
	unsigned certain = cpu == NULL ? 0 : cpu->in_doubt & certain_at(role);
	if ((certain & DOUBT_IRQS) != 0)
		for (struct interrupt *irq = cpu->first_irq; irq != NULL; irq = irq->next)
			if (changes_value(&model->changes, irq->quark).type == HISTREE_UNKNOWN)
				change(&model->changes, irq->quark, histree_null());
	if (cpu != NULL)
		cpu->in_doubt &= ~certain;
}
