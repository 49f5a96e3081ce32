// SPDX-License-Identifier: MIT
/*
 * kernel_slices.c - a slice of a trace, as a build cuts it (struct analysis_slices): its guesses at the beginning,
 * its model as bytes, and how the true instance takes over its results.
 *
 * What CPUs do when a slice begins is *guessed*, from the events just before it and from a hint of the true model,
 * which is at some earlier time: the last event on a CPU about its thread, the call of that thread, or an interrupt
 * is taken as valid.  The hint lists interrupts that have lasted so long that they may still be going on: a softirq
 * that was raised and never handled stays so.
 *
 * The model of a slice goes as *bytes* to the process that has the true model: its log, its guesses, its CPUs and
 * threads, with the attributes of the log; of what the commit asks, nothing else is in them.  What is saved and
 * what is loaded is said once (codec.h).  Numbers are differences to those before them; what is loaded is
 * checked, so that a quark is one of the log and a record is there once.
 *
 * The *commit* hands a slice over to the model that has seen all earlier events, if everything that the slice
 * assumed is true.
 */
#include "analysis/kernel/kernel_provider.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/kernel/kernel_input.h"
#include "analysis/kernel/kernel_interrupts.h"
#include "analysis/kernel/kernel_threads.h"
#include "base/bytes.h"
#include "base/codec.h"
#include "base/error.h"

/* ---- bytes --------------------------------------------------------------------------------------------------- */

static struct kernel_model *model_of(const struct codec *codec)
{
	return codec->of;
}

static bool goes_on(const struct codec *codec)
{
	const struct kernel_model *model = codec->of;
	return codec_goes_on(codec) &&
	       (!codec_loads(codec) || (model->changes.status == HISTREE_OK && !model->slice->no_memory));
}

/* Quarks, each by its difference to one before; 0: none. */
static void code_quarks(struct codec *codec, histree_quark *quarks, size_t count, histree_quark base)
{
	for (size_t i = 0; i < count; i++) {
		const uint64_t difference = zigzag((int64_t)quarks[i] - (int64_t)base);
		const uint64_t said = code_below(codec, quarks[i] == NO_ATTRIBUTE ? 0 : difference + 1, UINT64_MAX);
		if (codec_loads(codec)) {
			const uint64_t quark = (uint64_t)base + (uint64_t)unzigzag(said - 1);
			codec->in->failed |= said != 0 && quark >= model_of(codec)->slice->log->name_count;
			quarks[i] = said == 0 ? NO_ATTRIBUTE : (histree_quark)quark;
		}
		base = quarks[i] != NO_ATTRIBUTE ? quarks[i] : base;
	}
}

/* Which interrupt or softirq one is. */
static void code_interrupt_name(struct codec *codec, int32_t *number, bool *is_softirq, struct kernel_text *name)
{
	bool has_name = name->bytes != NULL;
	*number = code_int32(codec, *number);
	CODE_FLAGS(codec, &has_name, is_softirq);
	if (has_name)
		code_text(codec, &name->bytes, &name->size);
}

/* ---- guesses ------------------------------------------------------------------------------------------------- */

