// SPDX-License-Identifier: MIT
/*
 * A change at an earlier time makes an interval that ends there, if the ongoing state had begun by then, and else
 * gives that state another value from its beginning on (change()).
 */
#include "analysis/kernel/kernel_past.h"

#include "analysis/kernel/kernel_interrupts.h"

/* Changes are of this time from now on.  Returns of what time they were. */
static histree_time go_to(struct kernel_model *model, histree_time time)
{
	histree_time now = model->changes.time, start = histree_state_start(model->changes.system);
	model->changes.time = time > start ? time : start;
	return now;
}

static bool is_int(struct histree_value value, int32_t wanted)
{
	return value.type == HISTREE_INT && value.int32 == wanted;
}

/* ---- system calls -------------------------------------------------------------------------------------------- */

static histree_time later(histree_time one, histree_time other)
{
	return one > other ? one : other;
}

/* Since when an attribute is what it is; `now`, where it is not known. */
static histree_time since_of(const struct kernel_model *model, histree_quark quark, histree_time now)
{
	histree_time since;
	bool is = quark != NO_ATTRIBUTE &&
		  histree_state_ongoing(model->changes.system, quark, NULL, &since, NULL) == HISTREE_OK;
	return is ? since : now;
}

/* Since when the CPU runs its thread. */
static histree_time turn_of(const struct kernel_model *model, const struct kernel_cpu *cpu, histree_time now)
{
	return since_of(model, cpu->attributes[CPU_CURRENT_THREAD], now);
}

/*
 * Since when the thread is in the state in which the CPU runs it.  Where that is unknown, it may have been so
 * before it came to the CPU.
 */
static histree_time runs_since(const struct kernel_model *model, const struct kernel_cpu *cpu,
			       const struct kernel_thread *thread)
{
	const histree_time now = model->changes.time;
	return later(since_of(model, thread->attributes[THREAD_STATUS], now), turn_of(model, cpu, now));
}

/* The mode in which the thread and its CPU run since a time: what they were believed to be, nobody had said. */
static void run_in_mode(struct kernel_model *model, struct kernel_cpu *cpu, struct kernel_thread *thread,
			bool is_in_call)
{
	const histree_time since = runs_since(model, cpu, thread);
	histree_quark quark = cpu_attribute(model, cpu, CPU_STATUS);
	struct histree_value status = thread_value(model, thread, THREAD_STATUS);
	if (status.type != HISTREE_UNKNOWN && !(is_in_call && is_int(status, THREAD_RUNS_USERMODE)))
		return;
	model->changes.time = later(model->changes.time, since);
	thread_change(model, thread, THREAD_STATUS,
		      histree_int(is_in_call ? THREAD_RUNS_SYSCALL : THREAD_RUNS_USERMODE));
	status = changes_value(&model->changes, quark);
	if (status.type == HISTREE_UNKNOWN || (is_in_call && is_int(status, CPU_RUNS_USERMODE)))
		cpu_change(model, cpu, CPU_STATUS, histree_int(is_in_call ? CPU_RUNS_SYSCALL : CPU_RUNS_USERMODE));
}

/*
 * Since when nothing is lost that the thread did: since the last loss ended, or else since the CPU, of which
 * nothing is lost, runs it.  Before, it may have run where events were lost, or may not have been.
 */
static histree_time known_since(const struct kernel_model *model, const struct kernel_cpu *cpu,
				const struct kernel_thread *thread)
{
	const histree_time turn = turn_of(model, cpu, model->changes.time);
	bool is_seen = !kernel_is_losing(model) && model->loss_end < turn;
	return later(thread->unseen_until, is_seen ? model->loss_end : turn);
}

void past_note_turn(struct kernel_model *model, struct kernel_thread *thread)
{
	if (thread->tid <= 0)
		return;
	thread_ask(model, thread, THREAD_STATUS);
	if (thread_is_before_slice(model, thread, THREAD_STATUS))
		thread->has_left_first = true;
	else if (is_int(thread_value(model, thread, THREAD_STATUS), THREAD_RUNS_USERMODE))
		thread->has_left = true;
}

/* Turns that ended are in the history, and stay in user mode: how many threads have such, and how long at most. */
static void note_late_exit(struct kernel_model *model, const struct kernel_thread *thread, histree_time since)
{
	histree_time named = INT64_MIN, begin = model->changes.time;
	histree_quark name = thread->attributes[THREAD_EXEC_NAME], status = thread->attributes[THREAD_STATUS];
	if (name != NO_ATTRIBUTE &&
	    histree_state_ongoing(model->changes.system, name, NULL, &named, NULL) == HISTREE_OK && named > since)
		since = named;
	if (status == NO_ATTRIBUTE ||
	    histree_state_ongoing(model->changes.system, status, NULL, &begin, NULL) != HISTREE_OK ||
	    begin <= since)
		return;
	model->late_exits++;
	model->late_ns += (uint64_t)begin - (uint64_t)since;
}

