// SPDX-License-Identifier: MIT
/*
 * kernel.c - the analyses `kernel` and `kernel-compact`: a handler for each role of an event, and the states of
 * kernel_states.h that follow, except that nothing is said which an event denies.  The two differ in their layout
 * of attributes (kernel_machine.h).
 *
 * It departs from Trace Compass where events are missing (kernel_gap.h), where an event itself says in which
 * thread it happened, and where the clock of a trace steps back.  histree-states(7) lists all departures.
 */
#include <stdlib.h>

#include "analysis/kernel/kernel_gap.h"
#include "analysis/kernel/kernel_input.h"
#include "analysis/kernel/kernel_interrupts.h"
#include "analysis/kernel/kernel_labels.h"
#include "analysis/kernel/kernel_provider.h"
#include "analysis/kernel/kernel_states.h"
#include "event/event.h"

static struct histree_value status_after(enum kernel_leave leave)
{
	static const int statuses[] = {
		[LEAVES_RUNNABLE] = THREAD_WAITS_FOR_CPU, [LEAVES_WOKEN] = THREAD_WAITS_FOR_CPU,
		[LEAVES_ASLEEP] = THREAD_BLOCKED,         [LEAVES_STOPPED] = THREAD_WAITS_UNKNOWN,
		[LEAVES_FOREVER] = THREAD_UNKNOWN,
	};
	return leave == LEAVES_FOREVER ? histree_null() : histree_int(statuses[leave]);
}

/* The CPU is recorded after all, and who was lost in its queue has waited there. */
static void find_in_queue(struct kernel_model *model, int32_t cpu_number, struct kernel_thread *thread)
{
	if (model->slice != NULL || thread->runs_on != NULL || !thread_has(thread, THREAD_RUN_QUEUE) ||
	    thread_value(model, thread, THREAD_STATUS).type != HISTREE_UNKNOWN)
		return;
	struct histree_value queue = thread_value(model, thread, THREAD_RUN_QUEUE);
	if (queue.type == HISTREE_INT && queue.int32 == cpu_number)
		thread_correct_status(model, thread, histree_int(THREAD_WAITS_FOR_CPU));
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
	model->conflicts.events[CONFLICT_SWITCH]++;
	model->conflicts.to_idle += event->tid == 0;
	model->conflicts.from_idle += event->prev_tid == 0;
	occupancy_find(model, cpu, previous);
	if (next != previous)
		occupancy_find_nowhere(model, next);
	find_in_queue(model, cpu->number, next);
	bool is_woken = kernel_event_is_woken_leaving(event, cpu->waking) && previous != next;
	next->is_certain = true;
	states_switch(model, event, cpu, previous, next,
		      is_woken ? histree_int(THREAD_WAITS_FOR_CPU) : status_after(kernel_event_leave(event)));
	if (is_woken) /* which queue it comes to is still to be seen */
		thread_change(model, previous, THREAD_RUN_QUEUE, histree_null());
	/* That it sleeps is a guess where the beginning of its wake-up may be lost. */
	if (!is_woken && previous != next && model->has_wakings &&
	    kernel_event_is_woken_leaving(event, model->loss_end))
		previous->said = model->changes.time - 1;
	cpu->waking = INT64_MIN;
	previous->is_woken_leaving = is_woken;
	next->is_woken_leaving = next->is_certain = false;
	occupancy_change(model, cpu, next);
	states_name(model, event, previous, next);
}

/* Nobody seemed to wake it, as it left its CPU: the wake-up had begun then, where events were lost. */
static void find_woken_leaving(struct kernel_model *model, struct kernel_thread *thread)
{
	struct histree_value status = thread_value(model, thread, THREAD_STATUS);
	if (status.type == HISTREE_INT && status.int32 != THREAD_WAITS_FOR_CPU)
		thread_correct_status(model, thread, histree_int(THREAD_WAITS_FOR_CPU));
}

static void on_wakeup(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_thread *thread = kernel_thread(model, event->tid, event->cpu);
	if (thread == NULL)
		return;
	if (thread->runs_on != NULL)
		thread->runs_on->waking = INT64_MIN;
	else if (model->has_wakings && thread_is_guessed(model, thread))
		find_woken_leaving(model, thread);
	states_wake(model, event, thread, kernel_event_wakeup_prio(event));
}

/* Who is being woken is not woken again: what seemed to wake it as it left its CPU only told it to go on. */
static void deny_waking(struct kernel_model *model, struct kernel_thread *thread)
{
	thread->is_woken_leaving = false;
	struct histree_value status = thread_value(model, thread, THREAD_STATUS);
	if (status.type == HISTREE_INT && status.int32 == THREAD_WAITS_FOR_CPU)
		thread_correct_status(model, thread, histree_int(THREAD_BLOCKED));
}

