// SPDX-License-Identifier: MIT
/*
 * kernel.c - the analyses `kernel`, `kernel-compact`, `kernel-tc` and `kernel-2016`: which states follow from each
 * event, and which of the handlers each has.
 *
 * What the first three share is as in version 31 of Trace Compass's provider:
 *
 * 	CPUs/<cpu>                     what the CPU does (enum cpu_status)
 * 	CPUs/<cpu>/Current_thread      tid, 0 when idle
 * 	CPUs/<cpu>/IRQs/...            and Soft_IRQs/...: kernel_interrupts.h
 * 	CPUs/<cpu>/Frequency           Hz; Min frequency, Max frequency: the extremes of the whole trace
 * 	IRQs/..., Soft_IRQs/...        the same of all CPUs together
 * 	Threads/<tid>                  what the thread does (enum thread_status)
 * 	Threads/<tid>/System_call      its name
 * 	Threads/<tid>/Current_cpu_rq   the CPU in whose run queue it is
 * 	Threads/<tid>/Exec_name, PPID, PID (where it is not the tid), Prio
 *
 * Each handler makes its changes in the order in which Trace Compass makes them: where one event changes an
 * attribute twice, the last one stays.
 *
 * `kernel` and `kernel-compact` state nothing that an event contradicts; the two differ in their layout of
 * attributes (kernel_machine.h).  They depart from Trace Compass where events are missing (kernel_gap.h), where an
 * event itself says in which thread it happened, and where the clock of a trace steps back.  histree-states(7)
 * lists all departures.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel/kernel_gap.h"
#include "analysis/kernel/kernel_input.h"
#include "analysis/kernel/kernel_interrupts.h"
#include "analysis/kernel/kernel_labels.h"
#include "analysis/kernel/kernel_provider.h"
#include "analysis/kernel/kernel_threads.h"
#include "analysis/kernel/thread_records.h"
#include "base/search.h"
#include "event/event.h"

/* ---- what several of them have ---------------------------------------------------------------------------- */

/*
 * What a switch says, which leaves the previous thread in this status; names come last: one that is too long ends
 * the event.
 */
static void states_switch(struct kernel_model *model, const struct kernel_event *event, struct kernel_cpu *cpu,
			  struct kernel_thread *previous, struct kernel_thread *next, struct histree_value status)
{
	bool waits = status.type == HISTREE_INT && status.int32 == THREAD_WAITS_FOR_CPU;
	thread_change(model, previous, THREAD_STATUS, status);
	thread_change(model, previous, THREAD_RUN_QUEUE, waits ? histree_int(event->cpu) : histree_null());
	thread_run(model, next);
	thread_change(model, next, THREAD_RUN_QUEUE, histree_int(event->cpu));
	if (event->prev_prio != KERNEL_NO_PRIO)
		thread_change(model, previous, THREAD_PRIO, histree_int(event->prev_prio));
	if (event->prio != KERNEL_NO_PRIO)
		thread_change(model, next, THREAD_PRIO, histree_int(event->prio));
	cpu_change(model, cpu, CPU_CURRENT_THREAD, histree_int(event->tid));
	cpu_change(model, cpu, CPU_STATUS,
		   event->tid > 0 ? cpu_status_of_thread(model, cpu) : cpu_status_now(model, cpu));
}

static void states_name(struct kernel_model *model, const struct kernel_event *event,
			struct kernel_thread *previous, struct kernel_thread *next)
{
	if (event->prev_comm.bytes != NULL)
		thread_rename(model, previous, event->prev_comm);
	if (event->comm.bytes != NULL)
		thread_rename(model, next, event->comm);
	if (model->doubts_calls) {
		thread_settle_mode(model, previous);
		thread_settle_mode(model, next);
	}
}

/* A thread is put into the queue of a CPU: what becomes of it there is only seen if that is recorded. */
static bool is_in_sight(struct kernel_model *model, const struct kernel_event *event)
{
	return !model->corrects_past || event->target_cpu == event->cpu || event->target_cpu < 0 ||
	       kernel_cpu_is_recorded(model, event->target_cpu);
}

