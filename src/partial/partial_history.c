// SPDX-License-Identifier: MIT
#include "partial/partial_history.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/registry.h"
#include "base/error.h"
#include "partial/slice_cache.h"
#include "state/attribute_copy.h"

enum { CACHE_BYTES_DEFAULT = 128 << 20 };

struct partial_history {
	struct replay_source source;
	struct slice_cache *cache;
	pthread_mutex_t mutex; /* of: */
	bool has_names;        /* of the source; made when a slice is */
};

static void free_partial(void *context)
{
	struct partial_history *partial = context;
	slice_cache_free(partial->cache);
	attribute_tree_release(&partial->source.names);
	for (size_t i = 0; i < partial->source.trace_count; i++)
		free(partial->source.traces[i]);
	free(partial->source.traces);
	pthread_mutex_destroy(&partial->mutex);
	free(partial);
}

static enum histree_status make_names(struct partial_history *partial, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	pthread_mutex_lock(&partial->mutex);
	if (!partial->has_names)
		status = attribute_copy_to_tree(histree_history_attributes(partial->source.history),
						&partial->source.names, error);
	partial->has_names = status == HISTREE_OK;
	pthread_mutex_unlock(&partial->mutex);
	return status;
}

static enum histree_status hold(void *context, size_t checkpoint, const struct state_slice **out,
				struct histree_error *error)
{
	struct partial_history *partial = context;
	*out = NULL;
	enum histree_status status = make_names(partial, error);
	return status == HISTREE_OK ? slice_cache_hold(partial->cache, checkpoint, out, error) : status;
}

static void release(void *context, const struct state_slice *slice)
{
	struct partial_history *partial = context;
	slice_cache_release(partial->cache, slice);
}

/* A trace that a relative path names is looked for from here, then beside the store. */
static char *place_of(const char *trace, const char *store)
{
	const char *slash = strrchr(store, '/');
	char *beside = NULL;
	if (access(trace, F_OK) == 0 || trace[0] == '/' || slash == NULL)
		return strdup(trace);
	if (asprintf(&beside, "%.*s/%s", (int)(slash - store), store, trace) < 0)
		return NULL;
	if (access(beside, F_OK) == 0)
		return beside;
	free(beside);
	return strdup(trace);
}

static bool copy_traces(struct replay_source *source, const struct partial_attachment *attachment)
{
	source->traces = calloc(attachment->trace_count + 1, sizeof(*source->traces));
	if (source->traces == NULL)
		return false;
	for (; source->trace_count < attachment->trace_count; source->trace_count++) {
		char *trace = place_of(attachment->traces[source->trace_count], attachment->store);
		if (trace == NULL)
			return false;
		source->traces[source->trace_count] = trace;
	}
	return true;
}

static enum histree_status find_analysis(const struct histree_history_info *info, const struct analysis **out,
					 struct histree_error *error)
{
	const struct registry_entry *entry = registry_find(info->provider);
	*out = entry != NULL ? entry->analysis : NULL;
	if (*out == NULL || (*out)->load == NULL)
		return error_set(error, HISTREE_ERR_VERSION,
				 "the partial history is of analysis '%s', which this histree cannot begin in the "
				 "middle of a trace",
				 info->provider);
	if ((*out)->version != info->provider_version)
		return error_set(error, HISTREE_ERR_VERSION,
				 "the partial history was built by analysis %s version %u, and this is version %u, "
				 "which may make other states; build it again ('histree rebuild')",
				 info->provider, info->provider_version, (*out)->version);
	return HISTREE_OK;
}

enum histree_status partial_history_attach(struct histree_history *history,
					   const struct partial_attachment *attachment, struct histree_error *error)
{
	const struct partial_section *section = history_partial(history);
	const struct analysis *analysis;
	struct partial_origin origin;
	enum histree_status status = find_analysis(histree_history_info(history), &analysis, error);
	if (status == HISTREE_OK)
		status = partial_origin_read(section->origin, section->origin_size, &origin, error);
	if (status != HISTREE_OK)
		return status;
	struct partial_history *partial = calloc(1, sizeof(*partial));
	if (partial == NULL)
		return error_memory(error, "a partial history");
	pthread_mutex_init(&partial->mutex, NULL);
	attribute_tree_init(&partial->source.names);
	partial->source.history = history;
	partial->source.analysis = analysis;
	partial->source.origin = origin;
	partial->source.null_empty_stacks = attachment->null_empty_stacks;
	partial->source.has_clock = attachment->clock != NULL;
	if (attachment->clock != NULL)
		partial->source.clock = *attachment->clock;
	size_t bytes = attachment->cache_bytes != 0 ? attachment->cache_bytes : CACHE_BYTES_DEFAULT;
	status = copy_traces(&partial->source, attachment)
			 ? slice_cache_create(&partial->source, bytes, &partial->cache, error)
			 : error_memory(error, "a partial history");
	if (status != HISTREE_OK) {
		free_partial(partial);
		return status;
	}
	history_attach_slices(history, &(struct history_slices){
					       .hold = hold,
					       .release = release,
					       .free = free_partial,
					       .context = partial,
				       });
	return HISTREE_OK;
}
