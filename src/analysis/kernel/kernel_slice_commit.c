// SPDX-License-Identifier: MIT
/*
 * Is what a slice took for true so?  If it is, the true model goes on at the slice's end.
 */
#include "analysis/kernel/kernel_slice_commit.h"

#include <string.h>

#include "analysis/kernel/kernel_interrupts.h"
#include "analysis/kernel/kernel_slice_guess.h"
#include "base/error.h"

/* ---- was it so? ---------------------------------------------------------------------------------------------- */

static struct histree_value value_of(struct kernel_model *model, const struct kernel_thread *thread,
				     enum thread_attribute attribute)
{
	if (thread == NULL || thread->attributes[attribute] == NO_ATTRIBUTE)
		return histree_null();
	return changes_value(&model->changes, thread->attributes[attribute]);
}

static bool is_said_to_run(struct histree_value status)
{
	return status.type == HISTREE_INT &&
	       (status.int32 == THREAD_RUNS_USERMODE || status.int32 == THREAD_RUNS_SYSCALL);
}

/* Whether an end says more than it did in the slice: in which call the thread was before it. */
static bool is_news(const struct kernel_thread *thread, enum kernel_step first, struct histree_value call)
{
	bool is_open = thread == NULL || thread->call == PROGRESS_UNKNOWN;
	return is_open && first == STEP_ENDED && call.type == HISTREE_NULL;
}

/* `thread` is the true one; NULL: nobody has heard of it. */
static bool thread_is_right(struct kernel_model *model, const struct kernel_thread *thread,
			    const struct kernel_thread *slice)
{
	const struct kernel_cpu *runs_on = thread != NULL ? thread->runs_on : NULL;
	if ((runs_on == NULL) != (slice->claimed_by == NULL) ||
	    (runs_on != NULL && runs_on->number != slice->claimed_by->number))
		return false;
	struct histree_value status = value_of(model, thread, THREAD_STATUS);
	struct histree_value call = value_of(model, thread, THREAD_SYSTEM_CALL);
	unsigned assumed = slice->assumed;
	if ((assumed & ASSUMES_WAITS) != 0 &&
	    (is_said_to_run(status) || (thread != NULL && thread->is_woken_leaving)))
		return false;
	/* Where nobody knows in which mode it runs, an event may say it of the past, too. */
	if (call.type == HISTREE_UNKNOWN || is_news(thread, slice->first_step, call))
		return false;
	/* In the queue of a CPU that nobody heard of so far it waits, if that runs it next (kernel.c). */
	if (status.type == HISTREE_UNKNOWN && value_of(model, thread, THREAD_RUN_QUEUE).type == HISTREE_INT)
		return false;
	if ((assumed & ASSUMES_NO_CALL) != 0 && call.type != HISTREE_NULL)
		return false;
	for (int attribute = 0; (assumed & ASSUMES_NEW) != 0 && attribute < THREAD_ATTRIBUTE_COUNT; attribute++)
		if (value_of(model, thread, attribute).type != HISTREE_NULL)
			return false;
	if ((assumed & ASSUMES_NOT_ALIVE) != 0 && status.type != HISTREE_NULL)
		return false;
	if ((assumed & ASSUMES_NOT_ENDED) != 0 && thread != NULL && thread->has_ended)
		return false;
	return (assumed & ASSUMES_RUN_QUEUE) == 0 || (thread != NULL && thread_has(thread, THREAD_RUN_QUEUE));
}

static bool threads_are_right(struct kernel_model *model, const struct kernel_model *slice)
{
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&slice->threads, &at)) != NULL;)
		if (!thread_is_right(model, id_map_find(&model->threads, entry->id), entry->record))
			return false;
	return true;
}

static const struct guessed_interrupt *guessed(const struct guessed_cpu *cpu, const struct interrupt *interrupt,
					       bool is_softirq)
{
	const struct guessed_interrupt *at = cpu != NULL ? cpu->first : NULL;
	for (; at != NULL; at = at->next)
		if (at->number == interrupt->number && at->is_softirq == is_softirq &&
		    (at->name.bytes == NULL) == (interrupt->name.bytes == NULL) &&
		    (at->name.bytes == NULL || (at->name.size == interrupt->name.size &&
						memcmp(at->name.bytes, interrupt->name.bytes, at->name.size) == 0)))
			break;
	return at;
}

/* Each is as it was guessed; *count becomes how many go on. */
static bool interrupts_are_right(struct kernel_model *model, const struct guessed_cpu *cpu,
				 const struct interrupt *first, bool is_softirq, size_t *count)
{
	for (const struct interrupt *interrupt = first; interrupt != NULL; interrupt = interrupt->next) {
		const struct guessed_interrupt *guess = guessed(cpu, interrupt, is_softirq);
		struct histree_value value = changes_value(&model->changes, interrupt->quark);
		bool is_active = guess != NULL && guessed_is_active(guess);
		if (is_active ? value.type != HISTREE_INT || value.int32 != guess->value
			      : value.type != HISTREE_NULL)
			return false;
		*count += is_active;
	}
	return true;
}