static void states_wake(struct kernel_model *model, const struct kernel_event *event, struct kernel_thread *thread,
			int32_t prio)
{
	thread_wake(model, thread, is_in_sight(model, event));
	thread_change(model, thread, THREAD_RUN_QUEUE, histree_int(event->target_cpu));
	thread_change(model, thread, THREAD_PRIO, histree_int(prio));
}

/* Trace Compass ignores a wake-up without a CPU only where it needs one: for idle threads. */
static void states_on_wakeup(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_thread *thread = kernel_thread(model, event->tid, event->cpu);
	if (thread == NULL)
		return;
	states_wake(model, event, thread, event->prio);
}

static void states_on_migrate(struct kernel_model *model, const struct kernel_event *event)
{
	if (event->tid == 0)
		return;
	struct kernel_thread *thread = kernel_thread(model, event->tid, event->cpu);
	if (thread == NULL)
		return;
	/* It may be the current thread of a CPU: then it is said to run again by what happens there. */
	thread_wait(model, thread, is_in_sight(model, event));
	thread_change(model, thread, THREAD_RUN_QUEUE, histree_int(event->target_cpu));
}

static void states_on_fork(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_thread *parent = kernel_thread(model, event->parent, event->cpu);
	struct kernel_thread *child = kernel_thread(model, event->tid, event->cpu);
	if (parent == NULL || child == NULL)
		return;
	if (model->slice != NULL)
		thread_assume_new(model, child);
	child->unseen_until = model->changes.time;
	thread_change(model, child, THREAD_PPID, histree_int(event->parent));
	if (event->pid >= 0 && event->pid != event->tid)
		thread_change(model, child, THREAD_PID, histree_int(event->pid));
	thread_tell_kind(model, child);
	if (event->comm.bytes != NULL)
		thread_rename(model, child, event->comm);
	thread_change(model, child, THREAD_STATUS, histree_int(THREAD_WAITS_FOR_CPU));
	if (model->slice != NULL && !thread_has(parent, THREAD_RUN_QUEUE))
		parent->assumed |= ASSUMES_RUN_QUEUE;
	if (model->slice != NULL)
		thread_ask(model, parent, THREAD_RUN_QUEUE);
	if (thread_is_before_slice(model, parent, THREAD_RUN_QUEUE)) {
		thread_ask(model, child, THREAD_RUN_QUEUE);
		change_log_copy(model->slice->log, model->changes.time, child->attributes[THREAD_RUN_QUEUE],
				parent->attributes[THREAD_RUN_QUEUE]);
	} else if (thread_has(parent, THREAD_RUN_QUEUE))
		thread_change(model, child, THREAD_RUN_QUEUE, thread_value(model, parent, THREAD_RUN_QUEUE));
	thread_inherit_system_call(model, parent, child);
}

/* LTTng's own numbers for what a thread does when the state is dumped (lttng-statedump-impl.c). */
static struct histree_value states_of_dump(int32_t status)
{
	enum { WAIT_FORK = 1, WAIT_CPU = 2, WAIT = 5, RUN = 6, DEAD = 7 };

	switch (status) {
	case WAIT_FORK:
		return histree_int(THREAD_WAITS_AFTER_FORK);
	case WAIT_CPU:
		return histree_int(THREAD_WAITS_FOR_CPU);
	case WAIT:
		return histree_int(THREAD_WAITS_UNKNOWN);
	case RUN:
		return histree_int(THREAD_RUNS_USERMODE);
	case DEAD:
		return histree_null();
	default:
		return histree_int(THREAD_UNKNOWN);
	}
}

