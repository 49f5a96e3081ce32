/* SPDX-License-Identifier: MIT */
/*
 * crew.h - threads: one, one that has work at times, and a crew that shares a list of tasks; and how many
 * processors this process may use.
 *
 * The threads of the library leave signals to those of the program.
 *
 * A *worker* is a second thread that does one task at a time for its caller.  The caller hands a task over with
 * worker_start() and continues; worker_wait() returns when the task is done and its results can be seen.  Between
 * the two calls, what the task uses belongs to the worker alone.  All calls come from one thread.
 *
 * A *crew* does tasks, each by one thread at a time: the first free one.  A stage of a pipeline is a task, and
 * one unit of its work, such as filling a buffer, is a step.  A caller that waits for a task which no thread is
 * doing does its next step itself.  So a crew of n - 1 threads and its caller keep n processors busy, whichever
 * stage is the slowest, and never more than n threads want a processor.
 *
 * The changes of a step are seen by the thread that does the next step of the task, and by those that waited for
 * it.
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

/* Wait for the task at hand, then end the thread. */
void worker_stop(struct worker *worker);

enum { CREW_THREADS_MAX = 64 };

enum crew_task_state { TASK_IDLE, TASK_QUEUED, TASK_AT_WORK };

/* Its owner sets the first two members; a zeroed rest is idle. */
struct crew_task {
	bool (*step)(void *context); /* returns whether there is another step to do just now */
	void *context;

	/* The crew's, under its mutex. */
	enum crew_task_state state;
	bool is_wanted; /* it was started during one of its steps */
	struct crew_task *next;
};

struct crew {
	pthread_t threads[CREW_THREADS_MAX];
	unsigned thread_count;
	pthread_mutex_t mutex; /* guards what follows */
	pthread_cond_t queued,
		changed; /* for the threads that have nothing to do; for those that await something */
	struct crew_task *first, **last; /* the queue */
	unsigned sleeping, awaiting;     /* threads, by what they wait for */
	bool is_ending;
};

/* Returns false if the system has no thread to give; then there is nothing to end. */
bool crew_begin(struct crew *crew, unsigned threads);

/* No task is queued or at work any more. */
void crew_end(struct crew *crew);

/* There is a step to do, or there may be; nothing if that was known. */
void crew_start(struct crew *crew, struct crew_task *task);

/* Return when the task is idle; until then, do its steps unless another thread is doing them. */
void crew_finish(struct crew *crew, struct crew_task *task);

/*
 * Return when `is_so` holds, which steps of tasks bring about.  It is called under the mutex, and must take no
 * lock that is held while the crew is called.  Until then do steps: of `task` if it is queued; of any task if
 * `task` is idle, or NULL; no steps while another thread does `task`, which is about to be enough.
 */
void crew_await(struct crew *crew, struct crew_task *task, bool (*is_so)(void *context), void *context);

#endif
