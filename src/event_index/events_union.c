// SPDX-License-Identifier: MIT
/*
 * events_union.c - the events of several hosts as one: counts, types, gaps.  event_merger.c reads them.
 */
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/intern.h"
#include "event_index/events.h"

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

/* By the names that any of them has. */
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

static int compare_gaps(const void *a, const void *b)
{
	const struct histree_gap *first = a, *second = b;
	if (first->from != second->from)
		return first->from < second->from ? -1 : 1;
	return (first->host > second->host) - (first->host < second->host);
}

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
