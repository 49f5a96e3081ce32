// SPDX-License-Identifier: MIT
/*
 * thread_pieces.c - what the threads of a kernel did, piece by piece, for every layout of kernel histories.  The
 * pieces of a thread come in the order of time; in each, nothing changes.
 */
#include "query/thread_pieces.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/history.h"
#include "query/window.h"
#include "state/attributes.h"
#include "state/pyramid_cells.h"

/* ---- thread quarks ------------------------------------------------------------------------------------------- */

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

/* ---- CPUs --------------------------------------------------------------------------------------------------- */

COMPARE(by_number, struct cpu_quark, BY(number))

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
	struct thread_walk walk;
	enum histree_status status = HISTREE_OK;
	thread_walk_begin(&walk, attributes);
	threads->above = walk.above;
	while (status == HISTREE_OK && thread_walk_next(&walk))
		status = threads->count < threads_max ? add_thread(threads, &walk, error) : HISTREE_PARTIAL;
	return status == HISTREE_OK ? find_cpus(threads, attributes, error) : status;
}

void thread_quarks_release(struct thread_quarks *threads)
{
	free(threads->threads);
	free(threads->cpus);
	*threads = (struct thread_quarks){ .above = HISTREE_ROOT, .above_cpus = HISTREE_ROOT };
}

/* ---- thread walk --------------------------------------------------------------------------------------------- */

bool thread_pids_are_told(const struct histree_history_info *info)
{
	/* Before these versions, and in those of Trace Compass's analysis, a leader has no PID either. */
	return (strcmp(info->provider, "kernel") == 0 && info->provider_version >= 36) ||
	       (strcmp(info->provider, "kernel-compact") == 0 && info->provider_version >= 5);
}

#define NAMED(text)                    \
	{                              \
		text, sizeof(text) - 1 \
	}
static const struct fact_name {
	const char *text;
	size_t size;
} fact_names[THREAD_FACT_COUNT] = { NAMED("Exec_name"),      NAMED("PID"),       NAMED("PPID"),
				    NAMED("Process"),        NAMED("Status"),    NAMED("System_call"),
				    NAMED("Current_cpu_rq"), NAMED("Scheduling") };
#undef NAMED

const char *thread_fact_name(enum thread_fact fact)
{
	return fact_names[fact].text;
}

enum thread_fact thread_fact_of(const struct attribute_name *name)
{
	uint32_t fact = name->text != NULL ? 0 : THREAD_FACT_COUNT;
	while (fact < THREAD_FACT_COUNT &&
	       (fact_names[fact].size != name->size || memcmp(fact_names[fact].text, name->text, name->size) != 0))
		fact++;
	return (enum thread_fact)fact;
}

bool thread_parse_name(const struct attribute_name *name, int32_t *tid, int32_t *cpu)
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

static void find_offsets(struct thread_walk *walk, histree_quark node)
{
	const struct attribute_source *source = walk->attributes->source;
	memset(walk->offsets, 0, sizeof(walk->offsets));
	walk->run = walk->near.number;
	walk->is_of_run = walk->near.count > 0 && !walk->near.late;
	for (histree_quark child = source->first_child(walk->attributes, node, &walk->near); child != HISTREE_ROOT;
	     child = source->next_sibling(walk->attributes, child, &walk->near)) {
		const struct attribute_name name = source->name(walk->attributes, child, &walk->near);
		const enum thread_fact fact = thread_fact_of(&name);
		if (fact < THREAD_FACT_COUNT)
			walk->offsets[fact] = child - node;
	}
}

void thread_walk_begin(struct thread_walk *walk, const struct histree_attributes *attributes)
{
	*walk = (struct thread_walk){ .attributes = attributes, .above = HISTREE_ROOT, .next = HISTREE_ROOT };
	if (histree_attributes_find(attributes, HISTREE_ROOT, "Threads", &walk->above) == HISTREE_OK)
		walk->next = attributes->source->first_child(attributes, walk->above, &walk->near);
}

bool thread_walk_next(struct thread_walk *walk)
{
	const struct attribute_source *source = walk->attributes->source;
	bool is_thread = false;
	while (walk->next != HISTREE_ROOT && !is_thread) {
		walk->node = walk->next;
		const struct attribute_name name = source->name(walk->attributes, walk->node, &walk->near);
		is_thread = thread_parse_name(&name, &walk->tid, &walk->cpu);
		if (is_thread && (!walk->is_of_run || walk->run != walk->near.number))
			find_offsets(walk, walk->node);
		walk->next = source->next_sibling(walk->attributes, walk->node, &walk->near);
	}
	return is_thread;
}

/* ---- who threads are, and their statuses -------------------------------------------------------------------- */

COMPARE(by_quark, struct thread_fact_quark, BY(quark))

enum histree_status thread_fact_quarks(const struct histree_attributes *attributes, struct thread_fact_quark **out,
				       size_t *count, struct histree_error *error)
{
	size_t capacity = 0;
	bool is_sorted = true;
	struct thread_walk walk;
	*out = NULL;
	*count = 0;
	thread_walk_begin(&walk, attributes);
	while (thread_walk_next(&walk))
		for (unsigned fact = 0; fact <= THREAD_FACT_STATUS; fact++) {
			const histree_quark quark = thread_walk_quark(&walk, fact);
			if (quark == HISTREE_ROOT)
				continue;
			if (!array_reserve(out, &capacity, *count + 1)) {
				free(*out);
				*out = NULL;
				return error_memory(error, "the threads");
			}
			is_sorted &= *count == 0 || (*out)[*count - 1].quark < quark;
			(*out)[(*count)++] = (struct thread_fact_quark){ quark, fact == THREAD_FACT_STATUS };
		}
	if (!is_sorted)
		qsort(*out, *count, sizeof(**out), by_quark);
	return HISTREE_OK;
}

