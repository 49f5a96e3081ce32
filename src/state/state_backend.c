// SPDX-License-Identifier: MIT
/*
 * state_backend.c - a caller's functions as the sink of a state system.
 */
#include "histree/backend.h"

#include <stdlib.h>

#include "base/error.h"
#include "state/state_system.h"

static enum histree_status backend_add(void *context, const struct histree_interval *interval,
				       struct histree_error *error)
{
	const struct histree_backend *backend = context;
	return backend->add != NULL ? backend->add(backend->context, interval, error) : HISTREE_OK;
}

static enum histree_status backend_finish(void *context, const struct attribute_tree *attributes, histree_time end,
					  struct histree_error *error)
{
	const struct histree_backend *backend = context;
	return backend->finish != NULL ? backend->finish(backend->context, &attributes->base, end, error)
				       : HISTREE_OK;
}

static enum histree_status backend_branch(void *context, bool publish, struct interval_sink *out,
					  struct histree_error *error)
{
	(void)context, (void)publish, (void)out;
	return error_set(error, HISTREE_ERR_ARGUMENT,
			 "only a history in a file can be published or opened while it is built");
}

static void backend_free(void *context)
{
	struct histree_backend *backend = context;
	if (backend->free != NULL)
		backend->free(backend->context);
	free(backend);
}

enum histree_status histree_state_create_for(const struct histree_backend *backend, histree_time start,
					     struct histree_state_system **out, struct histree_error *error)
{
	*out = NULL;
	struct histree_backend *copy = calloc(1, sizeof(*copy));
	if (copy == NULL)
		return error_memory(error, "a state system");
	if (backend != NULL)
		*copy = *backend;
	const struct interval_sink sink = {
		.add = backend_add,
		.finish = backend_finish,
		.branch = backend_branch,
		.free = backend_free,
		.context = copy,
		.value_size_max = UINT32_MAX,
	};
	enum histree_status status = state_system_create(start, &sink, out, error);
	if (status != HISTREE_OK)
		free(copy);
	return status;
}
