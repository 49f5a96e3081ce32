// SPDX-License-Identifier: MIT
/*
 * kernel_handlers.c - the handlers that every version of the kernel analysis has alike.
 */
#include "analysis/kernel/kernel_handlers.h"

#include <string.h>

#include "analysis/kernel/kernel_gap.h"

void kernel_on_setprio(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_thread *thread = kernel_thread(model, event->tid, event->cpu);
	if (thread != NULL)
		thread_change(model, thread, THREAD_PRIO, histree_int(event->prio));
}

void kernel_on_free(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_thread *thread = kernel_thread(model, event->tid, event->cpu);
	if (thread != NULL)
		thread_remove(model, thread);
}

/*
 * Some calls end without an event: those by which signal handlers return.  LTTng has no name for them, but
 * "unknown", which others have too.
 */
static bool may_end_unseen(struct histree_value call)
{
	static const char *const names[] = { "unknown", "rt_sigreturn", "sigreturn" };
	for (size_t i = 0; call.type == HISTREE_STRING && i < sizeof(names) / sizeof(names[0]); i++)
		if (call.size == strlen(names[i]) && memcmp(call.bytes, names[i], call.size) == 0)
			return true;
	return false;
}

/* Where a thread of the CPU is: in a system call, or out of it, whatever else goes on there. */
static void move_thread(struct kernel_model *model, const struct kernel_event *event, struct histree_value call,
			enum thread_status thread_status, enum cpu_status cpu_status)
{
	struct kernel_cpu *cpu = kernel_cpu(model, event->cpu);
	if (cpu == NULL)
		return;
	struct kernel_thread *thread = cpu_current_thread(model, cpu);
	model->has_calls = true;
	if (thread != NULL) {
		if (thread->call == PROGRESS_UNKNOWN && model->corrects_past)
			past_of_call(model, cpu, thread, event);
		conflicts_step(&model->conflicts, CONFLICT_CALL, &thread->call, call.type != HISTREE_NULL);
		conflicts_first_step(&thread->first_step, call.type != HISTREE_NULL);
		if (may_end_unseen(call))
			thread->call = PROGRESS_UNKNOWN;
		thread_change(model, thread, THREAD_SYSTEM_CALL, call);
		thread_change(model, thread, THREAD_STATUS, histree_int(thread_status));
	}
	if (cpu->runs == NULL)
		cpu->stepped = model->changes.time;
	cpu_change(model, cpu, CPU_STATUS, histree_int(cpu_status));
}

void kernel_enter_system_call(struct kernel_model *model, const struct kernel_event *event, struct kernel_text name)
{
	move_thread(model, event, histree_string_n(name.bytes, name.size), THREAD_RUNS_SYSCALL, CPU_RUNS_SYSCALL);
}

void kernel_on_syscall_exit(struct kernel_model *model, const struct kernel_event *event)
{
	move_thread(model, event, histree_null(), THREAD_RUNS_USERMODE, CPU_RUNS_USERMODE);
}
