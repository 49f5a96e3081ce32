/* SPDX-License-Identifier: MIT */
/*
 * query_job.h - ranks that answer questions about one store together, and the Unix socket for these questions.
 *
 * A running job takes questions over a Unix socket.
 *
 * A client sends the words of its command line.  The job writes the answer into a file without a name and passes it
 * on with the exit status and the messages: a client that does not read, or reads slowly, does not delay others.
 * Only the user who runs the job, and root, get answers.
 *
 * Rank 0 takes the questions, and sees one store: states, segments and events of its own hosts come from their
 * files, those of the others from the ranks that have them.
 */
#ifndef MPI_QUERY_JOB_H
#define MPI_QUERY_JOB_H

#include "cli/option.h"
#include "histree/status.h"
#include "mpi/host_remote.h"
#include "mpi/host_server.h"
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
int question_socket_accept(const struct question_socket *socket, int timeout_ms, struct byte_buffer *words);

/* Returns a file for an answer; -1: none can be made. */
int question_socket_spool(void);

/* Whether a client has closed its end, and so will not take its answer. */
bool question_socket_is_gone(int connection);

/* Answers, and closes the connection and the file. */
void question_socket_reply(int connection, int spool, int status, const char *text);

/*
 * Sends the command line to the job at `socket` (NULL: at STORE.socket); argv[0] is the verb, and `store` is one of
 * argv.  Returns false if there is no such job, and none was requested; otherwise *status is the exit status.
 */
bool job_client_ask(int argc, char **argv, const char *store, const char *socket, int *status);

struct job_history {
	char *analysis; /* "": the default */
	struct histree_history *history;
};

struct query_job {
	struct link *link;
	struct shard_set set;
	struct histree_store *store;   /* on rank 0 */
	struct job_history *histories; /* likewise */
	size_t history_count, history_capacity;
	int *rank_of;              /* on rank 0: the rank that answers for a host; -1: none can */
	struct remotes remotes;    /* on rank 0 */
	struct asker asker;        /* likewise: of the question at hand */
	struct host_server server; /* on the others */
	struct inbox inbox;        /* likewise */
	bool is_lost;              /* a rank is gone */
};

/* All ranks call it.  Returns false on all of them if one cannot; what is wrong was reported. */
bool query_job_begin(struct query_job *job, struct link *link, const char *path, const char *local);

/*
 * On rank 0: opens the store, whose states, segments and events are those that the ranks have.  The caller closes
 * it before the job takes another question.
 */
enum histree_status query_job_open_store(struct query_job *job, const char *path, struct histree_store **out,
					 struct histree_error *error);

/* On rank 0: gets what an analysis made of all hosts, which stays open; NULL: the default analysis. */
enum histree_status query_job_history(struct query_job *job, const char *analysis, struct histree_history **out,
				      struct histree_error *error);

/* On the others: answers until rank 0 ends the job. */
void query_job_answer(struct query_job *job);

/* Ends the job; rank 0 tells the others. */
void query_job_end(struct query_job *job);

#endif
