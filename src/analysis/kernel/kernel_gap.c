// SPDX-License-Identifier: MIT
/*
 * kernel_gap.c - what was not recorded: losses, what was going on before the first event that shows it, and which
 * thread has which CPU.
 *
 * kernel_cpu.runs and kernel_thread.runs_on always point at each other; both are changed here, and where a slice
 * begins or is taken over, or a checkpoint is loaded.
 */
#include "analysis/kernel/kernel_gap.h"

#include <assert.h>
#include <string.h>

#include "analysis/kernel/kernel_interrupts.h"
#include "analysis/kernel/kernel_layout.h"
#include "analysis/kernel/kernel_threads.h"
#include "base/costly.h"

/* ---- kernel occupancy ---------------------------------------------------------------------------------------- */

static void assert_pair(const struct kernel_cpu *cpu)
{
	assert(cpu->runs == NULL || cpu->runs->runs_on == cpu);
}

static void part(struct kernel_cpu *cpu)
{
	assert_pair(cpu);
	if (cpu->runs != NULL)
		cpu->runs->runs_on = NULL;
	cpu->runs = NULL;
}

/* The CPU does not run its thread any more, and nobody saw since when. */
static void lose_sight(struct kernel_model *model, struct kernel_cpu *cpu)
{
	struct kernel_thread *thread = cpu->runs;
	part(cpu);
	if (model->slice != NULL) {
		change_log_fail(model->slice->log, "an event denies who ran");
		return;
	}
	thread_lose_sight(model, thread);
	if (cpu->attributes[CPU_STATUS] != NO_ATTRIBUTE)
		change_after(&model->changes, cpu->attributes[CPU_STATUS], thread->said, histree_unknown());
	change_after(&model->changes, cpu_attribute(model, cpu, CPU_CURRENT_THREAD), thread->said,
		     histree_unknown());
	/* An idle thread leaves to let another run, and is never anywhere else. */
	if (thread->tid == 0)
		thread_change(model, thread, THREAD_STATUS, histree_int(THREAD_WAITS_FOR_CPU));
}