static void on_waking(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_thread *thread = kernel_thread(model, event->tid, event->cpu);
	if (thread == NULL)
		return;
	model->has_wakings = true;
	if (thread->is_woken_leaving)
		deny_waking(model, thread);
	if (thread->runs_on != NULL && thread->runs_on->number != event->cpu)
		thread->runs_on->waking = event->time;
	states_wake(model, event, thread, kernel_event_wakeup_prio(event));
}

static void run_unseen(struct kernel_model *model, struct kernel_cpu *cpu, struct kernel_thread *thread)
{
	struct histree_value status = states_cpu_status(model, cpu);
	bool is_interrupted =
		status.type == HISTREE_INT && (status.int32 == CPU_IN_IRQ || status.int32 == CPU_IN_SOFTIRQ);
	if (is_interrupted)
		thread_change(model, thread, THREAD_STATUS, histree_int(THREAD_INTERRUPTED));
	else if (cpu_may_be_interrupted(model, cpu))
		thread_change(model, thread, THREAD_STATUS, histree_unknown());
	else
		thread_run(model, thread);
	thread_change(model, thread, THREAD_RUN_QUEUE, histree_int(cpu->number));
}

/*
 * An event says who runs on its CPU: before the first switch there, after a gap, and where perf records some
 * threads only, so that the switches of others to them are not in the trace.
 */
static void on_event_of_thread(struct kernel_model *model, int32_t cpu_number, int32_t tid)
{
	struct kernel_cpu *cpu = kernel_cpu(model, cpu_number);
	if (cpu == NULL)
		return;
	cpu_claim(model, cpu, tid);
	if (cpu->runs != NULL && cpu->runs->tid == tid) {
		cpu->runs->said = model->changes.time;
		return;
	}
	struct kernel_thread *thread = kernel_thread(model, tid, cpu_number);
	if (thread == NULL)
		return;
	occupancy_find(model, cpu, thread);
	cpu_change(model, cpu, CPU_CURRENT_THREAD, histree_int(tid));
	thread->is_certain = true;
	run_unseen(model, cpu, thread);
	thread->is_certain = false;
	cpu_change(model, cpu, CPU_STATUS, states_cpu_status(model, cpu));
	occupancy_change(model, cpu, thread);
}

/* The thread that an event is about runs nowhere: it waits in a queue, is new, or is gone. */
static void find_nowhere(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_thread *thread = kernel_thread(model, event->tid, event->cpu);
	if (thread != NULL)
		occupancy_find_nowhere(model, thread);
}

/*
 * A thread moves none but others.  Where it seems to move itself it makes another one: the kernel chooses the CPU
 * of a child while that still has the number of its parent (copy_process calls sched_fork first).
 */
static void on_migrate(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_cpu *cpu = kernel_cpu(model, event->cpu);
	if (cpu != NULL)
		cpu_claim(model, cpu, 0);
	bool moves_itself = cpu != NULL && cpu->runs != NULL && cpu->runs->tid == event->tid;
	if (moves_itself)
		return;
	if (event->tid != 0)
		find_nowhere(model, event);
	states_on_migrate(model, event);
}

static int compare_parents(const void *one, const void *other)
{
	const struct event_parent *a = one, *b = other;
	return (a->pid > b->pid) - (a->pid < b->pid);
}

/* The parent of a process that was there when the recording began. */
static void learn_parent(struct kernel_model *model, struct kernel_thread *thread,
			 const struct event_images *images)
{
	const struct event_parent wanted = { .pid = thread->tid };
	if (images == NULL || images->parent_count == 0)
		return;
	const struct event_parent *found =
		bsearch(&wanted, images->parents, images->parent_count, sizeof(*images->parents), compare_parents);
	if (found != NULL)
		thread_learn_parent(model, thread, (int32_t)found->parent);
}

/*
 * What an event says of the thread in which it happened.  A name is that of now, also where the program has just
 * become another.
 */
static void learn(struct kernel_model *model, const struct kernel_event *event)
{
	if (event->own_pid < 0 && event->own_ppid < 0 && event->own_comm.size == 0)
		return;
	struct kernel_thread *thread = kernel_thread(model, (int32_t)event->own_tid, event->cpu);
	if (thread == NULL)
		return;
	thread_begin_life(model, thread);
	if (event->own_pid == thread->tid && !thread->was_told)
		learn_parent(model, thread, event->source->class->trace->images);
	if (event->own_pid > 0 && event->own_pid <= INT32_MAX)
		thread_tell_process(model, thread, (int32_t)event->own_pid);
	if (event->own_comm.size > 0)
		thread_rename(model, thread, event->own_comm);
	if (event->own_ppid > 0 && event->own_ppid <= INT32_MAX)
		thread_learn_parent(model, thread, (int32_t)event->own_ppid);
	states_settle_mode(model, thread);
}

