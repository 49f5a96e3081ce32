// SPDX-License-Identifier: MIT
/*
 * segments_tracks.c - the spans of tracks as segments, from beginning to end, and their flows, from track to track
 * (track_stacks.h).
 *
 * Depth 1 is the outermost.  The time of a span itself is its duration without the spans right inside of it; null
 * where one of those is not whole or goes on after it.  A field is null where the trace does not say.
 *
 * `ending` is null for a span whose end is in the trace, "cut" for one without an end, which ends with the span
 * around it, and "open" for one that was open at the end of the trace.
 */
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/tracks/track_places.h"
#include "analysis/tracks/track_stacks.h"
#include "base/error.h"
#include "base/hash_index.h"

/* ---- segments track spans ------------------------------------------------------------------------------------ */

enum {
	SPAN_NAME,
	SPAN_CATEGORY,
	SPAN_PID,
	SPAN_TID,
	SPAN_TRACK,
	SPAN_DEPTH,
	SPAN_SELF,
	SPAN_THREAD_DURATION,
	SPAN_ARGS,
	SPAN_ENDING,
	SPAN_FIELD_COUNT,
};

static const struct histree_segment_field segments_track_spans_fields[SPAN_FIELD_COUNT] = {
	{ "name", HISTREE_STRING },   { "category", HISTREE_STRING },      { "pid", HISTREE_LONG },
	{ "tid", HISTREE_LONG },      { "track", HISTREE_STRING },         { "depth", HISTREE_INT },
	{ "self", HISTREE_LONG },     { "thread_duration", HISTREE_LONG }, { "args", HISTREE_STRING },
	{ "ending", HISTREE_STRING },
};

struct track_spans {
	struct histree_segment_store *store; /* borrowed */
	struct track_stacks *stacks;         /* borrowed */
};

static struct histree_value segments_track_spans_text_or_null(const char *bytes, size_t size)
{
	return size > 0 ? histree_string_n(bytes, size) : histree_null();
}

static struct histree_value self_time(const struct track_frame *frame, uint64_t duration)
{
	bool is_known = frame->is_whole && frame->inside <= duration && duration - frame->inside <= INT64_MAX;
	return is_known ? histree_long((int64_t)(duration - frame->inside)) : histree_null();
}

static enum histree_status closed(void *context, const struct track *track, const struct track_frame *frame,
				  size_t slot, enum track_ending ending, histree_time time,
				  struct histree_error *error)
{
	const struct track_spans *spans = context;
	struct histree_value values[SPAN_FIELD_COUNT];
	const struct histree_segment segment = { frame->start, time, values };
	const char *category = frame->text + frame->name_size;
	if (ending == TRACK_LOST)
		return HISTREE_OK;
	values[SPAN_NAME] = segments_track_spans_text_or_null(frame->text, frame->name_size);
	values[SPAN_CATEGORY] = segments_track_spans_text_or_null(category, frame->category_size);
	values[SPAN_PID] = track->has_pid ? histree_long(track->pid) : histree_null();
	values[SPAN_TID] = track->has_tid && track->id == NULL ? histree_long(track->tid) : histree_null();
	values[SPAN_TRACK] = segments_track_spans_text_or_null(track->id, track->id != NULL ? track->id_size : 0);
	values[SPAN_DEPTH] = slot != SIZE_MAX ? histree_int((int32_t)slot + 1) : histree_null();
	values[SPAN_SELF] = self_time(frame, histree_segment_duration(&segment));
	values[SPAN_THREAD_DURATION] =
		frame->thread_duration != INT64_MIN ? histree_long(frame->thread_duration) : histree_null();
	values[SPAN_ARGS] = segments_track_spans_text_or_null(category + frame->category_size, frame->args_size);
	values[SPAN_ENDING] =
		ending == TRACK_ENDED ? histree_null() : histree_string(ending == TRACK_CUT ? "cut" : "open");
	return histree_segment_store_add(spans->store, &segment, error);
}

