/* SPDX-License-Identifier: MIT */
/*
 * thread_walk.h - the threads of a history one after the other, by the names of their attributes, and where the
 * attributes of each are.
 */
#ifndef VIEW_THREAD_WALK_H
#define VIEW_THREAD_WALK_H

#include "histree/view.h"
#include "state/attributes.h"

/* What a history says of a thread besides its status, and what the attribute is called. */
enum thread_fact {
	THREAD_FACT_NAME,
	THREAD_FACT_PID,
	THREAD_FACT_PPID,
	THREAD_FACT_PROCESS, /* the pair of the two */
	THREAD_FACT_COUNT,
};
extern const char *const thread_fact_names[THREAD_FACT_COUNT];

/*
 * How far after the node of a thread its attributes are; 0: it has none, or is it itself.  Threads of one run are
 * alike (state/attribute_format.h), so that of a million threads the attributes of a few thousand are looked for.
 */
struct thread_shape {
	uint32_t run;
	bool is_of_run;
	uint32_t status, system_call, facts[THREAD_FACT_COUNT];
};

struct thread_walk {
	const struct histree_attributes *attributes;
	struct attribute_range near;
	struct thread_shape shape; /* of the last thread */
	histree_quark node;        /* the next one to look at; HISTREE_ROOT: there is none */
};

void thread_walk_begin(struct thread_walk *walk, const struct histree_attributes *attributes);

/* Returns false after the last one.  Of what a thread was, nothing is known yet. */
bool thread_walk_next(struct thread_walk *walk, struct histree_thread *out);

#endif