static void states_learn_thread(struct kernel_model *model, const struct kernel_event *event,
				struct histree_value status)
{
	struct kernel_thread *thread = kernel_thread(model, event->tid, event->cpu);
	if (thread == NULL)
		return;
	thread_learn(model, thread, THREAD_EXEC_NAME, histree_string_n(event->comm.bytes, event->comm.size));
	if (event->parent >= 0)
		thread_learn_parent(model, thread, event->parent);
	if (event->pid != event->tid)
		thread_learn(model, thread, THREAD_PID, histree_int(event->pid));
	/* A dump says less than the events before it did: what those were, a gap may hide. */
	if (model->has_gaps)
		status = histree_unknown();
	bool waits = status.type == HISTREE_INT && status.int32 == THREAD_WAITS_FOR_CPU;
	if (thread_learn(model, thread, THREAD_STATUS, status) && waits && event->target_cpu >= 0)
		thread_change(model, thread, THREAD_RUN_QUEUE, histree_int(event->target_cpu));
	thread_settle_mode(model, thread);
}

/*
 * Returns the CPU of the end of an interrupt: it may be the first event there, and shows what the CPU did before.
 */
static struct kernel_cpu *cpu_of_end(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_cpu *cpu = kernel_cpu(model, event->cpu);
	if (cpu != NULL && cpu->in_doubt != 0)
		kernel_resolve(model, event);
	return cpu;
}

/* `irq` is NULL for an interrupt that did not begin in the trace: then only attributes are made. */
static void leave_interrupt(struct kernel_model *model, struct kernel_cpu *cpu, struct interrupt *irq)
{
	struct kernel_thread *thread = cpu_current_thread(model, cpu);
	if (irq == NULL)
		return;
	conflicts_step(&model->conflicts, CONFLICT_INTERRUPT, &irq->progress, false);
	conflicts_first_step(&irq->first_step, false);
	irq->began_before = false;
	cpu->had_irq = cpu->had_irq || cpu->in_doubt != 0;
	change(&model->changes, irq->quark, histree_null());
	if (thread != NULL)
		thread_run(model, thread);
	cpu_change(model, cpu, CPU_STATUS, cpu_status_now(model, cpu));
	irq_change_total(model, irq, histree_null());
}

/* An interrupt with a name begins, or a vector, which has no name in the event. */
static void states_on_irq_entry(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_cpu *cpu = kernel_cpu(model, event->cpu);
	if (cpu != NULL) {
		struct interrupt *irq = cpu_irq(model, cpu, event->number, event->name);
		struct kernel_thread *thread = cpu_current_thread(model, cpu);
		if (irq != NULL) {
			conflicts_step(&model->conflicts, CONFLICT_INTERRUPT, &irq->progress, true);
			conflicts_first_step(&irq->first_step, true);
			change(&model->changes, irq->quark, histree_int(cpu->number));
			if (thread != NULL)
				thread_change(model, thread, THREAD_STATUS, histree_int(THREAD_INTERRUPTED));
			cpu_change(model, cpu, CPU_STATUS, histree_int(CPU_IN_IRQ));
			irq_change_total(model, irq, histree_int(cpu->number));
		}
	}
}

static void states_on_irq_exit(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_cpu *cpu = cpu_of_end(model, event);
	if (cpu == NULL)
		return;
	struct interrupt *irq = cpu_irq_in_progress(model, cpu, event->number);
	if (model->slice != NULL && irq == NULL)
		change_log_fail(model->slice->log, "an interrupt ends that did not begin");
	leave_interrupt(model, cpu, irq);
	struct interrupt *before = irq == NULL ? cpu_irq_before(cpu, event->number) : NULL;
	if (before != NULL)
		conflicts_step(&model->conflicts, CONFLICT_INTERRUPT, &before->progress, false);
}

static void states_on_vector_exit(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_cpu *cpu = cpu_of_end(model, event);
	if (cpu != NULL)
		leave_interrupt(model, cpu, cpu_irq(model, cpu, event->number, event->name));
}

static void states_on_softirq_raise(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_cpu *cpu = kernel_cpu(model, event->cpu);
	struct interrupt *softirq = cpu == NULL ? NULL : cpu_softirq(model, cpu, event->number);
	if (softirq != NULL)
		softirq_change_with_total(model, softirq, softirq_when_raised(model, cpu, softirq));
}

