// SPDX-License-Identifier: MIT
#include "analysis/tracks/track_stacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tracks/args_text.h"
#include "base/array.h"
#include "base/error.h"

void track_stacks_listen(struct track_stacks *stacks, const struct track_listener *listener)
{
	if (stacks->listener_count < sizeof(stacks->listeners) / sizeof(stacks->listeners[0]))
		stacks->listeners[stacks->listener_count++] = *listener;
}

/* ---- telling --------------------------------------------------------------------------------------------- */

static enum histree_status tell_renewed(const struct track_stacks *stacks, struct track_place *place,
					histree_time time, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (place == NULL || !place->in_doubt)
		return HISTREE_OK;
	place->in_doubt = false;
	for (size_t i = 0; i < stacks->listener_count && status == HISTREE_OK; i++)
		if (stacks->listeners[i].renewed != NULL)
			status = stacks->listeners[i].renewed(stacks->listeners[i].context, place, time, error);
	return status;
}

static enum histree_status tell_opened(const struct track_stacks *stacks, const struct track *track, size_t slot,
				       histree_time time, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < stacks->listener_count && status == HISTREE_OK; i++)
		if (stacks->listeners[i].opened != NULL)
			status =
				stacks->listeners[i].opened(stacks->listeners[i].context, track, slot, time, error);
	return status;
}

static enum histree_status tell_closed(const struct track_stacks *stacks, const struct track *track,
				       const struct track_frame *frame, size_t slot, bool is_complete,
				       histree_time time, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < stacks->listener_count && status == HISTREE_OK; i++)
		if (stacks->listeners[i].closed != NULL)
			status = stacks->listeners[i].closed(stacks->listeners[i].context, track, frame, slot,
							     is_complete, time, error);
	return status;
}

/* ---- spans that end by themselves ------------------------------------------------------------------------ */

/* Of those that end at one time the youngest is the first. */
static bool ends_before(const struct track_end *a, const struct track_end *b)
{
	return a->end != b->end ? a->end < b->end : a->number > b->number;
}

static bool push_end(struct track_stacks *stacks, const struct track_end *end)
{
	if (!array_reserve(&stacks->ends, &stacks->end_capacity, stacks->end_count + 1))
		return false;
	size_t at = stacks->end_count++;
	for (; at > 0 && ends_before(end, &stacks->ends[(at - 1) / 2]); at = (at - 1) / 2)
		stacks->ends[at] = stacks->ends[(at - 1) / 2];
	stacks->ends[at] = *end;
	return true;
}

static struct track_end pop_end(struct track_stacks *stacks)
{
	struct track_end *heap = stacks->ends, first = heap[0], moved = heap[--stacks->end_count];
	size_t at = 0, child;
	while ((child = 2 * at + 1) < stacks->end_count) {
		child += child + 1 < stacks->end_count && ends_before(&heap[child + 1], &heap[child]);
		if (!ends_before(&heap[child], &moved))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
	return first;
}

/* ---- frames ---------------------------------------------------------------------------------------------- */

static struct track_frame *open_below(const struct track *track, size_t slot)
{
	while (slot > 0)
		if (track->frames[--slot].is_open)
			return &track->frames[slot];
	return NULL;
}

/* The span that this one lies on has it inside, or ends before it does. */
static void charge_caller(const struct track *track, size_t slot, const struct track_frame *frame,
			  histree_time time, bool is_complete)
{
	struct track_frame *caller = open_below(track, slot);
	if (caller == NULL)
		return;
	if (!is_complete || time > caller->end || frame->start < caller->start)
		caller->is_whole = false;
	else
		caller->inside += (uint64_t)time - (uint64_t)frame->start;
}

/* End a span at a time, or with `is_complete` false forget it. */
static enum histree_status close_frame(struct track_stacks *stacks, struct track *track, size_t slot,
				       histree_time time, bool is_complete, struct histree_error *error)
{
	struct track_frame *frame = &track->frames[slot];
	for (size_t above = slot + 1; above < track->depth; above++)
		if (track->frames[above].is_open)
			frame->is_whole = false;
	charge_caller(track, slot, frame, time, is_complete);
	frame->is_open = false;
	while (track->depth > 0 && !track->frames[track->depth - 1].is_open)
		track->depth--;
	stacks->counts.unfinished += !is_complete;
	enum histree_status status = tell_closed(stacks, track, frame, slot, is_complete, time, error);
	if (track->depth == 0 && track->too_deep == 0)
		track_places_leave(&stacks->places, track);
	return status;
}

/* Returns the slot of an open span by its number; SIZE_MAX if it is open no more. */
static size_t slot_of(const struct track *track, uint64_t number)
{
	for (size_t slot = track->depth; slot-- > 0;)
		if (track->frames[slot].is_open && track->frames[slot].number == number)
			return slot;
	return SIZE_MAX;
}

/* End what has ended by a time. */
static enum histree_status end_until(struct track_stacks *stacks, histree_time time, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && stacks->end_count > 0 && stacks->ends[0].end <= time) {
		struct track_end end = pop_end(stacks);
		size_t slot = slot_of(end.track, end.number);
		if (slot != SIZE_MAX)
			status = close_frame(stacks, end.track, slot, end.end, true, error);
	}
	return status;
}