static enum histree_status segments_track_spans_create(struct histree_segment_store *store, void *input,
						       void **instance, struct histree_error *error)
{
	struct track_spans *spans = calloc(1, sizeof(*spans));
	*instance = spans;
	if (spans == NULL)
		return error_memory(error, "the analysis of spans");
	spans->store = store;
	spans->stacks = input;
	spans->stacks->wants_args = true;
	const struct track_listener listener = { .context = spans, .closed = closed };
	track_stacks_listen(spans->stacks, &listener);
	return HISTREE_OK;
}

/* The stacks tell. */
static enum histree_status segments_track_spans_on_event(void *instance, const struct event *event,
							 struct histree_error *error)
{
	(void)instance, (void)event, (void)error;
	return HISTREE_OK;
}

static enum histree_status finish(void *instance, histree_time *end, struct histree_error *error)
{
	struct track_spans *spans = instance;
	*end = spans->stacks->last_end;
	return track_stacks_finish(spans->stacks, error);
}

static struct segment_counts segments_track_spans_counts(const void *instance)
{
	const struct track_stacks *stacks = ((const struct track_spans *)instance)->stacks;
	return (struct segment_counts){
		.without_start = stacks->counts.unmatched,
		.without_end = track_stacks_without_end(stacks),
	};
}

const struct segment_analysis segment_analysis_track_spans = {
	.name = "track-spans",
	.version = 3,
	.summary = "spans of programs that describe themselves, from beginning to end",
	.fields = segments_track_spans_fields,
	.field_count = SPAN_FIELD_COUNT,
	.input = &track_stacks_kind,
	.applies = track_words_apply,
	.create = segments_track_spans_create,
	.event = segments_track_spans_on_event,
	.finish = finish,
	.counts = segments_track_spans_counts,
	.free = free,
};

/* ---- segments track flows ------------------------------------------------------------------------------------ */

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

static const struct histree_segment_field segments_track_flows_fields[FLOW_FIELD_COUNT] = {
	{ "name", HISTREE_STRING },     { "category", HISTREE_STRING },   { "from_pid", HISTREE_LONG },
	{ "from_tid", HISTREE_LONG },   { "from_track", HISTREE_STRING }, { "from_stack", HISTREE_STRING },
	{ "to_pid", HISTREE_LONG },     { "to_tid", HISTREE_LONG },       { "to_track", HISTREE_STRING },
	{ "to_stack", HISTREE_STRING },
};

/* Where a flow was last. */
struct flow {
	uint64_t key; /* of its id */
	histree_time start;
	int64_t pid, tid;
	char *text; /* name, category, track and stack, behind one another */
	uint32_t name_size, category_size, track_size, stack_size;
	bool has_pid, has_tid;
	bool has_begun;    /* by a `flow_begin` */
	bool has_ended;    /* in a sweep */
	uint32_t ended_in; /* its number */
};

struct track_flows {
	struct histree_segment_store *store; /* borrowed */
	struct track_stacks *stacks;         /* borrowed */
	struct pool memory;
	struct flow **flows; /* those in use are in the index */
	size_t flow_count, flow_capacity;
	struct table flow_table;
	struct hash_index index;
	uint64_t open;          /* without an end so far */
	uint64_t ended;         /* since the last sweep */
	uint32_t sweep;         /* its number */
	struct stack_path path; /* of the current event */
	struct segment_counts counts;
};

static enum histree_status segments_track_flows_create(struct histree_segment_store *store, void *input,
						       void **instance, struct histree_error *error)
{
	struct track_flows *flows = calloc(1, sizeof(*flows));
	*instance = flows;
	if (flows == NULL)
		return error_memory(error, "the analysis of flows");
	flows->store = store;
	flows->stacks = input;
	struct table_space *space = flows->stacks->places.track_table.space;
	flows->memory.memory.space = flows->flow_table.space = flows->index.table.space = space;
	return HISTREE_OK;
}

/* ---- flows that are known -------------------------------------------------------------------------------- */

static bool has_key(const void *flows, uint32_t number, const void *key)
{
	return ((struct flow *const *)flows)[number]->key == *(const uint64_t *)key;
}

static uint64_t hash_of(const void *flows, uint32_t number)
{
	return hash_mix(((struct flow *const *)flows)[number]->key);
}