static void states_on_softirq_entry(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_cpu *cpu = kernel_cpu(model, event->cpu);
	struct interrupt *softirq = cpu == NULL ? NULL : cpu_softirq(model, cpu, event->number);
	struct kernel_thread *thread = cpu == NULL ? NULL : cpu_current_thread(model, cpu);
	if (softirq == NULL)
		return;
	conflicts_step(&model->conflicts, CONFLICT_INTERRUPT, &softirq->progress, true);
	conflicts_first_step(&softirq->first_step, true);
	softirq_change_with_total(model, softirq, histree_int(SOFTIRQ_RUNNING));
	if (thread != NULL)
		thread_change(model, thread, THREAD_STATUS, histree_int(THREAD_INTERRUPTED));
	cpu_change(model, cpu, CPU_STATUS, cpu_status_now(model, cpu));
}

static void states_on_softirq_exit(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_cpu *cpu = cpu_of_end(model, event);
	struct interrupt *softirq = cpu == NULL ? NULL : cpu_softirq(model, cpu, event->number);
	struct kernel_thread *thread = cpu == NULL ? NULL : cpu_current_thread(model, cpu);
	if (softirq == NULL)
		return;
	conflicts_step(&model->conflicts, CONFLICT_INTERRUPT, &softirq->progress, false);
	conflicts_first_step(&softirq->first_step, false);
	softirq_change_with_total(model, softirq, softirq_when_done(model, softirq));
	cpu_change(model, cpu, CPU_STATUS, cpu_status_now(model, cpu));
	if (thread != NULL && cpu_softirq_value(model, cpu).type == HISTREE_NULL) {
		if (cpu->raised != RAISED_ARE_SEEN && cpu_doubts_softirqs(model, cpu))
			thread_change(model, thread, THREAD_STATUS, histree_unknown());
		else
			thread_run(model, thread);
	}
	if (cpu->raised == RAISED_UNSEEN)
		cpu->raised = RAISED_UNSEEN_END;
}

static void kernel_on_setprio(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_thread *thread = kernel_thread(model, event->tid, event->cpu);
	if (thread != NULL)
		thread_change(model, thread, THREAD_PRIO, histree_int(event->prio));
}

static void kernel_on_free(struct kernel_model *model, const struct kernel_event *event)
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

static void kernel_enter_system_call(struct kernel_model *model, const struct kernel_event *event,
				     struct kernel_text name)
{
	move_thread(model, event, histree_string_n(name.bytes, name.size), THREAD_RUNS_SYSCALL, CPU_RUNS_SYSCALL);
}

static void kernel_on_syscall_exit(struct kernel_model *model, const struct kernel_event *event)
{
	move_thread(model, event, histree_null(), THREAD_RUNS_USERMODE, CPU_RUNS_USERMODE);
}

static void states_on_syscall_entry(struct kernel_model *model, const struct kernel_event *event)
{
	kernel_enter_system_call(model, event, event->name);
}

/* The extremes hold for the whole history: what changes is the ongoing state, from its start. */
static void widen(struct kernel_model *model, struct kernel_cpu *cpu, enum cpu_attribute extreme, int64_t hertz)
{
	histree_quark quark = cpu_attribute(model, cpu, extreme);
	if (model->slice != NULL) {
		change_log_widen(model->slice->log, quark, extreme == CPU_FREQUENCY_MIN, hertz);
		return;
	}
	struct histree_value value = changes_value(&model->changes, quark);
	bool wider = value.type != HISTREE_LONG ||
		     (extreme == CPU_FREQUENCY_MIN ? hertz < value.int64 : hertz > value.int64);
	if (wider)
		change_ongoing(&model->changes, quark, histree_long(hertz));
}