static size_t count_guessed(const struct guessed_cpu *cpu)
{
	size_t count = 0;
	for (const struct guessed_interrupt *at = cpu != NULL ? cpu->first : NULL; at != NULL; at = at->next)
		count += guessed_is_active(at);
	return count;
}

/* Whether what the slice does not know may still say that the thread of this CPU is woken as it leaves. */
static bool is_waking(const struct kernel_model *model, const struct kernel_cpu *cpu)
{
	return kernel_is_leaving_soon(cpu->waking, model->changes.time);
}

/* `cpu` is the true one. */
static bool cpu_is_right(struct kernel_model *model, const struct kernel_cpu *cpu, const struct kernel_model *slice,
			 const struct kernel_cpu *of_slice)
{
	if (cpu == NULL || cpu->node == NO_ATTRIBUTE || cpu->in_doubt != 0 || is_waking(model, cpu))
		return false;
	if (of_slice->is_claimed) {
		histree_quark quark = cpu->attributes[CPU_CURRENT_THREAD];
		if (cpu->runs == NULL || cpu->runs->tid != of_slice->claimed_tid || cpu->is_nameless ||
		    quark == NO_ATTRIBUTE)
			return false;
		struct histree_value current = changes_value(&model->changes, quark);
		if (current.type != HISTREE_INT || current.int32 != of_slice->claimed_tid)
			return false;
	}
	const struct guessed_cpu *guess = id_map_find(&slice->slice->cpus, (uint32_t)cpu->number);
	size_t count = 0;
	return interrupts_are_right(model, guess, cpu->first_irq, false, &count) &&
	       interrupts_are_right(model, guess, cpu->first_softirq, true, &count) &&
	       count == count_guessed(guess);
}

/* The threads that CPUs were guessed to run are in the system calls that were guessed. */
static bool calls_are_right(struct kernel_model *model, const struct kernel_slice *slice)
{
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&slice->cpus, &at)) != NULL;) {
		const struct guessed_cpu *cpu = entry->record;
		if (!cpu->has_thread || cpu->call == CALL_NOT_GUESSED)
			continue;
		uint64_t id = kernel_thread_id(cpu->tid, cpu->number);
		struct histree_value call = value_of(model, id_map_find(&model->threads, id), THREAD_SYSTEM_CALL);
		struct histree_value guess = guessed_call_value(cpu);
		if (!histree_value_equal(&call, &guess))
			return false;
	}
	return true;
}

static bool cpus_are_right(struct kernel_model *model, const struct kernel_model *slice)
{
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&slice->cpus, &at)) != NULL;) {
		const struct kernel_cpu *cpu = entry->record;
		if (cpu->is_taken_for_recorded && !kernel_cpu_is_recorded(model, cpu->number))
			return false;
		if (cpu->node != NO_ATTRIBUTE &&
		    !cpu_is_right(model, id_map_find(&model->cpus, entry->id), slice, cpu))
			return false;
	}
	return true;
}

/* On how many CPUs a softirq was guessed to have a value. */
static uint32_t count_softirq(const struct kernel_slice *slice, int32_t number, int32_t value)
{
	uint32_t count = 0;
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&slice->cpus, &at)) != NULL;) {
		const struct guessed_cpu *cpu = entry->record;
		for (const struct guessed_interrupt *i = cpu->first; i != NULL; i = i->next)
			count += i->is_softirq && i->number == number && i->value == value;
	}
	return count;
}

/* What all CPUs have together is right, also those that the slice never met. */
static bool totals_are_right(const struct kernel_model *model, const struct kernel_slice *slice)
{
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&model->softirqs, &at)) != NULL;) {
		const struct softirq_total *total = entry->record;
		if (total->unknown_count != 0)
			return false;
		for (int32_t value = 1; value <= SOFTIRQ_VALUE_MAX; value++)
			if (total->cpu_counts[value] != count_softirq(slice, (int32_t)entry->id, value))
				return false;
	}
	return true;
}

bool kernel_slice_can_help(const struct kernel_model *model)
{
	return !model->has_gaps;
}

static bool is_right(struct kernel_model *model, const struct kernel_model *slice)
{
	return kernel_slice_can_help(model) && !kernel_is_losing(model) && cpus_are_right(model, slice) &&
	       calls_are_right(model, slice->slice) && totals_are_right(model, slice->slice) &&
	       threads_are_right(model, slice) && model->changes.status == HISTREE_OK;
}

/* ---- the end of the slice ------------------------------------------------------------------------------------ */

