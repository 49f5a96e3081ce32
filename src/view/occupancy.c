// SPDX-License-Identifier: MIT
/*
 * occupancy.c - which thread each CPU runs at a time, and whether the states of threads and CPUs agree on that.
 *
 * A CPU runs at most one thread; a running thread is on exactly one CPU; and a thread on a CPU runs, or its state
 * is unknown.  The pseudo-thread -1 stands for the threads of all CPUs whose thread is not named yet.  All changes
 * of one time are applied, then the rules are checked for that time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/number_text.h"
#include "base/search.h"
#include "histree/states.h"
#include "query/thread_list.h"
#include "view/view.h"

enum occupancy_fault { OCCUPANCY_SOUND, OCCUPANCY_NO_CPU, OCCUPANCY_SEVERAL_CPUS, OCCUPANCY_RUNS_NOT };

struct occupancy_thread {
	int32_t tid, cpu; /* of an idle thread, its CPU */
	struct histree_value status;
	uint32_t cpu_count;         /* that run it, by their own word */
	int32_t last_cpu;           /* of them */
	enum occupancy_fault fault; /* that goes on */
	histree_time fault_since;
	struct histree_value at_fault; /* its status then */
	bool is_touched;
};

struct occupancy_cpu {
	int32_t number;
	struct occupancy_thread *thread; /* NULL: none is known */
	bool is_nameless;
};

struct occupancy {
	struct occupancy_thread *threads;
	struct occupancy_cpu *cpus;
	size_t thread_count, cpu_count, nameless_count;
	struct id_map by_tid;              /* struct occupancy_thread; by thread_id() */
	struct occupancy_thread **touched; /* since the last time that was settled */
	size_t touched_count;
	void (*report)(void *context, const char *fault);
	void *context;
	uint64_t faults;
};

/* ---- occupancy ----------------------------------------------------------------------------------------------- */

/* What comes of one lost event may be wrong in thousands of places. */
enum { FAULTS_SHOWN = 10 };

/* Idle threads are in the upper half, by CPU. */
static uint64_t thread_id(int32_t tid, int32_t cpu)
{
	return tid == 0 && cpu >= 0 ? UINT64_C(1) << 32 | (uint32_t)cpu : (uint32_t)tid;
}

/* ---- faults ---------------------------------------------------------------------------------------------- */

static void end_fault(struct occupancy *occupancy, struct occupancy_thread *thread, histree_time end)
{
	char text[160], from[TIME_TEXT_SIZE], to[TIME_TEXT_SIZE], whole[sizeof(text) + 2 * TIME_TEXT_SIZE + 16];
	if (thread->fault == OCCUPANCY_SOUND)
		return;
	if (occupancy->faults++ < FAULTS_SHOWN) {
		char name[48];
		bool is_idle = thread->tid == 0 && thread->cpu >= 0;
		const struct histree_label_table *statuses = histree_labels_for(NULL, HISTREE_MEANS_THREAD_STATUS);
		const char *words = histree_label_words(statuses, &thread->at_fault);
		snprintf(name, sizeof(name), is_idle ? "the idle thread of CPU %" PRId32 : "thread %" PRId32,
			 is_idle ? thread->cpu : thread->tid);
		if (thread->fault == OCCUPANCY_NO_CPU)
			snprintf(text, sizeof(text), "%s runs ('%s') on no CPU", name, words != NULL ? words : "");
		else if (thread->fault == OCCUPANCY_SEVERAL_CPUS)
			snprintf(text, sizeof(text), "%s runs on CPU %" PRId32 " and on another", name,
				 thread->last_cpu);
		else if (words == NULL)
			snprintf(text, sizeof(text), "CPU %" PRId32 " runs %s, which does not exist",
				 thread->last_cpu, name);
		else
			snprintf(text, sizeof(text), "CPU %" PRId32 " runs %s, which does not run ('%s')",
				 thread->last_cpu, name, words);
		time_format_date(thread->fault_since, from);
		time_format_date(end, to);
		snprintf(whole, sizeof(whole), "%s from %s to %s", text, from, to);
		occupancy->report(occupancy->context, whole);
	}
	thread->fault = OCCUPANCY_SOUND;
}

static bool runs(const struct occupancy_thread *thread)
{
	enum { USER_MODE = 2, SYSTEM_CALL = 3, INTERRUPTED = 4 }; /* histree-states(7) */

	return thread->status.type == HISTREE_INT && thread->status.int32 >= USER_MODE &&
	       thread->status.int32 <= INTERRUPTED;
}