static void states_on_frequency(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_cpu *cpu = kernel_cpu(model, event->target_cpu);
	int64_t hertz;
	if (cpu == NULL || __builtin_mul_overflow(event->frequency, 1000, &hertz))
		return;
	cpu_change(model, cpu, CPU_FREQUENCY, histree_long(hertz));
	widen(model, cpu, CPU_FREQUENCY_MIN, hertz);
	widen(model, cpu, CPU_FREQUENCY_MAX, hertz);
}

/* ---- kernel -------------------------------------------------------------------------------------------------- */

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

static void kernel_on_switch(struct kernel_model *model, const struct kernel_event *event)
{
	if (event->comm.bytes == NULL)
		thread_records_learn_names(model, event);
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
		      is_woken ? histree_int(THREAD_WAITS_FOR_CPU)
			       : thread_status_after(kernel_event_leave(event)));
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
	cpu->turn = TURN_BEGAN;
	states_name(model, event, previous, next);
}

/* Nobody seemed to wake it, as it left its CPU: the wake-up had begun then, where events were lost. */
static void find_woken_leaving(struct kernel_model *model, struct kernel_thread *thread)
{
	struct histree_value status = thread_value(model, thread, THREAD_STATUS);
	if (status.type == HISTREE_INT && status.int32 != THREAD_WAITS_FOR_CPU)
		thread_correct_status(model, thread, histree_int(THREAD_WAITS_FOR_CPU));
}

static void kernel_on_wakeup(struct kernel_model *model, const struct kernel_event *event)
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

static void on_waking(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_thread *thread = kernel_thread(model, event->tid, event->cpu);
	if (thread == NULL)
		return;
	model->has_wakings = true;
	if (thread->is_woken_leaving) {
		/*
		 * Who is being woken is not woken again: what seemed to wake it as it left its CPU only told it to
		 * go on.
		 */
		thread->is_woken_leaving = false;
		struct histree_value status = thread_value(model, thread, THREAD_STATUS);
		if (status.type == HISTREE_INT && status.int32 == THREAD_WAITS_FOR_CPU)
			thread_correct_status(model, thread, histree_int(THREAD_BLOCKED));
	}
	if (thread->runs_on != NULL && thread->runs_on->number != event->cpu)
		thread->runs_on->waking = event->time;
	states_wake(model, event, thread, kernel_event_wakeup_prio(event));
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
	cpu->turn = TURN_GOES_ON;
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
	struct histree_value status = cpu_status_now(model, cpu);
	bool is_interrupted =
		status.type == HISTREE_INT && (status.int32 == CPU_IN_IRQ || status.int32 == CPU_IN_SOFTIRQ);
	if (is_interrupted)
		thread_change(model, thread, THREAD_STATUS, histree_int(THREAD_INTERRUPTED));
	else if (cpu_may_be_interrupted(model, cpu))
		thread_change(model, thread, THREAD_STATUS, histree_unknown());
	else
		thread_run(model, thread);
	thread_change(model, thread, THREAD_RUN_QUEUE, histree_int(cpu->number));
	thread->is_certain = false;
	cpu_change(model, cpu, CPU_STATUS, cpu_status_now(model, cpu));
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
static void kernel_on_migrate(struct kernel_model *model, const struct kernel_event *event)
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

COMPARE(compare_parents, struct event_parent, BY(pid))

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
	if (event->own_pid == thread->tid && !thread->was_told) {
		/* The parent of a process that was there when the recording began. */
		const struct event_images *images = event->source->class->trace->images;
		const struct event_parent wanted = { .pid = thread->tid };
		if (images != NULL && images->parent_count != 0) {
			const struct event_parent *found = bsearch(&wanted, images->parents, images->parent_count,
								   sizeof(*images->parents), compare_parents);
			if (found != NULL)
				thread_learn_parent(model, thread, (int32_t)found->parent);
		}
	}
	if (event->own_pid > 0 && event->own_pid <= INT32_MAX)
		thread_tell_process(model, thread, (int32_t)event->own_pid);
	/* A text of ftrace has the last name that the thread had, which says something where nothing else does. */
	const bool is_late = event->is_perf && event->role != KERNEL_SWITCH && event->role != KERNEL_LEAVE &&
			     event->role != KERNEL_COME;
	if (event->own_comm.size > 0 && is_late)
		thread_learn(model, thread, THREAD_EXEC_NAME,
			     histree_string_n(event->own_comm.bytes, event->own_comm.size));
	else if (event->own_comm.size > 0)
		thread_rename(model, thread, event->own_comm);
	if (event->own_ppid > 0 && event->own_ppid <= INT32_MAX)
		thread_learn_parent(model, thread, (int32_t)event->own_ppid);
	thread_settle_mode(model, thread);
}

