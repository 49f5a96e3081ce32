/* SPDX-License-Identifier: MIT */
/*
 * thread_pieces.h - what the threads of a kernel did, piece by piece, for every layout of kernel histories
 * (histree-states(7)).
 *
 * A walk goes over the threads of a history, by the names of their attributes, and finds the attributes of each.
 *
 * 	thread_walk_begin(&walk, attributes);
 * 	while (thread_walk_next(&walk))
 * 		status = thread_walk_quark(&walk, THREAD_FACT_STATUS);
 *
 * A cutting takes the states of a thread and cuts them where its CPU, its system call or the owner of that CPU
 * changes: within a piece nothing changes.
 *
 * Names of attributes are not terminated, and some of them are numbers.
 */
#ifndef QUERY_THREAD_PIECES_H
#define QUERY_THREAD_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "histree/history.h"
#include "query/window.h"
#include "state/attributes.h"
#include "state/pyramid_cells.h"

static inline bool attribute_name_is(const char *name, size_t size, const char *text)
{
	return strlen(text) == size && memcmp(name, text, size) == 0;
}

/* The number that a name begins with, and how many bytes it takes; 0: it begins with none that is an int32. */
static inline size_t leading_number(const char *name, size_t size, int32_t *number)
{
	size_t at = size > 0 && name[0] == '-' ? 1 : 0, first = at;
	int64_t value = 0;
	for (; at < size && name[at] >= '0' && name[at] <= '9'; at++) {
		value = value * 10 + (name[at] - '0');
		if (value > INT32_MAX)
			return 0;
	}
	*number = (int32_t)(first == 1 ? -value : value);
	return at > first ? at : 0;
}

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
	histree_quark call;     /* HISTREE_ROOT if it has no such attribute */
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
	histree_quark above; /* the parent of all threads; HISTREE_ROOT: there are no threads */
	histree_quark above_cpus;
};

/*
 * Find the threads and CPUs of a history of one host; HISTREE_PARTIAL: there are more than `threads_max`, and some
 * of them were found.
 */
enum histree_status thread_quarks_read(struct thread_quarks *threads, const struct histree_history *history,
				       size_t threads_max, struct histree_error *error);
void thread_quarks_release(struct thread_quarks *threads);

/* The facts that a history has about a thread: its identity and, from the status on, what it does. */
enum thread_fact {
	THREAD_FACT_NAME,
	THREAD_FACT_PID,
	THREAD_FACT_PPID,
	THREAD_FACT_PROCESS, /* the pair of the two */
	THREAD_FACT_STATUS,  /* the node itself, if it has no such child */
	THREAD_FACT_CALL,
	THREAD_FACT_QUEUE,      /* the CPU that it is on or waits for */
	THREAD_FACT_SCHEDULING, /* the pair of that and of its priority */
	THREAD_FACT_COUNT,
};

/* Returns what the attribute is called. */
const char *thread_fact_name(enum thread_fact fact);

/* Returns the fact that an attribute of this name below a thread is, THREAD_FACT_COUNT: none. */
enum thread_fact thread_fact_of(const struct attribute_name *name);

/* The name of a thread: "42", "-1", and "0_3" for the idle loop of CPU 3, of which *cpu is the number; else -1. */
bool thread_parse_name(const struct attribute_name *name, int32_t *tid, int32_t *cpu);

struct thread_walk {
	const struct histree_attributes *attributes;
	struct attribute_range near;
	histree_quark above; /* the parent of all threads; HISTREE_ROOT: there are no threads */
	histree_quark next;  /* the next to visit; HISTREE_ROOT: no more */

	/* The thread at hand. */
	histree_quark node;
	int32_t tid; /* 0: the idle loop of a CPU */
	int32_t cpu; /* of an idle loop whose name says it; else -1 */
	/*
	 * How far after the node its attributes are; 0: it does not have this one.  Threads of one run are alike
	 * (attributes.h), so that of a million threads the attributes of a few thousand are looked for.
	 */
	uint32_t offsets[THREAD_FACT_COUNT];
	uint32_t run; /* that these are of, if */
	bool is_of_run;
};

void thread_walk_begin(struct thread_walk *walk, const struct histree_attributes *attributes);

/* Go to the next thread.  Returns false after the last one. */
bool thread_walk_next(struct thread_walk *walk);

/* Returns where the thread has a fact, HISTREE_ROOT if it does not. */
static inline histree_quark thread_walk_quark(const struct thread_walk *walk, enum thread_fact fact)
{
	return walk->offsets[fact] != 0 || fact == THREAD_FACT_STATUS ? walk->node + walk->offsets[fact]
								      : HISTREE_ROOT;
}

/* Who the thread is: the facts before the status. */
static inline bool thread_fact_is_name(enum thread_fact fact)
{
	return fact < THREAD_FACT_STATUS;
}

struct thread_fact_quark {
	histree_quark quark;
	bool is_status;
};

/* Get the attributes of a history that say who threads are, or have a status, ascending; the caller frees them. */
enum histree_status thread_fact_quarks(const struct histree_attributes *attributes, struct thread_fact_quark **out,
				       size_t *count, struct histree_error *error);

/* Returns the fact that an attribute has; THREAD_FACT_COUNT: it has none of them. */
enum thread_fact thread_fact_of_quark(const struct histree_attributes *attributes, histree_quark quark,
				      struct attribute_range *near);

/* Returns whether a null PID means that the process is not known, rather than that the thread is its leader. */
bool thread_pids_are_told(const struct histree_history_info *info);

enum { THREAD_WAITS_FOR_CPU = 5 }; /* a status, histree-states(7) */

/* CPU, call and owner are USE_NOTHING if there is none, and USE_NOT_KNOWN if it is not known. */
struct thread_piece {
	histree_time start, end; /* inclusive */
	int32_t status;          /* USE_NOT_KNOWN if it is no int */
	int32_t cpu, system_call, had_by;
	bool begins;             /* the state does */
	histree_time call_start; /* if there is a call */
};

/* What is known of a thread in a window; a list without states says nothing. */
struct thread_states {
	struct window_list statuses, queues, calls;
	bool is_idle;
	int32_t cpu; /* the CPU of an idle loop, whatever `queues` says; else -1 */
};

/* Who has the CPUs. */
struct thread_owners {
	const int32_t *cpus;
	struct window_list *lists; /* by CPU */
	uint32_t count;
};

struct thread_cutting {
	histree_time from, to;              /* what lies outside is left to others */
	const struct thread_owners *owners; /* NULL: they are not asked for */
	/* In the order of time. */
	enum histree_status (*give)(void *context, const struct thread_piece *piece, struct histree_error *error);
	void *context;
};

/*
 * While another thread has its CPU, an idle loop waits for it, in the history.  That is not a real wait: it is
 * neither time in the CPU's queue nor idle time.  Such pieces are not handed out.
 */
enum histree_status thread_pieces_cut(const struct thread_cutting *cutting, const struct thread_states *thread,
				      struct histree_error *error);

/* What a state of any list is kept as: an int, the number of a text, USE_NOT_KNOWN; null is not kept. */
enum window_keep thread_pieces_value(struct intern *texts, const struct histree_value *value,
				     enum histree_part part, int64_t *out);

#endif
