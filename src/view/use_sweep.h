/* SPDX-License-Identifier: MIT */
/*
 * use_sweep.h - the states of all threads of a host over a range, piece by piece: within a piece nothing changes
 * that was requested.
 */
#ifndef VIEW_USE_SWEEP_H
#define VIEW_USE_SWEEP_H

#include "base/arena.h"
#include "histree/time_use.h"
#include "state/pyramid_cells.h"

/* Keys say tids, CPUs, numbers of texts, USE_NOTHING, or USE_NOT_KNOWN. */
struct use_piece {
	const struct histree_thread *thread; /* NULL: of all of the host together */
	uint32_t number;                     /* of the thread, in the list */
	uint64_t ns;
	histree_time start; /* if the order is needed */
	enum histree_use use;
	int32_t cpu, system_call, had_by;
	uint64_t firsts;         /* states of the thread that begin, or were going on at the start of the range */
	histree_time call_start; /* if there is a call, */
	bool call_is_counted;    /* which was counted with what came before */
	uint64_t calls;          /* of all threads: calls that are counted with it */
};

struct use_sweep {
	struct histree_history *history; /* of one host */
	const struct histree_thread *threads;
	uint32_t thread_count;
	histree_time from, to;
	bool goes_on; /* the range goes on with one before, so that what is going on at its start is no first */
	bool needs_cpus, needs_calls, needs_owners; /* owners: who had the CPU */
	bool needs_order; /* pieces of each thread come one by one, in the order of time */
	/* Whether anything of this thread is wanted. */
	bool (*wants)(void *context, const struct histree_thread *thread);
	enum histree_status (*take)(void *context, const struct use_piece *piece, struct histree_error *error);
	void *context;
	struct intern *texts; /* names of system calls go there */
	size_t states_max;    /* that are in memory at a time, besides one for each attribute */
	const struct histree_work *work;
	bool is_damaged; /* out: some nodes could not be read */
};

/*
 * Hands out the pieces of the wanted threads.  Where only their statuses are asked for, one piece may be what a
 * thread did at several times together, from the overview of sums.
 */
enum histree_status use_sweep_run(struct use_sweep *sweep, struct histree_error *error);

/* Returns what a status of a thread, or of an idle loop, means; USE_NOT_KNOWN: it is no int. */
enum histree_use use_sweep_use(bool is_idle, int32_t status);

#endif
