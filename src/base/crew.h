/* SPDX-License-Identifier: MIT */
/*
 * crew.h - threads: a single one, a worker for occasional tasks, and a crew that shares a list of tasks; and how
 * many processors this process may use.
 *
 * Threads of the library leave signals to the threads of the program.
 *
 * A *worker* is a second thread that does one task at a time for its caller.  The caller hands a task over with
 * worker_start() and continues; worker_wait() returns when the task is done and its results can be seen.  Between
 * the two calls, what the task uses belongs to the worker alone.  All calls come from one thread.
 *
 * A *crew* does tasks.  The first free thread does a task, and only one thread at a time does the same one.  A
 * stage of a pipeline is a task, and one unit of its work, such as filling a buffer, is a step.  A caller that
 * waits for a task which no thread is doing does its next step itself.  So a crew of n - 1 threads and its caller
 * keep n processors busy, whichever stage is the slowest, and never more than n threads need a processor.
 *
 * The changes of a step are seen by the thread that does the next step of the task, and by the threads that waited
 * for it.
 */
#ifndef BASE_CREW_H
#define BASE_CREW_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Returns false if the system has no thread to give. */
bool thread_create(pthread_t *out, void *(*run)(void *context), void *context);

/* Returns how many processors the system gives the process; 1 if it does not say. */
uint32_t processors_count(void);

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

/* Wait for the current task, then end the thread. */
void worker_stop(struct worker *worker);

enum { CREW_THREADS_MAX = 64 };

enum crew_task_state { TASK_IDLE, TASK_QUEUED, TASK_AT_WORK };

/* Its owner sets the first two members; zeros in the others mean idle. */
struct crew_task {
	bool (*step)(void *context); /* returns whether there is another step to do just now */
	void *context;

	/* Owned by the crew, under its mutex. */
	enum crew_task_state state;
	bool is_wanted; /* started again during one of its steps */
	struct crew_task *next;
};

struct crew {
	pthread_t threads[CREW_THREADS_MAX];
	unsigned thread_count;
	pthread_mutex_t mutex;           /* guards what follows */
	pthread_cond_t queued, changed;  /* for threads without work; for threads that await a result */
	struct crew_task *first, **last; /* the queue */
	unsigned sleeping, awaiting;     /* threads, by what they wait for */
	bool is_ending;
};

/* Returns false if the system has no thread to give; then there is nothing to end. */
bool crew_begin(struct crew *crew, unsigned threads);

/* No task may be queued or running any more. */
void crew_end(struct crew *crew);

/* Announce that the task has a step to do, or may have one.  Nothing happens if that was already known. */
void crew_start(struct crew *crew, struct crew_task *task);

/* Return when the task is idle; until then, do its steps unless another thread is doing them. */
void crew_finish(struct crew *crew, struct crew_task *task);

/*
 * Return when `is_so` holds, which steps of tasks bring about.  It is called under the mutex, and must take no lock
 * that is held while the crew is called.  Until then the caller does steps: of `task` if that is queued; of any
 * task if `task` is idle or NULL; none while another thread does `task`, because that step is about to make the
 * condition true.
 */
void crew_await(struct crew *crew, struct crew_task *task, bool (*is_so)(void *context), void *context);

#endif