static void kernel_on_fork(struct kernel_model *model, const struct kernel_event *event)
{
	if (event->tid == event->parent)
		return;
	find_nowhere(model, event);
	/* A thread is made, by an event that may be the second one to say so. */
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
	kernel_on_fork(model, &fork);
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
	/* Since Linux 6.14 it is the thread itself, and not said. */
	int32_t tid = event->tid > 0 ? event->tid : event->in_thread != NULL ? event->in_thread->tid : 0;
	struct kernel_thread *thread = tid > 0 ? kernel_thread(model, tid, event->cpu) : NULL;
	if (thread != NULL && name.bytes != NULL)
		thread_rename(model, thread, name);
}

/* That a thread runs does not say where: its own events say more. */
static void kernel_on_process_state(struct kernel_model *model, const struct kernel_event *event)
{
	struct histree_value status = states_of_dump(event->status);
	bool runs = status.type == HISTREE_INT && status.int32 == THREAD_RUNS_USERMODE;
	states_learn_thread(model, event, runs ? histree_unknown() : status);
	struct kernel_thread *thread = kernel_thread(model, event->tid, event->cpu);
	if (thread != NULL && event->pid > 0)
		thread_tell_process(model, thread, event->pid);
}

/* As the kernel's event of a fork, which may follow; a child has its parent's name. */
static void on_perf_fork(struct kernel_model *model, const struct kernel_event *event)
{
	enum { NAME_SIZE = 64 };
	char name[NAME_SIZE];
	struct kernel_event fork = *event;
	struct kernel_thread *parent = thread_record_is_early(event) || event->parent <= 0
					       ? NULL
					       : kernel_thread(model, event->parent, event->cpu);
	if (parent == NULL || event->parent == event->tid)
		return;
	thread_record_learn_name(model, event, parent);
	const struct histree_value value = thread_value(model, parent, THREAD_EXEC_NAME);
	fork.comm = (struct kernel_text){ 0 };
	if (value.type == HISTREE_STRING && value.size <= sizeof(name)) {
		memcpy(name, value.bytes, value.size);
		fork.comm = (struct kernel_text){ name, value.size };
	}
	kernel_on_fork(model, &fork);
	struct kernel_thread *child = kernel_thread(model, event->tid, event->cpu);
	if (child != NULL)
		child->cloned = child->said;
}

static kernel_handler *const kernel_handlers[KERNEL_ROLE_COUNT] = {
	[KERNEL_TASK_STATE] = thread_record_state,
	[KERNEL_SWITCH] = kernel_on_switch,
	[KERNEL_LEAVE] = thread_record_leave,
	[KERNEL_COME] = thread_record_come,
	[KERNEL_PERF_EXIT] = thread_record_exit,
	[KERNEL_WAKEUP] = kernel_on_wakeup,
	[KERNEL_WAKING] = on_waking,
	[KERNEL_MIGRATE] = kernel_on_migrate,
	[KERNEL_SETPRIO] = kernel_on_setprio,
	[KERNEL_FORK] = kernel_on_fork,
	[KERNEL_FREE] = on_free,
	[KERNEL_NEW_TASK] = on_new_task,
	[KERNEL_PROCESS_STATE] = kernel_on_process_state,
	[KERNEL_PERF_FORK] = on_perf_fork,
	[KERNEL_PERF_NAME] = thread_record_name,
	[KERNEL_PERF_THREAD] = thread_record_process,
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
	.handlers = kernel_handlers,
};