static bool same_name(struct kernel_text a, struct kernel_text b)
{
	if (a.bytes == NULL || b.bytes == NULL)
		return a.bytes == b.bytes;
	return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

static struct guessed_cpu *guessed_cpu(struct kernel_slice *slice, int32_t number)
{
	struct guessed_cpu *cpu = id_map_find(&slice->cpus, (uint32_t)number);
	if (cpu != NULL)
		return cpu;
	cpu = arena_allocate(&slice->memory, sizeof(*cpu), alignof(struct guessed_cpu));
	if (cpu == NULL || !id_map_add(&slice->cpus, (uint32_t)number, cpu)) {
		slice->no_memory = true;
		return NULL;
	}
	*cpu = (struct guessed_cpu){ .number = number };
	return cpu;
}

/* Returns what is guessed of an interrupt, new or not; NULL: there is no CPU, or memory runs out. */
static struct guessed_interrupt *guess_interrupt(struct kernel_slice *slice, struct guessed_cpu *cpu,
						 const struct guessed_interrupt *like)
{
	if (cpu == NULL)
		return NULL;
	struct guessed_interrupt **at = &cpu->first;
	for (; *at != NULL; at = &(*at)->next)
		if ((*at)->number == like->number && (*at)->is_softirq == like->is_softirq &&
		    same_name((*at)->name, like->name))
			return *at;
	struct guessed_interrupt *interrupt =
		arena_allocate(&slice->memory, sizeof(*interrupt), alignof(struct guessed_interrupt));
	const char *name =
		like->name.bytes != NULL ? arena_copy(&slice->memory, like->name.bytes, like->name.size) : "";
	if (interrupt == NULL || name == NULL) {
		slice->no_memory = true;
		return NULL;
	}
	*interrupt = (struct guessed_interrupt){ .number = like->number, .is_softirq = like->is_softirq };
	if (like->name.bytes != NULL)
		interrupt->name = (struct kernel_text){ name, like->name.size };
	*at = interrupt;
	return interrupt;
}

/* What goes on on a CPU; what is loaded is taken for true. */
static void code_guess(struct codec *codec, struct guessed_cpu *cpu, struct guessed_interrupt guess)
{
	guess.value = code_int32(codec, guess.value);
	code_interrupt_name(codec, &guess.number, &guess.is_softirq, &guess.name);
	if (!codec_loads(codec) || codec->in->failed)
		return;
	struct guessed_interrupt *guessed = guess_interrupt(model_of(codec)->slice, cpu, &guess);
	if (guessed != NULL)
		guessed->value = guess.value;
}

static void save_hints(struct codec *codec, const struct kernel_cpu *cpu, const struct interrupt *first,
		       bool is_softirq)
{
	const histree_time long_ns = 20 * 1000 * 1000; /* what went on for less is over by the time of the slice */
	struct histree_state_system *system = model_of(codec)->changes.system;
	histree_time now = histree_state_current_end(system), since = now;
	for (const struct interrupt *interrupt = first; interrupt != NULL; interrupt = interrupt->next) {
		struct histree_value value;
		if (histree_state_ongoing(system, interrupt->quark, &value, &since, NULL) != HISTREE_OK ||
		    value.type != HISTREE_INT || (uint64_t)now - (uint64_t)since < (uint64_t)long_ns)
			continue;
		byte_buffer_put_number(codec->out, (uint64_t)cpu->number + 1);
		code_guess(codec, NULL,
			   (struct guessed_interrupt){ .number = interrupt->number,
						       .value = value.int32,
						       .is_softirq = is_softirq,
						       .name = interrupt->name });
	}
}

/* Guesses help only where no events were lost: after that, most that is read is in doubt. */
static bool slice_hint(void *instance, struct byte_buffer *out)
{
	struct kernel_model *model = instance;
	struct codec codec = { .of = model, .out = out };
	const struct id_entry *entry;
	for (size_t at = 0; out != NULL && (entry = id_map_next(&model->cpus, &at)) != NULL;) {
		const struct kernel_cpu *cpu = entry->record;
		save_hints(&codec, cpu, cpu->first_irq, false);
		save_hints(&codec, cpu, cpu->first_softirq, true);
	}
	if (out != NULL)
		byte_buffer_put_number(out, 0);
	return !model->has_gaps;
}

/* An event before the slice says what CPUs do. */
static void guess_of_event(struct kernel_slice *slice, const struct kernel_event *event)
{
	struct guessed_cpu *cpu = event->cpu < 0 ? NULL : guessed_cpu(slice, event->cpu);
	if (cpu == NULL)
		return;
	const bool is_switch = event->role == KERNEL_SWITCH;
	if (is_switch || (event->own_tid >= 0 && event->role != KERNEL_NO_ROLE)) {
		const int32_t tid = is_switch ? event->tid : (int32_t)event->own_tid;
		if (!cpu->has_thread || cpu->tid != tid)
			cpu->call = CALL_NOT_GUESSED;
		cpu->has_thread = true;
		cpu->tid = tid;
	}
	struct guessed_interrupt *guess, like = { .number = event->number };
	switch (event->role) {
	case KERNEL_SYSCALL_EXIT:
		cpu->call = CALL_IS_NONE;
		cpu->call_size = 0;
		break;
	case KERNEL_SYSCALL_ENTRY:
		cpu->call_size =
			event->name.bytes != NULL && event->name.size <= GUESSED_CALL_SIZE ? event->name.size : 0;
		cpu->call = event->name.bytes != NULL && event->name.size <= GUESSED_CALL_SIZE ? CALL_IS_NAMED
											       : CALL_NOT_GUESSED;
		if (cpu->call_size > 0)
			memcpy(cpu->call_name, event->name.bytes, cpu->call_size);
		break;
	case KERNEL_IRQ_EXIT: /* of one that has a name, which it does not say */
		for (guess = cpu->first; guess != NULL; guess = guess->next)
			if (!guess->is_softirq && guess->number == event->number && guess->name.bytes != NULL)
				guess->value = -1;
		break;
	case KERNEL_IRQ_ENTRY:
	case KERNEL_VECTOR_ENTRY:
	case KERNEL_VECTOR_EXIT:
		like.name = event->name;
		guess = guess_interrupt(slice, cpu, &like);
		if (guess != NULL)
			guess->value = event->role == KERNEL_VECTOR_EXIT ? -1 : cpu->number;
		break;
	case KERNEL_SOFTIRQ_RAISE:
	case KERNEL_SOFTIRQ_ENTRY:
	case KERNEL_SOFTIRQ_EXIT:
		like.is_softirq = true;
		guess = guess_interrupt(slice, cpu, &like);
		if (guess != NULL)
			guess->value = event->role == KERNEL_SOFTIRQ_ENTRY ? SOFTIRQ_RUNNING
				       : event->role == KERNEL_SOFTIRQ_RAISE
					       ? (guess->value & SOFTIRQ_RUNNING) | SOFTIRQ_RAISED
					       : guess->value & SOFTIRQ_RAISED;
		break;
	default:
		break;
	}
}

static void slice_guess(void *of_slice)
{
	struct kernel_model *model = of_slice;
	guess_of_event(model->slice, &model->input->event);
}

/* A hint that makes no sense is left out. */
static void take_hint(struct kernel_model *model, struct byte_reader *hint)
{
	struct codec codec = { .of = model, .in = hint };
	uint64_t cpu;
	while ((cpu = byte_reader_below(hint, (uint64_t)INT32_MAX + 2)) != 0)
		code_guess(&codec, guessed_cpu(model->slice, (int32_t)(cpu - 1)), (struct guessed_interrupt){ 0 });
}

/* Returns the system call in which the thread of a CPU is guessed to be; null: it is in none. */
static struct histree_value guessed_call_value(const struct guessed_cpu *cpu)
{
	return cpu->call == CALL_IS_NAMED ? histree_string_n(cpu->call_name, cpu->call_size) : histree_null();
}

static void begin_interrupt(struct kernel_model *model, struct kernel_cpu *cpu,
			    const struct guessed_interrupt *guessed)
{
	struct interrupt *interrupt = guessed->is_softirq ? cpu_softirq(model, cpu, guessed->number)
							  : cpu_irq(model, cpu, guessed->number, guessed->name);
	if (interrupt == NULL)
		return;
	change_log_guess(model->changes.log, interrupt->quark, histree_int(guessed->value));
	if (guessed->is_softirq)
		softirq_count(model, interrupt);
}

/* The model, which is empty, gets what was guessed. */
static void slice_begin(void *of_slice)
{
	struct kernel_model *model = of_slice;
	struct kernel_slice *slice = model->slice;
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&slice->cpus, &at)) != NULL;) {
		const struct guessed_cpu *guessed = entry->record;
		struct kernel_cpu *cpu = kernel_cpu(model, guessed->number);
		if (cpu == NULL)
			continue;
		if (guessed->has_thread)
			cpu_claim(model, cpu, guessed->tid);
		struct kernel_thread *thread =
			guessed->has_thread ? kernel_thread(model, guessed->tid, guessed->number) : NULL;
		if (thread != NULL && guessed->call != CALL_NOT_GUESSED) {
			thread_ask(model, thread, THREAD_SYSTEM_CALL);
			if (thread->attributes[THREAD_SYSTEM_CALL] != NO_ATTRIBUTE)
				change_log_guess(model->changes.log, thread->attributes[THREAD_SYSTEM_CALL],
						 guessed_call_value(guessed));
		}
		for (const struct guessed_interrupt *at_cpu = guessed->first; at_cpu != NULL; at_cpu = at_cpu->next)
			if (guessed_is_active(at_cpu))
				begin_interrupt(model, cpu, at_cpu);
	}
	if (model->changes.status != HISTREE_OK || slice->no_memory)
		change_log_fail(slice->log, "no memory for what CPUs do");
}

