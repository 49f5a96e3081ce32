// SPDX-License-Identifier: MIT
/*
 * build_crew.c - the files of a build that have nothing to do with one another any more, several at a time: they
 * are closed so, and get their overviews.  Meanwhile the building thread meets its caller, as nobody else may.
 */
#include <stdatomic.h>
#include <time.h>

#include "base/error.h"
#include "base/thread.h"
#include "pipeline/build_inside.h"

enum { CREW_MAX = 16 };

struct build_crew {
	struct build *build;
	build_work work;
	_Atomic bool is_in_vain;
	pthread_mutex_t mutex; /* guards what follows */
	pthread_cond_t changed;
	size_t next;      /* job */
	unsigned at_work; /* threads */
	double share;     /* of the work on the job that is furthest */
	size_t failed;    /* the first job that has */
	enum histree_status status;
	struct histree_error error;
};

bool build_crew_goes_on(void *context, double share)
{
	struct build_crew *crew = context;
	pthread_mutex_lock(&crew->mutex);
	crew->share = share > crew->share ? share : crew->share;
	pthread_mutex_unlock(&crew->mutex);
	return !atomic_load(&crew->is_in_vain);
}

/* What is cancelled because another job has failed does not hide why that was. */
static void note_failure(struct build_crew *crew, size_t job, enum histree_status status,
			 const struct histree_error *error)
{
	bool is_consequence = status == HISTREE_ERR_CANCELLED && crew->status != HISTREE_OK;
	if (is_consequence || (crew->status != HISTREE_OK && crew->failed < job))
		return;
	crew->failed = job;
	crew->status = error_set(&crew->error, status, "%s", error->message);
	atomic_store(&crew->is_in_vain, true);
}

static void *run(void *context)
{
	struct build_crew *crew = context;
	struct build *build = crew->build;
	pthread_mutex_lock(&crew->mutex);
	while (crew->next < build->job_count && !atomic_load(&crew->is_in_vain)) {
		size_t job = crew->next++;
		struct histree_error error = { 0 };
		pthread_mutex_unlock(&crew->mutex);
		enum histree_status status = crew->work(build, &build->jobs[job], crew, &error);
		pthread_mutex_lock(&crew->mutex);
		if (status != HISTREE_OK)
			note_failure(crew, job, status, &error);
	}
	crew->at_work--;
	pthread_cond_signal(&crew->changed);
	pthread_mutex_unlock(&crew->mutex);
	return NULL;
}

/* Ask the caller now and then, until nobody is at work. */
static enum histree_status watch(struct build_crew *crew)
{
	enum histree_status asked = HISTREE_OK;
	pthread_mutex_lock(&crew->mutex);
	while (crew->at_work > 0) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 20 * 1000 * 1000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&crew->changed, &crew->mutex, &until);
		if (crew->share > 0)
			crew->build->overviews_share = crew->share;
		pthread_mutex_unlock(&crew->mutex);
		if (asked == HISTREE_OK && !crew->build->is_stopped)
			asked = build_meet_caller(crew->build);
		if (asked != HISTREE_OK)
			atomic_store(&crew->is_in_vain, true);
		pthread_mutex_lock(&crew->mutex);
	}
	pthread_mutex_unlock(&crew->mutex);
	return asked;
}

static enum histree_status one_by_one(struct build *build, build_work work)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < build->job_count && status == HISTREE_OK; i++)
		status = work(build, &build->jobs[i], NULL, build->error);
	return status;
}

enum histree_status build_each_job(struct build *build, build_work work)
{
	struct build_crew crew = { .build = build, .work = work };
	pthread_t threads[CREW_MAX];
	unsigned count = 0;
	size_t wanted = build->options->threads < build->job_count ? build->options->threads : build->job_count;
	if (wanted < 2 || pthread_mutex_init(&crew.mutex, NULL) != 0)
		return one_by_one(build, work);
	if (pthread_cond_init(&crew.changed, NULL) != 0) {
		pthread_mutex_destroy(&crew.mutex);
		return one_by_one(build, work);
	}
	pthread_mutex_lock(&crew.mutex);
	while (count < wanted && count < CREW_MAX && thread_create(&threads[count], run, &crew))
		count++;
	crew.at_work = count;
	pthread_mutex_unlock(&crew.mutex);
	enum histree_status status = watch(&crew);
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	if (crew.status != HISTREE_OK && (status == HISTREE_OK || crew.status != HISTREE_ERR_CANCELLED))
		status = error_set(build->error, crew.status, "%s", crew.error.message);
	pthread_cond_destroy(&crew.changed);
	pthread_mutex_destroy(&crew.mutex);
	return count == 0 ? one_by_one(build, work) : status;
}
