// SPDX-License-Identifier: MIT
/*
 * event_reader.c - events out of the trace, from the block of the index that they are in.
 *
 * The trace is opened once, which costs a look at all of the metadata and at the heads of all packets; then it is
 * moved to the block of an event (trace_move), and read on from there.  A jump of up to two blocks forward is made
 * by reading alone.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/arena.h"
#include "event_index/event_text.h"
#include "event_index/events.h"
#include "histree/states.h"
#include "query/row_group.h"
#include "trace/event_stream.h"

enum { EXACT_EVENTS = 2 * EVENTS_PER_BLOCK };

struct event_reader {
	struct histree_cursor base;
	struct histree_event row;
	const struct histree_events *events;
	struct event_merger *merger; /* of several hosts: all of the work is its; else NULL */
	void *cursor;                /* of a source (events.h), which reads them; else NULL */
	struct intern types;         /* ids are those of the index */
	struct event_stream stream;  /* of the trace, which is open or not */
	const char *closed;          /* why the trace must not be opened; NULL if it may be */
	/* The number after that of the event that was looked at, which is kept: one step back costs nothing. */
	uint64_t next;
	uint64_t wanted; /* the number that the caller gets next */
	struct event_text text, json;
	struct event_fields fields;
};

static enum histree_status next_event(struct histree_cursor *cursor, struct histree_error *error);
static void free_reader(struct histree_cursor *cursor);

static const struct cursor_kind of_reader = { .rows = CURSOR_EVENTS, .next = next_event, .free = free_reader };

static inline struct event_reader *reader_of(const struct histree_cursor *cursor)
{
	assert(cursor->kind == &of_reader);
	return (struct event_reader *)(uintptr_t)cursor;
}

enum histree_status histree_event_reader_create(const struct histree_events *events, struct histree_cursor **out,
						struct histree_error *error)
{
	*out = NULL;
	struct event_reader *reader = calloc(1, sizeof(*reader));
	if (reader == NULL)
		return error_memory(error, "a reader of events");
	reader->base.kind = &of_reader;
	reader->base.row = &reader->row;
	reader->events = events;
	if (events->hosts != NULL) {
		enum histree_status status = event_merger_create(events, &reader->merger, error);
		if (status == HISTREE_OK)
			*out = &reader->base;
		else
			free_reader(&reader->base);
		return status;
	}
	if (events->source.cursor_create != NULL) {
		enum histree_status status =
			events->source.cursor_create(events->source.context, &reader->cursor, error);
		if (status == HISTREE_OK)
			*out = &reader->base;
		else
			free_reader(&reader->base);
		return status;
	}
	for (uint32_t i = 0; i < events->index.type_count; i++) {
		const char *type = events->index.types[i];
		if (intern_add(&reader->types, type, strlen(type)) == INTERN_NONE) {
			free_reader(&reader->base);
			return error_memory(error, "a reader of events");
		}
	}
	*out = &reader->base;
	return HISTREE_OK;
}

static void free_reader(struct histree_cursor *cursor)
{
	struct event_reader *reader = (struct event_reader *)cursor;
	event_merger_free(reader->merger);
	if (reader->cursor != NULL)
		reader->events->source.cursor_free(reader->cursor);
	event_stream_close(&reader->stream);
	intern_release(&reader->types);
	free(reader->text.bytes);
	free(reader->json.bytes);
	event_fields_release(&reader->fields);
	free(reader);
}

void histree_event_reader_keep_closed(struct histree_cursor *cursor, const char *why)
{
	struct event_reader *reader = reader_of(cursor);
	reader->closed = why;
	if (reader->merger != NULL)
		event_merger_keep_closed(reader->merger, why);
}

/* ---- moving ---------------------------------------------------------------------------------------------- */

static enum histree_status not_the_same(struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_TRACE,
			 "the trace has changed since its store was built; build it again");
}

static bool is_of_live_trace(const struct histree_events *events)
{
	for (size_t i = 0; i < events->trace_count; i++)
		if (trace_is_address(events->traces[i]))
			return true;
	return false;
}

