/* SPDX-License-Identifier: MIT */
/*
 * state_remote.h - on rank 0: the histories of hosts that other ranks have, as histories that can be asked and
 * united.
 *
 * What a history is comes when it is opened first, and is kept for the questions to come.  A query of several
 * hosts is one message a rank: what starts is gathered, and sent when the first state is wanted.
 */
#ifndef MPI_STATE_REMOTE_H
#define MPI_STATE_REMOTE_H

#include "histree/history.h"
#include "mpi/host_remote.h"

struct state_cursor;
struct known_history;

/* A zeroed one has none. */
struct state_remotes {
	struct segment_remotes *ranks; /* by whose messages states come */
	struct view_remotes views;     /* what ranks add up of them */
	struct state_cursor **cursors; /* that are open */
	size_t cursor_count, cursor_capacity;
	struct known_history *known;
	size_t known_count, known_capacity;
	uint64_t next_number;
};

void state_remotes_begin(struct state_remotes *remotes, struct segment_remotes *ranks);

/* Opens the history that an analysis made of a host, an index in the set of the rank. */
enum histree_status state_remotes_open(struct state_remotes *remotes, int rank, size_t host, const char *analysis,
				       struct histree_history **out, struct histree_error *error);
void state_remotes_release(struct state_remotes *remotes);

#endif