static const struct kernel_version compact = {
	.places = &kernel_places_compact,
	.is_monotonic = true,
	.corrects_past = true,
	.runs = on_event_of_thread,
	.learn = learn,
	.handlers = kernel_handlers,
};

const struct analysis analysis_kernel = {
	.name = "kernel",
	.version = 42, /* 42: no rows for threads of which perf recorded only a name, before its first event */
	.summary = "states of threads, CPUs and interrupts; unknown where events are missing",
	.labels = kernel_labels,
	.label_table_count = KERNEL_LABEL_TABLES,
	.kind = &plain,
	.gap = kernel_provider_gap,
	.is_empty = kernel_provider_is_empty,
	.missing = kernel_provider_missing,
	.unsure = kernel_provider_unsure,
	.slices = &kernel_slices,
	KERNEL_PROVIDER_FUNCTIONS,
};

const struct analysis analysis_kernel_compact = {
	.name = "kernel-compact",
	.version = 11,
	.summary = "the states of kernel in a quarter fewer attributes",
	.labels = kernel_labels_compact,
	.label_table_count = KERNEL_COMPACT_LABEL_TABLES,
	.kind = &compact,
	.gap = kernel_provider_gap,
	.is_empty = kernel_provider_is_empty,
	.missing = kernel_provider_missing,
	.unsure = kernel_provider_unsure,
	KERNEL_PROVIDER_FUNCTIONS,
};

/* ---- kernel tc ----------------------------------------------------------------------------------------------- */

static void kernel_tc_on_switch(struct kernel_model *model, const struct kernel_event *event)
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

static void kernel_tc_on_migrate(struct kernel_model *model, const struct kernel_event *event)
{
	if (!event->is_perf)
		states_on_migrate(model, event);
}

static void on_frequency(struct kernel_model *model, const struct kernel_event *event)
{
	if (!event->is_perf)
		states_on_frequency(model, event);
}

static void kernel_tc_on_process_state(struct kernel_model *model, const struct kernel_event *event)
{
	states_learn_thread(model, event, states_of_dump(event->status));
}

/* Whether the event is a system call to it. */
static bool is_call(const struct kernel_event *event)
{
	static const char raw[] = "raw_syscalls:";
	return !event->is_perf || strncmp(event->source->class->name, raw, sizeof(raw) - 1) == 0;
}

static void kernel_tc_on_syscall_entry(struct kernel_model *model, const struct kernel_event *event)
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

static kernel_handler *const kernel_tc_handlers[KERNEL_ROLE_COUNT] = {
	[KERNEL_SWITCH] = kernel_tc_on_switch,
	[KERNEL_WAKEUP] = states_on_wakeup,
	[KERNEL_WAKING] = states_on_wakeup,
	[KERNEL_MIGRATE] = kernel_tc_on_migrate,
	[KERNEL_SETPRIO] = kernel_on_setprio,
	[KERNEL_FORK] = states_on_fork,
	[KERNEL_FREE] = kernel_on_free,
	[KERNEL_PROCESS_STATE] = kernel_tc_on_process_state,
	[KERNEL_IRQ_ENTRY] = states_on_irq_entry,
	[KERNEL_IRQ_EXIT] = states_on_irq_exit,
	[KERNEL_VECTOR_ENTRY] = states_on_irq_entry,
	[KERNEL_VECTOR_EXIT] = states_on_vector_exit,
	[KERNEL_SOFTIRQ_RAISE] = states_on_softirq_raise,
	[KERNEL_SOFTIRQ_ENTRY] = states_on_softirq_entry,
	[KERNEL_SOFTIRQ_EXIT] = states_on_softirq_exit,
	[KERNEL_SYSCALL_ENTRY] = kernel_tc_on_syscall_entry,
	[KERNEL_SYSCALL_EXIT] = on_syscall_exit,
	[KERNEL_FREQUENCY] = on_frequency,
};