static struct flow *find(const struct track_flows *flows, uint64_t key)
{
	uint32_t number = hash_index_find(&flows->index, hash_mix(key), has_key, (const void *)flows->flows, &key);
	return number != HASH_INDEX_NONE ? flows->flows[number] : NULL;
}

static void give_text(struct track_flows *flows, struct flow *flow)
{
	pool_give(&flows->memory, flow->text,
		  (size_t)flow->name_size + flow->category_size + flow->track_size + flow->stack_size + 1);
	flow->text = NULL;
}

/* Those that are kept move to the front, and are added to the index anew. */
static void forget_ended(struct track_flows *flows)
{
	size_t used = 0, count = flows->index.count;
	hash_index_clear(&flows->index);
	for (size_t i = 0; i < count; i++) {
		struct flow *flow = flows->flows[i];
		if (i % 512 == 511)
			table_space_look(flows->flow_table.space);
		if (flow->has_ended && flow->ended_in != flows->sweep) {
			give_text(flows, flow);
			continue;
		}
		flows->flows[i] = flows->flows[used];
		flows->flows[used] = flow;
		hash_index_add(&flows->index, hash_mix(flow->key), (uint32_t)used++);
	}
	flows->ended = 0;
	flows->sweep++;
}

/* Returns a flow of a key that none has; NULL when memory is out. */
static struct flow *add_flow(struct track_flows *flows, uint64_t key)
{
	enum { ENDED_MAX = 4096 };
	if (flows->ended > ENDED_MAX && flows->ended > flows->index.count / 4)
		forget_ended(flows);
	size_t used = flows->index.count;
	if (used == flows->flow_count) {
		if (!table_reserve(&flows->flow_table, &flows->flows, &flows->flow_capacity, used + 1))
			return NULL;
		struct flow *made = arena_allocate(&flows->memory.memory, sizeof(*made), alignof(struct flow));
		if (made == NULL)
			return NULL;
		flows->flows[flows->flow_count++] = made;
	}
	if (!hash_index_reserve(&flows->index, used + 1, hash_of, (const void *)flows->flows))
		return NULL;
	struct flow *flow = flows->flows[used];
	*flow = (struct flow){ .key = key, .has_ended = true };
	hash_index_add(&flows->index, hash_mix(key), (uint32_t)used);
	return flow;
}

/* ---- steps ----------------------------------------------------------------------------------------------- */

static struct histree_value segments_track_flows_text_or_null(const char *bytes, size_t size)
{
	return size > 0 ? histree_string_n(bytes, size) : histree_null();
}

static struct histree_value number_or_null(bool is_there, int64_t number)
{
	return is_there ? histree_long(number) : histree_null();
}

/* The flow is here now. */
static enum histree_status begin_step(struct track_flows *flows, struct flow *flow, bool begins, histree_time time,
				      struct histree_error *error)
{
	const struct track_words *event = &flows->stacks->event;
	const struct track_text parts[] = {
		event->name, event->category, event->track, { flows->path.bytes, flows->path.size }
	};
	size_t size = 1;
	for (int i = 0; i < 4; i++)
		size += parts[i].size;
	give_text(flows, flow);
	char *at = size < UINT32_MAX ? pool_take(&flows->memory, size) : NULL;
	flow->name_size = flow->category_size = flow->track_size = flow->stack_size = 0;
	if (at == NULL)
		return error_memory(error, "the flows of the trace");
	flow->text = at;
	for (int i = 0; i < 4; at += parts[i++].size)
		if (parts[i].size > 0)
			memcpy(at, parts[i].bytes, parts[i].size);
	flow->name_size = (uint32_t)parts[0].size;
	flow->category_size = (uint32_t)parts[1].size;
	flow->track_size = (uint32_t)parts[2].size;
	flow->stack_size = (uint32_t)parts[3].size;
	flow->has_begun = flow->has_begun || begins;
	flow->start = time;
	flow->has_pid = event->has_pid;
	flow->has_tid = event->has_tid;
	flow->pid = event->pid;
	flow->tid = event->tid;
	flows->open += flow->has_ended;
	flow->has_ended = false;
	return HISTREE_OK;
}

