// SPDX-License-Identifier: MIT
/*
 * kernel_interrupts.c - the interrupts and softirqs of each CPU, and the totals of all CPUs.
 *
 * The total of a softirq is the greatest value that it has on any CPU: CPUs are counted by value.  The total of an
 * interrupt follows its last event, as in Trace Compass.
 */
#include "analysis/kernel/kernel_interrupts.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/kernel/kernel_threads.h"
#include "histree/attributes.h"

static bool same_name(struct kernel_text a, struct kernel_text b)
{
	if (a.bytes == NULL || b.bytes == NULL)
		return a.bytes == b.bytes;
	return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

/*
 * `NUMBER/NAME` or `NUMBER`, one component.  Where signs tell them apart, a softirq is `-NUMBER`, and a vector
 * with a negative number, which only a broken trace has, is `NUMBER/`.
 */
static void create_attribute(struct kernel_model *model, struct interrupt *interrupt, histree_quark group,
			     bool is_softirq)
{
	char number[16];
	bool has_sign = model->places->interrupts_have_signs;
	size_t size = (size_t)snprintf(number, sizeof(number), "%s%" PRId32, is_softirq && has_sign ? "-" : "",
				       interrupt->number);
	if (interrupt->name.bytes == NULL && has_sign && !is_softirq && interrupt->number < 0)
		number[size++] = '/';
	if (interrupt->name.bytes == NULL) {
		changes_child(&model->changes, &interrupt->quark, group, number, size);
		return;
	}
	char *component = kernel_record(model, size + 1 + interrupt->name.size);
	if (component == NULL)
		return;
	memcpy(component, number, size);
	component[size] = '/';
	memcpy(component + size + 1, interrupt->name.bytes, interrupt->name.size);
	interrupt->name.bytes = component + size + 1;
	changes_child(&model->changes, &interrupt->quark, group, component, size + 1 + interrupt->name.size);
}

static struct interrupt *add_interrupt(struct kernel_model *model, histree_quark group, int32_t number,
				       struct kernel_text name, bool is_softirq)
{
	struct interrupt *interrupt = kernel_record(model, sizeof(*interrupt));
	if (interrupt == NULL)
		return NULL;
	model->has_irqs = model->has_irqs || !is_softirq;
	interrupt->number = number;
	interrupt->name = name;
	interrupt->quark = NO_ATTRIBUTE;
	interrupt->total = NO_ATTRIBUTE;
	create_attribute(model, interrupt, group, is_softirq);
	/* What is going on is guessed (kernel_slices.c): nothing else is. */
	if (model->slice != NULL && interrupt->quark != NO_ATTRIBUTE)
		change_log_guess(model->slice->log, interrupt->quark, histree_null());
	return interrupt->quark == NO_ATTRIBUTE ? NULL : interrupt;
}

static struct interrupt *find_or_add(struct kernel_model *model, struct interrupt **first, histree_quark group,
				     int32_t number, struct kernel_text name, bool is_softirq)
{
	struct interrupt **at = first;
	while (*at != NULL && ((*at)->number != number || !same_name((*at)->name, name)))
		at = &(*at)->next;
	if (*at == NULL)
		*at = add_interrupt(model, group, number, name, is_softirq);
	return *at;
}

struct interrupt *cpu_irq(struct kernel_model *model, struct kernel_cpu *cpu, int32_t number,
			  struct kernel_text name)
{
	return find_or_add(model, &cpu->first_irq, cpu_attribute(model, cpu, CPU_IRQS), number, name, false);
}

struct interrupt *cpu_softirq(struct kernel_model *model, struct kernel_cpu *cpu, int32_t number)
{
	histree_quark group = cpu_attribute(model, cpu, CPU_SOFT_IRQS);
	struct interrupt **first = &cpu->first_softirq;
	struct interrupt *softirq = find_or_add(model, first, group, number, (struct kernel_text){ 0 }, true);
	/* One that is heard of first after a gap may have been raised in it. */
	if (softirq != NULL && cpu->has_gaps && !softirq->is_known)
		change(&model->changes, softirq->quark, histree_unknown());
	if (softirq != NULL)
		softirq->is_known = true;
	return softirq;
}

struct interrupt *cpu_irq_in_progress(struct kernel_model *model, struct kernel_cpu *cpu, int32_t number)
{
	cpu_attribute(model, cpu, CPU_IRQS);
	for (struct interrupt *irq = cpu->first_irq; irq != NULL; irq = irq->next)
		if (irq->number == number && (irq->name.bytes != NULL || irq->began_before) &&
		    changes_value(&model->changes, irq->quark).type != HISTREE_NULL)
			return irq;
	return NULL;
}

struct interrupt *cpu_irq_before(struct kernel_cpu *cpu, int32_t number)
{
	struct interrupt *irq = cpu->first_irq;
	while (irq != NULL && (irq->number != number || irq->name.bytes == NULL))
		irq = irq->next;
	return irq;
}

static struct histree_value first_value(struct kernel_model *model, const struct interrupt *first)
{
	for (const struct interrupt *interrupt = first; interrupt != NULL; interrupt = interrupt->next) {
		struct histree_value value = changes_value(&model->changes, interrupt->quark);
		if (value.type == HISTREE_INT)
			return value;
	}
	return histree_null();
}

struct histree_value cpu_irq_value(struct kernel_model *model, struct kernel_cpu *cpu)
{
	cpu_attribute(model, cpu, CPU_IRQS);
	return first_value(model, cpu->first_irq);
}

struct histree_value cpu_softirq_value(struct kernel_model *model, struct kernel_cpu *cpu)
{
	cpu_attribute(model, cpu, CPU_SOFT_IRQS);
	return first_value(model, cpu->first_softirq);
}

static bool softirq_has(struct kernel_model *model, const struct interrupt *softirq, enum softirq_bits bit)
{
	struct histree_value value = changes_value(&model->changes, softirq->quark);
	return value.type == HISTREE_INT && (value.int32 & bit) != 0;
}

static bool is_unknown(struct kernel_model *model, const struct interrupt *interrupt)
{
	return changes_value(&model->changes, interrupt->quark).type == HISTREE_UNKNOWN;
}

bool cpu_doubts_softirqs(struct kernel_model *model, const struct kernel_cpu *cpu)
{
	for (const struct interrupt *softirq = cpu->first_softirq; softirq != NULL; softirq = softirq->next)
		if (is_unknown(model, softirq))
			return true;
	return false;
}

bool cpu_softirq_runs(struct kernel_model *model, struct kernel_cpu *cpu)
{
	cpu_attribute(model, cpu, CPU_SOFT_IRQS);
	for (const struct interrupt *softirq = cpu->first_softirq; softirq != NULL; softirq = softirq->next)
		if (softirq_has(model, softirq, SOFTIRQ_RUNNING))
			return true;
	return false;
}

bool cpu_may_be_interrupted(const struct kernel_model *model, const struct kernel_cpu *cpu)
{
	return cpu->has_gaps && (((cpu->in_doubt & DOUBT_IRQS) != 0 && model->has_irqs) ||
				 ((cpu->in_doubt & DOUBT_SOFTIRQS) != 0 && model->softirqs.count > 0));
}

struct histree_value cpu_status_now(struct kernel_model *model, struct kernel_cpu *cpu)
{
	if (cpu_irq_value(model, cpu).type != HISTREE_NULL)
		return histree_int(CPU_IN_IRQ);
	if (cpu_softirq_runs(model, cpu))
		return histree_int(CPU_IN_SOFTIRQ);
	if (cpu->in_doubt != 0 && cpu_may_be_interrupted(model, cpu))
		return histree_unknown();
	return cpu_status_of_thread(model, cpu);
}

void thread_settle_mode(struct kernel_model *model, struct kernel_thread *thread)
{
	struct kernel_cpu *cpu = thread->runs_on;
	if (!thread_settle_call(model, thread) || cpu == NULL ||
	    thread_value(model, thread, THREAD_STATUS).type != HISTREE_UNKNOWN)
		return;
	bool may_be_interrupted = cpu->raised != RAISED_ARE_SEEN && cpu_doubts_softirqs(model, cpu);
	if (may_be_interrupted || cpu_may_be_interrupted(model, cpu))
		return;
	thread_run(model, thread);
	cpu_change(model, cpu, CPU_STATUS, cpu_status_now(model, cpu));
}

struct histree_value softirq_when_raised(struct kernel_model *model, const struct kernel_cpu *cpu,
					 const struct interrupt *softirq)
{
	/* What is unknown runs only where any softirq may. */
	if (is_unknown(model, softirq) && (cpu->in_doubt & DOUBT_SOFTIRQS) != 0)
		return histree_unknown();
	return histree_int(softirq_has(model, softirq, SOFTIRQ_RUNNING) ? SOFTIRQ_RUNNING | SOFTIRQ_RAISED
									: SOFTIRQ_RAISED);
}

struct histree_value softirq_when_done(struct kernel_model *model, const struct interrupt *softirq)
{
	if (is_unknown(model, softirq))
		return histree_unknown();
	return softirq_has(model, softirq, SOFTIRQ_RAISED) ? histree_int(SOFTIRQ_RAISED) : histree_null();
}

static void change_total(struct kernel_model *model, struct interrupt *interrupt, enum kernel_group group,
			 struct histree_value value)
{
	if (interrupt->total == NO_ATTRIBUTE) {
		/* It has the name that it has on each CPU. */
		const struct histree_attributes *attributes = histree_state_attributes(model->changes.system);
		size_t size = histree_attributes_name(attributes, interrupt->quark, NULL, 0);
		char *name = kernel_record(model, size + 1);
		if (name == NULL)
			return;
		histree_attributes_name(attributes, interrupt->quark, name, size + 1);
		changes_child(&model->changes, &interrupt->total, kernel_group(model, group), name, size);
	}
	bool is_greatest =
		group == GROUP_SOFT_IRQS && value.type == HISTREE_INT && value.int32 == SOFTIRQ_VALUE_MAX;
	change(&model->changes, interrupt->total,
	       kernel_is_losing(model) && !is_greatest ? histree_unknown() : value);
}

void irq_change_total(struct kernel_model *model, struct interrupt *irq, struct histree_value value)
{
	change_total(model, irq, GROUP_IRQS, value);
}

static struct softirq_total *softirq_total(struct kernel_model *model, int32_t number)
{
	uint64_t id = (uint32_t)number;
	struct softirq_total *total = id_map_find(&model->softirqs, id);
	return total != NULL ? total : kernel_record_in(model, &model->softirqs, id, sizeof(*total));
}

static uint32_t *cpus_with(struct softirq_total *total, struct histree_value value)
{
	if (value.type == HISTREE_UNKNOWN)
		return &total->unknown_count;
	return &total->cpu_counts[value.type == HISTREE_INT ? value.int32 & SOFTIRQ_VALUE_MAX : 0];
}

static struct histree_value greatest_value(const struct softirq_total *total)
{
	int32_t value = SOFTIRQ_VALUE_MAX;
	while (value > 0 && total->cpu_counts[value] == 0)
		value--;
	if (total->unknown_count > 0 && value < SOFTIRQ_VALUE_MAX)
		return histree_unknown();
	return value > 0 ? histree_int(value) : histree_null();
}

/* On how many CPUs a softirq has a value, as the state system has it; `type` UNKNOWN: where it is unknown. */
static uint32_t count_cpus(struct kernel_model *model, const struct softirq_total *total, const uint32_t *counted)
{
	uint32_t count = 0;
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&model->cpus, &at)) != NULL;) {
		const struct kernel_cpu *cpu = entry->record;
		for (const struct interrupt *at_cpu = cpu->first_softirq; at_cpu != NULL; at_cpu = at_cpu->next)
			if (at_cpu->softirq == total)
				count += cpus_with(at_cpu->softirq,
						   changes_value(&model->changes, at_cpu->quark)) == counted;
	}
	return count;
}

