// SPDX-License-Identifier: MIT
/*
 * The kernel analysis that the papers measured: version 17 of Trace Compass's state provider, of 2016
 * (thesis 4.8.2, and 5.1 for what was changed afterwards).  It is kept so that their numbers can be had
 * again, errors of that version included.  It does not know sched_waking, migrations, interrupt vectors and
 * frequencies.
 *
 *	CPUs/<cpu>/Status, Current_thread      the node itself is always null
 *	CPUs/<cpu>/IRQs/<number>               and Soft_IRQs/<number>
 *	Threads/<tid>/Status, System_call      the whole name of the event
 *	Threads/<tid>/Exec_name, PPID, Prio
 */
#include "analysis/kernel/kernel_gap.h"
#include "analysis/kernel/kernel_input.h"
#include "analysis/kernel/kernel_interrupts.h"
#include "analysis/kernel/kernel_labels.h"
#include "analysis/kernel/kernel_provider.h"

/*
 * While an interrupt is in progress this is the interrupt's own value: the number of the CPU, not
 * CPU_IN_IRQ; and for a softirq that was only raised, CPU status 1.  So it was in 2016.
 */
static struct histree_value cpu_status(struct kernel_model *model, struct kernel_cpu *cpu)
{
	struct histree_value irq = cpu_irq_value(model, cpu);
	if (irq.type != HISTREE_NULL)
		return irq;
	struct histree_value softirq = cpu_softirq_value(model, cpu);
	if (cpu->in_doubt != 0 && cpu->has_gaps)
		return histree_unknown();
	if (cpu_doubts_softirqs(model, cpu))
		return histree_unknown();
	if (softirq.type != HISTREE_NULL) /* of several the one that was heard of first, which a gap may hide */
		return model->has_gaps ? histree_unknown() : softirq;
	return cpu_status_of_thread(model, cpu);
}

static void on_switch(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_cpu *cpu = kernel_cpu(model, event->cpu);
	if (cpu == NULL)
		return;
	struct kernel_thread *previous = kernel_thread(model, event->prev_tid, event->cpu);
	struct kernel_thread *next = kernel_thread(model, event->tid, event->cpu);
	if (previous == NULL || next == NULL)
		return;
	if (thread_is_guessed(model, previous)) /* it was woken while it ran, where nobody saw that */
		thread_correct_status(model, previous, histree_unknown());
	thread_change(model, previous, THREAD_STATUS, thread_status_of_task_state(event->prev_state));
	thread_run(model, next);
	thread_rename(model, previous, event->prev_comm);
	thread_rename(model, next, event->comm);
	thread_change(model, previous, THREAD_PRIO, histree_int(event->prev_prio));
	thread_change(model, next, THREAD_PRIO, histree_int(event->prio));
	/* Every thread that ever ran has a PPID, known or not (thesis 5.1). */
	thread_ask(model, next, THREAD_PPID);
	cpu_change(model, cpu, CPU_CURRENT_THREAD, histree_int(event->tid));
	cpu_change(model, cpu, CPU_STATUS, cpu_status_of_thread(model, cpu));
}

static void on_wakeup(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_thread *thread = kernel_thread(model, event->tid, event->cpu);
	if (thread == NULL)
		return;
	thread_wake(model, thread, true);
	thread_change(model, thread, THREAD_PRIO, histree_int(event->prio));
}

static void on_fork(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_thread *parent = kernel_thread(model, event->parent, event->cpu);
	struct kernel_thread *child = kernel_thread(model, event->tid, event->cpu);
	if (parent == NULL || child == NULL)
		return;
	thread_change(model, child, THREAD_PPID, histree_int(event->parent));
	thread_rename(model, child, event->comm);
	thread_change(model, child, THREAD_STATUS, histree_int(THREAD_WAITS_FOR_CPU));
	thread_inherit_system_call(model, parent, child);
}

static int32_t status_of_dump(int32_t status)
{
	enum { WAIT_CPU = 2, WAIT = 5 };

	if (status == WAIT_CPU)
		return THREAD_WAITS_FOR_CPU;
	return status == WAIT ? THREAD_WAITS_UNKNOWN : THREAD_UNKNOWN;
}

static void on_process_state(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_thread *thread = kernel_thread(model, event->tid, event->cpu);
	if (thread == NULL)
		return;
	thread_learn(model, thread, THREAD_EXEC_NAME, histree_string_n(event->comm.bytes, event->comm.size));
	thread_learn(model, thread, THREAD_PPID,
		     histree_int(event->pid == event->tid ? event->parent : event->pid));
	thread_learn(model, thread, THREAD_STATUS,
		     model->has_gaps ? histree_unknown() : histree_int(status_of_dump(event->status)));
}

/* Interrupts have no names here. */
static struct interrupt *irq_of(struct kernel_model *model, struct kernel_cpu *cpu,
				const struct kernel_event *event)
{
	return cpu_irq(model, cpu, event->number, (struct kernel_text){ 0 });
}

