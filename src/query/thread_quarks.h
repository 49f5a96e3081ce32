/* SPDX-License-Identifier: MIT */
/*
 * thread_quarks.h - where a kernel history (histree-states(7)) keeps what its threads do and who has its CPUs.
 */
#ifndef QUERY_THREAD_QUARKS_H
#define QUERY_THREAD_QUARKS_H

#include "histree/history.h"
#include "state/attribute_name.h"

/* The pairs of the layout `kernel-compact`, by the names of their halves. */
struct thread_pair {
	const char *name, *first, *second;
};

enum { THREAD_PAIR_COUNT = 2 };
extern const struct thread_pair thread_pairs[THREAD_PAIR_COUNT];

struct thread_quark {
	int32_t tid;            /* 0: the idle loop of a CPU */
	int32_t cpu;            /* of an idle loop whose name says it; else -1 */
	histree_quark node;     /* Threads/<tid> */
	histree_quark status;   /* the node itself, or its child */
	histree_quark call;     /* HISTREE_ROOT if there is none */
	histree_quark queue;    /* the CPU that it is on or waits for; likewise */
	enum histree_part part; /* of the values of that */
};

struct cpu_quark {
	int32_t number;
	histree_quark current; /* whose states are the thread that has it */
};

/* A zeroed one is empty. */
struct thread_quarks {
	struct thread_quark *threads; /* in the order of their attributes */
	size_t count, capacity;
	struct cpu_quark *cpus; /* ascending */
	size_t cpu_count, cpu_capacity;
	histree_quark above; /* all threads; HISTREE_ROOT: there are none */
	histree_quark above_cpus;
};

/*
 * Find the threads and CPUs of a history of one host; HISTREE_PARTIAL: there are more than `threads_max`, and some
 * of them were found.
 */
enum histree_status thread_quarks_read(struct thread_quarks *threads, const struct histree_history *history,
				       size_t threads_max, struct histree_error *error);

void thread_quarks_release(struct thread_quarks *threads);

#endif
