// SPDX-License-Identifier: MIT
/*
 * event_reader.c - the events of a store one after the other, from any number or time on: of one host, and of
 * several merged by time.
 *
 * For one host, events are read from the trace, starting at their block of the index.
 *
 * The trace is opened once, which reads all metadata and the headers of all packets; then it is moved to the block
 * of an event (trace_move), and read from there.  To jump up to two blocks forward, it simply reads on.
 *
 * Hosts are merged by their next events; where the clock of a host steps back, by the greatest time so far of
 * each, which has the same effect: an event that steps back comes at once after its predecessor.  So all events
 * before a time are those before it in each host, and a position is found by time (docs/design/13-hosts.md).
 *
 * The merger stands on the readers of its hosts; what the caller has is one of either.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/heap.h"
#include "base/search.h"
#include "base/table.h"
#include "event_index/event_index.h"
#include "event_index/event_text.h"
#include "event_index/events.h"
#include "histree/events.h"
#include "query/row_group.h"
#include "trace/event_stream.h"

/* ---- the reader of one host ---------------------------------------------------------------------------------- */

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

/* A zeroed one; reader_release() also after failure. */
static enum histree_status reader_begin(struct event_reader *reader, const struct histree_events *events,
					struct histree_error *error)
{
	reader->events = events;
	if (events->source.cursor_create != NULL)
		return events->source.cursor_create(events->source.context, &reader->cursor, error);
	for (uint32_t i = 0; i < events->index.type_count; i++) {
		const char *type = events->index.types[i];
		if (intern_add(&reader->types, type, strlen(type)) == INTERN_NONE)
			return error_memory(error, "a reader of events");
	}
	return HISTREE_OK;
}

static void reader_release(struct event_reader *reader)
{
	if (reader->cursor != NULL)
		reader->events->source.cursor_free(reader->cursor);
	event_stream_close(&reader->stream);
	intern_release(&reader->types);
	free(reader->text.bytes);
	free(reader->json.bytes);
	event_fields_release(&reader->fields);
}

/* ---- moving ---------------------------------------------------------------------------------------------- */

static enum histree_status not_the_same(struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_TRACE,
			 "the trace has changed since its store was built; build it again");
}