void softirq_assert_totals(struct kernel_model *model)
{
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&model->softirqs, &at)) != NULL;) {
		const struct softirq_total *total = entry->record;
		assert(total->unknown_count == count_cpus(model, total, &total->unknown_count));
		for (int32_t value = 1; value <= SOFTIRQ_VALUE_MAX; value++)
			assert(total->cpu_counts[value] == count_cpus(model, total, &total->cpu_counts[value]));
	}
}

void softirq_count(struct kernel_model *model, struct interrupt *softirq)
{
	softirq->softirq = softirq_total(model, softirq->number);
	if (softirq->softirq != NULL)
		(*cpus_with(softirq->softirq, changes_value(&model->changes, softirq->quark)))++;
}

struct softirq_total *softirq_count_null(struct kernel_model *model, int32_t number)
{
	struct softirq_total *total = softirq_total(model, number);
	if (total != NULL)
		total->cpu_counts[0]++;
	return total;
}

void softirq_change_with_total(struct kernel_model *model, struct interrupt *softirq, struct histree_value value)
{
	struct histree_value before = changes_value(&model->changes, softirq->quark);
	if (softirq->softirq == NULL) {
		softirq->softirq = softirq_total(model, softirq->number);
		if (softirq->softirq == NULL)
			return;
		(*cpus_with(softirq->softirq, before))++;
	}
	change(&model->changes, softirq->quark, value);
	/* A slice that has failed does not know what was before: it goes on, and is thrown away. */
	if (model->changes.status != HISTREE_OK ||
	    (model->slice != NULL && change_log_has_failed(model->slice->log)))
		return;
	assert(*cpus_with(softirq->softirq, before) > 0);
	(*cpus_with(softirq->softirq, before))--;
	(*cpus_with(softirq->softirq, value))++;
	change_total(model, softirq, GROUP_SOFT_IRQS, greatest_value(softirq->softirq));
}

