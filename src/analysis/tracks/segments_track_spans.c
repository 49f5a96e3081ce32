// SPDX-License-Identifier: MIT
/*
 * segments_track_spans.c - the spans of tracks as segments, from beginning to end (track_stacks.h).
 *
 * Depth 1 is the outermost.  The time of a span itself is its duration without the spans right inside of it; null
 * where one of those is not whole or goes on after it.  A field is null where the trace does not say.
 *
 * `ending` is null for a span whose end is in the trace, "cut" for one without an end, which ends with the span
 * around it, and "open" for one that was open at the end of the trace.
 */
#include <stdlib.h>

#include "analysis/segment_analysis.h"
#include "analysis/tracks/track_stacks.h"
#include "base/error.h"

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

static const struct histree_segment_field fields[SPAN_FIELD_COUNT] = {
	{ "name", HISTREE_STRING },   { "category", HISTREE_STRING },      { "pid", HISTREE_LONG },
	{ "tid", HISTREE_LONG },      { "track", HISTREE_STRING },         { "depth", HISTREE_INT },
	{ "self", HISTREE_LONG },     { "thread_duration", HISTREE_LONG }, { "args", HISTREE_STRING },
	{ "ending", HISTREE_STRING },
};

struct track_spans {
	struct histree_segment_store *store; /* borrowed */
	struct track_stacks *stacks;         /* borrowed */
};

static struct histree_value text_or_null(const char *bytes, size_t size)
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
	values[SPAN_NAME] = text_or_null(frame->text, frame->name_size);
	values[SPAN_CATEGORY] = text_or_null(category, frame->category_size);
	values[SPAN_PID] = track->has_pid ? histree_long(track->pid) : histree_null();
	values[SPAN_TID] = track->has_tid && track->id == NULL ? histree_long(track->tid) : histree_null();
	values[SPAN_TRACK] = text_or_null(track->id, track->id != NULL ? track->id_size : 0);
	values[SPAN_DEPTH] = slot != SIZE_MAX ? histree_int((int32_t)slot + 1) : histree_null();
	values[SPAN_SELF] = self_time(frame, histree_segment_duration(&segment));
	values[SPAN_THREAD_DURATION] =
		frame->thread_duration != INT64_MIN ? histree_long(frame->thread_duration) : histree_null();
	values[SPAN_ARGS] = text_or_null(category + frame->category_size, frame->args_size);
	values[SPAN_ENDING] =
		ending == TRACK_ENDED ? histree_null() : histree_string(ending == TRACK_CUT ? "cut" : "open");
	return histree_segment_store_add(spans->store, &segment, error);
}

static enum histree_status create(struct histree_segment_store *store, void *input, void **instance,
				  struct histree_error *error)
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
static enum histree_status on_event(void *instance, const struct event *event, struct histree_error *error)
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

static struct segment_counts counts(const void *instance)
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
	.fields = fields,
	.field_count = SPAN_FIELD_COUNT,
	.input = &track_stacks_kind,
	.applies = track_words_apply,
	.create = create,
	.event = on_event,
	.finish = finish,
	.counts = counts,
	.free = free,
};