static enum occupancy_fault find_fault(const struct occupancy *occupancy, const struct occupancy_thread *thread)
{
	bool may_be_nameless = thread->tid == -1 && occupancy->nameless_count > 0;
	if (thread->cpu_count > 1)
		return OCCUPANCY_SEVERAL_CPUS;
	if (thread->cpu_count == 0)
		return runs(thread) && !may_be_nameless ? OCCUPANCY_NO_CPU : OCCUPANCY_SOUND;
	return runs(thread) || thread->status.type == HISTREE_UNKNOWN ? OCCUPANCY_SOUND : OCCUPANCY_RUNS_NOT;
}

/* ---- changes --------------------------------------------------------------------------------------------- */

static void touch(struct occupancy *occupancy, struct occupancy_thread *thread)
{
	if (thread == NULL || thread->is_touched)
		return;
	thread->is_touched = true;
	occupancy->touched[occupancy->touched_count++] = thread;
}

static void occupancy_set_current(struct occupancy *occupancy, size_t number, struct histree_value tid)
{
	struct occupancy_cpu *cpu = &occupancy->cpus[number];
	if (cpu->thread != NULL)
		cpu->thread->cpu_count--;
	touch(occupancy, cpu->thread);
	cpu->thread =
		tid.type == HISTREE_INT ? id_map_find(&occupancy->by_tid, thread_id(tid.int32, cpu->number)) : NULL;
	if (cpu->thread != NULL) {
		cpu->thread->cpu_count++;
		cpu->thread->last_cpu = cpu->number;
	}
	touch(occupancy, cpu->thread);
	occupancy->nameless_count += (tid.type == HISTREE_NULL) - (size_t)cpu->is_nameless;
	cpu->is_nameless = tid.type == HISTREE_NULL;
	touch(occupancy, id_map_find(&occupancy->by_tid, thread_id(-1, -1)));
}

/* All that changes at this time is set. */
static void occupancy_settle(struct occupancy *occupancy, histree_time time)
{
	for (size_t i = 0; i < occupancy->touched_count; i++) {
		struct occupancy_thread *thread = occupancy->touched[i];
		enum occupancy_fault fault = find_fault(occupancy, thread);
		thread->is_touched = false;
		if (fault == thread->fault)
			continue;
		end_fault(occupancy, thread, time - 1);
		thread->fault = fault;
		thread->fault_since = time;
		thread->at_fault = thread->status;
	}
	occupancy->touched_count = 0;
}

/* The history ends.  Returns HISTREE_ERR_FORMAT if anything was wrong. */
static enum histree_status occupancy_finish(struct occupancy *occupancy, histree_time end,
					    struct histree_error *error)
{
	char rest[96];
	for (size_t i = 0; i < occupancy->thread_count; i++)
		end_fault(occupancy, &occupancy->threads[i], end);
	if (occupancy->faults > FAULTS_SHOWN) {
		snprintf(rest, sizeof(rest), "and %" PRIu64 " more contradictions between threads and CPUs",
			 occupancy->faults - FAULTS_SHOWN);
		occupancy->report(occupancy->context, rest);
	}
	return occupancy->faults == 0
		       ? HISTREE_OK
		       : error_set(error, HISTREE_ERR_FORMAT, "threads and CPUs contradict each other");
}

/* ---------------------------------------------------------------------------------------------------------- */

/* The threads of the list and the CPUs of the resources, in that order; nothing is known of them yet. */
static enum histree_status occupancy_init(struct occupancy *occupancy, const struct thread_list *threads,
					  const struct histree_resources *resources,
					  void (*report)(void *context, const char *fault), void *context,
					  struct histree_error *error)
{
	uint32_t resource_count;
	histree_resources_list(resources, &resource_count);
	*occupancy = (struct occupancy){ .report = report, .context = context };
	occupancy->threads = calloc(threads->count + 1, sizeof(*occupancy->threads));
	occupancy->touched = calloc(threads->count + 1, sizeof(struct occupancy_thread *));
	occupancy->cpus = calloc((size_t)resource_count + 1, sizeof(*occupancy->cpus));
	if (occupancy->threads == NULL || occupancy->touched == NULL || occupancy->cpus == NULL)
		return error_memory(error, "the threads and CPUs");
	uint32_t count;
	const struct histree_resource *list = histree_resources_list(resources, &count);
	for (uint32_t i = 0; i < count; i++)
		if (list[i].kind == HISTREE_RESOURCE_CURRENT_THREAD)
			occupancy->cpus[occupancy->cpu_count++] =
				(struct occupancy_cpu){ .number = list[i].cpu, .is_nameless = true };
	occupancy->nameless_count = occupancy->cpu_count;
	for (size_t i = 0; i < threads->count; i++) {
		struct occupancy_thread *thread = &occupancy->threads[i];
		*thread =
			(struct occupancy_thread){ .tid = threads->threads[i].tid, .cpu = threads->threads[i].cpu };
		uint64_t id = thread_id(thread->tid, thread->cpu);
		if (id_map_find(&occupancy->by_tid, id) == NULL && !id_map_add(&occupancy->by_tid, id, thread))
			return error_memory(error, "the threads");
	}
	occupancy->thread_count = threads->count;
	return HISTREE_OK;
}