/* A thread is made, by an event that may be the second one to say so. */
static void make_thread(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_thread *child = kernel_thread(model, event->tid, event->cpu);
	struct kernel_thread *parent = kernel_thread(model, event->parent, event->cpu);
	if (child == NULL || parent == NULL)
		return;
	bool is_known = child->cloned != INT64_MIN && child->cloned == child->said;
	if (!is_known)
		thread_end_unseen(model, child);
	states_on_fork(model, event);
	if (event->pid >= 0)
		thread_tell_process(model, child, event->pid);
	if (event->parent_pid >= 0)
		thread_tell_process(model, parent, event->parent_pid);
}

static void on_fork(struct kernel_model *model, const struct kernel_event *event)
{
	if (event->tid == event->parent)
		return;
	find_nowhere(model, event);
	make_thread(model, event);
}

/*
 * What the kernel's event of the fork does not say: a thread is of its parent's process only if the flags of the
 * clone do (include/uapi/linux/sched.h).  The event happens in the parent (copy_process).
 */
static void on_new_task(struct kernel_model *model, const struct kernel_event *event)
{
	enum { MAKES_THREAD = 0x10000 }; /* CLONE_THREAD */
	struct kernel_event fork = *event;
	if (event->own_tid <= 0 || event->own_tid == event->tid)
		return;
	struct kernel_thread *parent = kernel_thread(model, (int32_t)event->own_tid, event->cpu);
	if (parent == NULL)
		return;
	fork.parent = (int32_t)event->own_tid;
	fork.pid = (event->flags & MAKES_THREAD) != 0 ? thread_process(model, parent) : event->tid;
	on_fork(model, &fork);
	struct kernel_thread *child = kernel_thread(model, event->tid, event->cpu);
	if (child != NULL)
		child->cloned = child->said;
}

static void on_free(struct kernel_model *model, const struct kernel_event *event)
{
	find_nowhere(model, event);
	kernel_on_free(model, event);
}

/* The idle thread runs where a CPU comes to an idle state, or leaves it: also before its first switch. */
static void on_cpu_idle(struct kernel_model *model, const struct kernel_event *event)
{
	if (event->own_tid < 0 && event->cpu == event->target_cpu)
		on_event_of_thread(model, event->cpu, 0);
}

/* A thread gets another name, at once, and not only at the next switch. */
static void on_rename(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_text name = kernel_event_new_name(event);
	struct kernel_thread *thread = event->tid > 0 ? kernel_thread(model, event->tid, event->cpu) : NULL;
	if (thread != NULL && name.bytes != NULL)
		thread_rename(model, thread, name);
}

/* That a thread runs does not say where: its own events say more. */
static void on_process_state(struct kernel_model *model, const struct kernel_event *event)
{
	struct histree_value status = states_of_dump(event->status);
	bool runs = status.type == HISTREE_INT && status.int32 == THREAD_RUNS_USERMODE;
	states_learn_thread(model, event, runs ? histree_unknown() : status);
	struct kernel_thread *thread = kernel_thread(model, event->tid, event->cpu);
	if (thread != NULL && event->pid > 0)
		thread_tell_process(model, thread, event->pid);
}

/* What perf says before the first event of the kernel is of no time in the history. */
static bool is_too_early(const struct kernel_event *event)
{
	const struct event_trace *trace = event->source->class->trace;
	return event->tid <= 0 || event->pid <= 0 || (trace->has_first && event->time < trace->first);
}

/* A record of perf says whose a thread is; that of the parent of its first thread is the parent's process. */
static void on_perf_thread(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_thread *thread = is_too_early(event) ? NULL : kernel_thread(model, event->tid, event->cpu);
	if (thread == NULL)
		return;
	thread_tell_process(model, thread, event->pid);
	if (event->parent_pid > 0 && event->pid == event->tid)
		thread_learn_parent(model, thread, event->parent_pid);
	states_settle_mode(model, thread);
}

static void on_perf_name(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_thread *thread = is_too_early(event) ? NULL : kernel_thread(model, event->tid, event->cpu);
	if (thread == NULL)
		return;
	thread_tell_process(model, thread, event->pid);
	thread_rename(model, thread, event->comm);
}

