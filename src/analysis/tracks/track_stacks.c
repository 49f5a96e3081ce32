// SPDX-License-Identifier: MIT
/*
 * track_stacks.c - the spans that are open on each track, from event to event, and the arguments of a span as JSON,
 * cut where they are too long.
 */
#include "analysis/tracks/track_stacks.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/tracks/track_places.h"
#include "base/error.h"
#include "base/heap.h"
#include "base/number_text.h"
#include "base/table.h"
#include "event/event.h"

/* ---- args text ----------------------------------------------------------------------------------------------- */

struct writer {
	char *text;
	size_t size, capacity;
	bool is_full;
	bool is_first; /* behind a bracket */
};

/* What does not fit is left out, and so is what follows. */
static void track_stacks_put(struct writer *writer, const char *bytes, size_t size)
{
	if (writer->is_full || size == 0)
		return;
	writer->is_full = size > writer->capacity - writer->size;
	size = writer->is_full ? writer->capacity - writer->size : size;
	memcpy(writer->text + writer->size, bytes, size);
	writer->size += size;
}

static inline void put_byte(struct writer *writer, char byte)
{
	writer->is_full = writer->is_full || writer->size == writer->capacity;
	if (!writer->is_full)
		writer->text[writer->size++] = byte;
}

static void put_format(struct writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put_format(struct writer *writer, const char *format, ...)
{
	char text[64];
	va_list arguments;
	va_start(arguments, format);
	int size = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	track_stacks_put(writer, text, (size_t)size);
}

/* With as few digits as tell it from others, or nearly so. */
static void put_real(struct writer *writer, double real)
{
	char text[32];
	snprintf(text, sizeof(text), "%.15g", real);
	if (!isfinite(real))
		put_format(writer, "\"%s\"", text);
	else if (strtod(text, NULL) == real)
		track_stacks_put(writer, text, strlen(text));
	else
		put_format(writer, "%.17g", real);
}

static void put_quoted(struct writer *writer, const char *bytes, size_t size)
{
	put_byte(writer, '"');
	for (size_t i = 0; i < size && !writer->is_full;) {
		size_t plain = i;
		while (plain < size && (unsigned char)bytes[plain] >= ' ' && bytes[plain] != '"' &&
		       bytes[plain] != '\\')
			plain++;
		track_stacks_put(writer, bytes + i, plain - i);
		i = plain;
		if (i == size)
			break;
		if (bytes[i] == '"' || bytes[i] == '\\')
			put_format(writer, "\\%c", bytes[i++]);
		else
			put_format(writer, "\\u%04x", (unsigned char)bytes[i++]);
	}
	put_byte(writer, '"');
}

struct open_parts {
	struct writer writer;
	bool is_array[65]; /* by depth */
};

static bool write_part(void *context, const struct event_part *part)
{
	struct open_parts *parts = context;
	struct writer *writer = &parts->writer;
	if (part->depth == 0 && part->kind == EVENT_NOTHING)
		return false;
	size_t depth = part->depth < 64 ? part->depth : 64;
	if (part->kind == EVENT_END) {
		put_byte(writer, parts->is_array[depth] ? ']' : '}');
		writer->is_first = false;
		return !writer->is_full;
	}
	if (part->depth > 0 && !writer->is_first)
		put_byte(writer, ',');
	if (part->depth > 0 && part->name != NULL) {
		put_quoted(writer, part->name, strlen(part->name));
		put_byte(writer, ':');
	}
	char number[NUMBER_TEXT_SIZE];
	switch (part->kind) {
	case EVENT_INT:
		if (part->is_truth)
			track_stacks_put(writer, part->label, strlen(part->label));
		else
			track_stacks_put(writer, number, number_format_signed(part->integer, number));
		break;
	case EVENT_UNSIGNED:
		track_stacks_put(writer, number, number_format_unsigned((uint64_t)part->integer, number));
		break;
	case EVENT_REAL:
		put_real(writer, part->real);
		break;
	case EVENT_TEXT:
	case EVENT_BYTES:
		put_quoted(writer, part->bytes, part->size);
		break;
	case EVENT_STRUCTURE:
		put_byte(writer, '{');
		break;
	case EVENT_ARRAY:
		put_byte(writer, '[');
		break;
	case EVENT_NOTHING:
	case EVENT_END:
		track_stacks_put(writer, "null", 4);
		break;
	}
	writer->is_first = part->kind == EVENT_STRUCTURE || part->kind == EVENT_ARRAY;
	parts->is_array[depth] = part->kind == EVENT_ARRAY;
	return !writer->is_full;
}

/* What did not fit was left out: say so, with no part of a character at the end.  Returns the size. */
static size_t end_cut(char *text, size_t size)
{
	while (size > 0 && ((unsigned char)text[size - 1] & 0xc0) == 0x80)
		size--;
	size -= size > 0 && ((unsigned char)text[size - 1] & 0xc0) == 0xc0;
	memcpy(text + size, "...", 3);
	return size + 3;
}

/*
 * Write at most `capacity` bytes, of which the last are "..." if there would be more.  Returns how many; 0: the
 * event lacks it.
 */
static size_t args_text(const struct event *event, uint32_t field, char *text, size_t capacity)
{
	struct open_parts parts = { .writer = { .text = text, .capacity = capacity - 3, .is_first = true } };
	event_visit(event, field, write_part, &parts);
	if (!parts.writer.is_full)
		return parts.writer.size;
	return end_cut(text, parts.writer.size);
}

/* ---- two objects ----------------------------------------------------------------------------------------- */

static bool is_object(const char *text, size_t size)
{
	return size >= 2 && text[0] == '{' && text[size - 1] == '}';
}

/* Returns where a string that begins here ends, its quote included. */
static const char *pass_string(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		at += *at == '\\';
	return at < end ? at + 1 : end;
}

struct member {
	const char *begin, *name_end, *end;
};

/* Get the member at *at, which is behind the one before it; false: no member is left. */
static bool next_member(const char **at, const char *end, struct member *out)
{
	size_t depth = 0;
	*at += *at < end && **at == ',';
	out->begin = *at;
	if (*at >= end || **at != '"')
		return false;
	out->name_end = *at = pass_string(*at, end);
	while (*at < end && (depth > 0 || **at != ',')) {
		depth += **at == '{' || **at == '[';
		depth -= **at == '}' || **at == ']';
		*at = **at == '"' ? pass_string(*at, end) : *at + 1;
	}
	out->end = *at;
	return true;
}

/* A member takes five bytes at least: "":0, with its comma. */
enum { MEMBERS_MAX = 2048 / 5 + 1 };

/* Returns the one of that name; NULL: none is. */
static const struct member *find_member(const struct member *member, const struct member *others, size_t count)
{
	const size_t size = (size_t)(member->name_end - member->begin);
	for (size_t i = 0; i < count; i++)
		if ((size_t)(others[i].name_end - others[i].begin) == size &&
		    memcmp(others[i].begin, member->begin, size) == 0)
			return &others[i];
	return NULL;
}

static size_t read_members(const char *text, size_t size, struct member members[static MEMBERS_MAX])
{
	const char *at = text + 1;
	size_t count = 0;
	while (count < MEMBERS_MAX && next_member(&at, text + size - 1, &members[count]))
		count++;
	return count;
}

/* Objects that members of both are, are joined as these are, and what is in them is not: the second's wins. */
static void join_objects(struct writer *writer, const char *first, size_t first_size, const char *second,
			 size_t second_size, bool is_outer)
{
	struct member before[MEMBERS_MAX], after[MEMBERS_MAX];
	const size_t before_count = read_members(first, first_size, before);
	const size_t after_count = read_members(second, second_size, after);
	const char *behind = "{";
	for (size_t i = 0; i < before_count; i++) {
		if (find_member(&before[i], after, after_count) != NULL)
			continue;
		track_stacks_put(writer, behind, 1);
		track_stacks_put(writer, before[i].begin, (size_t)(before[i].end - before[i].begin));
		behind = ",";
	}
	for (size_t i = 0; i < after_count; i++) {
		const struct member *one = &after[i], *other = find_member(one, before, before_count);
		const char *value = one->name_end + 1; /* behind the colon */
		track_stacks_put(writer, behind, 1);
		behind = ",";
		if (is_outer && other != NULL && value < one->end && other->name_end + 1 < other->end &&
		    is_object(value, (size_t)(one->end - value)) &&
		    is_object(other->name_end + 1, (size_t)(other->end - other->name_end) - 1)) {
			track_stacks_put(writer, one->begin, (size_t)(value - one->begin));
			join_objects(writer, other->name_end + 1, (size_t)(other->end - other->name_end) - 1, value,
				     (size_t)(one->end - value), false);
		} else {
			track_stacks_put(writer, one->begin, (size_t)(one->end - one->begin));
		}
	}
	if (*behind == '{')
		track_stacks_put(writer, "{", 1);
	track_stacks_put(writer, "}", 1);
}

/*
 * Write the members of two objects that args_text() has written as one object, of at most `capacity` bytes; those
 * of the second win.  Where one of them is no object, or is cut, the first is written, or if it is empty the
 * second.
 */
static size_t args_text_join(const char *first, size_t first_size, const char *second, size_t second_size,
			     char *text, size_t capacity)
{
	struct writer writer = { .text = text, .capacity = capacity - 3 };
	if (first_size == 0 || !is_object(first, first_size) || !is_object(second, second_size)) {
		const char *only = first_size > 0 ? first : second;
		size_t size = first_size > 0 ? first_size : second_size;
		memcpy(text, only, size);
		return size;
	}
	join_objects(&writer, first, first_size, second, second_size, true);
	return writer.is_full ? end_cut(text, writer.size) : writer.size;
}

/* ---- track stacks -------------------------------------------------------------------------------------------- */

enum { LOOK_EVERY = 512 }; /* tracks or spans between two looks whether pages of tables can go */

void track_stacks_listen(struct track_stacks *stacks, const struct track_listener *listener)
{
	if (stacks->listener_count < sizeof(stacks->listeners) / sizeof(stacks->listeners[0]))
		stacks->listeners[stacks->listener_count++] = *listener;
}

static enum histree_status no_memory(struct histree_error *error)
{
	return error_memory(error, "the spans of the trace");
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

static enum histree_status tell_doubted(const struct track_stacks *stacks, struct track_place *place,
					histree_time time, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	place->in_doubt = true;
	for (size_t i = 0; i < stacks->listener_count && status == HISTREE_OK; i++)
		if (stacks->listeners[i].doubted != NULL)
			status = stacks->listeners[i].doubted(stacks->listeners[i].context, place, time, error);
	return status;
}

static enum histree_status tell_closed(struct track_stacks *stacks, const struct track *track,
				       const struct track_frame *frame, size_t slot, enum track_ending ending,
				       histree_time time, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	stacks->counts.endings[ending]++;
	if (++stacks->told % LOOK_EVERY == 0)
		table_space_look(stacks->end_table.space);
	for (size_t i = 0; i < stacks->listener_count && status == HISTREE_OK; i++)
		if (stacks->listeners[i].closed != NULL)
			status = stacks->listeners[i].closed(stacks->listeners[i].context, track, frame, slot,
							     ending, time, error);
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
	if (stacks->end_count == stacks->end_capacity &&
	    !table_reserve(&stacks->end_table, &stacks->ends, &stacks->end_capacity, stacks->end_count + 1))
		return false;
	HEAP_PUSH(stacks->ends, stacks->end_count, *end, a, b, ends_before(a, b));
	return true;
}

static struct track_end pop_end(struct track_stacks *stacks)
{
	const struct track_end first = stacks->ends[0];
	HEAP_POP(stacks->ends, stacks->end_count, a, b, ends_before(a, b));
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
static void charge_caller(const struct track *track, size_t slot, histree_time time, bool is_known)
{
	struct track_frame *frame = &track->frames[slot], *caller = open_below(track, slot);
	if (caller == NULL || frame->is_charged)
		return;
	frame->is_charged = true;
	if (!is_known || time > caller->end || frame->start < caller->start)
		caller->is_whole = false;
	else
		caller->inside += (uint64_t)time - (uint64_t)frame->start;
}

/* One that was cut goes on after what it lay in, inside of what that lay on. */
static void charge_rest(const struct track *track, size_t slot, histree_time time)
{
	const struct track_frame *frame = &track->frames[slot];
	struct track_frame *caller = open_below(track, slot);
	if (caller != NULL && time > frame->end)
		caller->inside += (uint64_t)time - (uint64_t)frame->end;
}

static void give_text(struct track_stacks *stacks, struct track_frame *frame)
{
	pool_give(&stacks->places.memory, frame->text,
		  (size_t)frame->name_size + frame->category_size + frame->args_size + 1);
	frame->text = NULL;
}

static size_t request_size(const uint32_t sizes[TRACK_REQUEST_TEXTS])
{
	size_t size = sizeof(struct track_request);
	for (int i = 0; i < TRACK_REQUEST_TEXTS; i++)
		size += sizes[i];
	return size;
}

/* All that it has in memory. */
static void give_frame(struct track_stacks *stacks, struct track_frame *frame)
{
	give_text(stacks, frame);
	if (frame->request != NULL)
		pool_give(&stacks->places.memory, frame->request, request_size(frame->request->sizes));
	frame->request = NULL;
}

/* Nothing is open on it.  Where tracks are few, each keeps its frames. */
static void leave(struct track_stacks *stacks, struct track *track)
{
	enum { FEW = 256 };
	track->depth = track->cuts = 0;
	if (stacks->places.index.count > FEW) {
		pool_give(&stacks->places.memory, track->frames, track->capacity * sizeof(*track->frames));
		track->frames = NULL;
		track->capacity = 0;
	}
	if (track->id != NULL && track->too_deep == 0)
		track_places_leave(&stacks->places, track);
}

static enum histree_status close_frame(struct track_stacks *stacks, struct track *track, size_t slot,
				       histree_time time, enum track_ending ending, struct histree_error *error)
{
	struct track_frame frame;
	for (size_t above = slot + 1; above < track->depth; above++)
		if (track->frames[above].is_open && !track->frames[above].is_charged)
			track->frames[slot].is_whole = false;
	charge_caller(track, slot, time, ending != TRACK_LOST);
	if (track->frames[slot].is_cut)
		charge_rest(track, slot, time);
	track->cuts -= track->frames[slot].is_cut;
	track->frames[slot].is_open = false;
	stacks->open--;
	frame = track->frames[slot];
	while (track->depth > 0 && !track->frames[track->depth - 1].is_open)
		track->depth--;
	enum histree_status status = tell_closed(stacks, track, &frame, slot, ending, time, error);
	give_frame(stacks, &frame);
	if (track->depth == 0)
		leave(stacks, track);
	return status;
}

/* What a thread has begun above a slot and not ended lasts until the span in that slot ends, as far as is known. */
static void cut_above(struct track *track, size_t slot, histree_time time)
{
	for (size_t above = track->depth; above-- > slot + 1 && track->id == NULL;) {
		struct track_frame *frame = &track->frames[above];
		if (!frame->is_open || frame->end != INT64_MAX)
			continue;
		frame->end = time;
		frame->is_cut = true;
		track->cuts++;
		charge_caller(track, above, time, true);
	}
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
		const struct track_end end = pop_end(stacks);
		size_t slot = slot_of(end.track, end.number);
		if (slot == SIZE_MAX)
			continue;
		cut_above(end.track, slot, end.end);
		status = close_frame(stacks, end.track, slot, end.end, TRACK_ENDED, error);
	}
	return status;
}

/* What was cut before a time has no end of its own any more: something else has come. */
static enum histree_status end_cuts(struct track_stacks *stacks, struct track *track, histree_time time,
				    struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t slot = track->depth; slot-- > 0 && track->cuts > 0 && status == HISTREE_OK;) {
		const struct track_frame *frame = &track->frames[slot];
		if (slot < track->depth && frame->is_open && frame->is_cut && frame->end < time)
			status = close_frame(stacks, track, slot, frame->end, TRACK_CUT, error);
	}
	return status;
}

/* ---- frames that are made -------------------------------------------------------------------------------- */

/* Returns false when memory runs out. */
static bool put_text(struct track_stacks *stacks, struct track_frame *frame, const char *const parts[3])
{
	const uint32_t sizes[] = { frame->name_size, frame->category_size, frame->args_size };
	char *at = pool_take(&stacks->places.memory, (size_t)sizes[0] + sizes[1] + sizes[2] + 1);
	frame->text = at;
	for (int i = 0; i < 3 && at != NULL; i++) {
		if (sizes[i] > 0)
			memcpy(at, parts[i], sizes[i]);
		at += sizes[i];
	}
	return frame->text != NULL;
}

static size_t read_args(struct track_stacks *stacks, char text[static TRACK_ARGS_MAX])
{
	const struct track_words *event = &stacks->event;
	bool is_wanted = stacks->wants_args && event->args != EVENT_NO_FIELD;
	return is_wanted ? args_text(event->event, event->args, text, TRACK_ARGS_MAX) : 0;
}

/* Keep what the event says of its request.  Returns false when memory runs out. */
static bool put_request(struct track_stacks *stacks, struct track_frame *frame)
{
	const struct track_words *event = &stacks->event;
	uint32_t sizes[TRACK_REQUEST_TEXTS];
	for (int i = 0; i < TRACK_REQUEST_TEXTS; i++) {
		if (event->request[i].size > TRACK_TEXT_MAX)
			return false;
		sizes[i] = (uint32_t)event->request[i].size;
	}
	struct track_request *request = pool_take(&stacks->places.memory, request_size(sizes));
	if (request == NULL)
		return false;
	request->self = event->self;
	request->critical = event->critical;
	memcpy(request->sizes, sizes, sizeof(sizes));
	char *at = request->texts;
	for (int i = 0; i < TRACK_REQUEST_TEXTS; at += sizes[i++])
		if (sizes[i] > 0)
			memcpy(at, event->request[i].bytes, sizes[i]);
	frame->request = request;
	return true;
}

/* Returns false when memory runs out. */
static bool make_frame(struct track_stacks *stacks, struct track_frame *frame, histree_time end)
{
	const struct track_words *event = &stacks->event;
	const char *const parts[] = { event->name.bytes, event->category.bytes, stacks->args };
	if (event->name.size > TRACK_TEXT_MAX || event->category.size > TRACK_TEXT_MAX)
		return false;
	*frame = (struct track_frame){
		.number = stacks->spans++,
		.start = event->time,
		.end = end,
		.thread_duration = event->has_thread_duration ? event->thread_duration : INT64_MIN,
		.thread_begin = event->has_thread_time ? event->thread_time : INT64_MIN,
		.name_size = (uint32_t)event->name.size,
		.category_size = (uint32_t)event->category.size,
		.args_size = (uint32_t)read_args(stacks, stacks->args),
		.is_open = true,
		.is_whole = true,
	};
	if (event->is_of_request && !put_request(stacks, frame))
		return false;
	if (put_text(stacks, frame, parts))
		return true;
	give_frame(stacks, frame);
	return false;
}

/* What its end says of a span joins what its beginning said. */
static bool add_args(struct track_stacks *stacks, struct track_frame *frame)
{
	size_t size = read_args(stacks, stacks->end_args);
	if (size == 0)
		return true;
	struct track_frame joined = *frame;
	const char *args = frame->text + frame->name_size + frame->category_size;
	const char *const parts[] = { frame->text, frame->text + frame->name_size, stacks->joined_args };
	joined.args_size = (uint32_t)args_text_join(args, frame->args_size, stacks->end_args, size,
						    stacks->joined_args, TRACK_ARGS_MAX);
	if (!put_text(stacks, &joined, parts))
		return false;
	give_text(stacks, frame);
	*frame = joined;
	return true;
}

static enum histree_status place_frame(struct track_stacks *stacks, struct track *track,
				       const struct track_frame *added, struct histree_error *error)
{
	/* Where a complete span belongs: below those that began at the same time and end earlier. */
	size_t slot = track->depth;
	while (added->end != INT64_MAX && slot > 0 && track->frames[slot - 1].is_open &&
	       track->frames[slot - 1].start == added->start && track->frames[slot - 1].end < added->end)
		slot--;
	memmove(&track->frames[slot + 1], &track->frames[slot], (track->depth - slot) * sizeof(*added));
	track->frames[slot] = *added;
	track->depth++;
	stacks->open++;
	const struct track_frame *caller = open_below(track, slot);
	stacks->counts.overlaps += caller != NULL && added->end != INT64_MAX && caller->end < added->end;
	enum histree_status status = HISTREE_OK;
	for (; slot < track->depth && status == HISTREE_OK; slot++)
		if (track->frames[slot].is_open) {
			for (size_t i = 0; i < stacks->listener_count && status == HISTREE_OK; i++)
				if (stacks->listeners[i].opened != NULL)
					status = stacks->listeners[i].opened(stacks->listeners[i].context, track,
									     slot, added->start, error);
		}
	return status;
}

/* The frame now belongs to the track, even if an error follows. */
static enum histree_status push_frame(struct track_stacks *stacks, struct track *track, struct track_frame *frame,
				      struct histree_error *error)
{
	const struct track_end end = { frame->end, frame->number, track };
	/* What has no length lies in whatever ends at its time, too. */
	const histree_time cuts_end = frame->end == frame->start ? frame->start : INT64_MAX;
	enum histree_status status = end_cuts(stacks, track, cuts_end, error);
	bool has_room =
		status == HISTREE_OK && track_places_take(&stacks->places, track, &stacks->event) &&
		(track->depth < track->capacity || pool_reserve(&stacks->places.memory, &track->frames,
								&track->capacity, (size_t)track->depth + 1)) &&
		(frame->end == INT64_MAX || frame->end == frame->start || push_end(stacks, &end));
	if (status == HISTREE_OK && !has_room)
		status = no_memory(error);
	if (status == HISTREE_OK)
		status = tell_renewed(stacks, track->place, frame->start, error);
	if (status == HISTREE_OK)
		return place_frame(stacks, track, frame, error);
	give_frame(stacks, frame);
	return status;
}

/* ---- spans of no length ---------------------------------------------------------------------------------- */

/* They lie on whatever is open when their time is over, one after the other. */
static enum histree_status put_point(struct track_stacks *stacks, struct track_point *point,
				     struct histree_error *error)
{
	struct track *track = point->track;
	track->points--;
	enum histree_status status = push_frame(stacks, track, &point->frame, error);
	size_t slot = status == HISTREE_OK ? slot_of(track, point->frame.number) : SIZE_MAX;
	return slot == SIZE_MAX ? status : close_frame(stacks, track, slot, point->frame.end, TRACK_ENDED, error);
}

/* Those of a track, or with NULL all of them, wait no more. */
static enum histree_status end_points(struct track_stacks *stacks, const struct track *track,
				      struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	size_t left = 0;
	for (size_t i = 0; i < stacks->point_count; i++)
		if (status != HISTREE_OK || (track != NULL && stacks->points[i].track != track))
			stacks->points[left++] = stacks->points[i];
		else
			status = put_point(stacks, &stacks->points[i], error);
	stacks->point_count = left;
	return status;
}

/* ---- events ---------------------------------------------------------------------------------------------- */

static bool is_called(const struct track_frame *frame, const struct track_text *name)
{
	return name->size == 0 || frame->name_size == 0 ||
	       (frame->name_size == name->size && memcmp(frame->text, name->bytes, name->size) == 0);
}

static bool is_of_category(const struct track_frame *frame, const struct track_text *category)
{
	return category->size == 0 ||
	       (frame->category_size == category->size &&
		memcmp(frame->text + frame->name_size, category->bytes, category->size) == 0);
}

/*
 * Returns the slot that an end is meant for, by its name, and by its category if there is one; SIZE_MAX: none.  A
 * span without a category, as markers in the text of ftrace are, comes after those that have the one of the end,
 * and before those that have another.
 */
static size_t slot_to_end(const struct track *track, const struct track_words *event)
{
	size_t without = SIZE_MAX, other = SIZE_MAX;
	for (size_t slot = track->depth; slot-- > 0;) {
		const struct track_frame *frame = &track->frames[slot];
		if (!frame->is_open || (frame->end != INT64_MAX && !frame->is_cut) ||
		    !is_called(frame, &event->name))
			continue;
		if (is_of_category(frame, &event->category))
			return slot;
		if (frame->category_size == 0 && without == SIZE_MAX)
			without = slot;
		other = other == SIZE_MAX ? slot : other;
	}
	return without != SIZE_MAX ? without : other;
}

static enum histree_status end_span(struct track_stacks *stacks, struct track *track, struct histree_error *error)
{
	histree_time time = stacks->event.time;
	if (track->too_deep > 0) {
		track->too_deep--;
		return HISTREE_OK;
	}
	enum histree_status status = track->points > 0 ? end_points(stacks, track, error) : HISTREE_OK;
	if (status == HISTREE_OK)
		status = tell_renewed(stacks, track->place, time, error);
	if (status == HISTREE_OK && stacks->event.name.size == 0)
		status = end_cuts(stacks, track, time, error);
	size_t slot = slot_to_end(track, &stacks->event);
	stacks->counts.unmatched += slot == SIZE_MAX;
	if (slot == SIZE_MAX || status != HISTREE_OK)
		return status;
	/* How long its thread ran, where both ends say the time of that. */
	int64_t ran;
	if (stacks->event.has_thread_time && track->frames[slot].thread_begin != INT64_MIN &&
	    !__builtin_sub_overflow(stacks->event.thread_time, track->frames[slot].thread_begin, &ran) && ran >= 0)
		track->frames[slot].thread_duration = ran;
	if (!add_args(stacks, &track->frames[slot]))
		return no_memory(error);
	cut_above(track, slot, time);
	return close_frame(stacks, track, slot, time, TRACK_ENDED, error);
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
	if (!make_frame(stacks, &frame, end))
		return no_memory(error);
	frame.is_whole = false;
	enum histree_status status = tell_closed(stacks, track, &frame, SIZE_MAX, TRACK_ENDED, end, error);
	give_frame(stacks, &frame);
	return status;
}

static bool read_end(struct track_stacks *stacks, histree_time *end)
{
	const struct track_words *event = &stacks->event;
	*end = INT64_MAX;
	if (event->class != TRACK_SPAN)
		return true;
	int64_t duration = event->has_duration ? event->duration : 0;
	if (duration < 0 || __builtin_add_overflow(event->time, duration, end) || *end == INT64_MAX) {
		stacks->counts.negative++;
		return false;
	}
	if (*end > stacks->last_end)
		stacks->last_end = *end;
	return true;
}

static enum histree_status take_span(struct track_stacks *stacks, struct histree_error *error)
{
	histree_time end;
	if (!read_end(stacks, &end))
		return HISTREE_OK;
	if (stacks->spans % LOOK_EVERY == 0)
		table_space_look(stacks->end_table.space);
	struct track *track = track_places_track(&stacks->places, &stacks->event);
	if (track == NULL)
		return no_memory(error);
	if (stacks->event.time <= stacks->gap_end || (track->has_gap && stacks->event.time <= track->gap_end))
		return take_in_gap(stacks, track, end, error);
	if (stacks->event.class == TRACK_SPAN_END)
		return end_span(stacks, track, error);
	if (stacks->event.is_once && track->depth > 0) {
		stacks->counts.repeated++;
		return HISTREE_OK;
	}
	struct track_frame frame;
	if (track->depth == TRACK_DEPTH_MAX) {
		stacks->counts.too_deep++;
		track->too_deep += end == INT64_MAX;
		return HISTREE_OK;
	}
	if (!make_frame(stacks, &frame, end))
		return no_memory(error);
	if (end == frame.start && track->id == NULL) {
		/* Up to this many, a linear search over their times is cheap. */
		enum { POINTS_MAX = 1024 };
		enum histree_status status =
			stacks->point_count >= POINTS_MAX ? end_points(stacks, NULL, error) : HISTREE_OK;
		if (status == HISTREE_OK &&
		    !array_reserve(&stacks->points, &stacks->point_capacity, stacks->point_count + 1))
			status = no_memory(error);
		if (status != HISTREE_OK)
			return status;
		stacks->points[stacks->point_count++] = (struct track_point){ track, frame };
		track->points++;
		return HISTREE_OK;
	}
	if (end > frame.start)
		return push_frame(stacks, track, &frame, error);
	/* What begins with it on such a track may overlap it: it lies on what is there. */
	struct track_point point = { track, frame };
	track->points++;
	return put_point(stacks, &point, error);
}

/* ---- gaps ------------------------------------------------------------------------------------------------ */

/* What is open is forgotten; of what is complete the end is known. */
static enum histree_status forget(struct track_stacks *stacks, struct track *track, histree_time time,
				  struct histree_error *error)
{
	enum histree_status status = end_cuts(stacks, track, INT64_MAX, error);
	track->too_deep = 0;
	for (size_t slot = 0; slot < track->depth && status == HISTREE_OK; slot++) {
		struct track_frame *frame = &track->frames[slot];
		if (!frame->is_open)
			continue;
		bool is_known = frame->end != INT64_MAX;
		frame->is_open = frame->is_whole = false;
		stacks->open--;
		status = tell_closed(stacks, track, frame, SIZE_MAX, is_known ? TRACK_ENDED : TRACK_LOST,
				     is_known ? frame->end : time, error);
		give_frame(stacks, frame);
	}
	leave(stacks, track);
	return status;
}

static enum histree_status begin_gap(struct track_stacks *stacks, const struct event_gap *gap,
				     struct histree_error *error)
{
	enum histree_status status = end_points(stacks, NULL, error);
	for (size_t i = 0; i < stacks->places.place_count; i++) {
		stacks->places.places[i]->in_doubt = true;
		if (i % LOOK_EVERY == 0)
			table_space_look(stacks->end_table.space);
	}
	for (size_t i = 0; i < stacks->places.index.count && status == HISTREE_OK; i++) {
		status = forget(stacks, stacks->places.tracks[i], gap->begin, error);
		if (i % LOOK_EVERY == 0)
			table_space_look(stacks->end_table.space);
	}
	stacks->end_count = 0;
	if (gap->end > stacks->gap_end)
		stacks->gap_end = gap->end;
	return status;
}

/* Spans of a track do not end by themselves any more. */
static void drop_ends(struct track_stacks *stacks, const struct track *track)
{
	const size_t count = stacks->end_count;
	stacks->end_count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct track_end end = stacks->ends[i];
		if (end.track != track)
			HEAP_PUSH(stacks->ends, stacks->end_count, end, a, b, ends_before(a, b));
	}
}

