/* SPDX-License-Identifier: MIT */
/*
 * query_ask.h - how rank 0 asks all ranks one question of `query`.
 */
#ifndef MPI_QUERY_ASK_H
#define MPI_QUERY_ASK_H

#include "mpi/answer_merge.h"
#include "mpi/asker.h"

/* What rank 0 asks with, and what became of it. */
struct query_asker {
	struct asker *asker;
	struct shard_set *set;         /* its own hosts */
	struct answer_source *sources; /* one a rank */
	bool is_lost;                  /* a rank is gone */
};

/* Asks a question, which has been checked, and prints the answer on `file`.  Returns what to exit with. */
int query_ask(struct query_asker *asker, const struct question_words *chosen, const struct cli_words *words,
	      const struct message *question, int file);

#endif