static size_t count_guessed(const struct guessed_cpu *cpu)
{
	size_t count = 0;
	for (const struct guessed_interrupt *at = cpu != NULL ? cpu->first : NULL; at != NULL; at = at->next)
		count += guessed_is_active(at);
	return count;
}

static void code_guesses(struct codec *codec)
{
	struct kernel_slice *slice = model_of(codec)->slice;
	size_t count = code_count(codec, slice->cpus.count, 6), at = 0;
	for (size_t i = 0; i < count && goes_on(codec); i++) {
		struct guessed_cpu none = { 0 },
				   *cpu = !codec_loads(codec) ? id_map_next(&slice->cpus, &at)->record : &none;
		int32_t number = (int32_t)code_below(codec, (uint64_t)cpu->number, (uint64_t)INT32_MAX + 1);
		if (codec_loads(codec))
			cpu = codec->in->failed ? NULL : guessed_cpu(slice, number);
		if (cpu == NULL)
			return;
		struct kernel_text call = { cpu->call_name, cpu->call_size };
		CODE_FLAGS(codec, &cpu->has_thread);
		cpu->call = (enum guessed_call)code_below(codec, cpu->call, CALL_IS_NAMED + 1);
		cpu->tid = code_int32(codec, cpu->tid);
		code_text(codec, &call.bytes, &call.size);
		if (call.size > GUESSED_CALL_SIZE) {
			codec->in->failed = true;
			return;
		}
		cpu->call_size = call.size;
		if (codec_loads(codec))
			memcpy(cpu->call_name, call.bytes, call.size);
		size_t active = code_count(codec, count_guessed(cpu), 3);
		const struct guessed_interrupt *next = !codec_loads(codec) ? cpu->first : NULL;
		for (; active > 0 && goes_on(codec); active--) {
			while (next != NULL && !guessed_is_active(next))
				next = next->next;
			code_guess(codec, cpu, next != NULL ? *next : (struct guessed_interrupt){ 0 });
			next = next != NULL ? next->next : NULL;
		}
	}
}