static void occupancy_release(struct occupancy *occupancy)
{
	id_map_release(&occupancy->by_tid);
	free(occupancy->threads);
	free(occupancy->touched);
	free(occupancy->cpus);
}

/* ---- occupancy verify ---------------------------------------------------------------------------------------- */

/* Of a window, besides a few for each attribute. */
enum { WINDOW_CHANGES = 1 << 16 };

/* An attribute that is asked for, and whose it is: a thread's, or of a CPU the current thread. */
struct source {
	histree_quark quark;
	bool is_cpu;
	size_t index; /* in struct occupancy */
};

struct change {
	histree_time time;
	uint32_t source;
	enum histree_type type;
	int32_t number;
};

struct reading {
	struct occupancy *occupancy;
	const struct histree_history_info *info;
	struct histree_cursor *query;
	struct source *sources; /* by quark, ascending */
	histree_quark *quarks;  /* theirs */
	size_t source_count;
	struct change *changes;
	size_t change_count, change_room;
};

COMPARE(compare_sources, struct source, BY(quark))

COMPARE(compare_changes, struct change, BY(time))

static enum histree_status find_sources(struct reading *reading, const struct thread_list *threads,
					const struct histree_resources *resources, struct histree_error *error)
{
	uint32_t resource_count;
	const struct histree_resource *list = histree_resources_list(resources, &resource_count);
	size_t count = threads->count + resource_count, cpu = 0;
	reading->sources = calloc(count + 1, sizeof(*reading->sources));
	reading->quarks = calloc(count + 1, sizeof(*reading->quarks));
	reading->change_room = WINDOW_CHANGES + 4 * count;
	reading->changes = calloc(reading->change_room, sizeof(*reading->changes));
	if (reading->sources == NULL || reading->quarks == NULL || reading->changes == NULL)
		return error_memory(error, "the states of threads and CPUs");
	for (size_t i = 0; i < threads->count; i++)
		reading->sources[reading->source_count++] = (struct source){ threads->threads[i].status, false, i };
	for (uint32_t i = 0; i < resource_count; i++)
		if (list[i].kind == HISTREE_RESOURCE_CURRENT_THREAD)
			reading->sources[reading->source_count++] = (struct source){ list[i].quark, true, cpu++ };
	qsort(reading->sources, reading->source_count, sizeof(*reading->sources), compare_sources);
	for (size_t i = 0; i < reading->source_count; i++)
		reading->quarks[i] = reading->sources[i].quark;
	return HISTREE_OK;
}

static uint32_t source_of(const struct reading *reading, histree_quark quark)
{
	const struct source wanted = { .quark = quark };
	const struct source *found = bsearch(&wanted, reading->sources, reading->source_count,
					     sizeof(*reading->sources), compare_sources);
	return (uint32_t)(found - reading->sources);
}

