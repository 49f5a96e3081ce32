// SPDX-License-Identifier: MIT
/*
 * kernel_slices.c - a slice of a trace: what it may guess when it begins, its log as bytes, and how the true
 * instance takes over what it has found.
 *
 * What CPUs do when a slice begins, from the events just before it and from a hint: the
 * last event on a CPU that says something of its thread, the call of that thread, or an interrupt is believed.
 *
 * The log of a slice, its guesses, and its CPUs and threads as bytes.  Numbers are
 * differences to those before them; what is read back is checked, so that a quark is one of the log and a record
 * is there once.
 */
#include "analysis/kernel/kernel_slices.h"

#include <stdalign.h>
#include <string.h>

#include "analysis/kernel/kernel_threads.h"
#include "analysis/kernel/kernel_interrupts.h"
#include "base/bytes.h"
#include "base/error.h"

/* ---- kernel slice guess -------------------------------------------------------------------------------------- */

static void *allocate(struct kernel_slice *slice, size_t size)
{
	void *record = arena_allocate(&slice->memory, size, alignof(max_align_t));
	if (record == NULL)
		slice->no_memory = true;
	else
		memset(record, 0, size);
	return record;
}

static struct guessed_cpu *guessed_cpu(struct kernel_slice *slice, int32_t number)
{
	struct guessed_cpu *cpu = id_map_find(&slice->cpus, (uint32_t)number);
	if (cpu != NULL)
		return cpu;
	cpu = allocate(slice, sizeof(*cpu));
	if (cpu == NULL || !id_map_add(&slice->cpus, (uint32_t)number, cpu)) {
		slice->no_memory = true;
		return NULL;
	}
	cpu->number = number;
	return cpu;
}