static void interrupt_cpu(struct kernel_model *model, struct kernel_cpu *cpu, struct interrupt *interrupt,
			  struct histree_value value, enum cpu_status status)
{
	struct kernel_thread *thread = cpu_current_thread(model, cpu);
	if (interrupt == NULL)
		return;
	change(&model->changes, interrupt->quark, value);
	if (thread != NULL)
		thread_change(model, thread, THREAD_STATUS, histree_int(THREAD_INTERRUPTED));
	cpu_change(model, cpu, CPU_STATUS, histree_int(status));
}

static void resume_cpu(struct kernel_model *model, struct kernel_cpu *cpu, struct kernel_thread *thread)
{
	if (thread != NULL)
		thread_run(model, thread);
	cpu_change(model, cpu, CPU_STATUS, cpu_status(model, cpu));
}

static void on_irq_entry(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_cpu *cpu = kernel_cpu(model, event->cpu);
	if (cpu != NULL)
		interrupt_cpu(model, cpu, irq_of(model, cpu, event), histree_int(cpu->number), CPU_IN_IRQ);
}

static void on_irq_exit(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_cpu *cpu = kernel_cpu(model, event->cpu);
	struct interrupt *irq = cpu == NULL ? NULL : irq_of(model, cpu, event);
	struct kernel_thread *thread = cpu == NULL ? NULL : cpu_current_thread(model, cpu);
	if (irq == NULL)
		return;
	change(&model->changes, irq->quark, histree_null());
	resume_cpu(model, cpu, thread);
}

static void on_softirq_raise(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_cpu *cpu = kernel_cpu(model, event->cpu);
	struct interrupt *softirq = cpu == NULL ? NULL : cpu_softirq(model, cpu, event->number);
	if (softirq != NULL)
		change(&model->changes, softirq->quark, softirq_when_raised(model, cpu, softirq));
}

static void on_softirq_entry(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_cpu *cpu = kernel_cpu(model, event->cpu);
	if (cpu != NULL)
		interrupt_cpu(model, cpu, cpu_softirq(model, cpu, event->number), histree_int(SOFTIRQ_RUNNING),
			      CPU_IN_SOFTIRQ);
}

static void on_softirq_exit(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_cpu *cpu = kernel_cpu(model, event->cpu);
	struct interrupt *softirq = cpu == NULL ? NULL : cpu_softirq(model, cpu, event->number);
	struct kernel_thread *thread = cpu == NULL ? NULL : cpu_current_thread(model, cpu);
	if (softirq == NULL)
		return;
	change(&model->changes, softirq->quark, softirq_when_done(model, softirq));
	if (cpu_softirq_value(model, cpu).type != HISTREE_NULL)
		return;
	resume_cpu(model, cpu, thread);
	if (thread != NULL && cpu_doubts_softirqs(model, cpu))
		thread_change(model, thread, THREAD_STATUS, histree_unknown());
}

static void on_syscall_entry(struct kernel_model *model, const struct kernel_event *event)
{
	kernel_enter_system_call(model, event, event->event_name);
}

static kernel_handler *const handlers[KERNEL_ROLE_COUNT] = {
	[KERNEL_SWITCH] = on_switch,
	[KERNEL_WAKEUP] = on_wakeup,
	[KERNEL_SETPRIO] = kernel_on_setprio,
	[KERNEL_FORK] = on_fork,
	[KERNEL_FREE] = kernel_on_free,
	[KERNEL_PROCESS_STATE] = on_process_state,
	[KERNEL_IRQ_ENTRY] = on_irq_entry,
	[KERNEL_IRQ_EXIT] = on_irq_exit,
	[KERNEL_SOFTIRQ_RAISE] = on_softirq_raise,
	[KERNEL_SOFTIRQ_ENTRY] = on_softirq_entry,
	[KERNEL_SOFTIRQ_EXIT] = on_softirq_exit,
	[KERNEL_SYSCALL_ENTRY] = on_syscall_entry,
	[KERNEL_SYSCALL_EXIT] = kernel_on_syscall_exit,
};

static const struct kernel_version version = {
	.places = &kernel_places_2016,
	.handlers = handlers,
};

static enum histree_status create(struct histree_state_system *system, void *input, void **instance,
				  struct histree_error *error)
{
	return kernel_provider_create(&version, input, system, instance, error);
}

const struct analysis analysis_kernel_2016 = {
	.name = "kernel-2016",
	.version = 17,
	.summary = "the kernel analysis as it was in 2016, when the papers measured it",
	.labels = kernel_labels_2016,
	.label_table_count = KERNEL_LABEL_TABLES,
	.input = &kernel_input_kind,
	.applies = kernel_input_knows,
	.create = create,
	.event = kernel_provider_event,
	.gap = kernel_provider_gap,
	.refused = kernel_provider_refused,
	.save = kernel_provider_save,
	.load = kernel_provider_load,
	.free = kernel_provider_free,
};
