// SPDX-License-Identifier: MIT
/*
 * experiment_crew.c - several hosts built side by side, the largest first.
 *
 * Workers take the next host when they are done with one.  Each says how far it is, and asks whether to go on, in a
 * slot of its own; the thread that called adds the slots up, shows the sum to whoever asked for the build, and asks
 * them.  The first host that fails ends the build: the others are cancelled at their next look.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/machine_memory.h"
#include "base/processors.h"
#include "pipeline/experiment_inside.h"
#include "pipeline/publish_clock.h"

enum { THREADS_MAX = 1024, LOOK_EVERY_NS = 50 * 1000 * 1000 };

struct crew {
	struct histree_experiment *experiment;
	uint32_t threads_each;
	struct memory_share memory; /* of each */
	pthread_mutex_t mutex;      /* guards what follows */
	pthread_cond_t changed;
	size_t *order; /* of hosts that are to be built */
	size_t order_count, next, running, done;
	struct histree_progress *slots; /* by host */
	const char *latest;             /* the host that was begun last */
	enum histree_status status;     /* of the first that failed */
	struct histree_error error;
	atomic_bool is_over; /* nobody is to go on */
};

/* ---- workers --------------------------------------------------------------------------------------------- */

struct task {
	struct crew *crew;
	size_t host;
};

static void note_progress(void *context, const struct histree_progress *progress)
{
	const struct task *task = context;
	pthread_mutex_lock(&task->crew->mutex);
	task->crew->slots[task->host] = *progress;
	pthread_mutex_unlock(&task->crew->mutex);
}

static bool goes_on(void *context)
{
	const struct task *task = context;
	return !atomic_load(&task->crew->is_over);
}

/* Note how it ended; the mutex is held. */
static void end_task(struct crew *crew, size_t host, enum histree_status status, const struct histree_error *error)
{
	struct histree_progress *slot = &crew->slots[host];
	crew->done++;
	slot->bytes_done = slot->bytes_total = crew->experiment->hosts[host].bytes;
	if (status == HISTREE_OK || status == HISTREE_PARTIAL || crew->status < 0)
		return;
	crew->status = status;
	crew->error = *error;
	atomic_store(&crew->is_over, true);
}

/* Builds hosts until there are none; the mutex is held before and after. */
static void build_hosts(struct crew *crew)
{
	while (crew->next < crew->order_count && !atomic_load(&crew->is_over)) {
		struct task task = { crew, crew->order[crew->next++] };
		const struct histree_experiment_watch watch = { note_progress, &task, { goes_on, &task } };
		struct histree_error error = { 0 };
		crew->latest = crew->experiment->hosts[task.host].name;
		pthread_mutex_unlock(&crew->mutex);
		enum histree_status status = experiment_build_host(crew->experiment, task.host, crew->threads_each,
								   &crew->memory, &watch, &error);
		pthread_mutex_lock(&crew->mutex);
		end_task(crew, task.host, status, &error);
	}
}

static void *work(void *context)
{
	struct crew *crew = context;
	pthread_mutex_lock(&crew->mutex);
	build_hosts(crew);
	crew->running--;
	pthread_cond_signal(&crew->changed);
	pthread_mutex_unlock(&crew->mutex);
	return NULL;
}

/* ---- the caller ------------------------------------------------------------------------------------------ */

/* The sum of all hosts; the mutex is held. */
static struct histree_progress sum_up(const struct crew *crew)
{
	const struct histree_experiment *experiment = crew->experiment;
	struct histree_progress sum = {
		.elapsed_ns = publish_clock_now() - experiment->begun_ns,
		.host = crew->latest,
		.hosts_done = experiment->count - crew->order_count + crew->done,
		.host_count = experiment->count,
	};
	for (size_t i = 0; i < experiment->count; i++) {
		uint64_t bytes = experiment->hosts[i].bytes;
		const struct histree_progress *slot = &crew->slots[i];
		double share = slot->bytes_total > 0 ? (double)slot->bytes_done / (double)slot->bytes_total : 0;
		sum.bytes_total += bytes;
		sum.bytes_done += (uint64_t)((double)bytes * share);
		sum.events += slot->events;
	}
	return sum;
}

/* Tell the caller and ask; the mutex is held, but not meanwhile. */
static void meet_caller(struct crew *crew)
{
	const struct histree_build_options *options = &crew->experiment->options;
	const struct histree_progress sum = sum_up(crew);
	pthread_mutex_unlock(&crew->mutex);
	if (options->progress != NULL)
		options->progress(options->progress_context, &sum);
	bool is_cancelled = cancel_asked(&options->cancel);
	pthread_mutex_lock(&crew->mutex);
	if (!is_cancelled || crew->status < 0)
		return;
	crew->status = error_set(&crew->error, HISTREE_ERR_CANCELLED, "cancelled");
	atomic_store(&crew->is_over, true);
}

