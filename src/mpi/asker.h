/* SPDX-License-Identifier: MIT */
/*
 * asker.h - on rank 0: whoever asked a question.  Once he is gone, the other ranks are told to end their answers.
 *
 * Each does so with what it was about to send, or has ended it already and finds the word when it waits for
 * another question.
 */
#ifndef MPI_ASKER_H
#define MPI_ASKER_H

#include "histree/cancel.h"
#include "mpi/link.h"

/* The first byte of what rank 0 sends; section.h has another one. */
enum job_message { JOB_OPEN = 'O', JOB_QUESTION = 'Q', JOB_STOP = 'N', JOB_END = 'X' };

struct asker {
	struct link *link;
	struct histree_cancel cancel; /* whether the answer is still wanted */
	bool is_stopped;              /* it was not, and the ranks were told so */
};

/* Returns whether the answer is still wanted.  `asker` is a struct asker, as a struct histree_cancel asks it. */
bool asker_waits(void *asker);

/* Takes a message of a rank; who waits for it looks whether the asker still does.  False: none will come. */
bool asker_receive(struct asker *asker, int rank, struct message *message);

#endif