void occupancy_find(struct kernel_model *model, struct kernel_cpu *cpu, struct kernel_thread *thread)
{
	cpu_claim(model, cpu, thread->tid);
	assert_pair(cpu);
	if (cpu->runs == thread)
		return;
	bool is_said_to_run = thread->runs_on != NULL, is_denied = cpu->runs != NULL || is_said_to_run;
	if (cpu->runs == NULL && cpu->stepped > thread->unseen_until)
		thread->unseen_until = cpu->stepped;
	cpu->stepped = INT64_MIN;
	if (cpu->runs != NULL)
		lose_sight(model, cpu);
	if (is_said_to_run) {
		lose_sight(model, thread->runs_on);
	} else if (thread_has(thread, THREAD_STATUS) &&
		   thread_value(model, thread, THREAD_STATUS).type == HISTREE_INT) {
		is_denied = !thread_is_guessed(model, thread);
		thread_lose_sight(model, thread);
	}
	model->conflicts.denials[CONFLICT_SWITCH] += is_denied;
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

/* The thread that leaves was heard of when it left. */
bool occupancy_is_in_switch(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_cpu *cpu = kernel_cpu(model, event->cpu);
	if (cpu == NULL || cpu->turn != TURN_BEGAN || cpu->runs == NULL || cpu->runs->tid == event->own_tid)
		return false;
	const histree_time turn = turn_of(model, cpu, event->time);
	if (!kernel_event_may_be_in_switch(event, turn))
		return false;
	const struct kernel_thread *thread = kernel_thread(model, (int32_t)event->own_tid, event->cpu);
	return thread != NULL && thread->runs_on == NULL && thread->said >= turn - 1;
}

void occupancy_find_nowhere(struct kernel_model *model, struct kernel_thread *thread)
{
	if (thread->runs_on == NULL)
		return;
	lose_sight(model, thread->runs_on);
	model->conflicts.denials[CONFLICT_SWITCH]++;
}

void occupancy_leave(struct kernel_model *model, struct kernel_thread *thread)
{
	struct kernel_cpu *cpu = thread->runs_on;
	if (cpu == NULL)
		return;
	part(cpu);
	cpu_change(model, cpu, CPU_STATUS, histree_unknown());
	cpu_change(model, cpu, CPU_CURRENT_THREAD, histree_unknown());
}

void occupancy_change(struct kernel_model *model, struct kernel_cpu *cpu, struct kernel_thread *thread)
{
	if (model->changes.status != HISTREE_OK)
		return;
	part(cpu);
	assert(thread->runs_on == NULL);
	cpu->runs = thread;
	thread->runs_on = cpu;
	if (cpu->is_nameless) {
		/* The pseudo-thread has nothing more to do once all CPUs have threads with names. */
		cpu->is_nameless = false;
		if (--model->nameless_cpus == 0) {
			struct kernel_thread *pseudo = kernel_thread(model, -1, cpu->number);
			if (pseudo != NULL && pseudo->runs_on == NULL)
				thread_remove(model, pseudo);
		}
	}
}

/* ---- kernel past --------------------------------------------------------------------------------------------- */

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

/* Some turns that ended were not kept back, and stay in user mode: of how many threads, and how long at most. */
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
	bool ends = event->role == KERNEL_SYSCALL_EXIT, had_no_room = thread->has_no_room;
	/* the instance that knows decides it later */
	enum histree_type call =
		model->slice != NULL ? HISTREE_STRING : thread_value(model, thread, THREAD_SYSTEM_CALL).type;
	if (call != HISTREE_UNKNOWN && (call != HISTREE_NULL || !ends)) {
		/* A slice that has an exit first is of no use where that says something. */
		if (model->slice != NULL || call == HISTREE_NULL)
			thread_decide_call(model, thread, FACT_IS_NULL, INT64_MIN);
		return;
	}
	histree_time now = go_to(model, known_since(model, cpu, thread));
	thread_decide_call(model, thread, ends ? FACT_IS_OTHER : FACT_IS_NULL, model->changes.time);
	if (ends && had_no_room && call == HISTREE_NULL)
		note_late_exit(model, thread, model->changes.time);
	/* Not every exit says of which call it is. */
	struct histree_value name =
		event->name.size == 0 ? histree_unknown() : histree_string_n(event->name.bytes, event->name.size);
	thread_change(model, thread, THREAD_SYSTEM_CALL, ends ? name : histree_null());
	/*
	 * The mode in which the thread and its CPU run since a time: what they were believed to be, nobody had
	 * said.
	 */
	const histree_time since = runs_since(model, cpu, thread);
	histree_quark quark = cpu_attribute(model, cpu, CPU_STATUS);
	struct histree_value status = thread_value(model, thread, THREAD_STATUS);
	if (status.type == HISTREE_UNKNOWN || (ends && is_int(status, THREAD_RUNS_USERMODE))) {
		model->changes.time = later(model->changes.time, since);
		thread_change(model, thread, THREAD_STATUS,
			      histree_int(ends ? THREAD_RUNS_SYSCALL : THREAD_RUNS_USERMODE));
		status = changes_value(&model->changes, quark);
		if (status.type == HISTREE_UNKNOWN || (ends && is_int(status, CPU_RUNS_USERMODE)))
			cpu_change(model, cpu, CPU_STATUS,
				   histree_int(ends ? CPU_RUNS_SYSCALL : CPU_RUNS_USERMODE));
	}
	model->changes.time = now;
}

/* ---- interrupts ---------------------------------------------------------------------------------------------- */

/* The thread interrupted since then: the one that runs there, if that is known. */
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