/* ---- the model ----------------------------------------------------------------------------------------------- */

enum { STEPS = STEP_INHERITED + 1, PROGRESSES = PROGRESS_INSIDE + 1, ASSUMES_LIMIT = ASSUMES_NOT_ENDED << 1 };

/* What a thread is compared to: the one before it. */
struct thread_base {
	uint64_t id;
	histree_quark node;
	histree_time said;
};

/* NULL: one that is loaded. */
static void code_thread(struct codec *codec, uint64_t id, struct kernel_thread *thread, struct thread_base *base)
{
	struct kernel_model *model = codec->of;
	histree_quark node = thread != NULL ? thread->node : NO_ATTRIBUTE;
	id = (uint64_t)code_time(codec, (int64_t)id, (int64_t)base->id);
	code_quarks(codec, &node, 1, base->node);
	if (codec_loads(codec)) {
		if (codec->in->failed || id >> 32 > 1 || id_map_find(&model->threads, id) != NULL) {
			codec->in->failed = true;
			return;
		}
		thread = kernel_thread_load(model, id, id >> 32 == 1 ? 0 : (int32_t)(uint32_t)id, node);
		if (thread == NULL)
			return;
	}
	bool was_heard = thread->said != INT64_MIN, was_made = thread->unseen_until != INT64_MIN;
	bool was_cloned = was_heard && thread->cloned == thread->said;
	uint64_t claimed_by = thread->claimed_by != NULL ? (uint64_t)thread->claimed_by->number + 1 : 0;
	code_quarks(codec, thread->attributes, THREAD_ATTRIBUTE_COUNT, node != NO_ATTRIBUTE ? node : 0);
	thread->asked = (uint8_t)code_below(codec, thread->asked, 1U << THREAD_ATTRIBUTE_COUNT);
	CODE_FLAGS(codec, &was_heard, &was_made, &was_cloned, &thread->has_ended, &thread->is_woken_leaving,
		   &thread->was_told, &thread->is_kind_new);
	thread->kind = (uint8_t)code_below(codec, thread->kind, KIND_TOLD_KERNEL + 1);
	thread->assumed = (uint16_t)code_below(codec, thread->assumed, ASSUMES_LIMIT);
	thread->process = (int32_t)code_below(codec, (uint64_t)thread->process, (uint64_t)INT32_MAX + 1);
	thread->call = (enum kernel_progress)code_below(codec, thread->call, PROGRESSES);
	thread->first_step = (enum kernel_step)code_below(codec, thread->first_step, STEPS);
	claimed_by = code_below(codec, claimed_by, (uint64_t)INT32_MAX + 2);
	if (codec_loads(codec) && claimed_by != 0) {
		thread->claimed_by = id_map_find(&model->cpus, claimed_by - 1);
		codec->in->failed |= thread->claimed_by == NULL;
	}
	if (was_heard)
		thread->said = code_time(codec, thread->said, base->said);
	if (was_made)
		thread->unseen_until = code_time(codec, thread->unseen_until, base->said);
	if (was_cloned)
		thread->cloned = thread->said;
	base->id = id;
	base->node = node != NO_ATTRIBUTE ? node : base->node;
	base->said = was_heard ? thread->said : base->said;
}

