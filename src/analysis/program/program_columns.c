// SPDX-License-Identifier: MIT
/*
 * Which thread and process an event is of, where it does not say so itself: what Trace Compass computes as the
 * columns TID and PID.  At the time of a switch the thread is the one before, as contexts of LTTng have it.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/program/program_run.h"
#include "base/array.h"
#include "base/hash.h"

enum { CPUS_MAX = 1 << 16 };

/* ---- classes ---------------------------------------------------------------------------------------------- */

static uint32_t first_field(const struct event_class *class, const char *const *names)
{
	uint32_t field = EVENT_NO_FIELD;
	for (; *names != NULL && field == EVENT_NO_FIELD; names++)
		field = event_class_field(class, *names);
	return field;
}

/* Of the contexts of an event, or, where traces have it so, of each event. */
static uint32_t first_context(const struct event_class *class, const char *const *names)
{
	uint32_t field = EVENT_NO_FIELD;
	for (; *names != NULL && field == EVENT_NO_FIELD; names++)
		field = event_class_context_field(class, *names);
	return field;
}

static bool is_called(const struct event_class *class, const char *name)
{
	const char *colon = strchr(class->name, ':');
	return strcmp(colon != NULL ? colon + 1 : class->name, name) == 0;
}

void run_bind_columns(const struct event_class *class, struct column_binding *binding)
{
	static const char *const tids[] = { "vtid", "tid", NULL }, *const pids[] = { "vpid", "pid", NULL };
	static const char *const next[] = { "next_tid", "next_pid", NULL };
	static const char *const child[] = { "child_tid", NULL }, *const child_process[] = { "child_pid", NULL };
	static const char *const dumped[] = { "tid", NULL }, *const dumped_process[] = { "pid", NULL };
	*binding = (struct column_binding){ .tid = first_context(class, tids),
					    .pid = first_context(class, pids),
					    .learns = COLUMN_LEARNS_NOTHING,
					    .thread = EVENT_NO_FIELD,
					    .process = EVENT_NO_FIELD };
	if (is_called(class, "sched_switch")) {
		binding->learns = COLUMN_LEARNS_SWITCH;
		binding->thread = first_field(class, next);
	} else if (is_called(class, "sched_process_fork")) {
		binding->learns = COLUMN_LEARNS_PROCESS;
		binding->thread = first_field(class, child);
		binding->process = first_field(class, child_process);
	} else if (is_called(class, "lttng_statedump_process_state")) {
		binding->learns = COLUMN_LEARNS_PROCESS;
		binding->thread = first_field(class, dumped);
		binding->process = first_field(class, dumped_process);
	}
	if (binding->thread == EVENT_NO_FIELD)
		binding->learns = COLUMN_LEARNS_NOTHING;
}

/* ---- processes of threads --------------------------------------------------------------------------------- */

static bool has_tid(const void *threads, uint32_t number, const void *key)
{
	return ((const struct column_thread *)threads)[number].tid == *(const int32_t *)key;
}

static uint64_t hash_of_thread(const void *threads, uint32_t number)
{
	return hash_mix((uint32_t)((const struct column_thread *)threads)[number].tid);
}

static struct column_thread *find_thread(struct columns *columns, int32_t tid)
{
	uint32_t found = hash_index_find(&columns->index, hash_mix((uint32_t)tid), has_tid, columns->threads, &tid);
	return found != HASH_INDEX_NONE ? &columns->threads[found] : NULL;
}

static bool set_process(struct columns *columns, int32_t tid, int32_t pid)
{
	struct column_thread *known = find_thread(columns, tid);
	if (known != NULL) {
		known->pid = pid;
		return true;
	}
	if (!array_reserve(&columns->threads, &columns->thread_capacity, columns->thread_count + 1) ||
	    !hash_index_reserve(&columns->index, columns->thread_count + 1, hash_of_thread, columns->threads))
		return false;
	columns->threads[columns->thread_count] = (struct column_thread){ tid, pid };
	hash_index_add(&columns->index, hash_mix((uint32_t)tid), (uint32_t)columns->thread_count++);
	return true;
}

