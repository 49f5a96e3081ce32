/* SPDX-License-Identifier: MIT */
/*
 * query_ask.h - how rank 0 asks all ranks one question of `query`, and has them stop when nobody wants the answer.
 */
#ifndef MPI_QUERY_ASK_H
#define MPI_QUERY_ASK_H

#include "mpi/answer_merge.h"
#include "mpi/link.h"

/* The first byte of what rank 0 sends. */
enum job_message { JOB_OPEN = 'O', JOB_QUESTION = 'Q', JOB_STOP = 'N', JOB_END = 'X' };

/* What rank 0 asks with, and what became of it. */
struct query_asker {
	struct link *link;
	struct shard_set *set;         /* its own hosts */
	struct answer_source *sources; /* one a rank */
	struct histree_cancel cancel;  /* whether the answer is still wanted: asked while ranks answer */
	bool is_stopped;               /* it was not, and ranks were told so */
	bool is_lost;                  /* a rank is gone */
};

/* Sends the others a message.  Returns false if one of them could not be sent it. */
bool query_ask_all(struct link *link, const struct message *message);

/* Asks a question, which has been checked, and prints the answer on `file`.  Returns what to exit with. */
int query_ask(struct query_asker *asker, const struct question_words *chosen, const struct cli_words *words,
	      const struct message *question, int file);

#endif
