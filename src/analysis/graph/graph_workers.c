// SPDX-License-Identifier: MIT
/*
 * graph_workers.c - the workers of the graph: threads, the idle loop of each CPU, and the kernel of each CPU
 * where it works for no thread; and the names of threads, also of those whose number is used again.
 */
#include "analysis/graph/graph_workers.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>

static const enum histree_graph_state state_of_status[WORKER_STATUS_COUNT] = {
	[WORKER_UNKNOWN] = HISTREE_GRAPH_UNKNOWN,
	[WORKER_WAITS_AFTER_FORK] = HISTREE_GRAPH_PREEMPTED,
	[WORKER_WAITS_FOR_CPU] = HISTREE_GRAPH_PREEMPTED,
	[WORKER_EXITS] = HISTREE_GRAPH_RUNNING,
	[WORKER_IS_ZOMBIE] = HISTREE_GRAPH_UNKNOWN,
	[WORKER_WAITS_UNKNOWN] = HISTREE_GRAPH_PREEMPTED,
	[WORKER_RUNS] = HISTREE_GRAPH_RUNNING,
	[WORKER_IS_DEAD] = HISTREE_GRAPH_UNKNOWN,
	[WORKER_IS_BLOCKED] = HISTREE_GRAPH_BLOCKED,
};

void graph_workers_init(struct graph_workers *workers, struct histree_state_system *system,
			struct table_space *tables)
{
	*workers = (struct graph_workers){ 0 };
	graph_lines_init(&workers->lines, system, tables);
	id_map_use_space(&workers->threads, tables);
	workers->records.space = tables;
}

void graph_workers_release(struct graph_workers *workers)
{
	graph_lines_release(&workers->lines);
	id_map_release(&workers->threads);
	id_map_release(&workers->cpus);
	arena_release(&workers->records);
}

/* ---- records ------------------------------------------------------------------------------------------------ */

static void *new_record(struct graph_workers *workers, size_t size)
{
	void *record = arena_allocate(&workers->records, size, alignof(max_align_t));
	if (record == NULL)
		changes_fail(&workers->lines.changes, HISTREE_ERR_MEMORY, "workers of the graph");
	return record;
}

static bool add_record(struct graph_workers *workers, struct id_map *map, int32_t id, void *record)
{
	if (id_map_add(map, (uint32_t)id, record))
		return true;
	changes_fail(&workers->lines.changes, HISTREE_ERR_MEMORY, "workers of the graph");
	return false;
}

struct graph_cpu *graph_cpu(struct graph_workers *workers, int32_t number)
{
	if (number < 0)
		return NULL;
	struct graph_cpu *cpu = id_map_find(&workers->cpus, (uint32_t)number);
	if (cpu != NULL)
		return cpu;
	cpu = new_record(workers, sizeof(*cpu));
	if (cpu == NULL || !add_record(workers, &workers->cpus, number, cpu))
		return NULL;
	*cpu = (struct graph_cpu){ .number = number };
	return cpu;
}

/* The first one of a line names it. */
static void name_first(struct graph_workers *workers, struct graph_line *line, struct kernel_text name)
{
	if (line->name == INTERN_NONE && name.bytes != NULL)
		graph_line_name(&workers->lines, line, name.bytes, name.size);
}

/* The number is another thread's from now on. */
static void begin_again(struct graph_workers *workers, struct graph_worker *worker, struct kernel_text name)
{
	graph_line_begin_again(&workers->lines, worker->line);
	*worker = (struct graph_worker){ .line = worker->line, .waking = INT64_MIN };
	name_first(workers, worker->line, name);
}

static struct graph_worker *new_worker(struct graph_workers *workers, int32_t tid, struct kernel_text name)
{
	struct graph_worker *worker = new_record(workers, sizeof(*worker));
	struct graph_line *line = graph_line(&workers->lines, tid);
	if (worker == NULL || line == NULL)
		return NULL;
	*worker = (struct graph_worker){ .line = line, .waking = INT64_MIN };
	name_first(workers, line, name);
	return worker;
}

struct graph_worker *graph_kernel(struct graph_workers *workers, struct graph_cpu *cpu)
{
	char text[24];
	int size = snprintf(text, sizeof(text), "kernel/%" PRId32, cpu->number);
	if (cpu->kernel != NULL)
		return cpu->kernel;
	cpu->kernel = new_worker(workers, HISTREE_KERNEL_TID, (struct kernel_text){ text, (size_t)size });
	if (cpu->kernel != NULL)
		graph_worker_set(cpu->kernel, WORKER_RUNS);
	return cpu->kernel;
}

struct graph_worker *graph_worker_find(const struct graph_workers *workers, int32_t tid,
				       const struct graph_cpu *cpu)
{
	if (tid == HISTREE_IDLE_TID)
		return cpu != NULL ? cpu->idle : NULL;
	return id_map_find(&workers->threads, (uint32_t)tid);
}

struct graph_worker *graph_worker(struct graph_workers *workers, int32_t tid, struct graph_cpu *cpu,
				  struct kernel_text name)
{
	struct graph_worker *worker = graph_worker_find(workers, tid, cpu);
	if (worker != NULL && worker->has_ended) {
		begin_again(workers, worker, name);
		return worker;
	}
	if (worker != NULL || (tid == HISTREE_IDLE_TID && cpu == NULL) || tid < 0)
		return worker;
	worker = new_worker(workers, tid, name);
	if (worker == NULL)
		return NULL;
	if (tid == HISTREE_IDLE_TID)
		return cpu->idle = worker;
	return add_record(workers, &workers->threads, tid, worker) ? worker : NULL;
}

void graph_worker_name(struct graph_workers *workers, struct graph_worker *worker, struct kernel_text name)
{
	graph_line_name(&workers->lines, worker->line, name.bytes, name.size);
}

/* ---- vertices ----------------------------------------------------------------------------------------------- */

void graph_worker_extend(struct graph_workers *workers, struct graph_worker *worker)
{
	graph_line_extend(&workers->lines, worker->line, state_of_status[worker->status]);
}

void graph_worker_change(struct graph_workers *workers, struct graph_worker *worker)
{
	graph_line_extend(&workers->lines, worker->line, state_of_status[worker->before]);
}

static void forget_cpu(struct graph_cpu *cpu)
{
	cpu->runs = NULL;
	cpu->context_count = 0;
	cpu->early_count = 0;
}

void graph_workers_forget(struct graph_workers *workers, struct graph_cpu *cpu)
{
	size_t position = 0;
	const struct id_entry *entry;
	if (cpu != NULL)
		forget_cpu(cpu);
	while (cpu == NULL && (entry = id_map_next(&workers->cpus, &position)) != NULL)
		forget_cpu(entry->record);
}