static enum histree_status add_step(struct track_flows *flows, const struct flow *flow, histree_time time,
				    struct histree_error *error)
{
	const struct track_words *event = &flows->stacks->event;
	struct histree_value values[FLOW_FIELD_COUNT];
	const char *category = flow->text + flow->name_size, *track = category + flow->category_size;
	values[FLOW_NAME] = segments_track_flows_text_or_null(flow->text, flow->name_size);
	values[FLOW_CATEGORY] = segments_track_flows_text_or_null(category, flow->category_size);
	values[FLOW_FROM_PID] = number_or_null(flow->has_pid, flow->pid);
	values[FLOW_FROM_TID] = number_or_null(flow->has_tid, flow->tid);
	values[FLOW_FROM_TRACK] = segments_track_flows_text_or_null(track, flow->track_size);
	values[FLOW_FROM_STACK] = segments_track_flows_text_or_null(track + flow->track_size, flow->stack_size);
	values[FLOW_TO_PID] = number_or_null(event->has_pid, event->pid);
	values[FLOW_TO_TID] = number_or_null(event->has_tid, event->tid);
	values[FLOW_TO_TRACK] = segments_track_flows_text_or_null(event->track.bytes, event->track.size);
	values[FLOW_TO_STACK] = segments_track_flows_text_or_null(flows->path.bytes, flows->path.size);
	const struct histree_segment segment = { flow->start, time, values };
	return histree_segment_store_add(flows->store, &segment, error);
}

static void end_flow(struct track_flows *flows, struct flow *flow)
{
	flows->open -= !flow->has_ended;
	flows->ended += !flow->has_ended;
	flow->has_ended = true;
	flow->ended_in = flows->sweep;
}

static enum histree_status segments_track_flows_on_event(void *instance, const struct event *source,
							 struct histree_error *error)
{
	struct track_flows *flows = instance;
	const struct track_words *event = &flows->stacks->event;
	bool begins = event->class == TRACK_FLOW_BEGIN, ends = event->class == TRACK_FLOW_END;
	if ((!begins && !ends && event->class != TRACK_FLOW_STEP) || event->id.size == 0)
		return HISTREE_OK;
	if (!stack_path_write(&flows->path, &flows->stacks->places, event))
		return error_memory(error, "the flows of the trace");
	uint64_t key = hash_bytes(event->id.bytes, event->id.size);
	struct flow *flow = find(flows, key);
	flows->counts.without_end += begins && flow != NULL && !flow->has_ended;
	flows->counts.without_start += ends && flow == NULL;
	if (ends && flow == NULL)
		return HISTREE_OK;
	enum histree_status status = HISTREE_OK;
	if (flow != NULL && !begins && (ends || !flow->has_ended || flow->has_begun))
		status = add_step(flows, flow, source->time, error);
	if (flow == NULL && (flow = add_flow(flows, key)) == NULL)
		return error_memory(error, "the flows of the trace");
	if (status == HISTREE_OK && ends)
		end_flow(flows, flow);
	else if (status == HISTREE_OK)
		status = begin_step(flows, flow, begins, source->time, error);
	return status;
}

static struct segment_counts segments_track_flows_counts(const void *instance)
{
	const struct track_flows *flows = instance;
	struct segment_counts all = flows->counts;
	all.without_end += flows->open;
	return all;
}

static void free_flows(void *instance)
{
	struct track_flows *flows = instance;
	if (flows == NULL)
		return;
	table_release(&flows->flow_table, (void *)flows->flows);
	hash_index_release(&flows->index);
	pool_release(&flows->memory);
	stack_path_release(&flows->path);
	free(flows);
}

const struct segment_analysis segment_analysis_track_flows = {
	.name = "track-flows",
	.version = 3,
	.summary = "flows between tracks, a segment from each step to the next",
	.fields = segments_track_flows_fields,
	.field_count = FLOW_FIELD_COUNT,
	.input = &track_stacks_kind,
	.applies = track_words_apply,
	.create = segments_track_flows_create,
	.event = segments_track_flows_on_event,
	.counts = segments_track_flows_counts,
	.free = free_flows,
};