static bool have_frames(struct track *track)
{
	size_t before = track->capacity;
	if (!array_reserve(&track->frames, &track->capacity, track->depth + 1))
		return false;
	memset(track->frames + before, 0, (track->capacity - before) * sizeof(*track->frames));
	return true;
}

/* Returns false when memory is out. */
static bool fill_frame(struct track_stacks *stacks, struct track_frame *frame, histree_time end)
{
	const struct track_words *event = &stacks->event;
	size_t args_max = stacks->wants_args && event->args != EVENT_NO_FIELD ? TRACK_ARGS_MAX : 0;
	size_t size = event->name.size + event->category.size;
	if (!array_reserve(&frame->text, &frame->text_capacity, size + args_max + 1))
		return false;
	frame->number = stacks->spans++;
	frame->is_open = frame->is_whole = true;
	frame->start = event->time;
	frame->end = end;
	frame->inside = 0;
	frame->thread_duration = event->has_thread_duration ? event->thread_duration : INT64_MIN;
	frame->name_size = event->name.size;
	frame->category_size = event->category.size;
	if (event->name.size > 0)
		memcpy(frame->text, event->name.bytes, event->name.size);
	if (event->category.size > 0)
		memcpy(frame->text + event->name.size, event->category.bytes, event->category.size);
	frame->args_size = args_max > 0 ? args_text(event->event, event->args, frame->text + size, args_max) : 0;
	return true;
}

/* Where a complete span belongs: below those that began at the same time and end earlier. */
static size_t slot_for(const struct track *track, histree_time start, histree_time end)
{
	size_t slot = track->depth;
	while (end != INT64_MAX && slot > 0 && track->frames[slot - 1].is_open &&
	       track->frames[slot - 1].start == start && track->frames[slot - 1].end < end)
		slot--;
	return slot;
}

static enum histree_status place_frame(struct track_stacks *stacks, struct track *track, size_t slot,
				       struct histree_error *error)
{
	struct track_frame added = track->frames[track->depth];
	memmove(&track->frames[slot + 1], &track->frames[slot], (track->depth - slot) * sizeof(added));
	track->frames[slot] = added;
	track->depth++;
	const struct track_frame *caller = open_below(track, slot);
	stacks->counts.overlaps += caller != NULL && added.end != INT64_MAX && caller->end < added.end;
	enum histree_status status = HISTREE_OK;
	for (; slot < track->depth && status == HISTREE_OK; slot++)
		if (track->frames[slot].is_open)
			status = tell_opened(stacks, track, slot, stacks->event.time, error);
	return status;
}

/* ---- events ---------------------------------------------------------------------------------------------- */

static enum histree_status no_memory(struct histree_error *error)
{
	return error_memory(error, "the spans of the trace");
}

