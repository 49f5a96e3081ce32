// SPDX-License-Identifier: MIT
#include "mpi/host_builder.h"

#include <time.h>

#include "base/error.h"
#include "mpi/host_copy.h"
#include "mpi/link.h"

static bool goes_on(void *context)
{
	struct host_builder *builder = context;
	pthread_mutex_lock(&builder->mutex);
	bool is_cancelled = builder->is_cancelled;
	pthread_mutex_unlock(&builder->mutex);
	return !is_cancelled;
}

static void note_progress(void *context, const struct histree_progress *progress)
{
	struct host_builder *builder = context;
	pthread_mutex_lock(&builder->mutex);
	builder->progress = *progress;
	pthread_mutex_unlock(&builder->mutex);
}

static const struct histree_experiment_host *host_of(const struct host_builder *builder)
{
	size_t count;
	return &histree_experiment_hosts(builder->experiment, &count)[builder->host];
}

/* A slow disk, for experiments: what is read and written takes its time, beside what is computed. */
static void hold_back(const struct host_builder *builder)
{
	const struct histree_experiment_host *host = host_of(builder);
	if (builder->throttle_disk == 0)
		return;
	uint64_t bytes = host->bytes +
			 host_copy_size(builder->local != NULL ? builder->local : builder->store, host->folder);
	link_hold_back(bytes, builder->throttle_disk, builder->begun_ns);
}

static void *run(void *context)
{
	struct host_builder *builder = context;
	const struct histree_experiment_watch watch = {
		.progress = note_progress,
		.progress_context = builder,
		.cancel = { .go_on = goes_on, .context = builder },
	};
	struct histree_error error = { 0 };
	enum histree_status status = builder->local == NULL ? HISTREE_OK : host_copy_begin(builder->local, &error);
	if (status == HISTREE_OK)
		status = histree_experiment_build_host(builder->experiment, builder->host, &watch, &error);
	if (status >= HISTREE_OK) {
		hold_back(builder);
		struct histree_error late = { 0 };
		enum histree_status copied = builder->local == NULL ? HISTREE_OK
								    : host_copy(builder->local, builder->store,
										host_of(builder)->folder, &late);
		if (copied != HISTREE_OK) {
			status = copied;
			error = late;
		}
	}
	pthread_mutex_lock(&builder->mutex);
	builder->status = status;
	builder->error = error;
	builder->is_over = true;
	pthread_mutex_unlock(&builder->mutex);
	return NULL;
}

void host_builder_init(struct host_builder *builder, struct histree_experiment *experiment, const char *store,
		       const char *local, uint64_t throttle_disk)
{
	*builder = (struct host_builder){
		.experiment = experiment, .store = store, .local = local, .throttle_disk = throttle_disk
	};
	pthread_mutex_init(&builder->mutex, NULL);
}

bool host_builder_start(struct host_builder *builder, size_t host)
{
	builder->host = host;
	builder->begun_ns = link_now_ns();
	builder->is_over = builder->is_cancelled = false;
	builder->progress = (struct histree_progress){ 0 };
	builder->is_busy = pthread_create(&builder->thread, NULL, run, builder) == 0;
	return builder->is_busy;
}

bool host_builder_is_done(struct host_builder *builder, enum histree_status *status, struct histree_error *error)
{
	if (!builder->is_busy)
		return false;
	pthread_mutex_lock(&builder->mutex);
	bool is_over = builder->is_over;
	pthread_mutex_unlock(&builder->mutex);
	if (!is_over)
		return false;
	pthread_join(builder->thread, NULL);
	builder->is_busy = false;
	*status = builder->status;
	*error = builder->error;
	return true;
}

void host_builder_progress(struct host_builder *builder, struct histree_progress *progress)
{
	pthread_mutex_lock(&builder->mutex);
	*progress = builder->progress;
	pthread_mutex_unlock(&builder->mutex);
}

void host_builder_cancel(struct host_builder *builder)
{
	pthread_mutex_lock(&builder->mutex);
	builder->is_cancelled = true;
	pthread_mutex_unlock(&builder->mutex);
}

void host_builder_release(struct host_builder *builder)
{
	if (builder->is_busy) {
		host_builder_cancel(builder);
		pthread_join(builder->thread, NULL);
	}
	pthread_mutex_destroy(&builder->mutex);
}