/* ---- checkpoints --------------------------------------------------------------------------------------------- */

enum { HAS_NAME = 1, HAS_TOTAL = 2, HAS_COUNT = 4, IS_KNOWN = 8 };

static void save_list(const struct interrupt *first, histree_quark node, struct byte_buffer *out)
{
	uint64_t count = 0;
	for (const struct interrupt *at = first; at != NULL; at = at->next)
		count++;
	byte_buffer_put_number(out, count);
	for (const struct interrupt *at = first; at != NULL; at = at->next) {
		byte_buffer_put_signed(out, at->number);
		byte_buffer_put_number(out, at->quark - node);
		byte_buffer_put_number(
			out, (at->name.bytes != NULL ? HAS_NAME : 0) | (at->total != NO_ATTRIBUTE ? HAS_TOTAL : 0) |
				     (at->softirq != NULL ? HAS_COUNT : 0) | (at->is_known ? IS_KNOWN : 0));
	}
}

void interrupts_save(const struct kernel_cpu *cpu, struct byte_buffer *out)
{
	save_list(cpu->first_irq, cpu->node, out);
	save_list(cpu->first_softirq, cpu->node, out);
}

/* The name is that of its attribute, after the number. */
static bool load_name(struct interrupt *interrupt, const char *component, size_t size)
{
	const char *slash = memchr(component, '/', size);
	if (slash == NULL)
		return false;
	interrupt->name = (struct kernel_text){ slash + 1, (size_t)(component + size - slash - 1) };
	return true;
}

