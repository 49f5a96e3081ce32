/* SPDX-License-Identifier: MIT */
/*
 * side_by_side.h - independent pieces of work, several at a time, such as the files of a build or the hosts of an
 * experiment.
 *
 * Threads take the next piece when they are done with one.  Meanwhile only the calling thread calls back its
 * caller: it reports progress, and checks whether to continue.  The first piece that fails ends all; the others
 * check this now and then, and do not hide the first error when they end for that reason.
 *
 * Without threads the calling one does the pieces, and calls back its caller between two of them.
 */
#ifndef PIPELINE_SIDE_BY_SIDE_H
#define PIPELINE_SIDE_BY_SIDE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "histree/status.h"

enum { SIDE_BY_SIDE_MAX = 1024 }; /* threads */

struct side_by_side {
	/* Set by the caller. */
	size_t count; /* pieces */
	size_t threads;
	enum histree_status (*work)(void *context, size_t piece, struct histree_error *error);
	enum histree_status (*meet)(void *context, struct histree_error *error); /* by the calling thread */
	void *context;

	bool is_alone; /* the calling thread does the pieces */
	_Atomic bool is_over;
	pthread_mutex_t mutex; /* of what follows, and of what pieces tell the calling thread */
	pthread_cond_t changed;
	size_t next, running;
	size_t failed; /* the first piece that has */
	enum histree_status status;
	struct histree_error error;
};

/* Returns what the first piece failed with, or what the caller said; HISTREE_OK: all are done. */
enum histree_status side_by_side_run(struct side_by_side *side, struct histree_error *error);

/* For pieces: whether to go on. */
static inline bool side_by_side_goes_on(const struct side_by_side *side)
{
	return !atomic_load(&side->is_over);
}

#endif