static void end_irq(struct kernel_model *model, struct kernel_cpu *cpu, const struct kernel_event *event)
{
	/* The interrupt that ends, by an event that does not say its name, which only the beginning does. */
	const struct kernel_text no_name = { 0 };
	struct interrupt *irq =
		event->role == KERNEL_IRQ_EXIT ? cpu_irq_in_progress(model, cpu, event->number) : NULL;
	if (irq == NULL)
		irq = cpu_irq(model, cpu, event->number, no_name);
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

/* The CPU runs its thread, as an event says, and handled no interrupt where nobody knew whether it did. */
static void past_of_thread(struct kernel_model *model, struct kernel_cpu *cpu)
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

/* ---- kernel gap ---------------------------------------------------------------------------------------------- */

static void doubt(struct kernel_model *model, histree_quark quark)
{
	if (quark != NO_ATTRIBUTE)
		change(&model->changes, quark, histree_unknown());
}

/* The totals of all CPUs are in doubt too: any interrupt may be handled where nothing is seen. */
static void doubt_totals(struct kernel_model *model, const struct interrupt *first)
{
	for (const struct interrupt *interrupt = first; interrupt != NULL; interrupt = interrupt->next)
		doubt(model, interrupt->total);
}

/* A softirq that was seen on other CPUs only may be raised on this one, which then counts in its total. */
static void doubt_unseen_softirqs(struct kernel_model *model, struct kernel_cpu *cpu)
{
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&model->softirqs, &at)) != NULL;) {
		struct interrupt *softirq = cpu_softirq(model, cpu, (int32_t)entry->id);
		if (softirq != NULL && softirq->softirq == NULL)
			softirq_change_with_total(model, softirq, histree_unknown());
	}
}

static void doubt_cpu(struct kernel_model *model, struct kernel_cpu *cpu)
{
	doubt(model, cpu->attributes[CPU_STATUS]);
	doubt(model, cpu_attribute(model, cpu, CPU_CURRENT_THREAD)); /* null would be before the first switch */
	doubt(model, cpu->attributes[CPU_FREQUENCY]);
	for (struct interrupt *irq = cpu->first_irq; irq != NULL; irq = irq->next) {
		irq->progress = PROGRESS_UNKNOWN;
		doubt(model, irq->quark);
	}
	doubt_unseen_softirqs(model, cpu);
	for (struct interrupt *softirq = cpu->first_softirq; softirq != NULL; softirq = softirq->next) {
		softirq->progress = PROGRESS_UNKNOWN;
		if (model->softirqs.count > 0)
			softirq_change_with_total(model, softirq, histree_unknown());
		else
			doubt(model, softirq->quark);
	}
	/* Nobody knows any more which thread the CPU runs; states say so already. */
	part(cpu);
	if (cpu->is_nameless)
		model->nameless_cpus--;
	cpu->is_nameless = false;
	model->cpus_in_doubt += cpu->in_doubt == 0;
	cpu->in_doubt = DOUBT_IRQS | DOUBT_SOFTIRQS;
	cpu->raised = RAISED_UNSEEN;
	cpu->had_irq = false;
	cpu->stepped = INT64_MIN;
	model->open_gaps += !cpu->is_losing;
	cpu->is_losing = cpu->has_gaps = true;
}

static bool is_in_gap(const struct kernel_cpu *cpu, int32_t cpu_number)
{
	return cpu_number < 0 || cpu->number == cpu_number;
}

/* Mark, or unmark, the threads that run on CPUs of which nothing is lost. */
static void mark_running(struct kernel_model *model, int32_t cpu_number, bool mark)
{
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&model->cpus, &at)) != NULL;) {
		struct kernel_cpu *cpu = entry->record;
		if (is_in_gap(cpu, cpu_number) || cpu->attributes[CPU_CURRENT_THREAD] == NO_ATTRIBUTE)
			continue;
		struct kernel_thread *thread = cpu_current_thread(model, cpu);
		if (thread != NULL)
			thread->is_certain = mark;
	}
}

void kernel_begin_gap(struct kernel_model *model, int32_t cpu_number, histree_time end)
{
	if (model->slice != NULL) {
		change_log_fail(model->slice->log, "events are lost");
		return;
	}
	model->has_gaps = true;
	if (cpu_number < 0) {
		model->all_open = true;
		model->all_end = end;
	} else if (kernel_cpu(model, cpu_number) == NULL) {
		return;
	}
	if (COSTLY_ASSERTIONS && model->changes.status == HISTREE_OK)
		softirq_assert_totals(model);
	mark_running(model, cpu_number, true);
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&model->threads, &at)) != NULL;) {
		struct kernel_thread *thread = entry->record;
		/* Idle threads are in the upper half of the ids, by CPU (kernel_threads.c). */
		bool elsewhere =
			(entry->id >> 32 != 0) && cpu_number >= 0 && (uint32_t)entry->id != (uint32_t)cpu_number;
		if (!thread->is_certain && !elsewhere)
			thread_doubt(model, thread);
	}
	mark_running(model, cpu_number, false);
	for (size_t at = 0; (entry = id_map_next(&model->cpus, &at)) != NULL;) {
		struct kernel_cpu *cpu = entry->record;
		if (is_in_gap(cpu, cpu_number))
			doubt_cpu(model, cpu);
		doubt_totals(model, cpu->first_irq);
		doubt_totals(model, cpu->first_softirq);
	}
}

