// SPDX-License-Identifier: MIT
/*
 * ust_memory.c - the analysis `ust-memory`: how much memory threads and processes have in use (heap.h).
 *
 *	Threads/<vtid>/Memory		long: bytes that it allocated and that were not freed yet
 *	Threads/<vtid>/Name		string: of the process
 *	Processes/<vpid>/Memory, Name	the same of a process
 *
 * Both numbers are -1 where the trace does not say whose an event is.  In a gap all sums are unknown; behind it
 * they count what was allocated since, each from its next change on.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/changes.h"
#include "analysis/ust/heap.h"
#include "base/array.h"
#include "base/error.h"

struct memory_row {
	histree_quark node, bytes, name;
	const char *named; /* what the name is now; NULL: none yet */
};

/* The attributes of threads, or of processes, by their numbers. */
struct memory_rows {
	const char *group_name;
	histree_quark group;
	struct memory_row *rows;
	size_t count, capacity;
};

struct ust_memory {
	struct changes changes;
	const struct heap *heap; /* borrowed */
	struct memory_rows threads, processes;
};

static enum histree_status create(struct histree_state_system *system, void *input, void **instance,
				  struct histree_error *error)
{
	struct ust_memory *memory = calloc(1, sizeof(*memory));
	*instance = memory;
	if (memory == NULL)
		return error_memory(error, "the analysis of memory");
	memory->changes.system = system;
	memory->heap = input;
	memory->threads = (struct memory_rows){ .group_name = "Threads", .group = NO_ATTRIBUTE };
	memory->processes = (struct memory_rows){ .group_name = "Processes", .group = NO_ATTRIBUTE };
	return HISTREE_OK;
}

/* Returns NULL when memory is out, and the event has failed. */
static struct memory_row *row_of(struct changes *changes, struct memory_rows *rows, const struct heap_owner *owner)
{
	if (!array_reserve(&rows->rows, &rows->capacity, (size_t)owner->number + 1)) {
		changes_fail(changes, HISTREE_ERR_MEMORY, "no memory for the threads of the trace");
		return NULL;
	}
	while (rows->count <= owner->number)
		rows->rows[rows->count++] =
			(struct memory_row){ .node = NO_ATTRIBUTE, .bytes = NO_ATTRIBUTE, .name = NO_ATTRIBUTE };
	return &rows->rows[owner->number];
}

static void count_owner(struct changes *changes, struct memory_rows *rows, const struct heap_owner *owner)
{
	struct memory_row *row = row_of(changes, rows, owner);
	if (row == NULL)
		return;
	char id[16];
	int size = snprintf(id, sizeof(id), "%" PRId32, owner->id);
	changes_child(changes, &rows->group, HISTREE_ROOT, rows->group_name, strlen(rows->group_name));
	changes_child(changes, &row->node, rows->group, id, (size_t)size);
	changes_child(changes, &row->bytes, row->node, "Memory", 6);
	change(changes, row->bytes, histree_long((int64_t)owner->bytes));
	if (owner->name == row->named)
		return;
	row->named = owner->name;
	changes_child(changes, &row->name, row->node, "Name", 4);
	change(changes, row->name, histree_string_n(owner->name, owner->name_size));
}

static enum histree_status on_event(void *instance, const struct event *source, struct histree_error *error)
{
	struct ust_memory *memory = instance;
	const struct heap_event *event = &memory->heap->event;
	(void)source;
	if (event->changed_count == 0 && !event->has_split)
		return HISTREE_OK;
	changes_begin(&memory->changes, memory->heap->now);
	for (size_t i = 0; event->has_split && i < memory->heap->processes.count; i++)
		count_owner(&memory->changes, &memory->processes, memory->heap->processes.entries[i].record);
	for (size_t i = 0; i < event->changed_count; i++)
		count_owner(&memory->changes, &memory->threads, event->changed[i]);
	count_owner(&memory->changes, &memory->processes, event->process);
	return changes_end(&memory->changes, error);
}

static void lose_rows(struct changes *changes, const struct memory_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->rows[i].bytes != NO_ATTRIBUTE)
			change(changes, rows->rows[i].bytes, histree_unknown());
}

static enum histree_status on_gap(void *instance, const struct event_gap *gap, struct histree_error *error)
{
	struct ust_memory *memory = instance;
	if (!heap_applies(gap->trace))
		return HISTREE_OK;
	changes_begin(&memory->changes, memory->heap->now);
	lose_rows(&memory->changes, &memory->threads);
	lose_rows(&memory->changes, &memory->processes);
	return changes_end(&memory->changes, error);
}

static uint64_t refused(const void *instance)
{
	return ((const struct ust_memory *)instance)->changes.refused;
}

static void missing(const void *instance, char *text, size_t size)
{
	heap_missing(((const struct ust_memory *)instance)->heap, text, size);
}

static void free_memory(void *instance)
{
	struct ust_memory *memory = instance;
	if (memory == NULL)
		return;
	free(memory->threads.rows);
	free(memory->processes.rows);
	free(memory);
}

/* Threads by their numbers, as those of one program have one name. */
static const struct histree_chart_entry thread_entries[] = {
	{ .parent = HISTREE_CHART_TOP, .path = "Threads/*", .shown = "Memory", .measure = HISTREE_CHART_VALUE },
};
static const struct histree_chart_entry process_entries[] = {
	{ .parent = HISTREE_CHART_TOP,
	  .path = "Processes/*",
	  .shown = "Memory",
	  .name = "Name",
	  .measure = HISTREE_CHART_VALUE },
};

static const struct histree_chart charts[] = {
	{ .name = "process-memory",
	  .title = "Memory that processes have in use",
	  .unit = "B",
	  .entries = process_entries,
	  .entry_count = 1 },
	{ .name = "thread-memory",
	  .title = "Memory that threads allocated and nobody freed yet",
	  .unit = "B",
	  .entries = thread_entries,
	  .entry_count = 1 },
};

const struct analysis analysis_ust_memory = {
	.name = "ust-memory",
	.version = 2,
	.summary = "bytes that threads and processes have in use (lttng_ust_libc), so far",
	.charts = charts,
	.chart_count = sizeof(charts) / sizeof(*charts),
	.input = &heap_kind,
	.applies = heap_applies,
	.create = create,
	.event = on_event,
	.gap = on_gap,
	.refused = refused,
	.missing = missing,
	.free = free_memory,
};
