/* SPDX-License-Identifier: MIT */
/*
 * inbox.h - what rank 0 has sent to another rank: taken one by one, and looked through for the word that nobody
 * wants the answer any more while that is being made.
 */
#ifndef MPI_INBOX_H
#define MPI_INBOX_H

#include "mpi/link.h"

/* A zeroed one with a link is empty. */
struct inbox {
	struct link *link;
	struct message *kept; /* that came while one was answered, the first one first */
	size_t count, capacity;
	bool is_stopped; /* the word came; what it is about ends where the word itself is taken */
};

/* Takes the next message, waiting for it. */
bool inbox_take(struct inbox *inbox, struct message *message);

/* Returns whether the answer is still wanted.  `inbox` is a struct inbox, as a struct histree_cancel asks it. */
bool inbox_wants(void *inbox);

void inbox_release(struct inbox *inbox);

#endif