static enum histree_status take_loss(struct track_stacks *stacks, struct histree_error *error)
{
	const struct track_words *event = &stacks->event;
	if (event->name.size > 0) /* of a counter */
		return HISTREE_OK;
	struct track *track = track_places_track(&stacks->places, event);
	if (track == NULL)
		return no_memory(error);
	track->has_gap = true;
	if (__builtin_add_overflow(event->time, event->has_duration ? event->duration : 0, &track->gap_end))
		track->gap_end = INT64_MAX;
	enum histree_status status = end_points(stacks, track, error);
	struct track_place *place = track->place;
	if (place == NULL || status != HISTREE_OK) /* nothing was open */
		return status;
	status = tell_doubted(stacks, place, event->time, error);
	drop_ends(stacks, track);
	return status == HISTREE_OK ? forget(stacks, track, event->time, error) : status;
}

/* ---- the end of the trace -------------------------------------------------------------------------------- */

enum histree_status track_stacks_finish(struct track_stacks *stacks, struct histree_error *error)
{
	stacks->event.class = TRACK_CLASS_COUNT;
	enum histree_status status = end_points(stacks, NULL, error);
	if (status == HISTREE_OK)
		status = end_until(stacks, INT64_MAX, error);
	histree_time end = stacks->last > stacks->last_end ? stacks->last : stacks->last_end;
	for (size_t i = 0; i < stacks->places.index.count && status == HISTREE_OK; i++) {
		/* The innermost first, as what lies in a span is known before it. */
		struct track *track = stacks->places.tracks[i];
		status = end_cuts(stacks, track, INT64_MAX, error);
		for (size_t slot = track->depth; slot-- > 0 && status == HISTREE_OK;)
			if (slot < track->depth && track->frames[slot].is_open)
				status = close_frame(stacks, track, slot, end, TRACK_OPEN, error);
		if (i % LOOK_EVERY == 0)
			table_space_look(stacks->end_table.space);
	}
	return status;
}