static struct timespec next_look(void)
{
	struct timespec time;
	clock_gettime(CLOCK_REALTIME, &time);
	time.tv_nsec += LOOK_EVERY_NS;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

/* Without a thread to be had, the caller's own does the work, and looks between two hosts. */
static void run_crew(struct crew *crew, uint32_t wanted)
{
	pthread_t threads[THREADS_MAX];
	uint32_t count = 0;
	pthread_mutex_lock(&crew->mutex);
	crew->running = wanted;
	while (count < wanted && pthread_create(&threads[count], NULL, work, crew) == 0)
		count++;
	crew->running -= wanted - count;
	meet_caller(crew);
	if (count == 0)
		build_hosts(crew);
	while (crew->running > 0) {
		const struct timespec until = next_look();
		pthread_cond_timedwait(&crew->changed, &crew->mutex, &until);
		meet_caller(crew);
	}
	pthread_mutex_unlock(&crew->mutex);
	for (uint32_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

/* ---- the plan -------------------------------------------------------------------------------------------- */

/* The largest first: what is left at the end is small.  Of two equal ones, the first. */
static void order_hosts(struct crew *crew)
{
	const struct histree_experiment_host *hosts = crew->experiment->hosts;
	for (size_t i = 0; i < crew->experiment->count; i++) {
		crew->slots[i].bytes_total = hosts[i].bytes;
		if (hosts[i].is_built) {
			crew->slots[i].bytes_done = hosts[i].bytes;
			continue;
		}
		size_t at = crew->order_count++;
		for (; at > 0 && hosts[crew->order[at - 1]].bytes < hosts[i].bytes; at--)
			crew->order[at] = crew->order[at - 1];
		crew->order[at] = i;
	}
}

static uint32_t threads_of(const struct histree_experiment *experiment)
{
	uint32_t threads = experiment->options.threads != 0 ? experiment->options.threads : processors_count();
	return threads < THREADS_MAX ? threads : THREADS_MAX;
}

static enum histree_status build_all(struct histree_experiment *experiment, struct histree_error *error)
{
	struct crew crew = { .experiment = experiment };
	crew.order = calloc(experiment->count, sizeof(*crew.order));
	crew.slots = calloc(experiment->count, sizeof(*crew.slots));
	enum histree_status status = HISTREE_OK;
	if (crew.order == NULL || crew.slots == NULL) {
		status = error_memory(error, "the hosts of a build");
		goto out;
	}
	order_hosts(&crew);
	uint32_t threads = threads_of(experiment);
	uint32_t left = crew.order_count < threads ? (uint32_t)crew.order_count : threads;
	crew.memory = memory_share(experiment->options.tree.memory_max, experiment->count, left, machine_memory());
	crew.threads_each = threads / crew.memory.side_by_side;
	pthread_mutex_init(&crew.mutex, NULL);
	pthread_cond_init(&crew.changed, NULL);
	run_crew(&crew, left > 0 ? crew.memory.side_by_side : 0);
	pthread_cond_destroy(&crew.changed);
	pthread_mutex_destroy(&crew.mutex);
	status = crew.status;
	if (status < 0 && error != NULL)
		*error = crew.error;
out:
	free(crew.order);
	free(crew.slots);
	return status;
}

/* A failed build is no loss of the hosts that are complete: say where they are, and how to do without this one. */
static void say_what_is_kept(const struct histree_experiment *experiment, struct histree_error *error)
{
	size_t length = strlen(error->message), built = 0;
	for (size_t i = 0; i < experiment->count; i++)
		built += experiment->hosts[i].is_built;
	if (built > 0)
		snprintf(error->message + length, sizeof(error->message) - length,
			 "; '%s' keeps %zu of %zu hosts, and --resume goes on with them, with this host or without "
			 "its "
			 "traces",
			 experiment->building, built, experiment->count);
}

enum histree_status experiment_run(struct histree_experiment *experiment, struct histree_error *error)
{
	enum histree_status status = histree_experiment_find_clocks(experiment, error);
	if (status == HISTREE_OK && !experiment->is_complete)
		status = build_all(experiment, error);
	if (status < 0 && status != HISTREE_ERR_CANCELLED)
		say_what_is_kept(experiment, error);
	return status < 0 ? status : histree_experiment_complete(experiment, error);
}
