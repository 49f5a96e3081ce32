// SPDX-License-Identifier: MIT
/*
 * kernel_segments.c - how analyses of segments of the kernel live: what is open, what ended alone, and what the
 * trace lacks.
 */
#include "analysis/kernel/kernel_segments.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

void kernel_segments_start(const struct segment_analysis *analysis, void *instance)
{
	const struct kernel_segments_kind *kind = analysis->kind;
	struct kernel_segments *segments = instance;
	segments->kind = kind;
	segments->machine = &segments->input->machine;
	for (enum kernel_role role = KERNEL_NO_ROLE; role < KERNEL_ROLE_COUNT; role++)
		if (kind->handlers[role] != NULL)
			kernel_input_want(segments->input, role);
	kernel_input_need_machine(segments->input);
	segments->open.is_dense = kind->is_of_threads;
	open_segments_use_space(&segments->open, segments->machine->records.space);
}

void kernel_segments_on_free(struct kernel_segments *segments, const struct kernel_event *event)
{
	kernel_segments_abandon(segments, event->thread->place);
}

void kernel_segments_no_memory(struct kernel_segments *segments)
{
	if (segments->status == HISTREE_OK)
		segments->status = error_memory(&segments->error, "segments");
}

/* ---- segments ---------------------------------------------------------------------------------------- */

void kernel_segments_abandon(struct kernel_segments *segments, uint64_t key)
{
	struct open_segment *segment = open_segments_find(&segments->open, key);
	if (segment == NULL)
		return;
	segments->counts.without_end++;
	open_segments_remove(&segments->open, segment);
}

struct open_segment *kernel_segments_begin(struct kernel_segments *segments, uint64_t key, histree_time start)
{
	struct open_segment *segment = open_segments_find(&segments->open, key);
	if (segment != NULL)
		segments->counts.without_end++;
	segment = open_segments_add(&segments->open, key, start);
	if (segment == NULL)
		kernel_segments_no_memory(segments);
	return segment;
}

struct open_segment *kernel_segments_ending(struct kernel_segments *segments, uint64_t key)
{
	struct open_segment *segment = open_segments_find(&segments->open, key);
	if (segment == NULL)
		segments->counts.without_start++;
	return segment;
}

void kernel_segments_end(struct kernel_segments *segments, struct open_segment *open, histree_time end,
			 histree_time gap_end)
{
	/* Where the clock steps back, time stands still. */
	struct histree_segment segment = {
		.start = open->start,
		.end = end < open->start ? open->start : end,
		.content = open->values,
	};
	if (open->start <= gap_end) {
		segments->counts.without_end++;
		segments->counts.without_start++;
	} else if (segments->status == HISTREE_OK) {
		segments->status = histree_segment_store_add(segments->store, &segment, &segments->error);
	}
	open_segments_remove(&segments->open, open);
}

/* ---- events ------------------------------------------------------------------------------------------ */

bool kernel_segments_wants(const void *instance, const struct event_class *class)
{
	const struct kernel_segments *segments = instance;
	return segments->kind->handlers[kernel_input_role(segments->input, class)] != NULL;
}

enum histree_status kernel_segments_event(void *instance, const struct event *source, struct histree_error *error)
{
	struct kernel_segments *segments = instance;
	const struct kernel_event *event = &segments->input->event;
	(void)source;
	if (segments->kind->handlers[event->role] == NULL)
		return HISTREE_OK;
	/* Those two only say whose a segment is. */
	segments->has_events |= event->role != KERNEL_SWITCH && event->role != KERNEL_FREE;
	if (segments->status == HISTREE_OK)
		segments->kind->handlers[event->role](segments, event);
	if (segments->status != HISTREE_OK && error != NULL)
		*error = segments->error;
	return segments->status;
}

struct segment_counts kernel_segments_counts(const void *instance)
{
	const struct kernel_segments *segments = instance;
	struct segment_counts counts = segments->counts;
	counts.without_end += segments->open.count;
	return counts;
}

bool kernel_segments_is_empty(const void *instance)
{
	return !((const struct kernel_segments *)instance)->has_events;
}

void kernel_segments_missing(const void *instance, char *text, size_t size)
{
	const struct kernel_segments *segments = instance;
	if (!segments->has_events)
		snprintf(text, size, "the trace has no %s", segments->kind->needs);
	else
		conflicts_describe(&segments->machine->conflicts,
				   "what began before that and ended after it is left out", text, size);
	if (*text == '\0' && segments->kind->say_missing != NULL)
		segments->kind->say_missing(segments, text, size);
}

void kernel_segments_free(void *instance)
{
	struct kernel_segments *segments = instance;
	if (segments == NULL)
		return;
	open_segments_release(&segments->open);
	open_segments_release(&segments->aside);
	class_table_release(&segments->bindings);
	free(segments);
}