/* Open the trace at the block of an event, or at its start where the index has no positions. */
static enum histree_status open_before(struct event_reader *reader, uint64_t number, struct histree_error *error)
{
	const struct event_index *index = &reader->events->index;
	size_t block = number / EVENTS_PER_BLOCK;
	bool has_position = index->file_count > 0 && block > 0;
	if (reader->closed != NULL)
		return error_set(error, HISTREE_ERR_TRACE, "%s", reader->closed);
	if (is_of_live_trace(reader->events))
		return error_set(error, HISTREE_ERR_TRACE, "the events of a live trace are gone when it was read");
	const struct event_origin origin = {
		.paths = (const char *const *)reader->events->traces,
		.path_count = reader->events->trace_count,
		.clock = reader->events->has_clock ? &reader->events->clock : NULL,
	};
	struct event_stream *stream = &reader->stream;
	reader->next = has_position ? block * EVENTS_PER_BLOCK : 0;
	if (stream->trace != NULL && index->file_count > 0 && trace_can_move(stream->trace))
		return event_stream_go(stream, index->blocks[block].positions, index->file_count, error);
	event_stream_close(stream);
	return has_position ? event_stream_open_at(stream, &origin, index->blocks[block].positions,
						   index->file_count, error)
			    : event_stream_open(stream, &origin, NULL, error);
}

static enum histree_status read_event(struct event_reader *reader, struct histree_error *error)
{
	enum histree_status status = event_stream_next(&reader->stream, error);
	if (status == HISTREE_OK)
		reader->next++;
	return status == HISTREE_END ? not_the_same(error) : status;
}

static bool has_event(const struct event_reader *reader)
{
	return reader->stream.count > 0;
}

enum histree_status histree_event_reader_seek(struct histree_cursor *cursor, uint64_t number,
					      struct histree_error *error)
{
	struct event_reader *reader = reader_of(cursor);
	enum histree_status status = HISTREE_OK;
	uint64_t count = reader->events->index.event_count;
	if (reader->merger != NULL)
		return event_merger_seek(reader->merger, number, error);
	reader->wanted = number < count ? number : count;
	if (number >= count)
		return HISTREE_OK;
	if (reader->cursor != NULL)
		return reader->events->source.cursor_seek(reader->cursor, number, error);
	if (has_event(reader) && number + 1 == reader->next)
		return HISTREE_OK;
	if (reader->stream.trace == NULL || number < reader->next || number - reader->next > 2 * EVENTS_PER_BLOCK)
		status = open_before(reader, number, error);
	while (status == HISTREE_OK && reader->next < number)
		status = read_event(reader, error);
	if (status != HISTREE_OK) /* what is open may be anywhere */
		event_stream_close(&reader->stream);
	return status;
}

static enum histree_status next_of_source(struct event_reader *reader, struct histree_event *out,
					  struct histree_error *error)
{
	enum histree_status status = reader->events->source.cursor_next(reader->cursor, out, error);
	if (status != HISTREE_OK || out->type >= reader->events->index.type_count)
		return status < 0 ? status : not_the_same(error);
	out->number = reader->wanted++;
	out->host = 0;
	return HISTREE_OK;
}

static enum histree_status reader_next(struct event_reader *reader, struct histree_event *out,
				       struct histree_error *error)
{
	if (reader->merger != NULL)
		return event_merger_next(reader->merger, out, error);
	if (reader->wanted >= reader->events->index.event_count)
		return HISTREE_END;
	if (reader->cursor != NULL)
		return next_of_source(reader, out, error);
	enum histree_status status = histree_event_reader_seek(&reader->base, reader->wanted, error);
	if (status == HISTREE_OK && reader->next == reader->wanted)
		status = read_event(reader, error);
	if (status != HISTREE_OK)
		return status;
	const struct event *event = reader->stream.events;
	const char *name = event->class->name;
	uint32_t type = intern_find(&reader->types, name, strlen(name));
	if (type == INTERN_NONE)
		return not_the_same(error);
	*out = (struct histree_event){
		.number = reader->wanted++,
		.time = event->time,
		.cpu = event->cpu,
		.type = type,
	};
	return HISTREE_OK;
}

static enum histree_status next_event(struct histree_cursor *cursor, struct histree_error *error)
{
	struct event_reader *reader = reader_of(cursor);
	return reader_next(reader, &reader->row, error);
}

