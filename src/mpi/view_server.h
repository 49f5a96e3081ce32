/* SPDX-License-Identifier: MIT */
/*
 * view_server.h - what a rank adds up of its own hosts for rank 0, so that their states need not travel.
 *
 *	VIEW	number, history, question	the number, a status, and the answer
 *
 * The history is one that HISTORY (state_server.h) has opened; question and answer are bytes of the library
 * (histree/time_use.h).
 */
#ifndef MPI_VIEW_SERVER_H
#define MPI_VIEW_SERVER_H

#include "mpi/state_server.h"

void view_server_answer(const struct state_server *states, struct byte_reader *request, struct message *reply);

#endif