static bool same_name(struct kernel_text a, struct kernel_text b)
{
	if (a.bytes == NULL || b.bytes == NULL)
		return a.bytes == b.bytes;
	return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

static struct guessed_interrupt *guessed_interrupt(struct kernel_slice *slice, struct guessed_cpu *cpu,
						   int32_t number, struct kernel_text name, bool is_softirq)
{
	struct guessed_interrupt **at = &cpu->first;
	while (*at != NULL &&
	       ((*at)->number != number || (*at)->is_softirq != is_softirq || !same_name((*at)->name, name)))
		at = &(*at)->next;
	if (*at != NULL)
		return *at;
	struct guessed_interrupt *interrupt = allocate(slice, sizeof(*interrupt));
	if (interrupt == NULL)
		return NULL;
	interrupt->number = number;
	interrupt->is_softirq = is_softirq;
	if (name.bytes != NULL) {
		interrupt->name =
			(struct kernel_text){ arena_copy(&slice->memory, name.bytes, name.size), name.size };
		if (interrupt->name.bytes == NULL) {
			slice->no_memory = true;
			return NULL;
		}
	}
	*at = interrupt;
	return interrupt;
}

static void set_irq(struct kernel_slice *slice, struct guessed_cpu *cpu, const struct kernel_event *event,
		    bool begins)
{
	/* The exit of one that has a name does not say it. */
	if (event->role == KERNEL_IRQ_EXIT) {
		for (struct guessed_interrupt *irq = cpu->first; irq != NULL; irq = irq->next)
			if (!irq->is_softirq && irq->number == event->number && irq->name.bytes != NULL)
				irq->value = -1;
		return;
	}
	struct guessed_interrupt *irq = guessed_interrupt(slice, cpu, event->number, event->name, false);
	if (irq != NULL)
		irq->value = begins ? cpu->number : -1;
}

static void set_softirq(struct kernel_slice *slice, struct guessed_cpu *cpu, const struct kernel_event *event)
{
	const struct kernel_text no_name = { 0 };
	struct guessed_interrupt *softirq = guessed_interrupt(slice, cpu, event->number, no_name, true);
	if (softirq == NULL)
		return;
	if (event->role == KERNEL_SOFTIRQ_RAISE)
		softirq->value = (softirq->value & SOFTIRQ_RUNNING) | SOFTIRQ_RAISED;
	else if (event->role == KERNEL_SOFTIRQ_ENTRY)
		softirq->value = SOFTIRQ_RUNNING;
	else
		softirq->value &= SOFTIRQ_RAISED;
}

static void set_thread(struct guessed_cpu *cpu, int32_t tid)
{
	if (!cpu->has_thread || cpu->tid != tid)
		cpu->call = CALL_NOT_GUESSED;
	cpu->has_thread = true;
	cpu->tid = tid;
}

static void set_call(struct guessed_cpu *cpu, const struct kernel_event *event)
{
	bool begins = event->role == KERNEL_SYSCALL_ENTRY;
	bool is_named = begins && event->name.bytes != NULL && event->name.size <= GUESSED_CALL_SIZE;
	cpu->call = !begins ? CALL_IS_NONE : is_named ? CALL_IS_NAMED : CALL_NOT_GUESSED;
	cpu->call_size = is_named ? event->name.size : 0;
	if (is_named)
		memcpy(cpu->call_name, event->name.bytes, event->name.size);
}

/* What went on for less than this is over by the time of the slice. */
static const histree_time long_ns = 20 * 1000 * 1000;

static void save_hints(struct kernel_model *model, const struct kernel_cpu *cpu, const struct interrupt *first,
		       bool is_softirq, struct saved_bytes *out)
{
	histree_time now = histree_state_current_end(model->changes.system), since = now;
	for (const struct interrupt *interrupt = first; interrupt != NULL; interrupt = interrupt->next) {
		struct histree_value value;
		if (histree_state_ongoing(model->changes.system, interrupt->quark, &value, &since, NULL) !=
			    HISTREE_OK ||
		    value.type != HISTREE_INT || (uint64_t)now - (uint64_t)since < (uint64_t)long_ns)
			continue;
		saved_put(out, (uint64_t)cpu->number + 1);
		saved_put_signed(out, value.int32);
		kernel_interrupt_save(interrupt->number, is_softirq, interrupt->name, out);
	}
}

void kernel_slice_hint(struct kernel_model *model, struct saved_bytes *out)
{
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&model->cpus, &at)) != NULL;) {
		const struct kernel_cpu *cpu = entry->record;
		save_hints(model, cpu, cpu->first_irq, false, out);
		save_hints(model, cpu, cpu->first_softirq, true, out);
	}
	saved_put(out, 0);
}

/* Reads what goes on on a CPU, value and interrupt, and takes that for true. */
static void load_guess(struct kernel_slice *slice, int32_t cpu, struct byte_reader *reader)
{
	int32_t number, value = saved_read_int32(reader);
	bool is_softirq;
	struct kernel_text name;
	kernel_interrupt_load(reader, &number, &is_softirq, &name);
	struct guessed_cpu *guessed = reader->failed ? NULL : guessed_cpu(slice, cpu);
	struct guessed_interrupt *guess =
		guessed == NULL ? NULL : guessed_interrupt(slice, guessed, number, name, is_softirq);
	if (guess != NULL)
		guess->value = value;
}

void kernel_slice_take_hint(struct kernel_slice *slice, struct byte_reader *reader)
{
	uint64_t cpu;
	while ((cpu = saved_read_below(reader, (uint64_t)INT32_MAX + 2)) != 0)
		load_guess(slice, (int32_t)(cpu - 1), reader);
}

