/* SPDX-License-Identifier: MIT */
/*
 * view_remote.h - on rank 0: what other ranks add up of their hosts (view_server.h), as a history source asks it.
 *
 * Questions are gathered, so that those of all hosts are one message a rank, and sent together: all ranks work at a
 * time.
 */
#ifndef MPI_VIEW_REMOTE_H
#define MPI_VIEW_REMOTE_H

#include "mpi/segment_remote.h"

struct view_asked;

/* A zeroed one has none. */
struct view_remotes {
	struct segment_remotes *ranks; /* by whose messages answers come */
	struct view_asked *asked;      /* a list of those that were not dropped */
	uint64_t next_number;
};

void view_remotes_begin(struct view_remotes *remotes, struct segment_remotes *ranks);

/* Asks the rank about a history by the number that it gave this. */
enum histree_status view_remotes_ask(struct view_remotes *remotes, int rank, uint64_t history, const void *question,
				     size_t size, struct view_asked **out, struct histree_error *error);

/* Waits for the answer, whose bytes are borrowed. */
enum histree_status view_asked_take(struct view_asked *asked, const void **answer, size_t *size,
				    struct histree_error *error);
void view_asked_drop(struct view_asked *asked);

#endif