static void map_attribute(histree_quark *quark, histree_quark of_slice, const histree_quark *map)
{
	if (of_slice != NO_ATTRIBUTE)
		*quark = map[of_slice];
}

/* A beginning or an end was the first that the slice saw: does it deny what was known? */
static bool is_denied(enum kernel_step first, enum kernel_progress before)
{
	return (first == STEP_BEGAN && before == PROGRESS_INSIDE) ||
	       (first == STEP_ENDED && before == PROGRESS_OUTSIDE);
}

static void take_thread(struct kernel_model *model, uint64_t id, const struct kernel_thread *slice,
			const histree_quark *map, bool has_no_room)
{
	struct kernel_thread *thread = id_map_find(&model->threads, id);
	if (slice->node == NO_ATTRIBUTE)
		return;
	if (thread == NULL)
		thread = kernel_thread_load(model, id, slice->tid, map[slice->node]);
	if (thread == NULL)
		return;
	for (int attribute = 0; attribute < THREAD_ATTRIBUTE_COUNT; attribute++)
		map_attribute(&thread->attributes[attribute], slice->attributes[attribute], map);
	thread->asked |= slice->asked;
	if (slice->said != INT64_MIN) {
		thread->said = slice->said;
		thread->cloned = slice->cloned;
		thread->has_ended = slice->has_ended;
		thread->is_woken_leaving = slice->is_woken_leaving;
	}
	if (slice->process != 0 || slice->has_ended)
		thread->process = slice->process;
	thread->was_told = thread->was_told || slice->was_told;
	if (slice->unseen_until != INT64_MIN)
		thread->unseen_until = slice->unseen_until;
	model->conflicts.denials[CONFLICT_CALL] += is_denied(slice->first_step, thread->call);
	if (slice->first_step != STEP_NONE)
		thread->call = slice->call;
	if (thread->first_step == STEP_NONE)
		thread->first_step = slice->first_step;
	if (slice->is_kind_new || (slice->kind != KIND_NOT_SAID &&
				   (thread_kind_is_told(slice->kind) || !thread_kind_is_told(thread->kind))))
		thread->kind = slice->kind;
	if (slice->first_step != STEP_NONE)
		thread->has_no_room = false;
	else if (has_no_room)
		thread->has_no_room = true;
	thread->runs_on = NULL; /* its CPU, which the slice knows, will say so */
}

static struct interrupt *find_interrupt(struct interrupt *first, const struct interrupt *of)
{
	struct interrupt *at = first;
	while (at != NULL && (at->number != of->number || !interrupt_has_name(at, of->name)))
		at = at->next;
	return at;
}

static struct interrupt *take_new_interrupt(struct kernel_model *model, struct interrupt **first,
					    const struct interrupt *slice)
{
	struct interrupt *interrupt = kernel_record(model, sizeof(*interrupt));
	char *name = NULL;
	if (interrupt == NULL)
		return NULL;
	interrupt->number = slice->number;
	interrupt->quark = interrupt->total = NO_ATTRIBUTE;
	if (slice->name.bytes != NULL) {
		name = kernel_record(model, slice->name.size + 1);
		if (name == NULL)
			return NULL;
		memcpy(name, slice->name.bytes, slice->name.size);
		interrupt->name = (struct kernel_text){ name, slice->name.size };
	}
	while (*first != NULL)
		first = &(*first)->next;
	*first = interrupt;
	return interrupt;
}

static void take_interrupts(struct kernel_model *model, struct interrupt **first, const struct interrupt *slice,
			    const histree_quark *map)
{
	for (; slice != NULL; slice = slice->next) {
		struct interrupt *interrupt = find_interrupt(*first, slice);
		if (interrupt == NULL)
			interrupt = take_new_interrupt(model, first, slice);
		if (interrupt == NULL)
			return;
		map_attribute(&interrupt->quark, slice->quark, map);
		map_attribute(&interrupt->total, slice->total, map);
		interrupt->is_known = interrupt->is_known || slice->is_known;
		if (slice->softirq != NULL && interrupt->softirq == NULL)
			interrupt->softirq = softirq_count_null(model, interrupt->number);
		model->conflicts.denials[CONFLICT_INTERRUPT] += is_denied(slice->first_step, interrupt->progress);
		if (slice->first_step != STEP_NONE)
			interrupt->progress = slice->progress;
	}
}

static void take_cpu(struct kernel_model *model, const struct kernel_cpu *slice, const histree_quark *map)
{
	struct kernel_cpu *cpu = id_map_find(&model->cpus, (uint64_t)slice->number);
	if (slice->node == NO_ATTRIBUTE || cpu == NULL)
		return;
	for (int attribute = 0; attribute < CPU_ATTRIBUTE_COUNT; attribute++)
		map_attribute(&cpu->attributes[attribute], slice->attributes[attribute], map);
	take_interrupts(model, &cpu->first_irq, slice->first_irq, map);
	take_interrupts(model, &cpu->first_softirq, slice->first_softirq, map);
	if (!slice->is_claimed)
		return;
	cpu->waking = slice->waking;
	cpu->runs = id_map_find(&model->threads, kernel_thread_id(slice->runs->tid, cpu->number));
	if (cpu->runs != NULL)
		cpu->runs->runs_on = cpu;
	cpu->last_thread = NULL;
}