void kernel_slice_guess(struct kernel_slice *slice, const struct kernel_event *event)
{
	struct guessed_cpu *cpu = event->cpu < 0 ? NULL : guessed_cpu(slice, event->cpu);
	if (cpu == NULL)
		return;
	if (event->role == KERNEL_SWITCH)
		set_thread(cpu, event->tid);
	else if (event->own_tid >= 0 && event->role != KERNEL_NO_ROLE)
		set_thread(cpu, (int32_t)event->own_tid);
	if (event->role == KERNEL_SYSCALL_ENTRY || event->role == KERNEL_SYSCALL_EXIT)
		set_call(cpu, event);
	if (event->role == KERNEL_IRQ_ENTRY || event->role == KERNEL_VECTOR_ENTRY)
		set_irq(slice, cpu, event, true);
	else if (event->role == KERNEL_IRQ_EXIT || event->role == KERNEL_VECTOR_EXIT)
		set_irq(slice, cpu, event, false);
	else if (event->role == KERNEL_SOFTIRQ_RAISE || event->role == KERNEL_SOFTIRQ_ENTRY ||
		 event->role == KERNEL_SOFTIRQ_EXIT)
		set_softirq(slice, cpu, event);
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

/* Returns the system call in which the thread of a CPU is guessed to be; null: it is in none. */
static struct histree_value guessed_call_value(const struct guessed_cpu *cpu)
{
	return cpu->call == CALL_IS_NAMED ? histree_string_n(cpu->call_name, cpu->call_size) : histree_null();
}

static void begin_call(struct kernel_model *model, const struct guessed_cpu *guessed)
{
	struct kernel_thread *thread = kernel_thread(model, guessed->tid, guessed->number);
	if (thread == NULL || guessed->call == CALL_NOT_GUESSED)
		return;
	thread_ask(model, thread, THREAD_SYSTEM_CALL);
	if (thread->attributes[THREAD_SYSTEM_CALL] != NO_ATTRIBUTE)
		change_log_guess(model->changes.log, thread->attributes[THREAD_SYSTEM_CALL],
				 guessed_call_value(guessed));
}

void kernel_slice_begin(struct kernel_model *model)
{
	struct kernel_slice *slice = model->slice;
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&slice->cpus, &at)) != NULL;) {
		const struct guessed_cpu *guessed = entry->record;
		struct kernel_cpu *cpu = kernel_cpu(model, guessed->number);
		if (cpu == NULL)
			continue;
		if (guessed->has_thread) {
			cpu_claim(model, cpu, guessed->tid);
			begin_call(model, guessed);
		}
		for (const struct guessed_interrupt *at_cpu = guessed->first; at_cpu != NULL; at_cpu = at_cpu->next)
			if (guessed_is_active(at_cpu))
				begin_interrupt(model, cpu, at_cpu);
	}
	if (model->changes.status != HISTREE_OK || slice->no_memory)
		change_log_fail(slice->log, "no memory for what CPUs do");
}

/* ---- as bytes ------------------------------------------------------------------------------------------------ */

static void save_guesses(const struct guessed_cpu *cpu, struct saved_bytes *out)
{
	saved_put(out, (uint64_t)cpu->number + 1);
	saved_put(out, (uint64_t)cpu->has_thread | (uint64_t)cpu->call << 1);
	saved_put_signed(out, cpu->tid);
	saved_put_text(out, cpu->call_name, cpu->call_size);
	for (const struct guessed_interrupt *at = cpu->first; at != NULL; at = at->next) {
		if (!guessed_is_active(at))
			continue;
		saved_put(out, 1);
		saved_put_signed(out, at->value);
		kernel_interrupt_save(at->number, at->is_softirq, at->name, out);
	}
	saved_put(out, 0);
}

/* What was guessed, as bytes, and back. */
static void kernel_slice_save_guesses(const struct kernel_slice *slice, struct saved_bytes *out)
{
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&slice->cpus, &at)) != NULL;)
		save_guesses(entry->record, out);
	saved_put(out, 0);
}

static void kernel_slice_load_guesses(struct kernel_slice *slice, struct byte_reader *reader)
{
	uint64_t number;
	while (!slice->no_memory && (number = saved_read_below(reader, (uint64_t)INT32_MAX + 2)) != 0) {
		size_t size;
		uint64_t flags = saved_read_below(reader, (CALL_IS_NAMED + 1) << 1);
		int32_t tid = saved_read_int32(reader);
		const char *call = saved_read_text(reader, &size);
		reader->failed = reader->failed || size > GUESSED_CALL_SIZE;
		struct guessed_cpu *cpu = reader->failed ? NULL : guessed_cpu(slice, (int32_t)(number - 1));
		if (cpu == NULL)
			return;
		cpu->has_thread = (flags & 1) != 0;
		cpu->call = (enum guessed_call)(flags >> 1);
		cpu->tid = tid;
		cpu->call_size = size;
		memcpy(cpu->call_name, call, size);
		while (saved_read_below(reader, 2) != 0)
			load_guess(slice, cpu->number, reader);
	}
}

