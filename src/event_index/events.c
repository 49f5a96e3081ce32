// SPDX-License-Identifier: MIT
#include "event_index/events.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static bool copy_traces(struct histree_events *events, const struct histree_store_info *info)
{
	struct arena *arena = &events->index.arena;
	events->are_in_order = info->clock_steps_back == 0;
	events->has_clock = info->clock != NULL;
	if (info->clock != NULL)
		events->clock = *info->clock;
	events->traces = arena_allocate(arena, (info->trace_count + 1) * sizeof(char *), alignof(char *));
	for (size_t i = 0; events->traces != NULL && i < info->trace_count; i++) {
		events->traces[i] = arena_copy(arena, info->traces[i], strlen(info->traces[i]));
		if (events->traces[i] == NULL)
			return false;
		events->trace_count++;
	}
	return events->traces != NULL;
}

enum histree_status histree_events_open(const struct histree_store *store, struct histree_events **out,
					struct histree_error *error)
{
	*out = NULL;
	const struct histree_store_info *info = histree_store_info(store);
	if (info->host_count > 0)
		return events_open_hosts(store, out, error);
	struct histree_events *events = calloc(1, sizeof(*events));
	char *path = NULL;
	if (events == NULL || asprintf(&path, "%s/" EVENT_INDEX_FILE, info->path) < 0) {
		free(events);
		return error_memory(error, "the events of a store");
	}
	/* A manifest that does not mean any, as that of a store that grows, means none that is there. */
	bool is_meant = info->manifest_version < 2 || info->index_identity != 0;
	enum histree_status status =
		!is_meant ? HISTREE_NOT_FOUND : event_index_read(&io_posix, path, &events->index, error);
	if (status == HISTREE_NOT_FOUND)
		error_set(error, HISTREE_NOT_FOUND,
			  "'%s' has no index of events; unless 'histree info' says that its trace has too many of "
			  "them, build it again with --force",
			  info->path);
	bool is_other = info->index_identity != 0 && events->index.identity != info->index_identity;
	if (status == HISTREE_OK && (is_other || events->index.event_count != info->event_count))
		status = error_set(error, HISTREE_ERR_FORMAT,
				   "'%s' is the index of another store or build; build the store again", path);
	if (status == HISTREE_OK && !copy_traces(events, info))
		status = error_memory(error, "the events of a store");
	if (status == HISTREE_OK)
		*out = events;
	else
		histree_events_close(events);
	free(path);
	return status;
}

void histree_events_close(struct histree_events *events)
{
	if (events == NULL)
		return;
	for (size_t i = 0; i < events->host_count; i++)
		histree_events_close(events->parts[i]);
	if (events->source.free != NULL)
		events->source.free(events->source.context);
	event_index_release(&events->index);
	free(events);
}

uint64_t histree_events_count(const struct histree_events *events)
{
	return events->index.event_count;
}

const char *const *histree_events_types(const struct histree_events *events, size_t *count)
{
	*count = events->index.type_count;
	return events->index.types;
}

const struct histree_gap *histree_events_gaps(const struct histree_events *events, size_t *count)
{
	*count = events->index.gap_count;
	return events->index.gaps;
}

const struct histree_event_host *histree_events_hosts(const struct histree_events *events, size_t *count)
{
	*count = events->host_count;
	return events->hosts;
}
