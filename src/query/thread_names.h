/* SPDX-License-Identifier: MIT */
/*
 * thread_names.h - what the threads of a history are called and whose they are, and what those did that did little,
 * from the file beside it that has just that, FILE.names (state/pyramid.h).
 *
 * In the history these states lie in leaves of all times, as threads begin at all times.  The file has the same
 * states of the same attributes, so it answers the same; where there is none, or it is damaged, the history does.
 */
#ifndef QUERY_THREAD_NAMES_H
#define QUERY_THREAD_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "histree/history.h"
#include "histree/states.h"

/* A zeroed one has no file. */
struct thread_names {
	struct histree_cursor *cursor; /* NULL: the history is to be asked */
	histree_quark *quarks;         /* of the history, ascending; in the file it is the one behind its place */
	size_t count;
	uint64_t states; /* that the file has */
	bool is_wrong;   /* some answer cannot be believed: all are to be had from the history */
};

/* What cannot be used is as if it were not there. */
enum histree_status thread_names_open(struct thread_names *names, struct histree_history *history,
				      struct histree_error *error);

/* Returns the attribute in the file, HISTREE_ROOT: it has none. */
histree_quark thread_names_find(const struct thread_names *names, histree_quark quark);

/*
 * Judge what the cursor returned: what cannot be read is wrong, and so is what is not of the format; the answer is
 * HISTREE_ERR_FORMAT then.
 */
enum histree_status thread_names_judge(struct thread_names *names, enum histree_status status);
void thread_names_release(struct thread_names *names);

#endif