/* ---- kernel slice bytes -------------------------------------------------------------------------------------- */

/* Of a thread, below what it assumes. */
enum {
	WAS_HEARD = 1,
	HAS_ENDED = 2,
	WAS_CLONED = 4,
	WAS_TOLD = 8,
	IS_WOKEN_LEAVING = 16,
	WAS_MADE = 32,
	KIND = 64, /* a number */
	KIND_IS_NEW = 512,
	OF_THREAD = 1024
};

enum { STEPS = STEP_INHERITED + 1, PROGRESSES = PROGRESS_INSIDE + 1, ASSUMES_LIMIT = ASSUMES_NOT_ENDED << 1 };

/* Of the model. */
enum { HAS_CALLS = 1, HAS_WAKINGS = 2, HAS_IRQS = 4, DECLARES_CALLS = 8, MAY_HAVE_CALLS = 16 };

/* Of an interrupt. */
enum { HAS_NAME = 1, IS_SOFTIRQ = 2 };

enum { IS_KNOWN = 1, HAS_SOFTIRQ = 2 };

void kernel_interrupt_save(int32_t number, bool is_softirq, struct kernel_text name, struct saved_bytes *out)
{
	saved_put_signed(out, number);
	saved_put(out, (name.bytes != NULL ? HAS_NAME : 0) | (is_softirq ? IS_SOFTIRQ : 0));
	if (name.bytes != NULL)
		saved_put_text(out, name.bytes, name.size);
}

void kernel_interrupt_load(struct byte_reader *reader, int32_t *number, bool *is_softirq, struct kernel_text *name)
{
	*number = saved_read_int32(reader);
	uint64_t flags = saved_read_below(reader, (HAS_NAME | IS_SOFTIRQ) + 1);
	*is_softirq = (flags & IS_SOFTIRQ) != 0;
	*name = (struct kernel_text){ 0 };
	if ((flags & HAS_NAME) != 0)
		name->bytes = saved_read_text(reader, &name->size);
}

/* ---- attributes ---------------------------------------------------------------------------------------------- */

/* Quarks, each by its difference to one before; 0: none. */
static void save_quark(histree_quark quark, histree_quark base, struct saved_bytes *out)
{
	uint64_t difference = zigzag((int64_t)quark - (int64_t)base);
	saved_put(out, quark == NO_ATTRIBUTE ? 0 : difference + 1);
}

static histree_quark load_quark(const struct change_log *log, histree_quark base, struct byte_reader *reader)
{
	uint64_t difference = read_varint(reader);
	if (difference == 0)
		return NO_ATTRIBUTE;
	uint64_t quark = (uint64_t)base + (uint64_t)unzigzag(difference - 1);
	if (quark >= log->name_count)
		reader->failed = true;
	return (histree_quark)quark;
}

static void save_quarks(const histree_quark *quarks, int count, histree_quark base, struct saved_bytes *out)
{
	for (int i = 0; i < count; i++) {
		save_quark(quarks[i], base, out);
		base = quarks[i] != NO_ATTRIBUTE ? quarks[i] : base;
	}
}

static void load_quarks(const struct change_log *log, histree_quark *quarks, int count, histree_quark base,
			struct byte_reader *reader)
{
	for (int i = 0; i < count; i++) {
		quarks[i] = load_quark(log, base, reader);
		base = quarks[i] != NO_ATTRIBUTE ? quarks[i] : base;
	}
}

/* ---- threads ------------------------------------------------------------------------------------------------- */

/* What a thread is compared to: the one before it. */
struct thread_base {
	uint64_t id;
	histree_quark node;
	histree_time said;
};