/* Returns false if memory runs out. */
static bool copy_name(struct kernel_model *model, struct interrupt *interrupt, struct kernel_text name)
{
	char *copy = name.bytes != NULL ? kernel_record(model, name.size + 1) : NULL;
	if (copy != NULL)
		interrupt->name = (struct kernel_text){ memcpy(copy, name.bytes, name.size), name.size };
	return copy != NULL || name.bytes == NULL;
}

static void code_interrupts(struct codec *codec, struct interrupt **first, bool is_softirq, histree_quark base)
{
	size_t count = 0;
	for (const struct interrupt *at = *first; at != NULL; at = at->next)
		count++;
	count = code_count(codec, count, 7);
	for (; count > 0 && goes_on(codec); count--) {
		struct interrupt *at = *first;
		if (codec_loads(codec))
			at = *first = kernel_record(model_of(codec), sizeof(*at));
		if (at == NULL)
			return;
		struct kernel_text name = at->name;
		bool says_softirq = is_softirq, is_counted = at->softirq != NULL;
		code_interrupt_name(codec, &at->number, &says_softirq, &name);
		code_quarks(codec, &at->quark, 1, base);
		code_quarks(codec, &at->total, 1, base);
		CODE_FLAGS(codec, &at->is_known, &is_counted);
		at->progress = (enum kernel_progress)code_below(codec, at->progress, PROGRESSES);
		at->first_step = (enum kernel_step)code_below(codec, at->first_step, STEPS);
		first = &at->next;
		if (!codec_loads(codec))
			continue;
		/* One that was added has an attribute, and those of a softirq are counted. */
		codec->in->failed |=
			says_softirq != is_softirq || at->quark == NO_ATTRIBUTE || (!is_softirq && is_counted);
		if (codec->in->failed || !copy_name(model_of(codec), at, name))
			return;
		if (is_counted)
			at->softirq = softirq_count_null(model_of(codec), at->number);
	}
}

/* NULL: one that is loaded.  Which thread it runs at the end is said before the threads are there. */
static void code_cpu(struct codec *codec, struct kernel_cpu *cpu)
{
	struct kernel_model *model = codec->of;
	uint64_t number = code_below(codec, cpu != NULL ? (uint64_t)cpu->number : 0, (uint64_t)INT32_MAX + 1);
	if (codec_loads(codec)) {
		if (codec->in->failed || id_map_find(&model->cpus, number) != NULL) {
			codec->in->failed = true;
			return;
		}
		cpu = kernel_record_in(model, &model->cpus, number, sizeof(*cpu));
		if (cpu == NULL)
			return;
		cpu->number = (int32_t)number;
		cpu->waking = INT64_MIN;
	}
	bool is_waking = cpu->waking != INT64_MIN;
	code_quarks(codec, &cpu->node, 1, 0);
	histree_quark base = cpu->node != NO_ATTRIBUTE ? cpu->node : 0;
	code_quarks(codec, cpu->attributes, CPU_ATTRIBUTE_COUNT, base);
	CODE_FLAGS(codec, &cpu->is_claimed, &cpu->is_taken_for_recorded, &is_waking);
	cpu->turn = (enum cpu_turn)code_below(codec, cpu->turn, TURN_GOES_ON + 1);
	if (is_waking)
		cpu->waking = code_time(codec, cpu->waking, 0);
	cpu->claimed_tid = code_int32(codec, cpu->claimed_tid);
	cpu->last_tid = code_int32(codec, cpu->is_claimed && cpu->runs != NULL ? cpu->runs->tid : 0);
	cpu->last_thread = NULL;
	code_interrupts(codec, &cpu->first_irq, false, base);
	code_interrupts(codec, &cpu->first_softirq, true, base);
}

