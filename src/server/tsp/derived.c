// SPDX-License-Identifier: MIT
/*
 * derived.c - outputs that clients made of others: the critical paths of the threads that they chose.
 *
 * An output of a thread answers without being made.  That a client made it only means that it is listed, until it
 * is deleted, or the server ends.
 */
#include "server/tsp/derived.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

struct derived {
	pthread_mutex_t lock; /* guards what follows */
	char *parts[DERIVED_MAX];
	size_t count;
};

static enum histree_status derived_make(struct dataset *dataset, void **view, struct histree_error *error)
{
	(void)dataset;
	struct derived *derived = calloc(1, sizeof(*derived));
	if (derived == NULL)
		return error_memory(error, "the outputs");
	pthread_mutex_init(&derived->lock, NULL);
	*view = derived;
	return HISTREE_OK;
}

static void derived_free(void *view)
{
	struct derived *derived = view;
	for (size_t i = 0; i < derived->count; i++)
		free(derived->parts[i]);
	pthread_mutex_destroy(&derived->lock);
	free(derived);
}

static const struct view_kind derived_kind = { NULL, derived_make, derived_free };

/* Hands out the list, locked.  Fails if the dataset is not ready, or memory runs out. */
static enum histree_status derived_enter(struct dataset *dataset, struct derived **out, struct histree_error *error)
{
	void *view;
	if (dataset_status(dataset) != DATASET_READY)
		return error_set(error, HISTREE_ERR_ARGUMENT, "the trace has not been read yet");
	enum histree_status status = dataset_view(dataset, &derived_kind, &view, error);
	if (status != HISTREE_OK)
		return status;
	*out = view;
	pthread_mutex_lock(&(*out)->lock);
	return HISTREE_OK;
}

static size_t derived_find(const struct derived *derived, const char *part)
{
	size_t i = 0;
	while (i < derived->count && strcmp(derived->parts[i], part) != 0)
		i++;
	return i;
}

enum histree_status derived_add(struct dataset *dataset, const char *part, struct histree_error *error)
{
	struct derived *derived = NULL;
	enum histree_status status = derived_enter(dataset, &derived, error);
	if (status != HISTREE_OK)
		return status;
	if (derived_find(derived, part) == derived->count) {
		char *own = derived->count < DERIVED_MAX ? strdup(part) : NULL;
		if (own != NULL)
			derived->parts[derived->count++] = own;
		else if (derived->count < DERIVED_MAX)
			status = error_memory(error, "an output");
		else
			status = error_set(error, HISTREE_ERR_ARGUMENT,
					   "there are %d outputs of threads already: delete one", DERIVED_MAX);
	}
	pthread_mutex_unlock(&derived->lock);
	return status;
}

bool derived_remove(struct dataset *dataset, const char *part)
{
	struct derived *derived = NULL;
	if (derived_enter(dataset, &derived, NULL) != HISTREE_OK)
		return false;
	const size_t at = derived_find(derived, part);
	const bool is_there = at < derived->count;
	if (is_there) {
		free(derived->parts[at]);
		memmove(derived->parts + at, derived->parts + at + 1,
			(derived->count - at - 1) * sizeof(*derived->parts));
		derived->count--;
	}
	pthread_mutex_unlock(&derived->lock);
	return is_there;
}

void derived_each(struct dataset *dataset, void (*visit)(void *context, const char *part), void *context)
{
	struct derived *derived = NULL;
	if (derived_enter(dataset, &derived, NULL) != HISTREE_OK)
		return;
	for (size_t i = 0; i < derived->count; i++)
		visit(context, derived->parts[i]);
	pthread_mutex_unlock(&derived->lock);
}