/* Open the trace at the block of an event, or at its start where the index has no positions. */
static enum histree_status open_before(struct event_reader *reader, uint64_t number, struct histree_error *error)
{
	const struct event_index *index = &reader->events->index;
	size_t block = number / EVENTS_PER_BLOCK;
	bool has_position = index->file_count > 0 && block > 0;
	if (reader->closed != NULL)
		return error_set(error, HISTREE_ERR_TRACE, "%s", reader->closed);
	for (size_t i = 0; i < reader->events->trace_count; i++)
		if (trace_is_address(reader->events->traces[i]))
			return error_set(error, HISTREE_ERR_TRACE,
					 "the events of a live trace are gone when it was read");
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

static enum histree_status reader_seek(struct event_reader *reader, uint64_t number, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	uint64_t count = reader->events->index.event_count;
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

static enum histree_status reader_next(struct event_reader *reader, struct histree_event *out,
				       struct histree_error *error)
{
	if (reader->wanted >= reader->events->index.event_count)
		return HISTREE_END;
	if (reader->cursor != NULL) {
		enum histree_status status = reader->events->source.cursor_next(reader->cursor, out, error);
		if (status != HISTREE_OK || out->type >= reader->events->index.type_count)
			return status < 0 ? status : not_the_same(error);
		out->number = reader->wanted++;
		out->host = 0;
		return HISTREE_OK;
	}
	enum histree_status status = reader_seek(reader, reader->wanted, error);
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

static enum histree_status reader_find(struct event_reader *reader, histree_time time, uint64_t *number,
				       struct histree_error *error)
{
	const struct event_index *index = &reader->events->index;
	*number = index->event_count;
	if (index->event_count == 0 || time > index->end)
		return HISTREE_OK;
	/* The greatest time so far is below `time` at this tick, or it is the first one. */
	uint64_t first = (uint64_t)event_index_tick_before(index, time) * EVENTS_PER_TICK;
	struct histree_event event;
	enum histree_status status = reader_seek(reader, first, error);
	while (status == HISTREE_OK) {
		status = reader_next(reader, &event, error);
		if (status == HISTREE_OK && event.time >= time) {
			*number = event.number;
			return HISTREE_OK;
		}
	}
	return status == HISTREE_END ? not_the_same(error) : status;
}

/* ---- counting -------------------------------------------------------------------------------------------- */

/* Count the types of the events [first, end) one by one, up to the first that is after `to`. */
static enum histree_status count_read(struct event_reader *reader, uint64_t first, uint64_t end, histree_time to,
				      uint64_t *counts, struct histree_error *error)
{
	struct histree_event event;
	enum histree_status status = reader_seek(reader, first, error);
	for (uint64_t i = first; status == HISTREE_OK && i < end; i++) {
		status = reader_next(reader, &event, error);
		if (status == HISTREE_OK && event.time > to)
			break;
		if (status == HISTREE_OK)
			counts[event.type]++;
	}
	return status;
}

/* The first event of a range; what the index knows is not read. */
static enum histree_status find_first(struct event_reader *reader, histree_time from, uint64_t *first,
				      struct histree_error *error)
{
	const struct event_index *index = &reader->events->index;
	*first = 0;
	if (index->event_count == 0 || from <= index->ticks[0])
		return HISTREE_OK;
	return reader_find(reader, from, first, error);
}

static enum histree_status reader_count_types(struct event_reader *reader, histree_time from, histree_time to,
					      uint64_t *counts, struct histree_error *error)
{
	const struct event_index *index = &reader->events->index;
	uint64_t first, count = index->event_count;
	memset(counts, 0, index->type_count * sizeof(*counts));
	if (count == 0)
		return HISTREE_OK;
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
	for (size_t i = first_block; i < end_block; i++)
		for (uint32_t type = 0; type < index->blocks[i].type_count; type++)
			counts[index->blocks[i].types[type]] += index->blocks[i].counts[type];
	if (status == HISTREE_OK && end_block < index->block_count)
		status = count_read(reader, (uint64_t)end_block * EVENTS_PER_BLOCK, count, to, counts, error);
	return status;
}

static enum histree_status reader_density(struct event_reader *reader, histree_time from, histree_time to,
					  uint32_t pixels, double *counts, bool *are_exact,
					  struct histree_error *error)
{
	const struct event_index *index = &reader->events->index;
	double before = event_index_estimate(index, from);
	double all = to < index->end ? event_index_estimate(index, to + 1) : (double)index->event_count;
	memset(counts, 0, pixels * sizeof(*counts));
	*are_exact = true;
	if (all - before <= EXACT_EVENTS) {
		const struct pixel_scale scale = pixel_scale(from, to, pixels);
		struct histree_event event;
		uint64_t first, count = reader->events->index.event_count;
		enum histree_status status = find_first(reader, from, &first, error);
		if (status == HISTREE_OK)
			status = reader_seek(reader, first, error);
		for (uint64_t i = first; status == HISTREE_OK && i < count; i++) {
			status = reader_next(reader, &event, error);
			if (status == HISTREE_OK && event.time > to)
				break;
			if (status == HISTREE_OK && event.time >= from)
				counts[pixel_to(&scale, event.time)]++;
		}
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

/* ---- event merger -------------------------------------------------------------------------------------------- */

/* So many events are read rather than looked for. */
enum { AHEAD_MAX = 2 * EVENTS_PER_BLOCK };

struct merge_part {
	struct event_reader *reader; /* NULL: it has no events */
	struct histree_event head;   /* its next event, with our type */
	histree_time greatest;       /* of its times so far */
	uint32_t host;
};

struct event_merger {
	const struct histree_events *events;
	struct merge_part *parts;
	struct merge_part **heap; /* those that have a next event; the first of them first */
	size_t heap_count;
	size_t unread_count;     /* hosts whose first event after a move was not read yet: the last ones */
	struct merge_part *last; /* that gave the event before `next`; the first of the heap, or NULL */
	uint64_t next;           /* the number of the event that comes after `last` */
	uint64_t wanted;         /* the number that the caller gets next */
	bool is_placed;          /* false: the readers may be anywhere */
};

static void event_merger_free(struct event_merger *merger)
{
	if (merger == NULL)
		return;
	for (size_t i = 0; merger->parts != NULL && i < merger->events->host_count; i++)
		if (merger->parts[i].reader != NULL) {
			reader_release(merger->parts[i].reader);
			free(merger->parts[i].reader);
		}
	free(merger->parts);
	free(merger->heap);
	free(merger);
}

static enum histree_status event_merger_create(const struct histree_events *events, struct event_merger **out,
					       struct histree_error *error)
{
	*out = NULL;
	struct event_merger *merger = calloc(1, sizeof(*merger));
	if (merger == NULL)
		return error_memory(error, "a reader of events");
	merger->events = events;
	merger->parts = calloc(events->host_count + 1, sizeof(*merger->parts));
	merger->heap = calloc(events->host_count + 1, sizeof(struct merge_part *));
	enum histree_status status = merger->parts != NULL && merger->heap != NULL
					     ? HISTREE_OK
					     : error_memory(error, "a reader of events");
	for (size_t i = 0; status == HISTREE_OK && i < events->host_count; i++) {
		merger->parts[i].host = (uint32_t)i;
		if (events->parts[i] == NULL)
			continue;
		assert(events->parts[i]->host_count == 0);
		struct event_reader *reader = merger->parts[i].reader = calloc(1, sizeof(*reader));
		status = reader != NULL ? reader_begin(reader, events->parts[i], error)
					: error_memory(error, "a reader of events");
	}
	if (status == HISTREE_OK)
		*out = merger;
	else
		event_merger_free(merger);
	return status;
}

static void event_merger_keep_closed(struct event_merger *merger, const char *why)
{
	for (size_t i = 0; i < merger->events->host_count; i++)
		if (merger->parts[i].reader != NULL)
			merger->parts[i].reader->closed = why;
}

/* Which host could not be read. */
static enum histree_status of_host(const struct event_merger *merger, const struct merge_part *part,
				   enum histree_status status, struct histree_error *error)
{
	if (status < 0)
		error_prefix(error, "%s", merger->events->hosts[part->host].name);
	return status;
}

static bool comes_before(const struct merge_part *a, const struct merge_part *b)
{
	return a->greatest != b->greatest ? a->greatest < b->greatest : a->host < b->host;
}

/* ---- one after the other --------------------------------------------------------------------------------- */

static enum histree_status read_head(struct event_merger *merger, struct merge_part *part,
				     struct histree_error *error)
{
	enum histree_status status = reader_next(part->reader, &part->head, error);
	if (status != HISTREE_OK)
		return of_host(merger, part, status, error);
	assert(part->head.type < merger->events->parts[part->host]->index.type_count);
	part->head.type = merger->events->types_of_part[part->host][part->head.type];
	part->head.host = part->host;
	if (part->head.time > part->greatest)
		part->greatest = part->head.time;
	return HISTREE_OK;
}

/* Make the next event the last one. */
static enum histree_status step(struct event_merger *merger, struct histree_error *error)
{
	enum histree_status status;
	if (merger->last != NULL) {
		status = read_head(merger, merger->last, error);
		if (status < 0)
			return status;
		if (status == HISTREE_END)
			HEAP_POP(merger->heap, merger->heap_count, a, b, comes_before(*a, *b));
		else
			HEAP_SINK(merger->heap, merger->heap_count, 0, a, b, comes_before(*a, *b));
		merger->last = NULL;
	}
	while (merger->unread_count > 0) {
		struct merge_part *part = &merger->parts[merger->unread_count - 1];
		status = part->reader != NULL ? read_head(merger, part, error) : HISTREE_END;
		if (status < 0)
			return status;
		if (status == HISTREE_OK) {
			assert(merger->heap_count < merger->events->host_count);
			HEAP_PUSH(merger->heap, merger->heap_count, part, a, b, comes_before(*a, *b));
		}
		merger->unread_count--;
	}
	if (merger->heap_count == 0)
		return HISTREE_END;
	assert(merger->unread_count == 0 && merger->next < merger->events->index.event_count);
	merger->last = merger->heap[0];
	merger->next++;
	return HISTREE_OK;
}

/* ---- places ---------------------------------------------------------------------------------------------- */

/* Each host before its first event that is not before `time`. */
static enum histree_status place_at(struct event_merger *merger, histree_time time, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	merger->is_placed = false;
	merger->next = 0;
	for (size_t i = 0; status == HISTREE_OK && i < merger->events->host_count; i++) {
		struct merge_part *part = &merger->parts[i];
		uint64_t number = 0;
		if (part->reader == NULL)
			continue;
		const struct event_index *index = &merger->events->parts[i]->index;
		if (index->event_count > 0 && time > index->ticks[0])
			status = reader_find(part->reader, time, &number, error);
		if (status == HISTREE_OK)
			status = reader_seek(part->reader, number, error);
		part->greatest = INT64_MIN;
		merger->next += number;
		of_host(merger, part, status, error);
	}
	merger->heap_count = 0;
	merger->unread_count = merger->events->host_count;
	merger->last = NULL;
	merger->is_placed = status == HISTREE_OK;
	return status;
}

/* Returns an upper bound of the events of a host before a time. */
static uint64_t most_before(const struct event_index *index, histree_time time)
{
	if (index->event_count == 0 || time <= index->ticks[0])
		return 0;
	if (time > index->end)
		return index->event_count;
	uint64_t most = ((uint64_t)event_index_tick_before(index, time) + 1) * EVENTS_PER_TICK;
	return most < index->event_count ? most : index->event_count;
}

/* Times as numbers from 0 on. */
static histree_time time_of(uint64_t number)
{
	return (histree_time)(number ^ UINT64_C(1) << 63);
}

/* The most events that there can be before a time. */
static uint64_t most_before_in_all(const struct event_merger *merger, histree_time time)
{
	uint64_t most = 0;
	for (size_t i = 0; i < merger->events->host_count; i++)
		if (merger->events->parts[i] != NULL)
			most += most_before(&merger->events->parts[i]->index, time);
	return most;
}

/* The latest time before which there are surely no more than `number` events, of which there are more. */
static histree_time time_before(const struct event_merger *merger, uint64_t number)
{
	return time_of(SEARCH(time, 1, UINT64_MAX, most_before_in_all(merger, time_of(time)) <= number) - 1);
}

static enum histree_status event_merger_seek(struct event_merger *merger, uint64_t number,
					     struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	uint64_t count = merger->events->index.event_count;
	merger->wanted = number < count ? number : count;
	if (number >= count)
		return HISTREE_OK;
	if (merger->is_placed && merger->last != NULL && number + 1 == merger->next)
		return HISTREE_OK; /* the last one once more */
	if (!merger->is_placed || number < merger->next || number - merger->next > AHEAD_MAX)
		status = place_at(merger, time_before(merger, number), error);
	while (status == HISTREE_OK && merger->next < number)
		status = step(merger, error);
	if (status < 0)
		merger->is_placed = false;
	return status;
}

static enum histree_status event_merger_next(struct event_merger *merger, struct histree_event *out,
					     struct histree_error *error)
{
	if (merger->wanted >= merger->events->index.event_count)
		return HISTREE_END;
	enum histree_status status = event_merger_seek(merger, merger->wanted, error);
	if (status == HISTREE_OK && merger->next == merger->wanted)
		status = step(merger, error);
	if (status == HISTREE_END)
		status = error_set(error, HISTREE_ERR_TRACE,
				   "a trace has changed since its store was built; build it again");
	merger->is_placed = merger->is_placed && status == HISTREE_OK;
	if (status != HISTREE_OK)
		return status;
	*out = merger->last->head;
	out->number = merger->wanted++;
	return HISTREE_OK;
}

static enum histree_status event_merger_find(struct event_merger *merger, histree_time time, uint64_t *number,
					     struct histree_error *error)
{
	*number = merger->events->index.event_count;
	if (*number == 0 || time > merger->events->index.end)
		return HISTREE_OK;
	enum histree_status status = place_at(merger, time, error);
	if (status == HISTREE_OK)
		*number = merger->next;
	return status;
}

/* ---- sums ------------------------------------------------------------------------------------------------ */

/* Sums over all hosts: as the functions of events.h. */
static enum histree_status event_merger_count_types(struct event_merger *merger, histree_time from, histree_time to,
						    uint64_t *counts, struct histree_error *error)
{
	const struct histree_events *events = merger->events;
	uint64_t *of_part = calloc(events->index.type_count + 1, sizeof(*of_part));
	enum histree_status status = of_part != NULL ? HISTREE_OK : error_memory(error, "counts of events");
	merger->is_placed = false;
	for (size_t i = 0; status == HISTREE_OK && i < events->host_count; i++) {
		struct merge_part *part = &merger->parts[i];
		if (part->reader == NULL)
			continue;
		status = reader_count_types(part->reader, from, to, of_part, error);
		for (uint32_t type = 0; status == HISTREE_OK && type < events->parts[i]->index.type_count; type++)
			counts[events->types_of_part[i][type]] += of_part[type];
		of_host(merger, part, status, error);
	}
	free(of_part);
	return status;
}

static enum histree_status event_merger_density(struct event_merger *merger, histree_time from, histree_time to,
						uint32_t pixels, double *counts, bool *are_exact,
						struct histree_error *error)
{
	double *of_part = calloc(pixels, sizeof(*of_part));
	enum histree_status status = of_part != NULL ? HISTREE_OK : error_memory(error, "counts of events");
	memset(counts, 0, pixels * sizeof(*counts));
	merger->is_placed = false;
	*are_exact = true;
	for (size_t i = 0; status == HISTREE_OK && i < merger->events->host_count; i++) {
		struct merge_part *part = &merger->parts[i];
		bool is_exact;
		if (part->reader == NULL)
			continue;
		status = reader_density(part->reader, from, to, pixels, of_part, &is_exact, error);
		if (status != HISTREE_OK) {
			of_host(merger, part, status, error);
			break;
		}
		*are_exact = *are_exact && is_exact;
		for (uint32_t pixel = 0; pixel < pixels; pixel++)
			counts[pixel] += of_part[pixel];
	}
	free(of_part);
	return status;
}

/* ---- of one host or of several ------------------------------------------------------------------------------- */

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
	struct event_reader *reader = calloc(1, sizeof(*reader));
	*out = NULL;
	if (reader == NULL)
		return error_memory(error, "a reader of events");
	reader->base.kind = &of_reader;
	reader->base.row = &reader->row;
	reader->events = events;
	enum histree_status status = events->hosts != NULL ? event_merger_create(events, &reader->merger, error)
							   : reader_begin(reader, events, error);
	if (status == HISTREE_OK)
		*out = &reader->base;
	else
		free_reader(&reader->base);
	return status;
}

static void free_reader(struct histree_cursor *cursor)
{
	struct event_reader *reader = (struct event_reader *)cursor;
	event_merger_free(reader->merger);
	reader_release(reader);
	free(reader);
}

void histree_event_reader_keep_closed(struct histree_cursor *cursor, const char *why)
{
	struct event_reader *reader = reader_of(cursor);
	reader->closed = why;
	if (reader->merger != NULL)
		event_merger_keep_closed(reader->merger, why);
}

enum histree_status histree_event_reader_seek(struct histree_cursor *cursor, uint64_t number,
					      struct histree_error *error)
{
	struct event_reader *reader = reader_of(cursor);
	return reader->merger != NULL ? event_merger_seek(reader->merger, number, error)
				      : reader_seek(reader, number, error);
}

static enum histree_status next_event(struct histree_cursor *cursor, struct histree_error *error)
{
	struct event_reader *reader = reader_of(cursor);
	return reader->merger != NULL ? event_merger_next(reader->merger, &reader->row, error)
				      : reader_next(reader, &reader->row, error);
}

enum histree_status histree_event_reader_find(struct histree_cursor *cursor, histree_time time, uint64_t *number,
					      struct histree_error *error)
{
	struct event_reader *reader = reader_of(cursor);
	return reader->merger != NULL ? event_merger_find(reader->merger, time, number, error)
				      : reader_find(reader, time, number, error);
}

enum histree_status histree_event_reader_count_types(struct histree_cursor *cursor, histree_time from,
						     histree_time to, uint64_t *counts, struct histree_error *error)
{
	struct event_reader *reader = reader_of(cursor);
	memset(counts, 0, reader->events->index.type_count * sizeof(*counts));
	if (reader->events->index.event_count == 0)
		return HISTREE_OK;
	return reader->merger != NULL ? event_merger_count_types(reader->merger, from, to, counts, error)
				      : reader_count_types(reader, from, to, counts, error);
}

enum histree_status histree_event_reader_density(struct histree_cursor *cursor, histree_time from, histree_time to,
						 uint32_t pixels, double *counts, bool *are_exact,
						 struct histree_error *error)
{
	struct event_reader *reader = reader_of(cursor);
	if (from > to || pixels == 0 || pixels > HISTREE_PIXELS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a range of time with 1 to %u pixels was expected",
				 (unsigned)HISTREE_PIXELS_MAX);
	return reader->merger != NULL
		       ? event_merger_density(reader->merger, from, to, pixels, counts, are_exact, error)
		       : reader_density(reader, from, to, pixels, counts, are_exact, error);
}

/* ---- contents -------------------------------------------------------------------------------------------- */

/* The reader that has the last event: this one, or that of a host. */
static struct event_reader *reader_of_last(const struct event_reader *reader)
{
	const struct event_merger *merger = reader->merger;
	const bool is_of_host = merger != NULL && merger->is_placed && merger->last != NULL;
	return is_of_host ? merger->last->reader : (struct event_reader *)(uintptr_t)reader;
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

/* Both are requested together, so that a source knows from the first event on what the caller needs of each. */
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
