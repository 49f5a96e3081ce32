/* SPDX-License-Identifier: MIT */
/*
 * face.h - verbs of `histree` that run on rank 0 as they are, over a store whose states, segments and events the
 * ranks have.
 */
#ifndef MPI_FACE_H
#define MPI_FACE_H

#include "mpi/query_job.h"
#include "mpi/verb.h"

enum { FACE_OPTIONS_MAX = 64, FACE_OF_VERB = 1024 };

/* What a command line says; the options of the verb itself fill the first member, whatever its struct is. */
struct face_words {
	_Alignas(max_align_t) char of_verb[FACE_OF_VERB];
	const char *socket, *local;
	uint64_t throttle_link;
};

/* A verb with the options of ranks besides. */
struct face {
	struct cli_verb verb;
	const struct cli_verb *of; /* that of histree */
	struct cli_option options[FACE_OPTIONS_MAX];
};

/* Returns false if there is no such verb. */
bool face_find(struct face *face, const char *name);

/* On rank 0: runs a command line, argv[0] being the verb, and prints the answer on `file`. */
int face_ask(struct query_job *job, int argc, char **argv, FILE *messages, int file);

#endif
