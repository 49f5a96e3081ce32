/* SPDX-License-Identifier: MIT */
/*
 * worker.h - one thread beside the caller's, that does one task at a time.
 *
 * The caller hands a task over with worker_start() and goes on; worker_wait() returns when the task is done and
 * what it did can be seen.  Between the two, what the task uses is the worker's alone.  All calls from one thread.
 */
#ifndef BASE_WORKER_H
#define BASE_WORKER_H

#include <pthread.h>
#include <stdbool.h>

struct worker {
	pthread_t thread;
	pthread_mutex_t mutex; /* guards the fields below */
	pthread_cond_t changed;
	void (*task)(void *context); /* NULL: idle */
	void *context;
	bool stopping;
};

/* False when the system has no thread to give; then there is nothing to stop. */
bool worker_create(struct worker *worker);

/* The worker must be idle. */
void worker_start(struct worker *worker, void (*task)(void *context), void *context);
void worker_wait(struct worker *worker);

/* Waits for the task at hand. */
void worker_stop(struct worker *worker);

#endif
