// SPDX-License-Identifier: MIT
/*
 * Each handler makes its changes in the order in which Trace Compass makes them: where one event changes an
 * attribute twice, the last one stays.
 */
#include "analysis/kernel/kernel_states.h"

#include "analysis/kernel/kernel_gap.h"
#include "analysis/kernel/kernel_interrupts.h"
#include "analysis/kernel/kernel_threads.h"

struct histree_value states_cpu_status(struct kernel_model *model, struct kernel_cpu *cpu)
{
	if (cpu_irq_value(model, cpu).type != HISTREE_NULL)
		return histree_int(CPU_IN_IRQ);
	if (cpu_softirq_runs(model, cpu))
		return histree_int(CPU_IN_SOFTIRQ);
	if (cpu->in_doubt != 0 && cpu_may_be_interrupted(model, cpu))
		return histree_unknown();
	return cpu_status_of_thread(model, cpu);
}

void states_switch(struct kernel_model *model, const struct kernel_event *event, struct kernel_cpu *cpu,
		   struct kernel_thread *previous, struct kernel_thread *next, struct histree_value status)
{
	bool waits = status.type == HISTREE_INT && status.int32 == THREAD_WAITS_FOR_CPU;
	thread_change(model, previous, THREAD_STATUS, status);
	thread_change(model, previous, THREAD_RUN_QUEUE, waits ? histree_int(event->cpu) : histree_null());
	thread_run(model, next);
	thread_change(model, next, THREAD_RUN_QUEUE, histree_int(event->cpu));
	thread_change(model, previous, THREAD_PRIO, histree_int(event->prev_prio));
	thread_change(model, next, THREAD_PRIO, histree_int(event->prio));
	cpu_change(model, cpu, CPU_CURRENT_THREAD, histree_int(event->tid));
	cpu_change(model, cpu, CPU_STATUS,
		   event->tid > 0 ? cpu_status_of_thread(model, cpu) : states_cpu_status(model, cpu));
}

void states_settle_mode(struct kernel_model *model, struct kernel_thread *thread)
{
	struct kernel_cpu *cpu = thread->runs_on;
	if (!thread_settle_call(model, thread) || cpu == NULL ||
	    thread_value(model, thread, THREAD_STATUS).type != HISTREE_UNKNOWN)
		return;
	bool may_be_interrupted = cpu->raised != RAISED_ARE_SEEN && cpu_doubts_softirqs(model, cpu);
	if (may_be_interrupted || cpu_may_be_interrupted(model, cpu))
		return;
	thread_run(model, thread);
	cpu_change(model, cpu, CPU_STATUS, states_cpu_status(model, cpu));
}

void states_name(struct kernel_model *model, const struct kernel_event *event, struct kernel_thread *previous,
		 struct kernel_thread *next)
{
	thread_rename(model, previous, event->prev_comm);
	thread_rename(model, next, event->comm);
	if (model->doubts_calls) {
		states_settle_mode(model, previous);
		states_settle_mode(model, next);
	}
}

/* A thread is put into the queue of a CPU: what becomes of it there is only seen if that is recorded. */
static bool is_in_sight(struct kernel_model *model, const struct kernel_event *event)
{
	return !model->corrects_past || event->target_cpu == event->cpu || event->target_cpu < 0 ||
	       kernel_cpu_is_recorded(model, event->target_cpu);
}

void states_wake(struct kernel_model *model, const struct kernel_event *event, struct kernel_thread *thread,
		 int32_t prio)
{
	thread_wake(model, thread, is_in_sight(model, event));
	thread_change(model, thread, THREAD_RUN_QUEUE, histree_int(event->target_cpu));
	thread_change(model, thread, THREAD_PRIO, histree_int(prio));
}

/* Trace Compass ignores a wake-up without a CPU only where it needs one: for idle threads. */
void states_on_wakeup(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_thread *thread = kernel_thread(model, event->tid, event->cpu);
	if (thread == NULL)
		return;
	states_wake(model, event, thread, event->prio);
}

void states_on_migrate(struct kernel_model *model, const struct kernel_event *event)
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

void states_on_fork(struct kernel_model *model, const struct kernel_event *event)
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
struct histree_value states_of_dump(int32_t status)
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

void states_learn_thread(struct kernel_model *model, const struct kernel_event *event, struct histree_value status)
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
	states_settle_mode(model, thread);
}

/* Returns the CPU of the end of an interrupt: it may be the first event there, and tells what went on before. */
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
	cpu_change(model, cpu, CPU_STATUS, states_cpu_status(model, cpu));
	irq_change_total(model, irq, histree_null());
}

/* An interrupt with a name begins, or a vector, which has no name in the event. */
void states_on_irq_entry(struct kernel_model *model, const struct kernel_event *event)
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

void states_on_irq_exit(struct kernel_model *model, const struct kernel_event *event)
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

void states_on_vector_exit(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_cpu *cpu = cpu_of_end(model, event);
	if (cpu != NULL)
		leave_interrupt(model, cpu, cpu_irq(model, cpu, event->number, event->name));
}

void states_on_softirq_raise(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_cpu *cpu = kernel_cpu(model, event->cpu);
	struct interrupt *softirq = cpu == NULL ? NULL : cpu_softirq(model, cpu, event->number);
	if (softirq != NULL)
		softirq_change_with_total(model, softirq, softirq_when_raised(model, cpu, softirq));
}

void states_on_softirq_entry(struct kernel_model *model, const struct kernel_event *event)
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
	cpu_change(model, cpu, CPU_STATUS, states_cpu_status(model, cpu));
}

void states_on_softirq_exit(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_cpu *cpu = cpu_of_end(model, event);
	struct interrupt *softirq = cpu == NULL ? NULL : cpu_softirq(model, cpu, event->number);
	struct kernel_thread *thread = cpu == NULL ? NULL : cpu_current_thread(model, cpu);
	if (softirq == NULL)
		return;
	conflicts_step(&model->conflicts, CONFLICT_INTERRUPT, &softirq->progress, false);
	conflicts_first_step(&softirq->first_step, false);
	softirq_change_with_total(model, softirq, softirq_when_done(model, softirq));
	cpu_change(model, cpu, CPU_STATUS, states_cpu_status(model, cpu));
	if (thread != NULL && cpu_softirq_value(model, cpu).type == HISTREE_NULL) {
		if (cpu->raised != RAISED_ARE_SEEN && cpu_doubts_softirqs(model, cpu))
			thread_change(model, thread, THREAD_STATUS, histree_unknown());
		else
			thread_run(model, thread);
	}
	if (cpu->raised == RAISED_UNSEEN)
		cpu->raised = RAISED_UNSEEN_END;
}

void states_on_syscall_entry(struct kernel_model *model, const struct kernel_event *event)
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

void states_on_frequency(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_cpu *cpu = kernel_cpu(model, event->target_cpu);
	int64_t hertz;
	if (cpu == NULL || __builtin_mul_overflow(event->frequency, 1000, &hertz))
		return;
	cpu_change(model, cpu, CPU_FREQUENCY, histree_long(hertz));
	widen(model, cpu, CPU_FREQUENCY_MIN, hertz);
	widen(model, cpu, CPU_FREQUENCY_MAX, hertz);
}
