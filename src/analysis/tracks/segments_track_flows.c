// SPDX-License-Identifier: MIT
/*
 * Flows between tracks, each step a segment: from where and when it was to where and when it is next.
 *
 * A flow that a step or an end belongs to begins with its `flow_begin`, or with its first step.  An end ends it.
 * How deep a stack is at either end the history knows: here, of what happens at one time, the span may come later.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/open_segments.h"
#include "analysis/segment_analysis.h"
#include "analysis/tracks/stack_path.h"
#include "analysis/tracks/track_stacks.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"

enum {
	FLOW_NAME,
	FLOW_CATEGORY,
	FLOW_FROM_PID,
	FLOW_FROM_TID,
	FLOW_FROM_TRACK,
	FLOW_FROM_STACK, /* a path in the history `tracks` */
	FLOW_TO_PID,
	FLOW_TO_TID,
	FLOW_TO_TRACK,
	FLOW_TO_STACK,
	FLOW_FIELD_COUNT,
};

static const struct histree_segment_field fields[FLOW_FIELD_COUNT] = {
	{ "name", HISTREE_STRING },     { "category", HISTREE_STRING },   { "from_pid", HISTREE_LONG },
	{ "from_tid", HISTREE_LONG },   { "from_track", HISTREE_STRING }, { "from_stack", HISTREE_STRING },
	{ "to_pid", HISTREE_LONG },     { "to_tid", HISTREE_LONG },       { "to_track", HISTREE_STRING },
	{ "to_stack", HISTREE_STRING },
};

struct track_flows {
	struct histree_segment_store *store; /* borrowed */
	struct track_stacks *stacks;         /* borrowed */
	struct open_segments open;           /* by the id of the flow */
	struct stack_path path;              /* of the current event */
	struct segment_counts counts;
};

static enum histree_status create(struct histree_segment_store *store, void *input, void **instance,
				  struct histree_error *error)
{
	struct track_flows *flows = calloc(1, sizeof(*flows));
	*instance = flows;
	if (flows == NULL)
		return error_memory(error, "the analysis of flows");
	flows->store = store;
	flows->stacks = input;
	return HISTREE_OK;
}

static struct histree_value text_or_null(const struct track_text *text)
{
	return text->size > 0 ? histree_string_n(text->bytes, text->size) : histree_null();
}

static struct histree_value number_or_null(bool is_there, int64_t number)
{
	return is_there ? histree_long(number) : histree_null();
}

/* Copies a text behind those that the record has. */
static struct histree_value keep(struct open_segment *segment, size_t *used, const struct track_text *text)
{
	if (text->size == 0)
		return histree_null();
	char *at = segment->text + *used;
	memcpy(at, text->bytes, text->size);
	*used += text->size;
	return histree_string_n(at, text->size);
}

static enum histree_status begin_flow(struct track_flows *flows, uint64_t key, histree_time time,
				      struct histree_error *error)
{
	const struct track_words *event = &flows->stacks->event;
	struct open_segment *segment = open_segments_add(&flows->open, key, time);
	const struct track_text stack = { flows->path.bytes, flows->path.size };
	size_t used = 0, size = event->name.size + event->category.size + event->track.size + stack.size;
	if (segment == NULL || !array_reserve(&segment->text, &segment->text_capacity, size + 1))
		return error_memory(error, "the flows of the trace");
	segment->values[FLOW_NAME] = keep(segment, &used, &event->name);
	segment->values[FLOW_CATEGORY] = keep(segment, &used, &event->category);
	segment->values[FLOW_FROM_PID] = number_or_null(event->has_pid, event->pid);
	segment->values[FLOW_FROM_TID] = number_or_null(event->has_tid, event->tid);
	segment->values[FLOW_FROM_TRACK] = keep(segment, &used, &event->track);
	segment->values[FLOW_FROM_STACK] = keep(segment, &used, &stack);
	return HISTREE_OK;
}

static enum histree_status add_step(struct track_flows *flows, struct open_segment *from, histree_time time,
				    struct histree_error *error)
{
	const struct track_words *event = &flows->stacks->event;
	from->values[FLOW_TO_PID] = number_or_null(event->has_pid, event->pid);
	from->values[FLOW_TO_TID] = number_or_null(event->has_tid, event->tid);
	from->values[FLOW_TO_TRACK] = text_or_null(&event->track);
	from->values[FLOW_TO_STACK] = text_or_null(&(struct track_text){ flows->path.bytes, flows->path.size });
	const struct histree_segment segment = { from->start, time, from->values };
	return histree_segment_store_add(flows->store, &segment, error);
}

static enum histree_status on_event(void *instance, const struct event *source, struct histree_error *error)
{
	struct track_flows *flows = instance;
	const struct track_words *event = &flows->stacks->event;
	bool begins = event->class == TRACK_FLOW_BEGIN, ends = event->class == TRACK_FLOW_END;
	if ((!begins && !ends && event->class != TRACK_FLOW_STEP) || event->id.size == 0)
		return HISTREE_OK;
	if (!stack_path_write(&flows->path, &flows->stacks->places, event))
		return error_memory(error, "the flows of the trace");
	uint64_t key = hash_bytes(event->id.bytes, event->id.size);
	struct open_segment *open = open_segments_find(&flows->open, key);
	flows->counts.without_end += begins && open != NULL;
	flows->counts.without_start += ends && open == NULL;
	enum histree_status status = HISTREE_OK;
	if (open != NULL && !begins)
		status = add_step(flows, open, source->time, error);
	if (status == HISTREE_OK && !ends)
		status = begin_flow(flows, key, source->time, error);
	else if (status == HISTREE_OK && open != NULL)
		open_segments_remove(&flows->open, open);
	return status;
}

static struct segment_counts counts(const void *instance)
{
	const struct track_flows *flows = instance;
	struct segment_counts all = flows->counts;
	all.without_end += flows->open.count;
	return all;
}

static void free_flows(void *instance)
{
	struct track_flows *flows = instance;
	if (flows == NULL)
		return;
	open_segments_release(&flows->open);
	stack_path_release(&flows->path);
	free(flows);
}

const struct segment_analysis segment_analysis_track_flows = {
	.name = "track-flows",
	.version = 2,
	.summary = "flows between tracks, a segment from each step to the next",
	.fields = fields,
	.field_count = FLOW_FIELD_COUNT,
	.input = &track_stacks_kind,
	.applies = track_words_apply,
	.create = create,
	.event = on_event,
	.counts = counts,
	.free = free_flows,
};