static void save_thread(uint64_t id, const struct kernel_thread *thread, struct thread_base *base,
			struct saved_bytes *out)
{
	bool was_heard = thread->said != INT64_MIN, was_made = thread->unseen_until != INT64_MIN;
	saved_put_signed(out, (int64_t)(id - base->id));
	save_quark(thread->node, base->node, out);
	save_quarks(thread->attributes, THREAD_ATTRIBUTE_COUNT, thread->node != NO_ATTRIBUTE ? thread->node : 0,
		    out);
	saved_put(out, thread->asked);
	saved_put(out, (uint64_t)thread->assumed * OF_THREAD | (was_heard ? WAS_HEARD : 0) |
			       (thread->has_ended ? HAS_ENDED : 0) |
			       (thread->is_woken_leaving ? IS_WOKEN_LEAVING : 0) |
			       (thread->was_told ? WAS_TOLD : 0) | (was_made ? WAS_MADE : 0) |
			       (uint64_t)thread->kind * KIND | (thread->is_kind_new ? KIND_IS_NEW : 0) |
			       (was_heard && thread->cloned == thread->said ? WAS_CLONED : 0));
	saved_put(out, (uint64_t)thread->process);
	saved_put(out, (uint64_t)thread->call * STEPS + thread->first_step);
	saved_put(out, thread->claimed_by != NULL ? (uint64_t)thread->claimed_by->number + 1 : 0);
	if (was_heard)
		saved_put_time(out, thread->said, base->said);
	if (was_made)
		saved_put_time(out, thread->unseen_until, base->said);
	base->id = id;
	base->node = thread->node != NO_ATTRIBUTE ? thread->node : base->node;
	base->said = was_heard ? thread->said : base->said;
}

static void load_thread(struct kernel_model *model, struct thread_base *base, struct byte_reader *reader)
{
	const struct change_log *log = model->slice->log;
	uint64_t id = base->id + (uint64_t)saved_read_signed(reader);
	bool is_idle = id >> 32 == 1;
	histree_quark node = load_quark(log, base->node, reader);
	if (reader->failed || id >> 32 > 1 || id_map_find(&model->threads, id) != NULL) {
		reader->failed = true;
		return;
	}
	struct kernel_thread *thread = kernel_thread_load(model, id, is_idle ? 0 : (int32_t)(uint32_t)id, node);
	if (thread == NULL)
		return;
	load_quarks(log, thread->attributes, THREAD_ATTRIBUTE_COUNT, node != NO_ATTRIBUTE ? node : 0, reader);
	thread->asked = (uint8_t)saved_read_below(reader, 1U << THREAD_ATTRIBUTE_COUNT);
	uint64_t assumed = saved_read_below(reader, (uint64_t)ASSUMES_LIMIT * OF_THREAD);
	thread->process = (int32_t)saved_read_below(reader, (uint64_t)INT32_MAX + 1);
	uint64_t steps = saved_read_below(reader, (uint64_t)PROGRESSES * STEPS);
	uint64_t claimed_by = saved_read_below(reader, (uint64_t)INT32_MAX + 2);
	thread->assumed = (uint16_t)(assumed / OF_THREAD);
	thread->has_ended = (assumed & HAS_ENDED) != 0;
	thread->was_told = (assumed & WAS_TOLD) != 0;
	thread->is_woken_leaving = (assumed & IS_WOKEN_LEAVING) != 0;
	thread->kind = (uint8_t)(assumed / KIND % (KIND_IS_NEW / KIND));
	thread->is_kind_new = (assumed & KIND_IS_NEW) != 0;
	reader->failed = reader->failed || thread->kind > KIND_TOLD_KERNEL;
	thread->call = (enum kernel_progress)(steps / STEPS);
	thread->first_step = (enum kernel_step)(steps % STEPS);
	histree_time before = base->said;
	if ((assumed & WAS_HEARD) != 0)
		base->said = thread->said = saved_read_time(reader, before);
	if ((assumed & WAS_MADE) != 0)
		thread->unseen_until = saved_read_time(reader, before);
	if ((assumed & WAS_CLONED) != 0)
		thread->cloned = thread->said;
	if (claimed_by != 0) {
		thread->claimed_by = id_map_find(&model->cpus, claimed_by - 1);
		reader->failed = reader->failed || thread->claimed_by == NULL;
	}
	base->id = id;
	base->node = node != NO_ATTRIBUTE ? node : base->node;
}