/* As the kernel's event of a fork, which may follow; a child has its parent's name. */
static void on_perf_fork(struct kernel_model *model, const struct kernel_event *event)
{
	enum { NAME_SIZE = 64 };
	char name[NAME_SIZE];
	struct kernel_event fork = *event;
	struct kernel_thread *parent =
		is_too_early(event) || event->parent <= 0 ? NULL : kernel_thread(model, event->parent, event->cpu);
	if (parent == NULL || event->parent == event->tid)
		return;
	const struct histree_value value = thread_value(model, parent, THREAD_EXEC_NAME);
	fork.comm = (struct kernel_text){ 0 };
	if (value.type == HISTREE_STRING && value.size <= sizeof(name)) {
		memcpy(name, value.bytes, value.size);
		fork.comm = (struct kernel_text){ name, value.size };
	}
	on_fork(model, &fork);
	struct kernel_thread *child = kernel_thread(model, event->tid, event->cpu);
	if (child != NULL)
		child->cloned = child->said;
}

static kernel_handler *const handlers[KERNEL_ROLE_COUNT] = {
	[KERNEL_SWITCH] = on_switch,
	[KERNEL_WAKEUP] = on_wakeup,
	[KERNEL_WAKING] = on_waking,
	[KERNEL_MIGRATE] = on_migrate,
	[KERNEL_SETPRIO] = kernel_on_setprio,
	[KERNEL_FORK] = on_fork,
	[KERNEL_FREE] = on_free,
	[KERNEL_NEW_TASK] = on_new_task,
	[KERNEL_PROCESS_STATE] = on_process_state,
	[KERNEL_PERF_FORK] = on_perf_fork,
	[KERNEL_PERF_NAME] = on_perf_name,
	[KERNEL_PERF_THREAD] = on_perf_thread,
	[KERNEL_RENAME] = on_rename,
	[KERNEL_EXEC] = on_rename,
	[KERNEL_IRQ_ENTRY] = states_on_irq_entry,
	[KERNEL_IRQ_EXIT] = states_on_irq_exit,
	[KERNEL_VECTOR_ENTRY] = states_on_irq_entry,
	[KERNEL_VECTOR_EXIT] = states_on_vector_exit,
	[KERNEL_SOFTIRQ_RAISE] = states_on_softirq_raise,
	[KERNEL_SOFTIRQ_ENTRY] = states_on_softirq_entry,
	[KERNEL_SOFTIRQ_EXIT] = states_on_softirq_exit,
	[KERNEL_SYSCALL_ENTRY] = states_on_syscall_entry,
	[KERNEL_SYSCALL_EXIT] = kernel_on_syscall_exit,
	[KERNEL_FREQUENCY] = states_on_frequency,
	[KERNEL_CPU_IDLE] = on_cpu_idle,
};

static const struct kernel_version plain = {
	.places = &kernel_places_plain,
	.is_monotonic = true,
	.corrects_past = true,
	.runs = on_event_of_thread,
	.learn = learn,
	.handlers = handlers,
};

static const struct kernel_version compact = {
	.places = &kernel_places_compact,
	.is_monotonic = true,
	.corrects_past = true,
	.runs = on_event_of_thread,
	.learn = learn,
	.handlers = handlers,
};

static enum histree_status create(struct histree_state_system *system, void *input, void **instance,
				  struct histree_error *error)
{
	return kernel_provider_create(&plain, input, system, instance, error);
}

static enum histree_status create_compact(struct histree_state_system *system, void *input, void **instance,
					  struct histree_error *error)
{
	return kernel_provider_create(&compact, input, system, instance, error);
}

const struct analysis analysis_kernel = {
	.name = "kernel",
	.version = 39, /* 39: its parent says whether a thread is of the kernel */
	.summary = "states of threads, CPUs and interrupts; unknown where events are missing",
	.labels = kernel_labels,
	.label_table_count = KERNEL_LABEL_TABLES,
	.input = &kernel_input_kind,
	.applies = kernel_input_knows,
	.create = create,
	.event = kernel_provider_event,
	.gap = kernel_provider_gap,
	.refused = kernel_provider_refused,
	.is_empty = kernel_provider_is_empty,
	.missing = kernel_provider_missing,
	.unsure = kernel_provider_unsure,
	.save = kernel_provider_save,
	.load = kernel_provider_load,
	.slices = &kernel_provider_slices,
	.free = kernel_provider_free,
};

const struct analysis analysis_kernel_compact = {
	.name = "kernel-compact",
	.version = 8,
	.summary = "the states of kernel in a quarter fewer attributes",
	.labels = kernel_labels_compact,
	.label_table_count = KERNEL_COMPACT_LABEL_TABLES,
	.input = &kernel_input_kind,
	.applies = kernel_input_knows,
	.create = create_compact,
	.event = kernel_provider_event,
	.gap = kernel_provider_gap,
	.refused = kernel_provider_refused,
	.is_empty = kernel_provider_is_empty,
	.missing = kernel_provider_missing,
	.unsure = kernel_provider_unsure,
	.save = kernel_provider_save,
	.load = kernel_provider_load,
	.free = kernel_provider_free,
};
