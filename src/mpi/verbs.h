/* SPDX-License-Identifier: MIT */
/*
 * verbs.h - the program histree-mpi: builds and questions that many machines share.
 */
#ifndef MPI_VERBS_H
#define MPI_VERBS_H

#include "cli/verb.h"
#include "mpi/build.h"
#include "mpi/link.h"
#include "mpi/query_job.h"

extern const struct cli_verb build_verb, serve_verb;

/* Ends MPI, and returns what this rank exits with: rank 0 speaks for all. */
int rank_end(struct link *link, int status);

#endif