/* ---- values ----------------------------------------------------------------------------------------------- */

static struct histree_value context(const struct event *event, uint32_t field)
{
	int64_t number;
	return event_int(event, field, &number) && number >= INT32_MIN && number <= INT32_MAX
		       ? histree_int((int32_t)number)
		       : histree_null();
}

struct histree_value run_tid(const struct program_run *run)
{
	const struct columns *columns = &run->columns;
	const struct event *event = run->event;
	if (event->cpu < 0 || (size_t)event->cpu >= columns->cpu_count)
		return context(event, run->binding->columns.tid);
	const struct column_cpu *cpu = &columns->cpus[event->cpu];
	struct histree_value tid = cpu->since < event->time ? cpu->now : cpu->before;
	return tid.type == HISTREE_INT || run->binding->columns.tid == EVENT_NO_FIELD
		       ? tid
		       : context(event, run->binding->columns.tid);
}

struct histree_value run_pid(struct program_run *run)
{
	struct histree_value pid = context(run->event, run->binding->columns.pid);
	if (pid.type == HISTREE_INT)
		return pid;
	struct histree_value tid = run_tid(run);
	const struct column_thread *thread = tid.type == HISTREE_INT ? find_thread(&run->columns, tid.int32) : NULL;
	if (thread != NULL)
		return histree_int(thread->pid);
	return tid.type == HISTREE_UNKNOWN ? tid : histree_null();
}

struct histree_value run_thread_on(const struct program_run *run, int64_t cpu)
{
	const struct columns *columns = &run->columns;
	if (cpu >= 0 && (uint64_t)cpu < columns->cpu_count && columns->cpus[cpu].now.type != HISTREE_NULL)
		return columns->cpus[cpu].now;
	return cpu == run->event->cpu ? context(run->event, run->binding->columns.tid) : histree_null();
}

/* ---- learning --------------------------------------------------------------------------------------------- */

static bool learn_switch(struct columns *columns, const struct event *event, int32_t tid)
{
	if (event->cpu < 0 || event->cpu >= CPUS_MAX)
		return true;
	size_t wanted = (size_t)event->cpu + 1;
	if (!array_reserve(&columns->cpus, &columns->cpu_capacity, wanted))
		return false;
	while (columns->cpu_count < wanted)
		columns->cpus[columns->cpu_count++] = (struct column_cpu){ .since = INT64_MIN };
	struct column_cpu *cpu = &columns->cpus[event->cpu];
	if (cpu->since < event->time)
		cpu->before = cpu->now;
	cpu->now = histree_int(tid);
	cpu->since = event->time;
	return true;
}

void run_learn_columns(struct program_run *run)
{
	const struct column_binding *binding = &run->binding->columns;
	const struct event *event = run->event;
	struct histree_value thread = context(event, binding->thread), process = context(event, binding->process);
	if (thread.type != HISTREE_INT)
		return;
	bool is_done = true;
	if (binding->learns == COLUMN_LEARNS_SWITCH)
		is_done = learn_switch(&run->columns, event, thread.int32);
	else if (process.type == HISTREE_INT)
		is_done = set_process(&run->columns, thread.int32, process.int32);
	else /* older kernels do not say whether a child is a thread or a process; most are processes */
		is_done = set_process(&run->columns, thread.int32, thread.int32);
	if (!is_done)
		changes_fail(&run->changes, HISTREE_ERR_MEMORY, "no memory for the threads of an analysis");
}

/* Any thread may have been switched to meanwhile. */
void run_forget_columns(struct program_run *run, const struct event_gap *gap)
{
	for (size_t i = 0; i < run->columns.cpu_count; i++)
		if (gap->cpu < 0 || (size_t)gap->cpu == i)
			run->columns.cpus[i] = (struct column_cpu){ .now = histree_unknown(),
								    .before = histree_unknown(),
								    .since = gap->begin };
}

void run_release_columns(struct program_run *run)
{
	free(run->columns.cpus);
	free(run->columns.threads);
	hash_index_release(&run->columns.index);
}