/* ---- CPUs ---------------------------------------------------------------------------------------------------- */

static void save_interrupts(const struct interrupt *first, bool is_softirq, histree_quark base,
			    struct saved_bytes *out)
{
	for (const struct interrupt *at = first; at != NULL; at = at->next) {
		saved_put(out, 1);
		kernel_interrupt_save(at->number, is_softirq, at->name, out);
		save_quark(at->quark, base, out);
		save_quark(at->total, base, out);
		saved_put(out, (at->is_known ? IS_KNOWN : 0) | (at->softirq != NULL ? HAS_SOFTIRQ : 0));
		saved_put(out, (uint64_t)at->progress * STEPS + at->first_step);
	}
	saved_put(out, 0);
}

static bool load_interrupt_name(struct kernel_model *model, struct interrupt *interrupt, struct kernel_text name)
{
	if (name.bytes == NULL)
		return true;
	char *copy = kernel_record(model, name.size + 1);
	if (copy == NULL)
		return false;
	memcpy(copy, name.bytes, name.size);
	interrupt->name = (struct kernel_text){ copy, name.size };
	return true;
}

static struct interrupt *load_interrupt(struct kernel_model *model, bool is_softirq, histree_quark base,
					struct byte_reader *reader)
{
	const struct change_log *log = model->slice->log;
	struct interrupt *interrupt = kernel_record(model, sizeof(*interrupt));
	struct kernel_text name;
	bool says_softirq;
	if (interrupt == NULL)
		return NULL;
	kernel_interrupt_load(reader, &interrupt->number, &says_softirq, &name);
	interrupt->quark = load_quark(log, base, reader);
	interrupt->total = load_quark(log, base, reader);
	uint64_t flags = saved_read_below(reader, (IS_KNOWN | HAS_SOFTIRQ) + 1);
	uint64_t steps = saved_read_below(reader, (uint64_t)PROGRESSES * STEPS);
	/* One that was added has an attribute, and those of a softirq are counted. */
	if (says_softirq != is_softirq || interrupt->quark == NO_ATTRIBUTE ||
	    (!is_softirq && (flags & HAS_SOFTIRQ) != 0))
		reader->failed = true;
	interrupt->is_known = (flags & IS_KNOWN) != 0;
	interrupt->progress = (enum kernel_progress)(steps / STEPS);
	interrupt->first_step = (enum kernel_step)(steps % STEPS);
	if (reader->failed || !load_interrupt_name(model, interrupt, name))
		return NULL;
	if ((flags & HAS_SOFTIRQ) != 0) {
		interrupt->softirq = softirq_count_null(model, interrupt->number);
		if (interrupt->softirq == NULL)
			return NULL;
	}
	return interrupt;
}

static void load_interrupts(struct kernel_model *model, struct interrupt **first, bool is_softirq,
			    histree_quark base, struct byte_reader *reader)
{
	while (saved_read_below(reader, 2) != 0) {
		struct interrupt *interrupt = load_interrupt(model, is_softirq, base, reader);
		if (interrupt == NULL)
			return;
		*first = interrupt;
		first = &interrupt->next;
	}
}

static void save_cpu(const struct kernel_cpu *cpu, struct saved_bytes *out)
{
	histree_quark base = cpu->node != NO_ATTRIBUTE ? cpu->node : 0;
	bool runs = cpu->is_claimed && cpu->runs != NULL;
	saved_put(out, (uint64_t)cpu->number);
	save_quark(cpu->node, 0, out);
	save_quarks(cpu->attributes, CPU_ATTRIBUTE_COUNT, base, out);
	saved_put(out, (uint64_t)cpu->is_claimed | (cpu->waking != INT64_MIN ? 2 : 0) |
			       (cpu->is_taken_for_recorded ? 4 : 0));
	if (cpu->waking != INT64_MIN)
		saved_put_signed(out, cpu->waking);
	saved_put_signed(out, cpu->claimed_tid);
	saved_put_signed(out, runs ? cpu->runs->tid : 0);
	save_interrupts(cpu->first_irq, false, base, out);
	save_interrupts(cpu->first_softirq, true, base, out);
}

