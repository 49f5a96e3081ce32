// SPDX-License-Identifier: MIT
/*
 * kernel_slice_bytes.c - the log of a slice, its guesses, and its CPUs and threads as bytes.  Numbers are
 * differences to those before them; what is read back is checked, so that a quark is one of the log and a record
 * is there once.
 */
#include "analysis/kernel/kernel_slice_bytes.h"

#include <string.h>

#include "analysis/kernel/kernel_interrupts.h"
#include "analysis/kernel/kernel_slice_guess.h"
#include "base/error.h"

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