static const struct kernel_version kernel_tc_version = {
	.places = &kernel_places_plain,
	.handlers = kernel_tc_handlers,
};

const struct analysis analysis_kernel_tc = {
	.name = "kernel-tc",
	.version = 31,
	.summary = "the kernel analysis of Trace Compass, to compare: it is wrong where events are missing",
	.labels = kernel_labels,
	.label_table_count = KERNEL_LABEL_TABLES,
	.kind = &kernel_tc_version,
	KERNEL_PROVIDER_FUNCTIONS,
};

/* ---- kernel 2016 --------------------------------------------------------------------------------------------- */

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

static void kernel_2016_on_switch(struct kernel_model *model, const struct kernel_event *event)
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
	if (event->prev_comm.bytes != NULL)
		thread_rename(model, previous, event->prev_comm);
	if (event->comm.bytes != NULL)
		thread_rename(model, next, event->comm);
	if (event->prev_prio != KERNEL_NO_PRIO)
		thread_change(model, previous, THREAD_PRIO, histree_int(event->prev_prio));
	if (event->prio != KERNEL_NO_PRIO)
		thread_change(model, next, THREAD_PRIO, histree_int(event->prio));
	/* Every thread that ever ran has a PPID, known or not (thesis 5.1). */
	thread_ask(model, next, THREAD_PPID);
	cpu_change(model, cpu, CPU_CURRENT_THREAD, histree_int(event->tid));
	cpu_change(model, cpu, CPU_STATUS, cpu_status_of_thread(model, cpu));
}

static void kernel_2016_on_wakeup(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_thread *thread = kernel_thread(model, event->tid, event->cpu);
	if (thread == NULL)
		return;
	thread_wake(model, thread, true);
	thread_change(model, thread, THREAD_PRIO, histree_int(event->prio));
}

static void kernel_2016_on_fork(struct kernel_model *model, const struct kernel_event *event)
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

static void kernel_2016_on_process_state(struct kernel_model *model, const struct kernel_event *event)
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

static void kernel_2016_on_syscall_entry(struct kernel_model *model, const struct kernel_event *event)
{
	kernel_enter_system_call(model, event, event->event_name);
}

static kernel_handler *const kernel_2016_handlers[KERNEL_ROLE_COUNT] = {
	[KERNEL_SWITCH] = kernel_2016_on_switch,
	[KERNEL_WAKEUP] = kernel_2016_on_wakeup,
	[KERNEL_SETPRIO] = kernel_on_setprio,
	[KERNEL_FORK] = kernel_2016_on_fork,
	[KERNEL_FREE] = kernel_on_free,
	[KERNEL_PROCESS_STATE] = kernel_2016_on_process_state,
	[KERNEL_IRQ_ENTRY] = on_irq_entry,
	[KERNEL_IRQ_EXIT] = on_irq_exit,
	[KERNEL_SOFTIRQ_RAISE] = on_softirq_raise,
	[KERNEL_SOFTIRQ_ENTRY] = on_softirq_entry,
	[KERNEL_SOFTIRQ_EXIT] = on_softirq_exit,
	[KERNEL_SYSCALL_ENTRY] = kernel_2016_on_syscall_entry,
	[KERNEL_SYSCALL_EXIT] = kernel_on_syscall_exit,
};

static const struct kernel_version kernel_2016_version = {
	.places = &kernel_places_2016,
	.handlers = kernel_2016_handlers,
};

const struct analysis analysis_kernel_2016 = {
	.name = "kernel-2016",
	.version = 17,
	.summary = "the kernel analysis as it was in 2016, when the papers measured it",
	.labels = kernel_labels_2016,
	.label_table_count = KERNEL_LABEL_TABLES,
	.kind = &kernel_2016_version,
	.gap = kernel_provider_gap,
	KERNEL_PROVIDER_FUNCTIONS,
};
