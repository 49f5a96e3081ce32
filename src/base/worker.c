// SPDX-License-Identifier: MIT
#include "base/worker.h"

#include <assert.h>

#include "base/thread.h"

static void *work(void *context)
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
	if (thread_create(&worker->thread, work, worker))
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
	pthread_cond_signal(&worker->changed); /* who is woken finds the mutex free */
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