enum histree_status histree_event_reader_find(struct histree_cursor *cursor, histree_time time, uint64_t *number,
					      struct histree_error *error)
{
	struct event_reader *reader = reader_of(cursor);
	const struct event_index *index = &reader->events->index;
	if (reader->merger != NULL)
		return event_merger_find(reader->merger, time, number, error);
	*number = index->event_count;
	if (index->event_count == 0 || time > index->end)
		return HISTREE_OK;
	/* The greatest time so far is below `time` at this tick, or it is the first one. */
	uint64_t first = (uint64_t)event_index_tick_before(index, time) * EVENTS_PER_TICK;
	struct histree_event event;
	enum histree_status status = histree_event_reader_seek(&reader->base, first, error);
	while (status == HISTREE_OK) {
		status = reader_next(reader, &event, error);
		if (status == HISTREE_OK && event.time >= time) {
			*number = event.number;
			return HISTREE_OK;
		}
	}
	return status == HISTREE_END ? not_the_same(error) : status;
}

/* ---- contents -------------------------------------------------------------------------------------------- */

/* The reader that has the last event: this one, or that of a host. */
static struct event_reader *reader_of_last(const struct event_reader *reader)
{
	const struct histree_cursor *of_host = reader->merger != NULL ? event_merger_last(reader->merger) : NULL;
	return of_host != NULL ? reader_of(of_host) : (struct event_reader *)(uintptr_t)reader;
}

/* Before the first event there is one without fields. */
static struct event last_event(const struct event_reader *reader)
{
	static const struct event_class nothing = { .name = "" };
	return has_event(reader) ? reader->stream.events[0] : (struct event){ .class = &nothing };
}

static const char *text_of_source(const struct event_reader *reader, enum histree_event_text what)
{
	return reader->events->source.cursor_text(reader->cursor, what);
}

const char *histree_event_reader_contents(struct histree_cursor *cursor)
{
	struct event_reader *reader = reader_of(cursor);
	reader = reader_of_last(reader);
	if (reader->cursor != NULL)
		return text_of_source(reader, HISTREE_EVENT_CONTENTS);
	const struct event event = last_event(reader);
	return event_text_write(&reader->text, &event) ? reader->text.bytes : NULL;
}

const char *histree_event_reader_json(struct histree_cursor *cursor)
{
	struct event_reader *reader = reader_of(cursor);
	reader = reader_of_last(reader);
	if (reader->cursor != NULL)
		return text_of_source(reader, HISTREE_EVENT_JSON);
	const struct event event = last_event(reader);
	return event_json_write(&reader->json, &event) ? reader->json.bytes : NULL;
}

const struct histree_event_field *histree_event_reader_fields(struct histree_cursor *cursor, size_t *count)
{
	struct event_reader *reader = reader_of(cursor);
	static const struct histree_event_field none;
	reader = reader_of_last(reader);
	struct event_fields *fields = &reader->fields;
	const struct event event = last_event(reader);
	const char *json = reader->cursor != NULL ? text_of_source(reader, HISTREE_EVENT_JSON) : NULL;
	*count = 0;
	if (reader->cursor != NULL ? json == NULL || !event_fields_read(fields, json)
				   : !event_fields_take(fields, &event))
		return NULL;
	*count = fields->count;
	return fields->count > 0 ? fields->fields : &none;
}

const char *histree_event_reader_stream(const struct histree_cursor *cursor)
{
	const struct event_reader *reader = reader_of(cursor);
	reader = reader_of_last(reader);
	if (reader->cursor != NULL)
		return text_of_source(reader, HISTREE_EVENT_STREAM);
	const char *name = has_event(reader) ? trace_stream_name(reader->stream.trace) : NULL;
	if (name == NULL)
		return "";
	/* A stream that is a file of a trace is called as in its folder, one that is the trace by its own name. */
	const char *path = reader->stream.events->class->trace->path, *last = strrchr(name, '/');
	size_t size = path == NULL ? 0 : strlen(path);
	if (size > 0 && strncmp(name, path, size) == 0 && name[size] == '/')
		return name + size + 1;
	return size > 0 && strcmp(name, path) == 0 && last != NULL ? last + 1 : name;
}

