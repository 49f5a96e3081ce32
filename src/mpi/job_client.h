/* SPDX-License-Identifier: MIT */
/*
 * job_client.h - the side of who asks a job that 'serve' has listening: a verb and its command line go there, and
 * the answer comes back, without MPI.
 */
#ifndef MPI_JOB_CLIENT_H
#define MPI_JOB_CLIENT_H

#include "cli/option.h"

/*
 * Asks the job at `socket` (NULL: at STORE.socket) what the command line says, argv[0] being the verb.  `store` is
 * one of argv.  Returns false if there is no such job, and none was asked for; *status is what to exit with
 * otherwise.
 */
bool job_client_ask(int argc, char **argv, const char *store, const char *socket, int *status);

#endif
