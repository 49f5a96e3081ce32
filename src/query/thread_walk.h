/* SPDX-License-Identifier: MIT */
/*
 * thread_walk.h - the threads of a kernel history (histree-states(7)) one after the other, by the names of their
 * attributes, and where the attributes of each are.
 *
 *	thread_walk_begin(&walk, attributes);
 *	while (thread_walk_next(&walk))
 *		status = thread_walk_quark(&walk, THREAD_FACT_STATUS);
 */
#ifndef QUERY_THREAD_WALK_H
#define QUERY_THREAD_WALK_H

#include "state/attributes.h"

/* What a history says of a thread: who it is, and from the status on, what it does. */
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

struct thread_walk {
	const struct histree_attributes *attributes;
	struct attribute_range near;
	histree_quark above; /* all threads; HISTREE_ROOT: there are none */
	histree_quark next;  /* to look at; HISTREE_ROOT: there is none */

	/* The thread at hand. */
	histree_quark node;
	int32_t tid; /* 0: the idle loop of a CPU */
	int32_t cpu; /* of an idle loop whose name says it; else -1 */
	/*
	 * How far after the node its attributes are; 0: it has none.  Threads of one run are alike
	 * (attribute_reader.h), so that of a million threads the attributes of a few thousand are looked for.
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

#endif