/* What else a number is called, of which a user may ask: its label, or how it looks in the digits of the trace. */
static struct histree_value other_of(const struct event_part *part)
{
	if (part->label != NULL)
		return histree_string(part->label);
	return part->kind == EVENT_INT && part->base != 0 ? histree_unsigned(event_part_unsigned(part))
							  : histree_null();
}

enum histree_status histree_event_reader_value(const struct histree_cursor *cursor, const char *path,
					       struct histree_value *out)
{
	struct histree_value other;
	const bool is_other = path[0] == HISTREE_EVENT_OTHER;
	enum histree_status status = event_reader_value(cursor, path + is_other, out, &other);
	if (is_other)
		*out = other;
	return status == HISTREE_OK && is_other && other.type == HISTREE_NULL ? HISTREE_NOT_FOUND : status;
}

/* Both are asked for together, so that a source knows from the first event on what is wanted of each. */
static enum histree_status value_of_source(const struct event_reader *reader, const char *path,
					   struct histree_value *out, struct histree_value *other)
{
	const struct histree_event_source *source = &reader->events->source;
	char *other_path;
	if (asprintf(&other_path, "%c%s", HISTREE_EVENT_OTHER, path) < 0)
		return HISTREE_NOT_FOUND;
	/* An answer may be gone once something else is asked for the first time: what it is called comes last. */
	(void)source->cursor_value(reader->cursor, other_path, other);
	const enum histree_status status = source->cursor_value(reader->cursor, path, out);
	if (status != HISTREE_OK || out->type != HISTREE_LONG ||
	    source->cursor_value(reader->cursor, other_path, other) != HISTREE_OK)
		*other = histree_null();
	free(other_path);
	return status;
}

enum histree_status event_reader_value(const struct histree_cursor *cursor, const char *path,
				       struct histree_value *out, struct histree_value *other)
{
	const struct event_reader *reader = reader_of(cursor);
	struct event_part part;
	reader = reader_of_last(reader);
	*out = *other = histree_null();
	if (reader->cursor != NULL)
		return value_of_source(reader, path, out, other);
	if (!has_event(reader) || !event_find(reader->stream.events, path, &part))
		return HISTREE_NOT_FOUND;
	switch (part.kind) {
	case EVENT_INT:
		*out = histree_long(part.integer);
		*other = other_of(&part);
		break;
	case EVENT_UNSIGNED:
		*out = histree_unsigned((uint64_t)part.integer);
		*other = other_of(&part);
		break;
	case EVENT_REAL:
		*out = (struct histree_value){ .type = HISTREE_DOUBLE, .real = part.real };
		break;
	case EVENT_TEXT:
		*out = (struct histree_value){ .type = HISTREE_STRING,
					       .bytes = part.bytes,
					       .size = (uint32_t)part.size };
		break;
	case EVENT_BYTES:
		*out = (struct histree_value){ .type = HISTREE_CUSTOM,
					       .bytes = part.bytes,
					       .size = (uint32_t)part.size };
		break;
	case EVENT_NOTHING:
	case EVENT_STRUCTURE:
	case EVENT_ARRAY:
	case EVENT_END:
		return HISTREE_NOT_FOUND;
	}
	return HISTREE_OK;
}

/* ---- counting -------------------------------------------------------------------------------------------- */

/* Count the types of the events [first, end) one by one, up to the first that is after `to`. */
static enum histree_status count_read(struct event_reader *reader, uint64_t first, uint64_t end, histree_time to,
				      uint64_t *counts, struct histree_error *error)
{
	struct histree_event event;
	enum histree_status status = histree_event_reader_seek(&reader->base, first, error);
	for (uint64_t i = first; status == HISTREE_OK && i < end; i++) {
		status = reader_next(reader, &event, error);
		if (status == HISTREE_OK && event.time > to)
			break;
		if (status == HISTREE_OK)
			counts[event.type]++;
	}
	return status;
}

static void count_blocks(const struct event_index *index, size_t first, size_t end, uint64_t *counts)
{
	for (size_t i = first; i < end; i++)
		for (uint32_t type = 0; type < index->blocks[i].type_count; type++)
			counts[index->blocks[i].types[type]] += index->blocks[i].counts[type];
}

