/* SPDX-License-Identifier: MIT */
/*
 * worker.h - a second thread that does one task at a time for its caller.
 *
 * The caller hands a task over with worker_start() and continues; worker_wait() returns when the task is done and
 * its results can be seen.  Between the two calls, what the task uses belongs to the worker alone.  All calls come
 * from one thread.
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
	bool stopping, is_waited_for;
};

/* Returns false if the system has no thread to give; then there is nothing to stop. */
bool worker_create(struct worker *worker);

/* The worker must be idle. */
void worker_start(struct worker *worker, void (*task)(void *context), void *context);
void worker_wait(struct worker *worker);

/* Wait for the task at hand, then end the thread. */
void worker_stop(struct worker *worker);

#endif