/* ---- the input ------------------------------------------------------------------------------------------- */

static enum histree_status track_stacks_begin(void *input, const struct event *event, struct histree_error *error)
{
	struct track_stacks *stacks = input;
	stacks->event.class = TRACK_CLASS_COUNT;
	const struct event_trace *trace = event->gap != NULL ? event->gap->trace : event->class->trace;
	enum histree_status status = HISTREE_OK;
	if (event->time > stacks->last && stacks->point_count > 0)
		status = end_points(stacks, NULL, error);
	stacks->first = event->time < stacks->first ? event->time : stacks->first;
	stacks->last = event->time > stacks->last ? event->time : stacks->last;
	if (status != HISTREE_OK || !track_words_apply(trace))
		return status;
	status = end_until(stacks, event->time, error);
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
	case TRACK_LOSS:
		return take_loss(stacks, error);
	case TRACK_TRACK_NAME:
		return track_places_name(&stacks->places, &stacks->event) ? HISTREE_OK : no_memory(error);
	default:
		return HISTREE_OK;
	}
}

uint64_t track_stacks_without_end(const struct track_stacks *stacks)
{
	const struct track_counts *counts = &stacks->counts;
	return counts->endings[TRACK_CUT] + counts->endings[TRACK_OPEN] + counts->endings[TRACK_LOST] +
	       counts->in_gaps + stacks->open;
}

