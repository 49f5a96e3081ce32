/* SPDX-License-Identifier: MIT */
/*
 * answer_merge.h - the answers of all ranks to one question, put together on rank 0 and printed as `histree query`
 * prints them.
 *
 * Rows of one host come from one rank, in the order in which they are printed.  Those of several are merged by
 * path, as hosts are the first part of paths; changes by time, and at one time by host.
 */
#ifndef MPI_ANSWER_MERGE_H
#define MPI_ANSWER_MERGE_H

#include "mpi/answer_stream.h"

/* Where the answer of one rank comes from. */
struct answer_source {
	/* Takes the next message; false: it will not come. */
	bool (*receive)(void *context, struct message *message);
	void *context;
	int rank;
	struct message message;
	struct byte_reader sections;
	struct chunk chunk;
	uint32_t row; /* the next one of the chunk */
	bool is_done;
	struct answer_header header;
	struct message header_bytes; /* the header borrows from them */
	struct query_outcome outcome;
	struct message_text why; /* of the outcome, borrowed from the message */
};

/*
 * Takes all answers, to their ends, and prints them on `file`.  Returns the exit status; what is wrong is reported.
 * *is_lost says that a rank does not answer any more, so that no further question can be asked.
 */
int answer_merge(struct answer_source *sources, size_t count, const struct question_words *chosen,
		 const struct cli_words *words, int file, bool *is_lost);

void answer_source_release(struct answer_source *source);

#endif