static enum histree_status open_span(struct track_stacks *stacks, struct track *track, histree_time end,
				     struct histree_error *error)
{
	if (track->depth == TRACK_DEPTH_MAX) {
		stacks->counts.too_deep++;
		track->too_deep += end == INT64_MAX;
		return HISTREE_OK;
	}
	if (!track_places_take(&stacks->places, track, &stacks->event) || !have_frames(track) ||
	    !fill_frame(stacks, &track->frames[track->depth], end))
		return no_memory(error);
	const struct track_end scheduled = { end, track->frames[track->depth].number, track };
	if (end != INT64_MAX && !push_end(stacks, &scheduled))
		return no_memory(error);
	enum histree_status status = tell_renewed(stacks, track->place, stacks->event.time, error);
	if (status != HISTREE_OK)
		return status;
	return place_frame(stacks, track, slot_for(track, stacks->event.time, end), error);
}

/* Returns the slot that an end is meant for; SIZE_MAX: none. */
static size_t slot_to_end(const struct track *track, const struct track_text *name)
{
	for (size_t slot = track->depth; slot-- > 0;) {
		const struct track_frame *frame = &track->frames[slot];
		bool is_named = name->size == 0 || (frame->name_size == name->size &&
						    memcmp(frame->text, name->bytes, name->size) == 0);
		if (frame->is_open && frame->end == INT64_MAX && is_named)
			return slot;
	}
	return SIZE_MAX;
}

/* On a thread, what lies above a span that ends has ended, too, and nobody saw it; what is asynchronous goes on. */
static enum histree_status end_span(struct track_stacks *stacks, struct track *track, struct histree_error *error)
{
	histree_time time = stacks->event.time;
	if (track->too_deep > 0) {
		track->too_deep--;
		return HISTREE_OK;
	}
	enum histree_status status = tell_renewed(stacks, track->place, time, error);
	size_t slot = slot_to_end(track, &stacks->event.name);
	stacks->counts.unmatched += slot == SIZE_MAX;
	if (slot == SIZE_MAX)
		return status;
	for (size_t above = track->depth; above-- > slot + 1 && status == HISTREE_OK && track->id == NULL;)
		if (track->frames[above].is_open && track->frames[above].end == INT64_MAX)
			status = close_frame(stacks, track, above, time, false, error);
	return status == HISTREE_OK ? close_frame(stacks, track, slot, time, true, error) : status;
}

/* In a gap what is complete is a segment, and nothing is known of slots. */
static enum histree_status take_in_gap(struct track_stacks *stacks, struct track *track, histree_time end,
				       struct histree_error *error)
{
	struct track_frame frame = { 0 };
	if (end == INT64_MAX) {
		stacks->counts.in_gaps++;
		return HISTREE_OK;
	}
	if (!fill_frame(stacks, &frame, end))
		return no_memory(error);
	frame.is_whole = false;
	enum histree_status status = tell_closed(stacks, track, &frame, SIZE_MAX, true, end, error);
	free(frame.text);
	return status;
}

static bool read_end(struct track_stacks *stacks, histree_time *end)
{
	const struct track_words *event = &stacks->event;
	*end = INT64_MAX;
	if (event->class != TRACK_SPAN)
		return true;
	int64_t duration = event->has_duration ? event->duration : 0;
	stacks->counts.negative += duration < 0;
	if (duration < 0 || __builtin_add_overflow(event->time, duration, end) || *end == INT64_MAX)
		return false;
	if (*end > stacks->last_end)
		stacks->last_end = *end;
	return true;
}

static enum histree_status take_span(struct track_stacks *stacks, struct histree_error *error)
{
	histree_time end;
	if (!read_end(stacks, &end))
		return HISTREE_OK;
	struct track *track = track_places_track(&stacks->places, &stacks->event);
	if (track == NULL)
		return no_memory(error);
	if (stacks->event.time <= stacks->gap_end)
		return take_in_gap(stacks, track, end, error);
	if (stacks->event.class == TRACK_SPAN_END)
		return end_span(stacks, track, error);
	return open_span(stacks, track, end, error);
}

/* ---- gaps ------------------------------------------------------------------------------------------------ */