static bool load_total(struct kernel_model *model, struct interrupt *interrupt, enum kernel_group group,
		       const char *component, size_t size)
{
	const struct histree_attributes *attributes = histree_state_attributes(model->changes.system);
	const char *name = model->places->groups[group];
	histree_quark parent;
	return histree_attributes_child(attributes, HISTREE_ROOT, name, strlen(name), &parent) == HISTREE_OK &&
	       histree_attributes_child(attributes, parent, component, size, &interrupt->total) == HISTREE_OK;
}

/* Returns NULL if what is said of it makes no sense, or memory runs out. */
static struct interrupt *load_interrupt(struct kernel_model *model, const struct kernel_cpu *cpu,
					enum kernel_group group, uint32_t attribute_count,
					struct byte_reader *reader)
{
	const struct histree_attributes *attributes = histree_state_attributes(model->changes.system);
	struct interrupt *interrupt = kernel_record(model, sizeof(*interrupt));
	int64_t number = byte_reader_signed(reader);
	uint64_t quark = cpu->node + read_varint(reader), flags = read_varint(reader);
	if (interrupt == NULL || reader->failed || number != (int32_t)number || quark >= attribute_count)
		return NULL;
	interrupt->number = (int32_t)number;
	interrupt->quark = (histree_quark)quark;
	interrupt->total = NO_ATTRIBUTE;
	interrupt->is_known = (flags & IS_KNOWN) != 0;
	model->has_irqs = model->has_irqs || group == GROUP_IRQS;
	size_t size = histree_attributes_name(attributes, interrupt->quark, NULL, 0);
	char *component = kernel_record(model, size + 1);
	if (component == NULL)
		return NULL;
	histree_attributes_name(attributes, interrupt->quark, component, size + 1);
	if ((flags & HAS_NAME) != 0 && !load_name(interrupt, component, size))
		return NULL;
	if ((flags & HAS_TOTAL) != 0 && !load_total(model, interrupt, group, component, size))
		return NULL;
	if ((flags & HAS_COUNT) != 0) {
		interrupt->softirq = softirq_total(model, interrupt->number);
		if (interrupt->softirq == NULL)
			return NULL;
		(*cpus_with(interrupt->softirq, changes_value(&model->changes, interrupt->quark)))++;
	}
	return interrupt;
}

static void load_list(struct kernel_model *model, const struct kernel_cpu *cpu, struct interrupt **first,
		      enum kernel_group group, uint32_t attribute_count, struct byte_reader *reader)
{
	uint64_t count = read_varint(reader);
	for (uint64_t i = 0; i < count && !reader->failed; i++) {
		*first = load_interrupt(model, cpu, group, attribute_count, reader);
		if (*first == NULL)
			reader->failed = true;
		else
			first = &(*first)->next;
	}
}

void interrupts_load(struct kernel_model *model, struct kernel_cpu *cpu, uint32_t attribute_count,
		     struct byte_reader *reader)
{
	load_list(model, cpu, &cpu->first_irq, GROUP_IRQS, attribute_count, reader);
	load_list(model, cpu, &cpu->first_softirq, GROUP_SOFT_IRQS, attribute_count, reader);
}
