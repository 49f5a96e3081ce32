// SPDX-License-Identifier: MIT
/*
 * kernel_slice_guess.c - what CPUs do when a slice begins, from the events just before it and from a hint: the
 * last event on a CPU that says something of its thread, the call of that thread, or an interrupt is believed.
 */
#include "analysis/kernel/kernel_slice_guess.h"

#include <stdalign.h>
#include <string.h>

#include "analysis/kernel/kernel_interrupts.h"

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

struct histree_value guessed_call_value(const struct guessed_cpu *cpu)
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

void kernel_slice_save_guesses(const struct kernel_slice *slice, struct saved_bytes *out)
{
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&slice->cpus, &at)) != NULL;)
		save_guesses(entry->record, out);
	saved_put(out, 0);
}

void kernel_slice_load_guesses(struct kernel_slice *slice, struct byte_reader *reader)
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
