// SPDX-License-Identifier: MIT
/*
 * Today's kernel analysis of Trace Compass, version 31 of its state provider: the same attributes, the same
 * states, to the interval, whatever the trace lacks.  Gaps are no events, so that it takes no notice of them.
 *
 * Of perf's events it knows less than of LTTng's: it has the names of these for migrations and frequencies, takes
 * system calls from raw_syscalls only, and gets an empty name for them.
 */
#include <string.h>

#include "analysis/kernel/kernel_gap.h"
#include "analysis/kernel/kernel_input.h"
#include "analysis/kernel/kernel_labels.h"
#include "analysis/kernel/kernel_provider.h"
#include "analysis/kernel/kernel_states.h"

static void on_switch(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_cpu *cpu = kernel_cpu(model, event->cpu);
	if (cpu == NULL)
		return;
	struct kernel_thread *previous = kernel_thread(model, event->prev_tid, event->cpu);
	struct kernel_thread *next = kernel_thread(model, event->tid, event->cpu);
	if (previous == NULL || next == NULL)
		return;
	states_switch(model, event, cpu, previous, next, thread_status_of_task_state(event->prev_state));
	states_name(model, event, previous, next);
}

static void on_migrate(struct kernel_model *model, const struct kernel_event *event)
{
	if (!event->is_perf)
		states_on_migrate(model, event);
}

static void on_frequency(struct kernel_model *model, const struct kernel_event *event)
{
	if (!event->is_perf)
		states_on_frequency(model, event);
}

static void on_process_state(struct kernel_model *model, const struct kernel_event *event)
{
	states_learn_thread(model, event, states_of_dump(event->status));
}

/* Whether the event is a system call to it. */
static bool is_call(const struct kernel_event *event)
{
	static const char raw[] = "raw_syscalls:";
	return !event->is_perf || strncmp(event->source->class->name, raw, sizeof(raw) - 1) == 0;
}

static void on_syscall_entry(struct kernel_model *model, const struct kernel_event *event)
{
	if (!event->is_perf)
		states_on_syscall_entry(model, event);
	else if (is_call(event))
		kernel_enter_system_call(model, event, (struct kernel_text){ "", 0 });
}

static void on_syscall_exit(struct kernel_model *model, const struct kernel_event *event)
{
	if (is_call(event))
		kernel_on_syscall_exit(model, event);
}

static kernel_handler *const handlers[KERNEL_ROLE_COUNT] = {
	[KERNEL_SWITCH] = on_switch,
	[KERNEL_WAKEUP] = states_on_wakeup,
	[KERNEL_WAKING] = states_on_wakeup,
	[KERNEL_MIGRATE] = on_migrate,
	[KERNEL_SETPRIO] = kernel_on_setprio,
	[KERNEL_FORK] = states_on_fork,
	[KERNEL_FREE] = kernel_on_free,
	[KERNEL_PROCESS_STATE] = on_process_state,
	[KERNEL_IRQ_ENTRY] = states_on_irq_entry,
	[KERNEL_IRQ_EXIT] = states_on_irq_exit,
	[KERNEL_VECTOR_ENTRY] = states_on_irq_entry,
	[KERNEL_VECTOR_EXIT] = states_on_vector_exit,
	[KERNEL_SOFTIRQ_RAISE] = states_on_softirq_raise,
	[KERNEL_SOFTIRQ_ENTRY] = states_on_softirq_entry,
	[KERNEL_SOFTIRQ_EXIT] = states_on_softirq_exit,
	[KERNEL_SYSCALL_ENTRY] = on_syscall_entry,
	[KERNEL_SYSCALL_EXIT] = on_syscall_exit,
	[KERNEL_FREQUENCY] = on_frequency,
};

static const struct kernel_version version = {
	.places = &kernel_places_plain,
	.handlers = handlers,
};

static enum histree_status create(struct histree_state_system *system, void *input, void **instance,
				  struct histree_error *error)
{
	return kernel_provider_create(&version, input, system, instance, error);
}

const struct analysis analysis_kernel_tc = {
	.name = "kernel-tc",
	.version = 31,
	.summary = "the kernel analysis of Trace Compass, to compare: it is wrong where events are missing",
	.labels = kernel_labels,
	.label_table_count = KERNEL_LABEL_TABLES,
	.input = &kernel_input_kind,
	.applies = kernel_input_knows,
	.create = create,
	.event = kernel_provider_event,
	.refused = kernel_provider_refused,
	.save = kernel_provider_save,
	.load = kernel_provider_load,
	.free = kernel_provider_free,
};