static bool is_thread(const struct histree_attributes *attributes, histree_quark node, struct attribute_range *near)
{
	const struct attribute_source *source = attributes->source;
	int32_t tid, cpu;
	const histree_quark above = source->parent(attributes, node, near);
	if (above == HISTREE_ROOT || source->parent(attributes, above, near) != HISTREE_ROOT)
		return false;
	const struct attribute_name threads = source->name(attributes, above, near);
	if (threads.text == NULL || !attribute_name_is(threads.text, threads.size, "Threads"))
		return false;
	const struct attribute_name thread = source->name(attributes, node, near);
	return thread_parse_name(&thread, &tid, &cpu);
}

enum thread_fact thread_fact_of_quark(const struct histree_attributes *attributes, histree_quark quark,
				      struct attribute_range *near)
{
	const struct attribute_source *source = attributes->source;
	const struct attribute_name name = source->name(attributes, quark, near);
	const enum thread_fact fact = thread_fact_of(&name);
	if (fact > THREAD_FACT_STATUS)
		return is_thread(attributes, quark, near) ? THREAD_FACT_STATUS : THREAD_FACT_COUNT;
	const histree_quark node = source->parent(attributes, quark, near);
	return node != HISTREE_ROOT && is_thread(attributes, node, near) ? fact : THREAD_FACT_COUNT;
}

/* ---- thread pieces ------------------------------------------------------------------------------------------- */

/* A list, and how far it was read: times that are asked for never go back. */
struct reading {
	const struct window_state *at, *end;
};

static struct reading read_list(const struct window_list *list)
{
	return (struct reading){ list->states, list->count > 0 ? list->states + list->count : list->states };
}

/* The value at a time, and until when it stays. */
static int32_t value_at(struct reading *list, histree_time time, histree_time *until, histree_time *since)
{
	while (list->at != list->end && list->at->end < time)
		list->at++;
	if (list->at == list->end)
		return USE_NOTHING;
	if (list->at->start <= time) {
		*until = list->at->end < *until ? list->at->end : *until;
		*since = list->at->start;
		return (int32_t)list->at->value;
	}
	if (list->at->start - 1 < *until)
		*until = list->at->start - 1;
	return USE_NOTHING;
}

/* A wait for a CPU, cut where that goes from thread to thread. */
static enum histree_status hand_out_wait(const struct thread_cutting *cutting, struct thread_piece piece,
					 struct histree_error *error)
{
	const struct thread_owners *owners = cutting->owners;
	uint32_t cpu = 0;
	while (cpu < owners->count && owners->cpus[cpu] != piece.cpu)
		cpu++;
	piece.had_by = USE_NOT_KNOWN;
	if (cpu == owners->count)
		return cutting->give(cutting->context, &piece, error);
	struct window_list left = owners->lists[cpu];
	const size_t first = SEARCH(i, 0, left.count, left.states[i].end < piece.start);
	left.states = left.count > 0 ? left.states + first : left.states;
	left.count -= first;
	struct reading reading = read_list(&left);
	enum histree_status status = HISTREE_OK;
	const histree_time end = piece.end;
	while (status == HISTREE_OK && piece.start <= end) {
		histree_time since;
		piece.end = end;
		piece.had_by = value_at(&reading, piece.start, &piece.end, &since);
		if (piece.had_by == USE_NOTHING)
			piece.had_by = USE_NOT_KNOWN;
		assert(piece.start <= piece.end && piece.end <= end);
		status = cutting->give(cutting->context, &piece, error);
		piece.start = piece.end + 1;
		piece.begins = false;
	}
	return status;
}

enum histree_status thread_pieces_cut(const struct thread_cutting *cutting, const struct thread_states *thread,
				      struct histree_error *error)
{
	struct reading queues = read_list(&thread->queues), calls = read_list(&thread->calls);
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < thread->statuses.count && status == HISTREE_OK; i++) {
		const struct window_state *state = &thread->statuses.states[i];
		const bool waits = state->value == THREAD_WAITS_FOR_CPU;
		const histree_time end = state->end < cutting->to ? state->end : cutting->to;
		histree_time at = state->start > cutting->from ? state->start : cutting->from, since;
		while (!(waits && thread->is_idle) && at <= end && status == HISTREE_OK) {
			struct thread_piece piece = {
				.start = at, .end = end, .status = (int32_t)state->value, .had_by = USE_NOTHING
			};
			piece.cpu = thread->cpu >= 0 ? thread->cpu : value_at(&queues, at, &piece.end, &since);
			piece.system_call = value_at(&calls, at, &piece.end, &piece.call_start);
			piece.begins = at == state->start;
			at = piece.end + 1;
			status = waits && cutting->owners != NULL ? hand_out_wait(cutting, piece, error)
								  : cutting->give(cutting->context, &piece, error);
		}
	}
	return status;
}

enum window_keep thread_pieces_value(struct intern *texts, const struct histree_value *value,
				     enum histree_part part, int64_t *out)
{
	const struct histree_value of_part = histree_value_part(value, part);
	switch (of_part.type) {
	case HISTREE_NULL:
		return WINDOW_SKIPS;
	case HISTREE_INT:
		*out = of_part.int32;
		return WINDOW_KEEPS;
	case HISTREE_STRING: {
		uint32_t text = intern_add(texts, of_part.bytes, of_part.size);
		*out = (int32_t)text;
		return text != INTERN_NONE ? WINDOW_KEEPS : WINDOW_HAS_NO_MEMORY;
	}
	default:
		*out = USE_NOT_KNOWN;
		return WINDOW_KEEPS;
	}
}