/* A softirq of any CPU has made its total, and no CPU is counted that is not there. */
static void code_totals(struct codec *codec)
{
	struct kernel_model *model = codec->of;
	size_t count = code_count(codec, model->softirqs.count, 1 + SOFTIRQ_VALUE_MAX), at = 0;
	for (size_t i = 0; i < count && goes_on(codec); i++) {
		const struct id_entry *entry = !codec_loads(codec) ? id_map_next(&model->softirqs, &at) : NULL;
		uint64_t id = code_below(codec, entry != NULL ? entry->id : 0, (uint64_t)UINT32_MAX + 1);
		struct softirq_total *total = id_map_find(&model->softirqs, id);
		uint64_t left = model->cpus.count;
		if (total == NULL) {
			codec->in->failed = true;
			return;
		}
		for (int32_t value = 1; value <= SOFTIRQ_VALUE_MAX; value++) {
			total->cpu_counts[value] = (uint32_t)code_below(codec, total->cpu_counts[value], left + 1);
			left -= total->cpu_counts[value];
		}
	}
}

/* All but the log: CPUs, and then the threads, among them those that the CPUs run. */
static void code_model(struct codec *codec)
{
	struct kernel_model *model = codec->of;
	struct kernel_conflicts *conflicts = &model->conflicts;
	const histree_time start = histree_state_start(model->changes.system);
	bool has_time = model->changes.time != INT64_MIN;
	code_guesses(codec);
	CODE_FLAGS(codec, &model->has_events, &model->has_switches, &model->has_calls, &model->has_wakings,
		   &model->has_irqs, &model->declares_calls, &model->may_have_calls, &has_time);
	model->changes.refused = code_below(codec, model->changes.refused, UINT64_MAX);
	if (has_time)
		model->changes.time = code_time(codec, model->changes.time, start);
	code_quarks(codec, model->groups, GROUP_COUNT, 0);
	for (int kind = 0; kind < CONFLICT_KINDS; kind++) {
		conflicts->events[kind] = code_below(codec, conflicts->events[kind], UINT64_MAX);
		conflicts->denials[kind] = code_below(codec, conflicts->denials[kind], UINT64_MAX);
	}
	conflicts->to_idle = code_below(codec, conflicts->to_idle, UINT64_MAX);
	conflicts->from_idle = code_below(codec, conflicts->from_idle, UINT64_MAX);
	size_t count = code_count(codec, model->cpus.count, 7 + CPU_ATTRIBUTE_COUNT), at = 0;
	for (size_t i = 0; i < count && goes_on(codec); i++)
		code_cpu(codec, !codec_loads(codec) ? id_map_next(&model->cpus, &at)->record : NULL);
	code_totals(codec);
	struct thread_base base = { .said = start };
	count = code_count(codec, model->threads.count, 8 + THREAD_ATTRIBUTE_COUNT);
	at = 0;
	for (size_t i = 0; i < count && goes_on(codec); i++) {
		const struct id_entry *entry = !codec_loads(codec) ? id_map_next(&model->threads, &at) : NULL;
		code_thread(codec, entry != NULL ? entry->id : 0, entry != NULL ? entry->record : NULL, &base);
	}
	const struct id_entry *entry;
	for (at = 0; codec_loads(codec) && goes_on(codec) && (entry = id_map_next(&model->cpus, &at)) != NULL;) {
		struct kernel_cpu *cpu = entry->record;
		if (cpu->is_claimed) {
			cpu->runs = id_map_find(&model->threads, kernel_thread_id(cpu->last_tid, cpu->number));
			codec->in->failed |= cpu->runs == NULL;
		}
	}
}

/* A log that was saved is settled. */
static enum histree_status slice_code(void *of_slice, struct codec *codec, struct histree_error *error)
{
	struct kernel_model *model = codec->of = of_slice;
	enum histree_status status = change_log_code(model->slice->log, codec, error);
	if (status != HISTREE_OK)
		return status;
	code_model(codec);
	if (model->changes.status == HISTREE_ERR_MEMORY || model->slice->no_memory)
		return error_memory(error, "a slice of the trace");
	return codec_goes_on(codec) ? HISTREE_OK
				    : error_set(error, HISTREE_ERR_FORMAT,
						"what a slice knows of threads and CPUs makes no sense");
}

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

