/* SPDX-License-Identifier: MIT */
/*
 * question_socket.h - questions that come to a running job over a Unix socket, and their answers.
 *
 * A client sends the words of its command line.  The job writes the answer into a file without a name and hands
 * that over with the exit status and the messages: a client that does not read, or reads slowly, holds up nobody.
 * Only the user who runs the job, and root, are answered.
 */
#ifndef MPI_QUESTION_SOCKET_H
#define MPI_QUESTION_SOCKET_H

#include "histree/status.h"
#include "mpi/link.h"

struct question_socket {
	int file;
	char path[108];
};

/* The socket of a job that serves a store, unless another one is chosen: STORE.socket; to be freed. */
char *question_socket_name(const char *store, const char *chosen);

enum histree_status question_socket_open(struct question_socket *socket, const char *path,
					 struct histree_error *error);
void question_socket_close(struct question_socket *socket);

/* Waits a while for a client, whose connection it returns with its words; -1: there is none. */
int question_socket_accept(const struct question_socket *socket, int timeout_ms, struct message *words);

/* A file for an answer; -1: there is none to be had. */
int question_socket_spool(void);

/* Whether a client has closed its end, and so will not take its answer. */
bool question_socket_is_gone(int connection);

/* Answers, and closes the connection and the file. */
void question_socket_reply(int connection, int spool, int status, const char *text);

/*
 * The client's side: asks, copies the answer to standard output and reports the messages.  Returns
 * HISTREE_NOT_FOUND if nobody listens there.
 */
enum histree_status question_socket_ask(const char *path, const struct message *words, int *status,
					struct histree_error *error);

#endif
