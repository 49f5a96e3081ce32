/* SPDX-License-Identifier: MIT */
/*
 * verbs.h - the verbs of histree-mpi: build, serve, and those of `histree` that rank 0 runs as they are, over a
 * store whose states, segments and events the ranks have.
 */
#ifndef MPI_VERBS_H
#define MPI_VERBS_H

#include "cli/verb.h"
#include "mpi/link.h"
#include "mpi/query_job.h"

enum { FACE_OPTIONS_MAX = 64, FACE_OF_VERB = 1024 };

/* A verb with the options of ranks besides. */
struct face {
	struct cli_verb verb;
	const struct cli_verb *of; /* that of histree */
	struct cli_option options[FACE_OPTIONS_MAX];
};

/* Returns false if there is no such verb. */
bool face_find(struct face *face, const char *name);

extern const struct cli_verb build_verb, serve_verb;

/* Runs query, events, segments, stats, top or sql, argv[0] being the verb; false: there is no such verb. */
int face_run(int argc, char **argv);

/* Ends MPI, and returns what this rank exits with: rank 0 speaks for all. */
int rank_end(struct link *link, int status);

#endif
