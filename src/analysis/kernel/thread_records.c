// SPDX-License-Identifier: MIT
/*
 * thread_records.c - what perf and Perfetto record of one thread at a time: its names, its turns and its states.
 *
 * A thread comes to a CPU, or leaves one; which other thread the CPU ran before, or runs then, is not said.
 */
#include "analysis/kernel/thread_records.h"

#include <string.h>

#include "analysis/kernel/kernel_gap.h"
#include "analysis/kernel/kernel_input.h"
#include "analysis/kernel/kernel_interrupts.h"
#include "event/event.h"

/* ---- names and processes ------------------------------------------------------------------------------------- */

/* Returns the names that perf recorded before its first event; NULL in a slice, as the first one learns them. */
static const struct event_images *early_names(const struct kernel_model *model, const struct kernel_event *event)
{
	return model->slice == NULL ? event->source->class->trace->images : NULL;
}

static void learn_name(struct kernel_model *model, struct kernel_thread *thread, const char *name)
{
	if (thread_value(model, thread, THREAD_EXEC_NAME).type == HISTREE_NULL)
		thread_rename(model, thread, (struct kernel_text){ name, strlen(name) });
}

void thread_record_learn_name(struct kernel_model *model, const struct kernel_event *event,
			      struct kernel_thread *thread)
{
	const struct event_images *early = early_names(model, event);
	if (early == NULL || model->has_early_names)
		return;
	for (size_t i = early->name_count; i-- > 0;)
		if (early->names[i].tid == thread->tid) {
			learn_name(model, thread, early->names[i].name);
			return;
		}
}

void thread_records_learn_names(struct kernel_model *model, const struct kernel_event *event)
{
	const struct event_images *early = early_names(model, event);
	if (early == NULL || model->has_early_names)
		return;
	model->has_early_names = true;
	for (size_t i = early->name_count; i-- > 0;) {
		const struct event_thread_name *name = &early->names[i];
		struct kernel_thread *thread = name->tid > 0 && name->tid <= INT32_MAX
						       ? kernel_thread(model, (int32_t)name->tid, event->cpu)
						       : NULL;
		if (thread == NULL)
			continue;
		learn_name(model, thread, name->name);
		if (name->pid > 0 && name->pid <= INT32_MAX)
			thread_tell_process(model, thread, (int32_t)name->pid);
	}
}

bool thread_record_is_early(const struct kernel_event *event)
{
	const struct event_trace *trace = event->source->class->trace;
	return event->tid <= 0 || event->pid <= 0 || (trace->has_first && event->time < trace->first);
}

/* Returns the thread that a record of perf is about; NULL if the record is too early. */
static struct kernel_thread *thread_of(struct kernel_model *model, const struct kernel_event *event)
{
	return thread_record_is_early(event) ? NULL : kernel_thread(model, event->tid, event->cpu);
}

/* A record of perf says whose a thread is; that of the parent of its first thread is the parent's process. */
void thread_record_process(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_thread *thread = thread_of(model, event);
	if (thread == NULL)
		return;
	thread_tell_process(model, thread, event->pid);
	if (event->parent_pid > 0 && event->pid == event->tid)
		thread_learn_parent(model, thread, event->parent_pid);
	thread_settle_mode(model, thread);
}

void thread_record_name(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_thread *thread = thread_of(model, event);
	if (thread == NULL)
		return;
	thread_tell_process(model, thread, event->pid);
	thread_rename(model, thread, event->comm);
}

/* ---- turns and states ---------------------------------------------------------------------------------------- */

/*
 * perf recorded the turns of some threads, each by itself: what becomes of the CPU, and mostly which it is, is not
 * said.
 */
void thread_record_leave(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_thread *thread = kernel_thread(model, event->prev_tid, event->cpu);
	if (thread == NULL)
		return;
	thread_records_learn_names(model, event);
	occupancy_leave(model, thread);
	thread_change(model, thread, THREAD_STATUS, thread_status_after(kernel_event_leave(event)));
}

void thread_record_come(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_thread *thread = kernel_thread(model, event->tid, event->cpu);
	thread_records_learn_names(model, event);
	if (thread != NULL && thread->runs_on == NULL)
		thread_run(model, thread);
}

/* Where a CPU runs the thread, it still is to leave that; where none is known, perf does not say that it leaves. */
void thread_record_exit(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_thread *thread = thread_of(model, event);
	if (thread == NULL || thread->runs_on != NULL)
		return;
	if (thread_is_before_slice(model, thread, THREAD_STATUS)) {
		change_log_fail(model->slice->log, "a thread ends that may run");
		return;
	}
	const struct histree_value status = thread_value(model, thread, THREAD_STATUS);
	if (status.type == HISTREE_INT &&
	    (status.int32 == THREAD_RUNS_USERMODE || status.int32 == THREAD_RUNS_SYSCALL))
		thread_change(model, thread, THREAD_STATUS, histree_null());
}

/* A thread comes to a CPU: what became of the one that ran there is said later, or never. */
static void run_task(struct kernel_model *model, struct kernel_cpu *cpu, struct kernel_thread *thread)
{
	struct kernel_thread *before = cpu->runs;
	if (before == thread)
		return;
	if (before != NULL) {
		occupancy_leave(model, before);
		thread_change(model, before, THREAD_STATUS, histree_unknown());
	}
	occupancy_leave(model, thread);
	thread_run(model, thread);
	thread_change(model, thread, THREAD_RUN_QUEUE, histree_int(cpu->number));
	cpu_change(model, cpu, CPU_CURRENT_THREAD, histree_int(thread->tid));
	cpu_change(model, cpu, CPU_STATUS, cpu_status_of_thread(model, cpu));
	occupancy_change(model, cpu, thread);
}

/* protos/perfetto/trace/generic_kernel/generic_task.proto; what runs on a CPU that a thread leaves is not known. */
void thread_record_state(struct kernel_model *model, const struct kernel_event *event)
{
	enum { CREATED = 1, RUNNABLE, RUNNING, SLEEPS, SLEEPS_DEEPLY, STOPPED, DEAD, DESTROYED };
	static const int statuses[] = {
		[CREATED] = THREAD_WAITS_AFTER_FORK, [RUNNABLE] = THREAD_WAITS_FOR_CPU, [SLEEPS] = THREAD_BLOCKED,
		[SLEEPS_DEEPLY] = THREAD_BLOCKED,    [STOPPED] = THREAD_WAITS_UNKNOWN,
	};
	struct kernel_thread *thread = kernel_thread(model, event->tid, event->cpu);
	struct kernel_cpu *cpu = kernel_cpu(model, event->cpu);
	const bool runs = event->status == RUNNING;
	if (thread == NULL || event->status < CREATED || event->status > DESTROYED || (runs && cpu == NULL))
		return;
	if (model->slice != NULL) {
		change_log_fail(model->slice->log, "states of threads follow from those before");
		return;
	}
	if (runs) {
		run_task(model, cpu, thread);
	} else {
		occupancy_leave(model, thread);
		thread_change(model, thread, THREAD_STATUS,
			      event->status >= DEAD ? histree_null() : histree_int(statuses[event->status]));
		thread_change(model, thread, THREAD_RUN_QUEUE, histree_null());
	}
	if (event->status >= DEAD)
		return;
	if (event->prio != KERNEL_NO_PRIO)
		thread_change(model, thread, THREAD_PRIO, histree_int(event->prio));
	if (event->comm.size > 0)
		thread_rename(model, thread, event->comm);
}