/* The first event of a range; what the index knows is not read. */
static enum histree_status find_first(struct event_reader *reader, histree_time from, uint64_t *first,
				      struct histree_error *error)
{
	const struct event_index *index = &reader->events->index;
	*first = 0;
	if (index->event_count == 0 || from <= index->ticks[0])
		return HISTREE_OK;
	return histree_event_reader_find(&reader->base, from, first, error);
}

enum histree_status histree_event_reader_count_types(struct histree_cursor *cursor, histree_time from,
						     histree_time to, uint64_t *counts, struct histree_error *error)
{
	struct event_reader *reader = reader_of(cursor);
	const struct event_index *index = &reader->events->index;
	uint64_t first, count = index->event_count;
	memset(counts, 0, index->type_count * sizeof(*counts));
	if (count == 0)
		return HISTREE_OK;
	if (reader->merger != NULL)
		return event_merger_count_types(reader->merger, from, to, counts, error);
	enum histree_status status = find_first(reader, from, &first, error);
	/* No event after `to` lies before the end block. */
	size_t first_block = (first + EVENTS_PER_BLOCK - 1) / EVENTS_PER_BLOCK;
	size_t end_block = to >= index->end
				   ? index->block_count
				   : event_index_tick_before(index, to + 1) * EVENTS_PER_TICK / EVENTS_PER_BLOCK;
	if (status != HISTREE_OK || first_block >= end_block)
		return status != HISTREE_OK ? status : count_read(reader, first, count, to, counts, error);
	if (first % EVENTS_PER_BLOCK != 0)
		status = count_read(reader, first, (uint64_t)first_block * EVENTS_PER_BLOCK, to, counts, error);
	count_blocks(index, first_block, end_block, counts);
	if (status == HISTREE_OK && end_block < index->block_count)
		status = count_read(reader, (uint64_t)end_block * EVENTS_PER_BLOCK, count, to, counts, error);
	return status;
}

static enum histree_status count_pixels(struct event_reader *reader, histree_time from, histree_time to,
					uint32_t pixels, double *counts, struct histree_error *error)
{
	const struct pixel_scale scale = pixel_scale(from, to, pixels);
	struct histree_event event;
	uint64_t first, count = reader->events->index.event_count;
	enum histree_status status = find_first(reader, from, &first, error);
	if (status == HISTREE_OK)
		status = histree_event_reader_seek(&reader->base, first, error);
	for (uint64_t i = first; status == HISTREE_OK && i < count; i++) {
		status = reader_next(reader, &event, error);
		if (status == HISTREE_OK && event.time > to)
			break;
		if (status == HISTREE_OK && event.time >= from)
			counts[pixel_to(&scale, event.time)]++;
	}
	return status;
}

enum histree_status histree_event_reader_density(struct histree_cursor *cursor, histree_time from, histree_time to,
						 uint32_t pixels, double *counts, bool *are_exact,
						 struct histree_error *error)
{
	struct event_reader *reader = reader_of(cursor);
	const struct event_index *index = &reader->events->index;
	if (from > to || pixels == 0 || pixels > HISTREE_PIXELS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a range of time with 1 to %u pixels was expected",
				 (unsigned)HISTREE_PIXELS_MAX);
	if (reader->merger != NULL)
		return event_merger_density(reader->merger, from, to, pixels, counts, are_exact, error);
	double before = event_index_estimate(index, from);
	double all = to < index->end ? event_index_estimate(index, to + 1) : (double)index->event_count;
	memset(counts, 0, pixels * sizeof(*counts));
	*are_exact = true;
	if (all - before <= EXACT_EVENTS) {
		enum histree_status status = count_pixels(reader, from, to, pixels, counts, error);
		if (status != HISTREE_ERR_TRACE)
			return status;
	}
	*are_exact = false;
	for (uint32_t i = 0; i < pixels; i++) {
		double through = all;
		if (i + 1 < pixels)
			through = event_index_estimate(index, histree_pixel_start(from, to, pixels, i + 1));
		counts[i] = through - before;
		before = through;
	}
	return HISTREE_OK;
}
