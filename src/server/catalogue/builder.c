// SPDX-License-Identifier: MIT
/*
 * builder.c - one thread that prepares datasets and warms them, one at a time, in the order in which they were
 * asked for.
 */
#include "server/catalogue/builder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/array.h"
#include "base/crew.h"
#include "base/error.h"

struct builder {
	pthread_t thread;
	void (*warm)(struct dataset *dataset);
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t changed;
	struct dataset **waiting; /* [0] is next, or under way */
	size_t count, capacity;
	bool stopping;
};

/* The next dataset, which stays in the list so that it can be cancelled; NULL at the end. */
static struct dataset *next_dataset(struct builder *builder)
{
	pthread_mutex_lock(&builder->lock);
	while (builder->count == 0 && !builder->stopping)
		pthread_cond_wait(&builder->changed, &builder->lock);
	struct dataset *dataset = builder->count > 0 ? builder->waiting[0] : NULL;
	pthread_mutex_unlock(&builder->lock);
	return dataset;
}

static void drop_first(struct builder *builder)
{
	pthread_mutex_lock(&builder->lock);
	assert(builder->count > 0 && builder->waiting[0]->holders > 0);
	builder->count--;
	memmove(builder->waiting, builder->waiting + 1, builder->count * sizeof(*builder->waiting));
	pthread_mutex_unlock(&builder->lock);
}

/*
 * What a user waits for at the page goes before what is made for later, and before a build.  On Linux each
 * thread has a niceness of its own, and the threads that a build starts inherit it.
 */
static void stand_back(void)
{
	enum { NICE = 10 };
	(void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
}

static void *build(void *context)
{
	struct builder *builder = context;
	stand_back();
	struct dataset *dataset;
	while ((dataset = next_dataset(builder)) != NULL) {
		if (dataset_status(dataset) == DATASET_RUNNING)
			dataset_prepare(dataset);
		if (dataset_status(dataset) == DATASET_READY)
			builder->warm(dataset);
		drop_first(builder);
		dataset_release(dataset);
	}
	return NULL;
}

enum histree_status builder_create(void (*warm)(struct dataset *dataset), struct builder **out,
				   struct histree_error *error)
{
	*out = NULL;
	struct builder *builder = calloc(1, sizeof(*builder));
	if (builder == NULL)
		return error_memory(error, "the builder");
	builder->warm = warm;
	pthread_mutex_init(&builder->lock, NULL);
	pthread_cond_init(&builder->changed, NULL);
	if (!thread_create(&builder->thread, build, builder)) {
		pthread_cond_destroy(&builder->changed);
		pthread_mutex_destroy(&builder->lock);
		free(builder);
		return error_memory(error, "a thread");
	}
	*out = builder;
	return HISTREE_OK;
}

enum histree_status builder_add(struct builder *builder, struct dataset *dataset, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	pthread_mutex_lock(&builder->lock);
	if (array_reserve(&builder->waiting, &builder->capacity, builder->count + 1))
		builder->waiting[builder->count++] = dataset_hold(dataset);
	else
		status = error_memory(error, "a build");
	pthread_cond_signal(&builder->changed);
	pthread_mutex_unlock(&builder->lock);
	return status;
}

void builder_free(struct builder *builder)
{
	if (builder == NULL)
		return;
	pthread_mutex_lock(&builder->lock);
	builder->stopping = true;
	for (size_t i = 0; i < builder->count; i++)
		dataset_cancel(builder->waiting[i]);
	pthread_cond_signal(&builder->changed);
	pthread_mutex_unlock(&builder->lock);
	pthread_join(builder->thread, NULL);
	assert(builder->count == 0);
	free(builder->waiting);
	pthread_cond_destroy(&builder->changed);
	pthread_mutex_destroy(&builder->lock);
	free(builder);
}