/* Which thread it runs at the end, is said before the threads are there. */
struct running {
	struct kernel_cpu *cpu;
	int32_t tid;
};

static struct running load_cpu(struct kernel_model *model, struct byte_reader *reader)
{
	const struct change_log *log = model->slice->log;
	const struct running none = { .cpu = NULL };
	uint64_t number = saved_read_below(reader, (uint64_t)INT32_MAX + 1);
	if (reader->failed || id_map_find(&model->cpus, number) != NULL) {
		reader->failed = true;
		return none;
	}
	struct kernel_cpu *cpu = kernel_record_in(model, &model->cpus, number, sizeof(*cpu));
	if (cpu == NULL)
		return none;
	cpu->number = (int32_t)number;
	cpu->node = load_quark(log, 0, reader);
	histree_quark base = cpu->node != NO_ATTRIBUTE ? cpu->node : 0;
	load_quarks(log, cpu->attributes, CPU_ATTRIBUTE_COUNT, base, reader);
	uint64_t flags = saved_read_below(reader, 8);
	cpu->is_claimed = (flags & 1) != 0;
	cpu->is_taken_for_recorded = (flags & 4) != 0;
	cpu->waking = (flags & 2) != 0 ? saved_read_signed(reader) : INT64_MIN;
	cpu->claimed_tid = saved_read_int32(reader);
	struct running running = { .cpu = cpu, .tid = saved_read_int32(reader) };
	load_interrupts(model, &cpu->first_irq, false, base, reader);
	load_interrupts(model, &cpu->first_softirq, true, base, reader);
	return cpu->is_claimed ? running : none;
}

/* ---- all of it ----------------------------------------------------------------------------------------------- */

static void save_totals(const struct kernel_model *model, struct saved_bytes *out)
{
	const struct id_entry *entry;
	saved_put(out, model->softirqs.count);
	for (size_t at = 0; (entry = id_map_next(&model->softirqs, &at)) != NULL;) {
		const struct softirq_total *total = entry->record;
		saved_put(out, entry->id);
		for (int32_t value = 1; value <= SOFTIRQ_VALUE_MAX; value++)
			saved_put(out, total->cpu_counts[value]);
	}
}

/* A softirq of any CPU has made its total, and no CPU is counted that is not there. */
static void load_totals(struct kernel_model *model, struct byte_reader *reader)
{
	size_t count = saved_read_count(reader, 1 + SOFTIRQ_VALUE_MAX);
	for (size_t i = 0; i < count && !reader->failed; i++) {
		struct softirq_total *total = id_map_find(&model->softirqs, read_varint(reader));
		uint64_t left = model->cpus.count;
		if (total == NULL) {
			reader->failed = true;
			return;
		}
		for (int32_t value = 1; value <= SOFTIRQ_VALUE_MAX; value++) {
			total->cpu_counts[value] = (uint32_t)saved_read_below(reader, left + 1);
			left -= total->cpu_counts[value];
		}
	}
}

static void save_conflicts(const struct kernel_conflicts *conflicts, struct saved_bytes *out)
{
	for (int kind = 0; kind < CONFLICT_KINDS; kind++) {
		saved_put(out, conflicts->events[kind]);
		saved_put(out, conflicts->denials[kind]);
	}
	saved_put(out, conflicts->to_idle);
	saved_put(out, conflicts->from_idle);
}

static void load_conflicts(struct kernel_conflicts *conflicts, struct byte_reader *reader)
{
	for (int kind = 0; kind < CONFLICT_KINDS; kind++) {
		conflicts->events[kind] = read_varint(reader);
		conflicts->denials[kind] = read_varint(reader);
	}
	conflicts->to_idle = read_varint(reader);
	conflicts->from_idle = read_varint(reader);
}