/*
 * What is certain about interrupts when such an event happens; DOUBT_IRQS: that none is handled, or was till now.
 */
static const uint8_t certain_at[KERNEL_ROLE_COUNT] = {
	[KERNEL_SWITCH] = DOUBT_IRQS | DOUBT_SOFTIRQS,
	[KERNEL_SYSCALL_ENTRY] = DOUBT_IRQS | DOUBT_SOFTIRQS,
	[KERNEL_SYSCALL_EXIT] = DOUBT_IRQS | DOUBT_SOFTIRQS,
	[KERNEL_SOFTIRQ_ENTRY] = DOUBT_IRQS | DOUBT_SOFTIRQS,
	[KERNEL_SOFTIRQ_EXIT] = DOUBT_IRQS | DOUBT_SOFTIRQS,
	[KERNEL_IRQ_ENTRY] = DOUBT_IRQS,
	[KERNEL_IRQ_EXIT] = DOUBT_IRQS,
	[KERNEL_VECTOR_ENTRY] = DOUBT_IRQS,
	[KERNEL_VECTOR_EXIT] = DOUBT_IRQS,
};

static bool says_that_thread_runs(enum kernel_role role)
{
	return role == KERNEL_SWITCH || role == KERNEL_SYSCALL_ENTRY || role == KERNEL_SYSCALL_EXIT;
}

/* What one run of softirqs leaves, because it takes too long, this thread handles. */
static bool is_to_ksoftirqd(const struct kernel_event *event)
{
	static const char name[] = "ksoftirqd/";
	return event->role == KERNEL_SWITCH && event->comm.size >= strlen(name) &&
	       memcmp(event->comm.bytes, name, strlen(name)) == 0;
}

void kernel_resolve(struct kernel_model *model, const struct kernel_event *event)
{
	struct kernel_cpu *cpu = event->cpu < 0 ? NULL : id_map_find(&model->cpus, (uint64_t)event->cpu);
	if (model->all_open && model->changes.time > model->all_end) {
		model->all_open = false;
		model->loss_end = model->changes.time;
	}
	if (cpu == NULL)
		return;
	if (cpu->is_losing) {
		/* The loss is over: what begins from now on is seen. */
		doubt_unseen_softirqs(model, cpu);
		cpu->is_losing = false;
		cpu->in_doubt_since = model->changes.time;
		model->open_gaps--;
		model->loss_end = model->changes.time;
	}
	if (cpu->raised == RAISED_UNSEEN_END && says_that_thread_runs(event->role))
		cpu->raised = RAISED_ARE_SEEN;
	if (cpu->has_gaps && is_to_ksoftirqd(event))
		cpu->raised = RAISED_UNSEEN;
	unsigned certain = cpu->in_doubt & certain_at[event->role];
	if (certain != 0) {
		if (model->corrects_past) {
			/*
			 * An event of a CPU, of which it is not known what interrupts it handles, may be the end of
			 * one.
			 */
			if ((event->role == KERNEL_IRQ_EXIT || event->role == KERNEL_VECTOR_EXIT) &&
			    (cpu->in_doubt & DOUBT_IRQS) != 0)
				end_irq(model, cpu, event);
			if (event->role == KERNEL_SOFTIRQ_EXIT && (cpu->in_doubt & DOUBT_SOFTIRQS) != 0)
				end_softirq(model, cpu, event);
		}
		if ((certain & DOUBT_IRQS) != 0)
			for (struct interrupt *irq = cpu->first_irq; irq != NULL; irq = irq->next)
				if (changes_value(&model->changes, irq->quark).type == HISTREE_UNKNOWN)
					change(&model->changes, irq->quark, histree_null());
		cpu->in_doubt &= ~certain;
		model->cpus_in_doubt -= cpu->in_doubt == 0;
	}
	if (model->corrects_past && cpu->has_gaps && says_that_thread_runs(event->role))
		past_of_thread(model, cpu);
}
