/* SPDX-License-Identifier: MIT */
/*
 * graph_workers.h - the workers of a machine as the graph knows them: threads, the idle loop of each CPU, and the
 * kernel of each CPU where it works for no thread.
 *
 * A worker has a status and the one that it had before that: an edge that ends with a change has the state of the
 * status before.  To give it the status that it has moves this to the one before, too; Trace Compass's graphs
 * rest on that.
 */
#ifndef ANALYSIS_GRAPH_GRAPH_WORKERS_H
#define ANALYSIS_GRAPH_GRAPH_WORKERS_H

#include "analysis/graph/graph_lines.h"
#include "analysis/kernel/kernel_layout.h"

/* The first ones have the numbers of the state dump. */
enum worker_status {
	WORKER_UNKNOWN,
	WORKER_WAITS_AFTER_FORK,
	WORKER_WAITS_FOR_CPU,
	WORKER_EXITS,
	WORKER_IS_ZOMBIE,
	WORKER_WAITS_UNKNOWN,
	WORKER_RUNS,
	WORKER_IS_DEAD,
	WORKER_IS_BLOCKED,
	WORKER_STATUS_COUNT,
};

struct graph_worker {
	struct graph_line *line; /* that of all idle loops, or of the kernel of all CPUs, is one */
	uint8_t status, before;  /* enum worker_status */
	bool has_ended;          /* the next that is said of its number is of another thread */
	histree_time waking;     /* while it runs: when its last wake-up began; INT64_MIN: it was not woken */
	int32_t waker;
};

/* What a CPU does on top of the thread that it runs. */
struct graph_context {
	enum kernel_role entered; /* the role of the event by which it was entered */
	int32_t number;           /* of the interrupt or softirq; -1: without a number */
};

/* Who was woken in a softirq of the network before the event of any packet was seen in it. */
struct graph_early {
	struct graph_line *line;
	histree_time time;
};

enum { CONTEXTS_MAX = 16, EARLY_MAX = 4 };

struct graph_cpu {
	int32_t number;
	struct graph_worker *runs; /* NULL: not known */
	struct graph_worker *idle, *kernel;
	struct graph_context contexts[CONTEXTS_MAX];
	uint32_t context_count, early_count;
	struct graph_early early[EARLY_MAX]; /* since the softirq began, or its last packet came */
};

struct graph_workers {
	struct graph_lines lines;
	struct id_map threads; /* struct graph_worker, by tid */
	struct id_map cpus;    /* struct graph_cpu, by number */
	struct arena records;
};

void graph_workers_init(struct graph_workers *workers, struct histree_state_system *system,
			struct table_space *tables);
void graph_workers_release(struct graph_workers *workers);

/* Each returns NULL if memory is out, which is remembered, or if the trace does not say on which CPU. */
struct graph_cpu *graph_cpu(struct graph_workers *workers, int32_t number);
struct graph_worker *graph_kernel(struct graph_workers *workers, struct graph_cpu *cpu);

/* Returns the worker with this tid; idle loops are told apart by the CPU.  NULL: not known yet. */
struct graph_worker *graph_worker_find(const struct graph_workers *workers, int32_t tid,
				       const struct graph_cpu *cpu);

/* The same, made if it is not known or the last one with the number has ended; then it has this name. */
struct graph_worker *graph_worker(struct graph_workers *workers, int32_t tid, struct graph_cpu *cpu,
				  struct kernel_text name);

void graph_worker_name(struct graph_workers *workers, struct graph_worker *worker, struct kernel_text name);

static inline void graph_worker_set(struct graph_worker *worker, enum worker_status status)
{
	worker->before = worker->status;
	worker->status = (uint8_t)status;
}

/* Add a vertex, after an edge with the state of the status that it has, or that it had before that. */
void graph_worker_extend(struct graph_workers *workers, struct graph_worker *worker);
void graph_worker_change(struct graph_workers *workers, struct graph_worker *worker);

/* Events are missing, on one CPU or, if that is NULL, on any: which worker runs there is not known any more. */
void graph_workers_forget(struct graph_workers *workers, struct graph_cpu *cpu);

#endif
