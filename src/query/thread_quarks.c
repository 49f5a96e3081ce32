// SPDX-License-Identifier: MIT
#include "query/thread_quarks.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "query/attribute_names.h"
#include "state/attributes.h"

const struct thread_pair thread_pairs[THREAD_PAIR_COUNT] = {
	{ "Process", "PPID", "PID" },
	{ "Scheduling", "Current_cpu_rq", "Prio" },
};

bool thread_name_parse(const struct attribute_name *name, int32_t *tid, int32_t *cpu)
{
	*cpu = -1;
	*tid = (int32_t)name->number;
	if (name->text == NULL)
		return true;
	size_t rest = leading_number(name->text, name->size, tid);
	if (rest == 0)
		return false;
	if (rest == name->size)
		return true;
	const char *after = name->text + rest + 1;
	size_t size = name->size - rest - 1;
	return *tid == 0 && name->text[rest] == '_' && size > 0 && leading_number(after, size, cpu) == size;
}

/* ---- threads ------------------------------------------------------------------------------------------------ */

/* How far after its node the attributes of a thread are, 0: it has none; those of one run are alike. */
struct shape {
	uint32_t run;
	bool is_of_run;
	uint32_t status, call, queue, pair;
};

static void find_shape(const struct histree_attributes *attributes, histree_quark node,
		       struct attribute_range *near, struct shape *shape)
{
	const struct thread_pair *pair = &thread_pairs[1];
	*shape = (struct shape){ .run = near->number, .is_of_run = near->count > 0 && !near->late };
	for (histree_quark child = attributes->source->first_child(attributes, node, near); child != HISTREE_ROOT;
	     child = attributes->source->next_sibling(attributes, child, near)) {
		struct attribute_name name = attributes->source->name(attributes, child, near);
		if (name.text == NULL)
			continue;
		if (attribute_name_is(name.text, name.size, "System_call"))
			shape->call = child - node;
		else if (attribute_name_is(name.text, name.size, "Status"))
			shape->status = child - node;
		else if (attribute_name_is(name.text, name.size, pair->first))
			shape->queue = child - node;
		else if (attribute_name_is(name.text, name.size, pair->name))
			shape->pair = child - node;
	}
}

static enum histree_status add_thread(struct thread_quarks *threads, histree_quark node, int32_t tid, int32_t cpu,
				      const struct shape *shape, struct histree_error *error)
{
	const uint32_t queue = shape->queue != 0 ? shape->queue : shape->pair;
	if (!array_reserve(&threads->threads, &threads->capacity, threads->count + 1))
		return error_memory(error, "the threads");
	threads->threads[threads->count++] = (struct thread_quark){
		.tid = tid,
		.cpu = cpu,
		.node = node,
		.status = node + shape->status,
		.call = shape->call != 0 ? node + shape->call : HISTREE_ROOT,
		.queue = queue != 0 ? node + queue : HISTREE_ROOT,
		.part = shape->queue != 0 ? HISTREE_WHOLE : HISTREE_FIRST_PART,
	};
	return HISTREE_OK;
}

static enum histree_status find_threads(struct thread_quarks *threads, const struct histree_attributes *attributes,
					size_t threads_max, struct histree_error *error)
{
	struct attribute_range near = { 0 };
	struct shape shape = { 0 };
	if (histree_attributes_find(attributes, HISTREE_ROOT, "Threads", &threads->above) != HISTREE_OK)
		return HISTREE_OK;
	for (histree_quark node = attributes->source->first_child(attributes, threads->above, &near);
	     node != HISTREE_ROOT; node = attributes->source->next_sibling(attributes, node, &near)) {
		struct attribute_name name = attributes->source->name(attributes, node, &near);
		int32_t tid, cpu;
		if (!thread_name_parse(&name, &tid, &cpu))
			continue;
		if (threads->count >= threads_max)
			return HISTREE_PARTIAL;
		if (!shape.is_of_run || shape.run != near.number)
			find_shape(attributes, node, &near, &shape);
		enum histree_status status = add_thread(threads, node, tid, cpu, &shape, error);
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

/* ---- CPUs --------------------------------------------------------------------------------------------------- */

static int by_number(const void *one, const void *other)
{
	const struct cpu_quark *a = one, *b = other;
	return (a->number > b->number) - (a->number < b->number);
}

static enum histree_status find_cpus(struct thread_quarks *threads, const struct histree_attributes *attributes,
				     struct histree_error *error)
{
	struct attribute_range near = { 0 };
	if (histree_attributes_find(attributes, HISTREE_ROOT, "CPUs", &threads->above_cpus) != HISTREE_OK)
		return HISTREE_OK;
	for (histree_quark node = attributes->source->first_child(attributes, threads->above_cpus, &near);
	     node != HISTREE_ROOT; node = attributes->source->next_sibling(attributes, node, &near)) {
		const struct attribute_name name = attributes->source->name(attributes, node, &near);
		struct cpu_quark cpu = { .number = (int32_t)name.number };
		if ((name.text != NULL && leading_number(name.text, name.size, &cpu.number) == 0) ||
		    histree_attributes_find(attributes, node, "Current_thread", &cpu.current) != HISTREE_OK)
			continue;
		if (!array_reserve(&threads->cpus, &threads->cpu_capacity, threads->cpu_count + 1))
			return error_memory(error, "the CPUs");
		threads->cpus[threads->cpu_count++] = cpu;
	}
	if (threads->cpu_count > 1)
		qsort(threads->cpus, threads->cpu_count, sizeof(*threads->cpus), by_number);
	return HISTREE_OK;
}

enum histree_status thread_quarks_read(struct thread_quarks *threads, const struct histree_history *history,
				       size_t threads_max, struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_history_attributes(history);
	*threads = (struct thread_quarks){ .above = HISTREE_ROOT, .above_cpus = HISTREE_ROOT };
	enum histree_status status = find_threads(threads, attributes, threads_max, error);
	return status == HISTREE_OK ? find_cpus(threads, attributes, error) : status;
}

void thread_quarks_release(struct thread_quarks *threads)
{
	free(threads->threads);
	free(threads->cpus);
	*threads = (struct thread_quarks){ .above = HISTREE_ROOT, .above_cpus = HISTREE_ROOT };
}