/* Gets the changes of a window.  Returns HISTREE_PARTIAL if there are too many for it. */
static enum histree_status read_window(struct reading *reading, histree_time from, histree_time to,
				       struct histree_error *error)
{
	const struct histree_region region = {
		.quarks = reading->quarks, .quark_count = reading->source_count, .from = from, .to = to
	};
	struct histree_interval state;
	enum histree_status status = histree_query_start(reading->query, &region, error);
	reading->change_count = 0;
	while (status == HISTREE_OK && (status = histree_cursor_next(reading->query, error)) == HISTREE_OK) {
		state = *histree_cursor_interval(reading->query);
		if (state.start < from) /* it was met in the window before */
			continue;
		if (reading->change_count == reading->change_room)
			return HISTREE_PARTIAL;
		reading->changes[reading->change_count++] = (struct change){
			.time = state.start,
			.source = source_of(reading, state.quark),
			.type = state.value.type,
			.number = state.value.type == HISTREE_INT ? state.value.int32 : 0,
		};
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* A window of one time has no more changes than attributes, so that windows are never cut for ever. */
static enum histree_status follow(struct reading *reading, struct histree_error *error)
{
	const struct histree_history_info *info = reading->info;
	uint64_t length = (uint64_t)info->end - (uint64_t)info->start + 1;
	uint64_t left = length;
	for (histree_time from = info->start; left > 0;) {
		length = length < left ? length : left;
		enum histree_status status =
			read_window(reading, from, (histree_time)((uint64_t)from + length - 1), error);
		if (status == HISTREE_PARTIAL) {
			length = (length + 1) / 2;
			continue;
		}
		if (status != HISTREE_OK)
			return status;
		qsort(reading->changes, reading->change_count, sizeof(*reading->changes), compare_changes);
		for (size_t i = 0; i < reading->change_count; i++) {
			const struct change *change = &reading->changes[i];
			const struct source *source = &reading->sources[change->source];
			const struct histree_value value = { .type = change->type, .int32 = change->number };
			if (source->is_cpu) {
				occupancy_set_current(reading->occupancy, source->index, value);
			} else {
				reading->occupancy->threads[source->index].status = value;
				touch(reading->occupancy, &reading->occupancy->threads[source->index]);
			}
			if (i + 1 == reading->change_count || change[1].time > change->time)
				occupancy_settle(reading->occupancy, change->time);
		}
		left -= length;
		from = (histree_time)((uint64_t)from + length);
		if (reading->change_count < reading->change_room / 4 && length <= UINT64_MAX / 2)
			length *= 2;
	}
	return HISTREE_OK;
}

static enum histree_status verify_host(struct histree_history *history,
				       void (*report)(void *context, const char *fault), void *context,
				       struct histree_error *error)
{
	struct thread_list threads = { 0 };
	struct histree_resources *resources = NULL;
	struct occupancy occupancy = { 0 };
	enum histree_status status =
		thread_list_read(&threads, history, INT64_MIN, INT64_MAX, (struct histree_work){ 0 }, error);
	threads.count = threads.number_count; /* who runs where is said of numbers */
	if (status == HISTREE_OK)
		status = histree_resources_create(history, &resources, error);
	if (status == HISTREE_OK)
		status = occupancy_init(&occupancy, &threads, resources, report, context, error);
	if (status == HISTREE_OK && occupancy.cpu_count == 0)
		status = error_set(error, HISTREE_NOT_FOUND, "there are no states of CPUs");
	if (status == HISTREE_OK) {
		struct reading reading = { .occupancy = &occupancy, .info = histree_history_info(history) };
		status = find_sources(&reading, &threads, resources, error);
		if (status == HISTREE_OK)
			status = histree_query_create(history, &reading.query, error);
		if (status == HISTREE_OK)
			status = follow(&reading, error);
		if (status == HISTREE_OK)
			status = occupancy_finish(&occupancy, reading.info->end, error);
		histree_cursor_free(reading.query);
		free(reading.changes);
		free(reading.quarks);
		free(reading.sources);
	}
	occupancy_release(&occupancy);
	histree_resources_free(resources);
	thread_list_release(&threads);
	return status;
}

/* No thread of one host runs on a CPU of another. */
enum histree_status histree_occupancy_verify(struct histree_history *history,
					     void (*report)(void *context, const char *fault), void *context,
					     struct histree_error *error)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	enum histree_status status = HISTREE_NOT_FOUND, worst = HISTREE_OK;
	if (count == 0)
		return verify_host(history, report, context, error);
	for (size_t i = 0; i < count; i++) {
		if (hosts[i].history == NULL)
			continue;
		enum histree_status own = verify_host(hosts[i].history, report, context, error);
		if (own < 0 && own != HISTREE_ERR_FORMAT)
			return own;
		worst = own < 0 ? own : worst;
		status = own == HISTREE_OK ? own : status;
	}
	if (worst == HISTREE_OK && status == HISTREE_NOT_FOUND)
		return error_set(error, HISTREE_NOT_FOUND, "there are no states of CPUs");
	return worst < 0 ? worst : status;
}
