// SPDX-License-Identifier: MIT
#include "view/occupancy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/time_text.h"

/* What comes of one lost event may be wrong in thousands of places. */
enum { FAULTS_SHOWN = 10 };

/* Idle threads are in the upper half, by CPU. */
static uint64_t thread_id(int32_t tid, int32_t cpu)
{
	return tid == 0 && cpu >= 0 ? UINT64_C(1) << 32 | (uint32_t)cpu : (uint32_t)tid;
}

/* ---- faults ---------------------------------------------------------------------------------------------- */

static void describe(const struct occupancy_thread *thread, char *text, size_t size)
{
	char name[48];
	bool is_idle = thread->tid == 0 && thread->cpu >= 0;
	const struct histree_label_table *statuses = histree_labels_for(NULL, HISTREE_MEANS_THREAD_STATUS);
	const char *words = histree_label_words(statuses, &thread->at_fault);
	snprintf(name, sizeof(name), is_idle ? "the idle thread of CPU %" PRId32 : "thread %" PRId32,
		 is_idle ? thread->cpu : thread->tid);
	if (thread->fault == OCCUPANCY_NO_CPU)
		snprintf(text, size, "%s runs ('%s') on no CPU", name, words != NULL ? words : "");
	else if (thread->fault == OCCUPANCY_SEVERAL_CPUS)
		snprintf(text, size, "%s runs on CPU %" PRId32 " and on another", name, thread->last_cpu);
	else if (words == NULL)
		snprintf(text, size, "CPU %" PRId32 " runs %s, which does not exist", thread->last_cpu, name);
	else
		snprintf(text, size, "CPU %" PRId32 " runs %s, which does not run ('%s')", thread->last_cpu, name,
			 words);
}

static void end_fault(struct occupancy *occupancy, struct occupancy_thread *thread, histree_time end)
{
	char text[160], from[TIME_TEXT_SIZE], to[TIME_TEXT_SIZE], whole[sizeof(text) + 2 * TIME_TEXT_SIZE + 16];
	if (thread->fault == OCCUPANCY_SOUND)
		return;
	if (occupancy->faults++ < FAULTS_SHOWN) {
		describe(thread, text, sizeof(text));
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

void occupancy_set_status(struct occupancy *occupancy, size_t thread, struct histree_value status)
{
	occupancy->threads[thread].status = status;
	touch(occupancy, &occupancy->threads[thread]);
}

static struct occupancy_thread *thread_of(const struct occupancy *occupancy, const struct occupancy_cpu *cpu,
					  struct histree_value tid)
{
	return tid.type == HISTREE_INT ? id_map_find(&occupancy->by_tid, thread_id(tid.int32, cpu->number)) : NULL;
}

void occupancy_set_current(struct occupancy *occupancy, size_t number, struct histree_value tid)
{
	struct occupancy_cpu *cpu = &occupancy->cpus[number];
	if (cpu->thread != NULL)
		cpu->thread->cpu_count--;
	touch(occupancy, cpu->thread);
	cpu->thread = thread_of(occupancy, cpu, tid);
	if (cpu->thread != NULL) {
		cpu->thread->cpu_count++;
		cpu->thread->last_cpu = cpu->number;
	}
	touch(occupancy, cpu->thread);
	occupancy->nameless_count += (tid.type == HISTREE_NULL) - (size_t)cpu->is_nameless;
	cpu->is_nameless = tid.type == HISTREE_NULL;
	touch(occupancy, id_map_find(&occupancy->by_tid, thread_id(-1, -1)));
}

void occupancy_settle(struct occupancy *occupancy, histree_time time)
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

enum histree_status occupancy_finish(struct occupancy *occupancy, histree_time end, struct histree_error *error)
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

static enum histree_status add_threads(struct occupancy *occupancy, const struct thread_list *list,
				       struct histree_error *error)
{
	for (size_t i = 0; i < list->count; i++) {
		struct occupancy_thread *thread = &occupancy->threads[i];
		*thread = (struct occupancy_thread){ .tid = list->threads[i].tid, .cpu = list->threads[i].cpu };
		uint64_t id = thread_id(thread->tid, thread->cpu);
		if (id_map_find(&occupancy->by_tid, id) == NULL && !id_map_add(&occupancy->by_tid, id, thread))
			return error_memory(error, "the threads");
	}
	occupancy->thread_count = list->count;
	return HISTREE_OK;
}

static void add_cpus(struct occupancy *occupancy, const struct histree_resources *resources)
{
	uint32_t count;
	const struct histree_resource *list = histree_resources_list(resources, &count);
	for (uint32_t i = 0; i < count; i++)
		if (list[i].kind == HISTREE_RESOURCE_CURRENT_THREAD)
			occupancy->cpus[occupancy->cpu_count++] =
				(struct occupancy_cpu){ .number = list[i].cpu, .is_nameless = true };
	occupancy->nameless_count = occupancy->cpu_count;
}

enum histree_status occupancy_init(struct occupancy *occupancy, const struct thread_list *threads,
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
	add_cpus(occupancy, resources);
	return add_threads(occupancy, threads, error);
}

void occupancy_release(struct occupancy *occupancy)
{
	id_map_release(&occupancy->by_tid);
	free(occupancy->threads);
	free(occupancy->touched);
	free(occupancy->cpus);
}