/* What is open is forgotten; of what is complete the end is known. */
static enum histree_status forget(struct track_stacks *stacks, struct track *track, histree_time time,
				  struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t slot = 0; slot < track->depth && status == HISTREE_OK; slot++) {
		struct track_frame *frame = &track->frames[slot];
		if (!frame->is_open)
			continue;
		bool is_complete = frame->end != INT64_MAX;
		frame->is_open = frame->is_whole = false;
		stacks->counts.unfinished += !is_complete;
		status = tell_closed(stacks, track, frame, SIZE_MAX, is_complete, is_complete ? frame->end : time,
				     error);
	}
	track->depth = 0;
	track->too_deep = 0;
	track_places_leave(&stacks->places, track);
	return status;
}

static enum histree_status begin_gap(struct track_stacks *stacks, const struct event_gap *gap,
				     struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < stacks->places.place_count; i++)
		stacks->places.places[i]->in_doubt = true;
	for (size_t i = 0; i < stacks->places.index.count && status == HISTREE_OK; i++)
		status = forget(stacks, stacks->places.tracks[i], gap->begin, error);
	stacks->end_count = 0;
	if (gap->end > stacks->gap_end)
		stacks->gap_end = gap->end;
	return status;
}

/* ---- the input ------------------------------------------------------------------------------------------- */

static enum histree_status begin(void *input, const struct event *event, struct histree_error *error)
{
	struct track_stacks *stacks = input;
	stacks->event.class = TRACK_CLASS_COUNT;
	const struct event_trace *trace = event->gap != NULL ? event->gap->trace : event->class->trace;
	if (!track_words_apply(trace))
		return HISTREE_OK;
	enum histree_status status = end_until(stacks, event->time, error);
	if (status != HISTREE_OK)
		return status;
	if (event->gap != NULL)
		return begin_gap(stacks, event->gap, error);
	if (!track_words_read(&stacks->bindings, event, &stacks->event))
		return no_memory(error);
	switch (stacks->event.class) {
	case TRACK_SPAN_BEGIN:
	case TRACK_SPAN_END:
	case TRACK_SPAN:
		return take_span(stacks, error);
	case TRACK_TRACK_NAME:
		return track_places_name(&stacks->places, &stacks->event) ? HISTREE_OK : no_memory(error);
	default:
		return HISTREE_OK;
	}
}

enum histree_status track_stacks_finish(struct track_stacks *stacks, struct histree_error *error)
{
	stacks->event.class = TRACK_CLASS_COUNT;
	return end_until(stacks, INT64_MAX, error);
}

uint64_t track_stacks_open(const struct track_stacks *stacks)
{
	uint64_t count = 0;
	for (size_t i = 0; i < stacks->places.index.count; i++)
		for (size_t slot = 0; slot < stacks->places.tracks[i]->depth; slot++)
			count += stacks->places.tracks[i]->frames[slot].is_open;
	return count;
}

void track_stacks_missing(const struct track_stacks *stacks, char *text, size_t size)
{
	const struct track_counts *counts = &stacks->counts;
	const struct {
		uint64_t count;
		const char *what;
	} rows[] = {
		{ counts->unmatched, "ends without a beginning" },
		{ counts->unfinished, "spans without an end" },
		{ counts->negative, "spans of negative duration, which are left out" },
		{ counts->overlaps, "spans that end later than one that they lie on" },
		{ counts->too_deep, "spans that lie too deep, and are left out" },
	};
	size_t length = 0;
	text[0] = '\0';
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && length < size; i++)
		if (rows[i].count > 0)
			length += (size_t)snprintf(text + length, size - length, "%s%s: %" PRIu64,
						   length > 0 ? "; " : "", rows[i].what, rows[i].count);
}

static enum histree_status create(void **out, struct histree_error *error)
{
	struct track_stacks *stacks = calloc(1, sizeof(*stacks));
	*out = stacks;
	if (stacks == NULL)
		return no_memory(error);
	stacks->last_end = stacks->gap_end = INT64_MIN;
	return HISTREE_OK;
}

static void free_stacks(void *input)
{
	struct track_stacks *stacks = input;
	track_places_release(&stacks->places);
	class_table_release(&stacks->bindings);
	free(stacks->ends);
	free(stacks);
}

const struct analysis_input_kind track_stacks_kind = {
	.needs = "a trace of domain \"tracks\": Trace Event JSON, or track events of Perfetto",
	.create = create,
	.begin = begin,
	.free = free_stacks,
};
