// SPDX-License-Identifier: MIT
/*
 * events.c - the events of a store: of one host, by the index of its trace, or of several, whose counts, types and
 * gaps are in one order.
 *
 * Events may also come from a source (histree/events.h): the index as bytes, the events from another
 * process.
 */
#include "event_index/events.h"

#include <errno.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "event_index/event_index.h"
#include "histree/events.h"

/* ---- events hosts -------------------------------------------------------------------------------------------- */

/* A caller that shows why a host has no events names the host, as some of the messages do. */
static const char *without_host(const char *message, const char *name)
{
	const char *rest = message;
	if (strncmp(rest, "host '", strlen("host '")) != 0)
		return message;
	rest += strlen("host '");
	if (strncmp(rest, name, strlen(name)) != 0)
		return message;
	rest += strlen(name);
	return strncmp(rest, "': ", strlen("': ")) == 0 ? rest + strlen("': ") : message;
}

/* What cannot be opened of a host is a part that says why.  Returns HISTREE_ERR_MEMORY. */
static enum histree_status open_part(const struct histree_store *store, size_t index, struct events_part *part,
				     char **why, struct histree_error *error)
{
	struct histree_store *host = NULL;
	struct histree_error message;
	void *context;
	histree_event_opener *opener = histree_store_event_opener(store, &context);
	enum histree_status status = opener != NULL ? opener(context, index, &part->events, &message)
						    : histree_store_host(store, index, &host, &message);
	if (status == HISTREE_OK && opener == NULL)
		status = histree_events_open(host, &part->events, &message);
	histree_store_close(host);
	if (status == HISTREE_OK)
		return HISTREE_OK;
	*why = status != HISTREE_ERR_MEMORY ? strdup(without_host(message.message, part->name)) : NULL;
	part->why = *why;
	return *why != NULL ? HISTREE_OK : error_memory(error, "the events of a store");
}

/* The events of all hosts of a store of several. */
static enum histree_status events_open_hosts(const struct histree_store *store, struct histree_events **out,
					     struct histree_error *error)
{
	const struct histree_store_info *info = histree_store_info(store);
	struct events_part *parts = calloc(info->host_count, sizeof(*parts));
	char **sentences = calloc(info->host_count, sizeof(*sentences));
	enum histree_status status =
		parts != NULL && sentences != NULL ? HISTREE_OK : error_memory(error, "the events of a store");
	size_t opened = 0;
	for (size_t i = 0; i < info->host_count && status == HISTREE_OK; i++) {
		parts[i].name = info->hosts[i].name;
		status = open_part(store, i, &parts[i], &sentences[i], error);
		opened += parts[i].events != NULL;
	}
	if (status == HISTREE_OK && opened == 0)
		status = error_set(error, HISTREE_NOT_FOUND, "'%s': no host has an index of events; %s: %s",
				   info->path, parts[0].name, parts[0].why);
	if (status == HISTREE_OK)
		status = events_unite(parts, info->host_count, out, error);
	else
		for (size_t i = 0; parts != NULL && i < info->host_count; i++)
			histree_events_close(parts[i].events);
	for (size_t i = 0; sentences != NULL && i < info->host_count; i++)
		free(sentences[i]);
	free(sentences);
	free(parts);
	return status;
}

/* ---- events union -------------------------------------------------------------------------------------------- */

static void *room(struct histree_events *events, size_t count, size_t size)
{
	void *memory = arena_allocate(&events->index.arena, (count + 1) * size, alignof(max_align_t));
	if (memory != NULL)
		memset(memory, 0, (count + 1) * size);
	return memory;
}

static const char *copy(struct histree_events *events, const char *text)
{
	return arena_copy(&events->index.arena, text, strlen(text));
}

/* The events are taken in any case: what has no memory is closed with the rest. */
static bool take_parts(struct histree_events *events, const struct events_part *parts)
{
	bool is_whole = true;
	for (size_t i = 0; i < events->host_count; i++) {
		struct histree_event_host *host = &events->hosts[i];
		const char *why = parts[i].why != NULL ? parts[i].why : "its events are missing";
		events->parts[i] = parts[i].events;
		host->name = copy(events, parts[i].name);
		host->why = parts[i].events == NULL ? copy(events, why) : NULL;
		is_whole = is_whole && host->name != NULL && (host->why != NULL || parts[i].events != NULL);
		if (parts[i].events == NULL)
			continue;
		host->count = parts[i].events->index.event_count;
		if (events->index.event_count == 0 || parts[i].events->index.end > events->index.end)
			events->index.end = parts[i].events->index.end;
		events->index.event_count += host->count;
		events->are_in_order = events->are_in_order && parts[i].events->are_in_order;
	}
	return is_whole;
}