void track_stacks_missing(const struct track_stacks *stacks, char *text, size_t size)
{
	const struct track_counts *counts = &stacks->counts;
	const struct {
		uint64_t count;
		const char *what;
	} rows[] = {
		{ counts->unmatched, "ends without a beginning" },
		{ counts->endings[TRACK_CUT], "spans without an end, which end with the one that they lie in" },
		{ counts->endings[TRACK_OPEN], "spans that are open at the end of the trace" },
		{ counts->endings[TRACK_LOST], "spans without an end, which may be missing from the trace" },
		{ counts->negative, "spans of negative duration, which are left out" },
		{ counts->overlaps, "spans that end later than one that they lie on" },
		{ counts->repeated, "beginnings of what has begun already, which are left out" },
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
	stacks->first = INT64_MAX;
	stacks->last = stacks->last_end = stacks->gap_end = INT64_MIN;
	return HISTREE_OK;
}

static void use_space(void *input, struct table_space *tables)
{
	struct track_stacks *stacks = input;
	track_places_use_space(&stacks->places, tables);
	stacks->end_table.space = tables;
}

static void free_stacks(void *input)
{
	struct track_stacks *stacks = input;
	track_places_release(&stacks->places);
	class_table_release(&stacks->bindings);
	table_release(&stacks->end_table, stacks->ends);
	free(stacks->points);
	free(stacks);
}

const struct analysis_input_kind track_stacks_kind = {
	.is_one = true,
	.needs = "a trace of domain \"tracks\": Trace Event JSON, or track events of Perfetto",
	.create = create,
	.use_space = use_space,
	.begin = track_stacks_begin,
	.free = free_stacks,
};
