// SPDX-License-Identifier: MIT
#include "query/thread_quarks.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "query/attribute_names.h"
#include "query/thread_walk.h"
#include "state/attributes.h"

const struct thread_pair thread_pairs[THREAD_PAIR_COUNT] = {
	{ "Process", "PPID", "PID" },
	{ "Scheduling", "Current_cpu_rq", "Prio" },
};

static enum histree_status add_thread(struct thread_quarks *threads, const struct thread_walk *walk,
				      struct histree_error *error)
{
	const histree_quark queue = thread_walk_quark(walk, THREAD_FACT_QUEUE);
	const bool has_queue = queue != HISTREE_ROOT;
	if (!array_reserve(&threads->threads, &threads->capacity, threads->count + 1))
		return error_memory(error, "the threads");
	threads->threads[threads->count++] = (struct thread_quark){
		.tid = walk->tid,
		.cpu = walk->cpu,
		.node = walk->node,
		.status = thread_walk_quark(walk, THREAD_FACT_STATUS),
		.call = thread_walk_quark(walk, THREAD_FACT_CALL),
		.queue = has_queue ? queue : thread_walk_quark(walk, THREAD_FACT_SCHEDULING),
		.part = has_queue ? HISTREE_WHOLE : HISTREE_FIRST_PART,
	};
	return HISTREE_OK;
}

static enum histree_status find_threads(struct thread_quarks *threads, const struct histree_attributes *attributes,
					size_t threads_max, struct histree_error *error)
{
	struct thread_walk walk;
	enum histree_status status = HISTREE_OK;
	thread_walk_begin(&walk, attributes);
	threads->above = walk.above;
	while (status == HISTREE_OK && thread_walk_next(&walk))
		status = threads->count < threads_max ? add_thread(threads, &walk, error) : HISTREE_PARTIAL;
	return status;
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
