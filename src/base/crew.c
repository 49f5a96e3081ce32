// SPDX-License-Identifier: MIT
/*
 * crew.c - threads: one, one that has work at times, and a crew that shares a list of tasks.
 */
#include "base/crew.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

/* ---- thread -------------------------------------------------------------------------------------------------- */

bool thread_create(pthread_t *out, void *(*run)(void *context), void *context)
{
	sigset_t all, before;
	sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
		return false;
	int made = pthread_create(out, NULL, run, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return made == 0;
}

/* ---- processors ---------------------------------------------------------------------------------------------- */

uint32_t processors_count(void)
{
	cpu_set_t set;
	long count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
	return count > 0 ? (uint32_t)count : 1;
}

/* ---- worker -------------------------------------------------------------------------------------------------- */

static void *worker_work(void *context)
{
	struct worker *worker = context;
	pthread_mutex_lock(&worker->mutex);
	for (;;) {
		while (worker->task == NULL && !worker->stopping)
			pthread_cond_wait(&worker->changed, &worker->mutex);
		if (worker->task == NULL)
			break;
		pthread_mutex_unlock(&worker->mutex);
		worker->task(worker->context);
		pthread_mutex_lock(&worker->mutex);
		worker->task = NULL;
		if (worker->is_waited_for)
			pthread_cond_signal(&worker->changed);
	}
	pthread_mutex_unlock(&worker->mutex);
	return NULL;
}

bool worker_create(struct worker *worker)
{
	*worker = (struct worker){ .task = NULL };
	if (pthread_mutex_init(&worker->mutex, NULL) != 0)
		return false;
	if (pthread_cond_init(&worker->changed, NULL) != 0)
		goto no_condition;
	if (thread_create(&worker->thread, worker_work, worker))
		return true;
	pthread_cond_destroy(&worker->changed);
no_condition:
	pthread_mutex_destroy(&worker->mutex);
	return false;
}

void worker_start(struct worker *worker, void (*task)(void *context), void *context)
{
	pthread_mutex_lock(&worker->mutex);
	assert(worker->task == NULL && !worker->stopping);
	worker->task = task;
	worker->context = context;
	pthread_mutex_unlock(&worker->mutex);
	pthread_cond_signal(&worker->changed); /* the woken thread finds the mutex free */
}

void worker_wait(struct worker *worker)
{
	pthread_mutex_lock(&worker->mutex);
	worker->is_waited_for = true;
	while (worker->task != NULL)
		pthread_cond_wait(&worker->changed, &worker->mutex);
	worker->is_waited_for = false;
	pthread_mutex_unlock(&worker->mutex);
}

void worker_stop(struct worker *worker)
{
	worker_wait(worker);
	pthread_mutex_lock(&worker->mutex);
	assert(worker->task == NULL && !worker->stopping);
	worker->stopping = true;
	pthread_cond_signal(&worker->changed);
	pthread_mutex_unlock(&worker->mutex);
	pthread_join(worker->thread, NULL);
	pthread_cond_destroy(&worker->changed);
	pthread_mutex_destroy(&worker->mutex);
}

/* ---- crew ---------------------------------------------------------------------------------------------------- */

/* ---- the queue; the mutex is held in all of this ------------------------------------------------------------ */

static void enqueue(struct crew *crew, struct crew_task *task)
{
	task->state = TASK_QUEUED;
	task->next = NULL;
	*crew->last = task;
	crew->last = &task->next;
	if (crew->sleeping > 0)
		pthread_cond_signal(&crew->queued);
}

/* Do a step of a queued task.  The mutex is free in between. */
static void do_step(struct crew *crew, struct crew_task *task)
{
	struct crew_task **link = &crew->first;
	while (*link != task)
		link = &(*link)->next;
	*link = task->next;
	if (crew->last == &task->next)
		crew->last = link;
	task->state = TASK_AT_WORK;
	task->is_wanted = false;
	pthread_mutex_unlock(&crew->mutex);
	bool goes_on = task->step(task->context);
	pthread_mutex_lock(&crew->mutex);
	task->state = TASK_IDLE;
	if (goes_on || task->is_wanted)
		enqueue(crew, task);
	if (crew->awaiting > 0)
		pthread_cond_broadcast(&crew->changed);
}

/* ---- threads ------------------------------------------------------------------------------------------------ */

static void *crew_work(void *context)
{
	struct crew *crew = context;
	pthread_mutex_lock(&crew->mutex);
	while (!crew->is_ending) {
		if (crew->first != NULL) {
			do_step(crew, crew->first);
			continue;
		}
		crew->sleeping++;
		pthread_cond_wait(&crew->queued, &crew->mutex);
		crew->sleeping--;
	}
	pthread_mutex_unlock(&crew->mutex);
	return NULL;
}

static bool make_conditions(struct crew *crew)
{
	if (pthread_mutex_init(&crew->mutex, NULL) != 0)
		return false;
	if (pthread_cond_init(&crew->queued, NULL) == 0) {
		if (pthread_cond_init(&crew->changed, NULL) == 0)
			return true;
		pthread_cond_destroy(&crew->queued);
	}
	pthread_mutex_destroy(&crew->mutex);
	return false;
}

static void destroy_conditions(struct crew *crew)
{
	pthread_cond_destroy(&crew->changed);
	pthread_cond_destroy(&crew->queued);
	pthread_mutex_destroy(&crew->mutex);
}

bool crew_begin(struct crew *crew, unsigned threads)
{
	*crew = (struct crew){ .first = NULL };
	crew->last = &crew->first;
	if (!make_conditions(crew))
		return false;
	while (crew->thread_count < threads && crew->thread_count < CREW_THREADS_MAX &&
	       thread_create(&crew->threads[crew->thread_count], crew_work, crew))
		crew->thread_count++;
	if (crew->thread_count > 0)
		return true;
	destroy_conditions(crew);
	return false;
}

void crew_end(struct crew *crew)
{
	pthread_mutex_lock(&crew->mutex);
	assert(crew->first == NULL);
	crew->is_ending = true;
	pthread_cond_broadcast(&crew->queued);
	pthread_mutex_unlock(&crew->mutex);
	for (unsigned i = 0; i < crew->thread_count; i++)
		pthread_join(crew->threads[i], NULL);
	destroy_conditions(crew);
}

/* ---- for those who have tasks ------------------------------------------------------------------------------- */

void crew_start(struct crew *crew, struct crew_task *task)
{
	pthread_mutex_lock(&crew->mutex);
	if (task->state == TASK_IDLE)
		enqueue(crew, task);
	else
		task->is_wanted = task->state == TASK_AT_WORK;
	pthread_mutex_unlock(&crew->mutex);
}

static void await_change(struct crew *crew)
{
	crew->awaiting++;
	pthread_cond_wait(&crew->changed, &crew->mutex);
	crew->awaiting--;
}

void crew_finish(struct crew *crew, struct crew_task *task)
{
	pthread_mutex_lock(&crew->mutex);
	while (task->state != TASK_IDLE)
		if (task->state == TASK_QUEUED)
			do_step(crew, task);
		else
			await_change(crew);
	pthread_mutex_unlock(&crew->mutex);
}

void crew_await(struct crew *crew, struct crew_task *task, bool (*is_so)(void *context), void *context)
{
	pthread_mutex_lock(&crew->mutex);
	while (!is_so(context))
		if (task != NULL && task->state == TASK_QUEUED)
			do_step(crew, task);
		else if ((task == NULL || task->state == TASK_IDLE) && crew->first != NULL)
			do_step(crew, crew->first);
		else
			await_change(crew);
	pthread_mutex_unlock(&crew->mutex);
}