static void take_totals(struct kernel_model *model, const struct kernel_model *slice)
{
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&slice->softirqs, &at)) != NULL;) {
		const struct softirq_total *of_slice = entry->record;
		struct softirq_total *total = id_map_find(&model->softirqs, entry->id);
		if (total == NULL)
			continue;
		uint32_t count = 0;
		for (int32_t value = 0; value <= SOFTIRQ_VALUE_MAX; value++)
			count += total->cpu_counts[value];
		for (int32_t value = 1; value <= SOFTIRQ_VALUE_MAX; value++) {
			total->cpu_counts[value] = of_slice->cpu_counts[value];
			count -= of_slice->cpu_counts[value];
		}
		total->cpu_counts[0] = count; /* the others have none */
	}
}

static void take_counts(struct kernel_conflicts *sum, const struct kernel_conflicts *slice)
{
	for (int kind = 0; kind < CONFLICT_KINDS; kind++) {
		sum->events[kind] += slice->events[kind];
		sum->denials[kind] += slice->denials[kind];
	}
	sum->to_idle += slice->to_idle;
	sum->from_idle += slice->from_idle;
}

static bool has_no_room(const struct change_log *log, const struct kernel_thread *thread)
{
	histree_quark call = thread->attributes[THREAD_SYSTEM_CALL];
	return call != NO_ATTRIBUTE && log->facts != NULL && (log->facts[call] & CHANGE_FACT_HAD_NO_ROOM) != 0;
}

static void take_model(struct kernel_model *model, const struct kernel_model *slice, const histree_quark *map)
{
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&slice->threads, &at)) != NULL;)
		take_thread(model, entry->id, entry->record, map, has_no_room(slice->slice->log, entry->record));
	for (size_t at = 0; (entry = id_map_next(&slice->cpus, &at)) != NULL;)
		take_cpu(model, entry->record, map);
	take_totals(model, slice);
	take_counts(&model->conflicts, &slice->conflicts);
	for (int group = 0; group < GROUP_COUNT; group++)
		map_attribute(&model->groups[group], slice->groups[group], map);
	model->has_calls = model->has_calls || slice->has_calls;
	model->declares_calls = model->declares_calls || slice->declares_calls;
	model->may_have_calls = model->may_have_calls || slice->may_have_calls;
	model->has_wakings = model->has_wakings || slice->has_wakings;
	model->has_irqs = model->has_irqs || slice->has_irqs;
	if (slice->changes.time > model->changes.time)
		model->changes.time = slice->changes.time;
}

/* Of whom it is not known yet whether they are in a call, the slice does not know it either. */
static bool mark_open_calls(const struct kernel_model *model, const struct kernel_model *slice)
{
	struct change_log *log = slice->slice->log;
	const struct id_entry *entry;
	if (!model->may_have_calls && !model->has_calls)
		return true;
	if (!change_log_begin_facts(log))
		return false;
	for (size_t at = 0; (entry = id_map_next(&slice->threads, &at)) != NULL;) {
		const struct kernel_thread *of_slice = entry->record,
					   *thread = id_map_find(&model->threads, entry->id);
		histree_quark call = of_slice->attributes[THREAD_SYSTEM_CALL];
		if (call == NO_ATTRIBUTE || of_slice->tid <= 0)
			continue;
		if (thread == NULL || thread->call == PROGRESS_UNKNOWN)
			log->facts[call] |= CHANGE_FACT_IS_OPEN;
		if (thread != NULL && thread_kind_is_kernel(thread->kind))
			log->facts[call] |= CHANGE_FACT_IS_CERTAIN;
		if (thread != NULL && thread_kind_is_told(thread->kind))
			log->facts[call] |= CHANGE_FACT_IS_TOLD;
	}
	return true;
}

enum histree_status kernel_slice_commit(struct kernel_model *model, struct kernel_model *slice,
					struct histree_error *error)
{
	struct change_log *log = slice->slice->log;
	model->changes.status = HISTREE_OK; /* no event is being handled */
	if (change_log_has_failed(log) || !is_right(model, slice))
		return HISTREE_NOT_FOUND;
	if (!mark_open_calls(model, slice))
		return error_memory(error, "the states of a slice");
	enum histree_status status = change_log_apply(log, model->changes.system, error);
	if (status == HISTREE_OK)
		take_model(model, slice, log->map);
	return status == HISTREE_OK ? changes_end(&model->changes, error) : status;
}
