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

/* The thread runs since a time in a system call, and so does its CPU. */
static void run_in_call(struct kernel_model *model, struct kernel_cpu *cpu, struct kernel_thread *thread)
{
	histree_time since;
	histree_quark quark = thread->attributes[THREAD_STATUS];
	if (!is_int(thread_value(model, thread, THREAD_STATUS), THREAD_RUNS_USERMODE) ||
	    histree_state_ongoing(model->changes.system, quark, NULL, &since, NULL) != HISTREE_OK)
		return;
	thread_change(model, thread, THREAD_STATUS, histree_int(THREAD_RUNS_SYSCALL));
	if (since > model->changes.time)
		model->changes.time = since;
	if (is_int(changes_value(&model->changes, cpu_attribute(model, cpu, CPU_STATUS)), CPU_RUNS_USERMODE))
		cpu_change(model, cpu, CPU_STATUS, histree_int(CPU_RUNS_SYSCALL));
}

/*
 * Since when nothing is lost that the thread did.  While events of a CPU are being lost that is since it came to
 * the state in which it runs here: before, it may have run there, or may not have been.
 */
static histree_time known_since(const struct kernel_model *model, const struct kernel_thread *thread)
{
	histree_time since = model->loss_end > thread->unseen_until ? model->loss_end : thread->unseen_until;
	histree_time begin = model->changes.time;
	if (!kernel_is_losing(model))
		return since;
	histree_quark quark = thread->attributes[THREAD_STATUS];
	if (quark != NO_ATTRIBUTE &&
	    histree_state_ongoing(model->changes.system, quark, NULL, &begin, NULL) != HISTREE_OK)
		begin = model->changes.time;
	return begin > since ? begin : since;
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
	histree_time since = known_since(model, thread);
	histree_time now = go_to(model, since);
	if (ends && had_left)
		note_late_exit(model, thread, model->changes.time);
	/* Not every exit says of which call it is. */
	struct histree_value name =
		event->name.size == 0 ? histree_unknown() : histree_string_n(event->name.bytes, event->name.size);
	thread_change(model, thread, THREAD_SYSTEM_CALL, ends ? name : histree_null());
	if (ends)
		run_in_call(model, cpu, thread);
	model->changes.time = now;
}

/* ---- interrupts ---------------------------------------------------------------------------------------------- */

/* What is interrupted since then: whoever runs there, if that is known. */
static void interrupt_cpu(struct kernel_model *model, struct kernel_cpu *cpu, enum cpu_status status)
{
	cpu_change(model, cpu, CPU_STATUS, histree_int(status));
	struct kernel_thread *thread = cpu->runs;
	if (thread == NULL)
		return;
	struct histree_value now = thread_value(model, thread, THREAD_STATUS);
	if (is_int(now, THREAD_RUNS_USERMODE) || is_int(now, THREAD_RUNS_SYSCALL))
		thread_change(model, thread, THREAD_STATUS, histree_int(THREAD_INTERRUPTED));
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
