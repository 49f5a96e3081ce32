/* SPDX-License-Identifier: MIT */
/*
 * answer_stream.h - the answer of one rank to one question, as messages of sections.
 *
 * A section is a letter, four bytes of size, and its bytes: first HEADER, then any number of ROWS
 * (answer_chunk.h), in the order of `histree query`, and END.  A small answer is one message.
 */
#ifndef MPI_ANSWER_STREAM_H
#define MPI_ANSWER_STREAM_H

#include "cli/query_question.h"
#include "mpi/answer_chunk.h"
#include "mpi/shard_set.h"

enum answer_section { ANSWER_HEADER = 'H', ANSWER_ROWS = 'R', ANSWER_END = 'E' };

/* Sends a message and empties it.  Returns false if there is nobody to take it. */
typedef bool answer_send(void *context, struct message *message);

/*
 * A question is the command line of `query` without its name, the analysis, and the times of all hosts' histories.
 */
void question_write(struct message *out, const char *analysis, histree_time start, histree_time end, int argc,
		    char **argv);

/* Answers it for the hosts of this rank.  Where nobody wants the rest, the answer has its end at once. */
void question_answer(struct shard_set *set, struct byte_reader *question, answer_send *send, void *context,
		     struct histree_cancel cancel);

/* The verb that reads the words of a question; every rank has it. */
extern const struct cli_verb question_verb;

struct question_words {
	struct query_options query;
	const char *socket, *local;
	uint64_t throttle_link;
};

/* What a rank says of one pattern. */
struct answer_pattern {
	int status;
	struct message_text why;
};

/* What a rank says first. */
struct answer_header {
	int status; /* above CLI_NOTHING: there are no rows, for this reason: */
	struct message_text why;
	uint64_t attributes;
	uint32_t width; /* of the longest path, at most INTERVAL_PATH_WIDTH_MAX */
	uint64_t pattern_count;
	struct byte_reader patterns;
};

bool answer_header_read(struct answer_header *header, const void *bytes, size_t size);
bool answer_pattern_read(struct answer_header *header, struct answer_pattern *pattern);

/* What it says last: the outcome, and why it is not CLI_OK. */
bool answer_end_read(struct query_outcome *outcome, struct message_text *why, const void *bytes, size_t size);

#endif