/* Unites them by name. */
static bool unite_types(struct histree_events *events)
{
	struct intern names = { 0 };
	size_t count = 0;
	bool is_whole = true;
	for (size_t i = 0; i < events->host_count; i++)
		count += events->parts[i] != NULL ? events->parts[i]->index.type_count : 0;
	events->index.types = room(events, count, sizeof(*events->index.types));
	for (size_t i = 0; is_whole && i < events->host_count; i++) {
		const struct event_index *part = events->parts[i] != NULL ? &events->parts[i]->index : NULL;
		uint32_t of_part = part != NULL ? part->type_count : 0;
		uint32_t *types = events->types_of_part[i] = room(events, of_part, sizeof(*types));
		is_whole = types != NULL && events->index.types != NULL;
		for (uint32_t type = 0; is_whole && type < of_part; type++) {
			uint32_t id = intern_add(&names, part->types[type], strlen(part->types[type]));
			is_whole = id != INTERN_NONE;
			if (!is_whole)
				break;
			types[type] = id;
			if (id == events->index.type_count) {
				events->index.types[events->index.type_count++] = part->types[type];
			}
		}
	}
	intern_release(&names);
	return is_whole;
}

COMPARE(compare_gaps, struct histree_gap, BY(from) BY(host))

static bool unite_gaps(struct histree_events *events)
{
	struct event_index *index = &events->index;
	size_t count = 0;
	for (size_t i = 0; i < events->host_count; i++)
		count += events->parts[i] != NULL ? events->parts[i]->index.gap_count : 0;
	index->gaps = room(events, count, sizeof(*index->gaps));
	for (size_t i = 0; index->gaps != NULL && i < events->host_count; i++)
		for (size_t gap = 0; events->parts[i] != NULL && gap < events->parts[i]->index.gap_count; gap++) {
			index->gaps[index->gap_count] = events->parts[i]->index.gaps[gap];
			index->gaps[index->gap_count++].host = (uint32_t)i;
		}
	if (index->gap_count > 1)
		qsort(index->gaps, index->gap_count, sizeof(*index->gaps), compare_gaps);
	return index->gaps != NULL;
}

enum histree_status events_unite(const struct events_part *parts, size_t count, struct histree_events **out,
				 struct histree_error *error)
{
	*out = NULL;
	struct histree_events *events = calloc(1, sizeof(*events));
	if (events != NULL) {
		events->are_in_order = true;
		events->hosts = room(events, count, sizeof(*events->hosts));
		events->parts = room(events, count, sizeof(struct histree_events *));
		events->types_of_part = room(events, count, sizeof(uint32_t *));
	}
	if (events == NULL || events->hosts == NULL || events->parts == NULL || events->types_of_part == NULL) {
		for (size_t i = 0; i < count; i++)
			histree_events_close(parts[i].events);
		histree_events_close(events);
		return error_memory(error, "the events of several hosts");
	}
	events->host_count = count;
	if (!take_parts(events, parts) || !unite_types(events) || !unite_gaps(events)) {
		histree_events_close(events);
		return error_memory(error, "the events of several hosts");
	}
	*out = events;
	return HISTREE_OK;
}

/* ---- bytes as a file ------------------------------------------------------------------------------------- */

struct held_bytes {
	const uint8_t *bytes;
	size_t size;
};

static int open_held(void *context, const char *path, int flags, mode_t mode)
{
	(void)context, (void)path, (void)flags, (void)mode;
	return 0;
}

static ssize_t read_held(void *context, int file, void *bytes, size_t size, off_t offset)
{
	const struct held_bytes *held = context;
	(void)file;
	if (offset < 0) {
		errno = EINVAL;
		return -1;
	}
	size_t at = (uint64_t)offset < held->size ? (size_t)offset : held->size;
	size_t count = size < held->size - at ? size : held->size - at;
	memcpy(bytes, held->bytes + at, count);
	return (ssize_t)count;
}

static int size_held(void *context, int file, off_t *size)
{
	(void)file;
	*size = (off_t)((const struct held_bytes *)context)->size;
	return 0;
}

static int close_held(void *context, int file)
{
	(void)context, (void)file;
	return 0;
}

/* ---- events ---------------------------------------------------------------------------------------------- */

enum histree_status histree_events_of_source(const struct histree_event_source *source, const void *index,
					     size_t size, bool are_in_order, struct histree_events **out,
					     struct histree_error *error)
{
	struct held_bytes held = { index, size };
	const struct io io = {
		.open = open_held,
		.pread = read_held,
		.size = size_held,
		.close = close_held,
		.context = &held,
	};
	struct histree_events *events = calloc(1, sizeof(*events));
	*out = NULL;
	if (events == NULL) {
		source->free(source->context);
		return error_memory(error, "the events of a source");
	}
	events->source = *source;
	events->are_in_order = are_in_order;
	enum histree_status status = event_index_read(&io, EVENT_INDEX_FILE, &events->index, error);
	if (status == HISTREE_OK)
		*out = events;
	else
		histree_events_close(events);
	return status;
}

/* ---- events -------------------------------------------------------------------------------------------------- */

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
