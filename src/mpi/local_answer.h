/* SPDX-License-Identifier: MIT */
/*
 * local_answer.h - the answer of rank 0 itself, which a thread makes while the main thread takes the messages of
 * the others: it arrives in messages as theirs do.
 */
#ifndef MPI_LOCAL_ANSWER_H
#define MPI_LOCAL_ANSWER_H

#include <pthread.h>

#include "mpi/shard_set.h"

struct local_answer {
	struct shard_set *set;
	struct byte_reader question; /* borrowed */
	pthread_t thread;
	pthread_mutex_t mutex; /* guards what follows */
	pthread_cond_t changed;
	struct message message; /* handed over */
	bool is_full, is_over, is_unwanted;
	bool is_stopped; /* the rest of the answer is not wanted, but its end is */
	/* Called while a message is waited for, and before; it may stop the answer. */
	void (*look)(void *context);
	void *look_context;
};

/* Returns false if there is no thread to be had. */
bool local_answer_begin(struct local_answer *local, struct shard_set *set, const void *question, size_t size);

/* Takes the next message, waiting for it.  Returns false if there is none any more. */
bool local_answer_receive(void *context, struct message *message);

/* The answer ends soon. */
void local_answer_stop(struct local_answer *local);

/* Drops what was not taken. */
void local_answer_end(struct local_answer *local);

#endif
