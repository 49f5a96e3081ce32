/* SPDX-License-Identifier: MIT */
/*
 * roll_call.h - what the ranks of a job tell rank 0 first: which histree they are, and where they run.
 *
 * Ranks of different versions would make different files, or misread each other: all of them end with a sentence.
 */
#ifndef MPI_ROLL_CALL_H
#define MPI_ROLL_CALL_H

#include "mpi/link.h"

/* Where rank 0 runs, and as which process: for the others, should it be gone. */
struct roll_call {
	char node[64];
	uint32_t pid;
};

/* Returns false on all ranks if they cannot work together; rank 0 has reported why. */
bool roll_call(struct link *link, struct roll_call *first);

/* Whether rank 0 is gone, as far as this rank can see: it runs on the same node, and its process is over. */
bool roll_call_first_is_gone(const struct roll_call *first);

/*
 * On each rank: whether all ranks succeeded in something, of which a rank that failed has reported nothing yet.
 * Rank 0 reports what the first of them says.
 */
bool roll_call_agree(struct link *link, const char *why);

#endif