void kernel_slice_save(struct kernel_model *model, struct saved_bytes *out)
{
	const struct id_entry *entry;
	histree_time start = histree_state_start(model->changes.system);
	struct thread_base base = { .said = start };
	change_log_save(model->slice->log, out);
	kernel_slice_save_guesses(model->slice, out);
	saved_put(out, (model->has_calls ? HAS_CALLS : 0) | (model->has_wakings ? HAS_WAKINGS : 0) |
			       (model->has_irqs ? HAS_IRQS : 0) | (model->declares_calls ? DECLARES_CALLS : 0) |
			       (model->may_have_calls ? MAY_HAVE_CALLS : 0));
	saved_put(out, model->changes.time != INT64_MIN);
	if (model->changes.time != INT64_MIN)
		saved_put_time(out, model->changes.time, start);
	save_quarks(model->groups, GROUP_COUNT, 0, out);
	save_conflicts(&model->conflicts, out);
	saved_put(out, model->cpus.count);
	for (size_t at = 0; (entry = id_map_next(&model->cpus, &at)) != NULL;)
		save_cpu(entry->record, out);
	save_totals(model, out);
	saved_put(out, model->threads.count);
	for (size_t at = 0; (entry = id_map_next(&model->threads, &at)) != NULL;)
		save_thread(entry->id, entry->record, &base, out);
}

static void load_threads(struct kernel_model *model, histree_time start, struct byte_reader *reader)
{
	struct thread_base base = { .said = start };
	size_t count = saved_read_count(reader, 6 + THREAD_ATTRIBUTE_COUNT);
	for (size_t i = 0; i < count && !reader->failed && model->changes.status == HISTREE_OK; i++)
		load_thread(model, &base, reader);
}

/* CPUs, and then the threads, among which are those that they run. */
static void load_cpus(struct kernel_model *model, histree_time start, struct byte_reader *reader)
{
	size_t count = saved_read_count(reader, 7 + CPU_ATTRIBUTE_COUNT);
	struct running *running = kernel_record(model, (count + 1) * sizeof(*running));
	if (running == NULL)
		return;
	for (size_t i = 0; i < count && !reader->failed && model->changes.status == HISTREE_OK; i++)
		running[i] = load_cpu(model, reader);
	load_totals(model, reader);
	load_threads(model, start, reader);
	for (size_t i = 0; i < count && !reader->failed; i++) {
		struct kernel_cpu *cpu = running[i].cpu;
		if (cpu == NULL)
			continue;
		cpu->runs = id_map_find(&model->threads, kernel_thread_id(running[i].tid, cpu->number));
		reader->failed = cpu->runs == NULL;
	}
}

enum histree_status kernel_slice_load(struct kernel_model *model, struct byte_reader *reader,
				      struct histree_error *error)
{
	histree_time start = histree_state_start(model->changes.system);
	struct change_log *log = model->slice->log;
	enum histree_status status = change_log_load(log, log->value_size_max, reader, error);
	if (status != HISTREE_OK)
		return status;
	kernel_slice_load_guesses(model->slice, reader);
	uint64_t flags = saved_read_below(reader, MAY_HAVE_CALLS << 1);
	model->has_calls = (flags & HAS_CALLS) != 0;
	model->has_wakings = (flags & HAS_WAKINGS) != 0;
	model->has_irqs = (flags & HAS_IRQS) != 0;
	model->declares_calls = (flags & DECLARES_CALLS) != 0;
	model->may_have_calls = (flags & MAY_HAVE_CALLS) != 0;
	if (saved_read_below(reader, 2) != 0)
		model->changes.time = saved_read_time(reader, start);
	load_quarks(log, model->groups, GROUP_COUNT, 0, reader);
	load_conflicts(&model->conflicts, reader);
	load_cpus(model, start, reader);
	if (model->changes.status == HISTREE_ERR_MEMORY || model->slice->no_memory)
		return error_memory(error, "a slice of the trace");
	if (reader->failed)
		return error_set(error, HISTREE_ERR_FORMAT,
				 "what a slice knows of threads and CPUs makes no sense");
	return HISTREE_OK;
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