void past_of_call(struct kernel_model *model, struct kernel_cpu *cpu, struct kernel_thread *thread,
		  const struct kernel_event *event)
{
	bool ends = event->role == KERNEL_SYSCALL_EXIT, had_left = thread->has_left;
	thread->has_left = thread->has_left_first = false;
	enum histree_type call = model->slice != NULL ? HISTREE_STRING /* whoever knows says later */
						      : thread_value(model, thread, THREAD_SYSTEM_CALL).type;
	if (call != HISTREE_UNKNOWN && (call != HISTREE_NULL || !ends))
		return;
	histree_time now = go_to(model, known_since(model, cpu, thread));
	if (ends && had_left && call == HISTREE_NULL)
		note_late_exit(model, thread, model->changes.time);
	/* Not every exit says of which call it is. */
	struct histree_value name =
		event->name.size == 0 ? histree_unknown() : histree_string_n(event->name.bytes, event->name.size);
	thread_change(model, thread, THREAD_SYSTEM_CALL, ends ? name : histree_null());
	run_in_mode(model, cpu, thread, ends);
	model->changes.time = now;
}

/* ---- interrupts ---------------------------------------------------------------------------------------------- */

/* What is interrupted since then: whoever runs there, if that is known. */
static void interrupt_cpu(struct kernel_model *model, struct kernel_cpu *cpu, enum cpu_status status)
{
	cpu_change(model, cpu, CPU_STATUS, histree_int(status));
	struct kernel_thread *thread = cpu->runs;
	/* An interrupt within a softirq ends: as Trace Compass has it, the thread runs from then on. */
	bool goes_on = status == CPU_IN_SOFTIRQ && cpu->had_irq && cpu->has_gaps;
	if (thread == NULL || goes_on)
		return;
	struct histree_value now = thread_value(model, thread, THREAD_STATUS);
	const histree_time since = model->changes.time;
	/* It may be unknown for longer than the thread is known to be here. */
	if (now.type == HISTREE_UNKNOWN)
		model->changes.time = later(since, turn_of(model, cpu, since));
	if (is_int(now, THREAD_RUNS_USERMODE) || is_int(now, THREAD_RUNS_SYSCALL) || now.type == HISTREE_UNKNOWN)
		thread_change(model, thread, THREAD_STATUS, histree_int(THREAD_INTERRUPTED));
	model->changes.time = since;
}

/* The interrupt that ends, by an event that does not say its name, which only the beginning does. */
static struct interrupt *irq_that_ends(struct kernel_model *model, struct kernel_cpu *cpu,
				       const struct kernel_event *event)
{
	const struct kernel_text no_name = { 0 };
	struct interrupt *irq =
		event->role == KERNEL_IRQ_EXIT ? cpu_irq_in_progress(model, cpu, event->number) : NULL;
	return irq != NULL ? irq : cpu_irq(model, cpu, event->number, no_name);
}

static void end_irq(struct kernel_model *model, struct kernel_cpu *cpu, const struct kernel_event *event)
{
	struct interrupt *irq = irq_that_ends(model, cpu, event);
	if (irq == NULL || changes_value(&model->changes, irq->quark).type == HISTREE_INT)
		return;
	irq->began_before = irq->name.bytes == NULL;
	histree_time now = go_to(model, cpu->in_doubt_since);
	change(&model->changes, irq->quark, histree_int(cpu->number));
	irq_change_total(model, irq, histree_int(cpu->number));
	interrupt_cpu(model, cpu, CPU_IN_IRQ);
	model->changes.time = now;
}

static void end_softirq(struct kernel_model *model, struct kernel_cpu *cpu, const struct kernel_event *event)
{
	struct interrupt *softirq = cpu_softirq(model, cpu, event->number);
	struct histree_value value =
		softirq == NULL ? histree_null() : changes_value(&model->changes, softirq->quark);
	int32_t bits = value.type == HISTREE_INT ? value.int32 : 0;
	if (softirq == NULL || (bits & SOFTIRQ_RUNNING) != 0)
		return;
	histree_time now = go_to(model, cpu->in_doubt_since);
	if (value.type != HISTREE_UNKNOWN) /* else it may have been raised again, too */
		softirq_change_with_total(model, softirq, histree_int(bits | SOFTIRQ_RUNNING));
	interrupt_cpu(model, cpu, CPU_IN_SOFTIRQ);
	model->changes.time = now;
}

void past_of_interrupts(struct kernel_model *model, struct kernel_cpu *cpu, const struct kernel_event *event)
{
	if ((event->role == KERNEL_IRQ_EXIT || event->role == KERNEL_VECTOR_EXIT) &&
	    (cpu->in_doubt & DOUBT_IRQS) != 0)
		end_irq(model, cpu, event);
	if (event->role == KERNEL_SOFTIRQ_EXIT && (cpu->in_doubt & DOUBT_SOFTIRQS) != 0)
		end_softirq(model, cpu, event);
}

void past_of_thread(struct kernel_model *model, struct kernel_cpu *cpu)
{
	struct kernel_thread *thread = cpu->runs;
	if (thread == NULL)
		return;
	const histree_time since = later(cpu->in_doubt_since, runs_since(model, cpu, thread));
	histree_quark quark = cpu_attribute(model, cpu, CPU_STATUS);
	histree_time now = go_to(model, since);
	if (thread_value(model, thread, THREAD_STATUS).type == HISTREE_UNKNOWN)
		thread_run(model, thread);
	if (changes_value(&model->changes, quark).type == HISTREE_UNKNOWN)
		cpu_change(model, cpu, CPU_STATUS, cpu_status_of_thread(model, cpu));
	model->changes.time = now;
}