/* `thread` is the true one; NULL: it has not been seen. */
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
	/* If the mode in which it runs is not known, an event may show it for the past, too. */
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
	while (at != NULL && (at->number != interrupt->number || at->is_softirq != is_softirq ||
			      !same_name(at->name, interrupt->name)))
		at = at->next;
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

static bool is_right(struct kernel_model *model, const struct kernel_model *slice)
{
	return !model->has_gaps && !kernel_is_losing(model) && cpus_are_right(model, slice) &&
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

static void take_interrupts(struct kernel_model *model, struct interrupt **first, const struct interrupt *slice,
			    const histree_quark *map)
{
	for (; slice != NULL; slice = slice->next) {
		struct interrupt **at = first;
		while (*at != NULL && ((*at)->number != slice->number || !same_name((*at)->name, slice->name)))
			at = &(*at)->next;
		struct interrupt *interrupt = *at != NULL ? *at : kernel_record(model, sizeof(*interrupt));
		if (interrupt == NULL)
			return;
		if (*at == NULL) {
			interrupt->number = slice->number;
			interrupt->quark = interrupt->total = NO_ATTRIBUTE;
			if (!copy_name(model, interrupt, slice->name))
				return;
			*at = interrupt;
		}
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
	if (slice->turn != TURN_NOT_SEEN)
		cpu->turn = slice->turn;
	cpu->runs = id_map_find(&model->threads, kernel_thread_id(slice->runs->tid, cpu->number));
	if (cpu->runs != NULL)
		cpu->runs->runs_on = cpu;
	cpu->last_thread = NULL;
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
	for (int kind = 0; kind < CONFLICT_KINDS; kind++) {
		model->conflicts.events[kind] += slice->conflicts.events[kind];
		model->conflicts.denials[kind] += slice->conflicts.denials[kind];
	}
	model->conflicts.to_idle += slice->conflicts.to_idle;
	model->conflicts.from_idle += slice->conflicts.from_idle;
	for (int group = 0; group < GROUP_COUNT; group++)
		map_attribute(&model->groups[group], slice->groups[group], map);
	model->has_calls = model->has_calls || slice->has_calls;
	model->declares_calls = model->declares_calls || slice->declares_calls;
	model->may_have_calls = model->may_have_calls || slice->may_have_calls;
	model->has_wakings = model->has_wakings || slice->has_wakings;
	model->has_irqs = model->has_irqs || slice->has_irqs;
	model->has_events = model->has_events || slice->has_events;
	model->has_switches = model->has_switches || slice->has_switches;
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

static enum histree_status slice_commit(void *instance, void *of_slice, struct histree_error *error)
{
	struct kernel_model *model = instance, *slice = of_slice;
	struct change_log *log = slice->slice->log;
	model->changes.status = HISTREE_OK; /* no event is being handled */
	if (slice->changes.refused > 0 || change_log_has_failed(log) || !is_right(model, slice))
		return HISTREE_NOT_FOUND;
	if (!mark_open_calls(model, slice))
		return error_memory(error, "the states of a slice");
	enum histree_status status = change_log_apply(log, model->changes.system, error);
	if (status != HISTREE_OK)
		return status;
	take_model(model, slice, log->map);
	return changes_end(&model->changes, error);
}

static enum histree_status slice_create(const struct analysis *analysis, struct change_log *log, void *input,
					struct byte_reader *hint, void **instance, struct histree_error *error)
{
	struct kernel_slice *slice = calloc(1, sizeof(*slice));
	*instance = NULL;
	if (slice == NULL)
		return error_memory(error, "a slice of the trace");
	enum histree_status status = analysis->create(analysis, log->system, input, instance, error);
	if (status != HISTREE_OK) {
		free(slice);
		return status;
	}
	struct kernel_model *model = *instance;
	slice->log = model->changes.log = log;
	model->slice = slice;
	if (hint != NULL)
		take_hint(model, hint);
	return HISTREE_OK;
}

const struct analysis_slices kernel_slices = {
	.create = slice_create,
	.hint = slice_hint,
	.guess = slice_guess,
	.begin = slice_begin,
	.commit = slice_commit,
	.code = slice_code,
};
