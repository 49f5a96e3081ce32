/* SPDX-License-Identifier: MIT */
/*
 * event_remote.h - on rank 0: the events of hosts that other ranks have, as events that can be read and united.
 *
 * The index of a host comes when its events are opened.  The events themselves come in runs, few at first, and the
 * next run is asked for while one is handed out.  Times, CPUs and types are always in them; texts and values from
 * the first time on that the reader asks for one: the run is asked for once more, with them.
 */
#ifndef MPI_EVENT_REMOTE_H
#define MPI_EVENT_REMOTE_H

#include "histree/event_source.h"
#include "mpi/segment_remote.h"

struct event_cursor;

/* A zeroed one has none. */
struct event_remotes {
	struct segment_remotes *ranks; /* by whose messages events come */
	struct event_cursor **cursors; /* that are open */
	size_t cursor_count, cursor_capacity;
	uint64_t next_number;
};

void event_remotes_begin(struct event_remotes *remotes, struct segment_remotes *ranks);

/* Opens the events of a host, an index in the set of the rank. */
enum histree_status event_remotes_open(struct event_remotes *remotes, int rank, size_t host,
				       struct histree_events **out, struct histree_error *error);
void event_remotes_release(struct event_remotes *remotes);

#endif
