// SPDX-License-Identifier: MIT
/*
 * event_stream.c - the events of a trace for all their readers: directly, or copied in batches by a crew that reads
 * ahead.
 *
 * Copies of events are in batches, which a crew fills that reads a trace ahead, and which several readers share.  A
 * copy has all fields of the event and stays valid until its batch is cleared; a batch is reused after the last of
 * its readers has given it back.
 */
#include "trace/event_stream.h"

#include <assert.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/crew.h"
#include "base/error.h"
#include "base/table.h"
#include "event/event.h"
#include "trace/packed/packed_source.h"
#include "trace/trace.h"

/* ---- event feed ---------------------------------------------------------------------------------------------- */

/* A batch has no more events, and no more bytes unless its only event is larger. */
enum { KEPT_EVENTS_MAX = 1024, KEPT_BYTES = 192 << 10 };

/* ---- kept events --------------------------------------------------------------------------------------------- */

/* A field, which in a table of text may be a number and a text at once. */
struct kept_cell {
	int64_t number;
	const char *text; /* or parts */
	uint64_t size : 60;
	uint64_t is_number : 1, is_unsigned : 1, is_text : 1, is_parts : 1;
};

/* ---- twins ----------------------------------------------------------------------------------------------- */

static bool kept_int(const struct event *event, uint32_t field, int64_t *out)
{
	const struct kept_cell *cells = event->handle;
	if (field >= event->class->field_count)
		return false;
	*out = cells[field].number;
	return cells[field].is_number;
}

static bool kept_string(const struct event *event, uint32_t field, const char **text, size_t *size)
{
	const struct kept_cell *cells = event->handle;
	if (field >= event->class->field_count || !cells[field].is_text)
		return false;
	*text = cells[field].text;
	*size = cells[field].size;
	return true;
}

static bool kept_visit(const struct event *event, uint32_t field, event_visitor visitor, void *context)
{
	const struct kept_cell *cell = &((const struct kept_cell *)event->handle)[field];
	struct event_part part = { .kind = EVENT_NOTHING, .name = event->class->fields[field] };
	if (cell->is_parts)
		return packed_parts_visit(cell->text, cell->size, part.name, visitor, context);
	if (cell->is_number) {
		part.kind = cell->is_unsigned ? EVENT_UNSIGNED : EVENT_INT;
		part.integer = cell->number;
	} else if (cell->is_text) {
		part.kind = EVENT_TEXT;
		part.bytes = cell->text;
		part.size = cell->size;
	}
	return visitor(context, &part);
}

/* Their events are decoded as they are read, and have cells of their own, with others inside. */
static bool is_packed(const struct event_trace *trace)
{
	return trace->get_int == packed_event_int || trace->get_int_as_written == packed_event_int;
}

static const struct event_trace *trace_of(struct kept_classes *classes, const struct event_trace *trace)
{
	if (is_packed(trace))
		return trace;
	if (!array_reserve(&classes->traces, &classes->trace_capacity, (size_t)trace->id + 1))
		return NULL;
	while (classes->trace_count <= trace->id)
		classes->traces[classes->trace_count++] = NULL;
	if (classes->traces[trace->id] == NULL) {
		struct event_trace *twin =
			arena_allocate(&classes->memory, sizeof(*twin), alignof(struct event_trace));
		if (twin == NULL)
			return NULL;
		*twin = *trace;
		/* States of tasks are kept as they were written: get_int makes of the twin's what was meant. */
		*(trace->get_int_as_written != NULL ? &twin->get_int_as_written : &twin->get_int) = kept_int;
		twin->get_string = kept_string;
		twin->visit = trace->visit != NULL ? kept_visit : NULL;
		classes->traces[trace->id] = twin;
	}
	return classes->traces[trace->id];
}

static const struct event_class *class_of(struct kept_classes *classes, const struct event_class *class)
{
	if (class->id < classes->class_count && classes->classes[class->id] != NULL)
		return classes->classes[class->id];
	if (!array_reserve(&classes->classes, &classes->class_capacity, (size_t) class->id + 1))
		return NULL;
	while (classes->class_count <= class->id)
		classes->classes[classes->class_count++] = NULL;
	struct event_class *twin = arena_allocate(&classes->memory, sizeof(*twin), alignof(struct event_class));
	const struct event_trace *trace = trace_of(classes, class->trace);
	if (twin == NULL || trace == NULL)
		return NULL;
	*twin = *class;
	twin->trace = trace;
	return classes->classes[class->id] = twin;
}

void kept_classes_release(struct kept_classes *classes)
{
	free((void *)classes->classes);
	free((void *)classes->traces);
	packed_parts_release(&classes->parts);
	arena_release(&classes->memory);
	*classes = (struct kept_classes){ 0 };
}

/* ---- events ---------------------------------------------------------------------------------------------- */

/* Returns room for `size` bytes, aligned as cells are or not at all; NULL if the batch is full. */
static void *kept_events_room(struct kept_events *kept, size_t size, size_t alignment)
{
	size_t at = (kept->used + alignment - 1) / alignment * alignment;
	if (at > kept->room || size > kept->room - at)
		return NULL;
	kept->used = at + size;
	return kept->bytes + at;
}

static bool keep_bytes(struct kept_events *kept, const void **bytes, size_t size)
{
	void *copy = kept_events_room(kept, size, 1);
	if (copy != NULL && size > 0)
		memcpy(copy, *bytes, size);
	*bytes = copy;
	return copy != NULL;
}

static bool keep_packed(struct kept_events *kept, struct event *event)
{
	const struct packed_cell *from = event->handle;
	size_t count = event->class->field_count;
	struct packed_cell *cells = kept_events_room(kept, count * sizeof(*cells), alignof(struct packed_cell));
	if (cells == NULL)
		return false;
	event->handle = cells;
	for (size_t i = 0; i < count; i++) {
		cells[i] = from[i];
		bool has_bytes = from[i].kind == PACKED_TEXT || from[i].kind == PACKED_PARTS;
		if (has_bytes && !keep_bytes(kept, &cells[i].bytes, cells[i].size))
			return false;
	}
	return true;
}

static bool put_part(void *context, const struct event_part *part)
{
	packed_parts_put(context, part);
	return true;
}

static bool see_kind(void *context, const struct event_part *part)
{
	*(enum event_part_kind *)context = part->kind;
	return false;
}

/* What is neither a number nor a text: a real number, bytes, or a field with others inside. */
static bool keep_parts(struct kept_events *kept, struct packed_parts *parts, const struct event *from,
		       uint32_t field, struct kept_cell *cell)
{
	enum event_part_kind kind = EVENT_NOTHING;
	from->class->trace->visit(from, field, see_kind, &kind);
	if (kind == EVENT_NOTHING)
		return true;
	packed_parts_clear(parts);
	from->class->trace->visit(from, field, put_part, parts);
	const void *copy = parts->bytes;
	if (parts->has_failed || !keep_bytes(kept, &copy, parts->size))
		return false;
	cell->text = copy;
	cell->size = parts->size & (UINT64_MAX >> 4);
	cell->is_parts = true;
	return true;
}

static bool keep_field(struct kept_events *kept, struct packed_parts *parts, const struct event *from,
		       uint32_t field, struct kept_cell *cell)
{
	const struct event_trace *trace = from->class->trace;
	const char *text;
	size_t size;
	*cell = (struct kept_cell){ .number = 0 };
	int64_t number;
	cell->is_number = event_int_as_written(from, field, &number);
	if (cell->is_number)
		cell->number = number;
	cell->is_text = trace->get_string(from, field, &text, &size);
	if (cell->is_number && cell->number < 0 && trace->visit != NULL) {
		enum event_part_kind kind = EVENT_INT;
		trace->visit(from, field, see_kind, &kind);
		cell->is_unsigned = kind == EVENT_UNSIGNED;
	}
	if (!cell->is_text)
		return cell->is_number || trace->visit == NULL || keep_parts(kept, parts, from, field, cell);
	const void *copy = text;
	if (!keep_bytes(kept, &copy, size))
		return false;
	cell->text = copy;
	cell->size = size & (UINT64_MAX >> 4);
	return true;
}

static bool keep_fields(struct kept_events *kept, struct packed_parts *parts, const struct event *from,
			struct event *event)
{
	uint32_t count = event->class->field_count;
	struct kept_cell *cells = kept_events_room(kept, count * sizeof(*cells), alignof(struct kept_cell));
	if (cells == NULL)
		return false;
	event->handle = cells;
	for (uint32_t i = 0; i < count; i++)
		if (!keep_field(kept, parts, from, i, &cells[i]))
			return false;
	return true;
}

static bool try_to_keep(struct kept_events *kept, struct packed_parts *parts, const struct event *from,
			struct event *event, const struct event_trace *gap_trace)
{
	*event = *from;
	if (from->gap != NULL) {
		struct event_gap *gap = kept_events_room(kept, sizeof(*gap), alignof(struct event_gap));
		if (gap == NULL)
			return false;
		*gap = *event->gap;
		gap->trace = gap_trace;
		event->gap = gap;
		return true;
	}
	return is_packed(from->class->trace) ? keep_packed(kept, event) : keep_fields(kept, parts, from, event);
}

enum kept_outcome kept_events_add(struct kept_events *kept, struct kept_classes *classes, const struct event *event)
{
	const struct event_trace *gap_trace = event->gap != NULL ? trace_of(classes, event->gap->trace) : NULL;
	const struct event_class *class = event->gap == NULL ? class_of(classes, event->class) : NULL;
	if (gap_trace == NULL && class == NULL)
		return KEPT_NO_MEMORY;
	if (kept->count == KEPT_EVENTS_MAX)
		return KEPT_NO_ROOM;
	if (!array_reserve(&kept->events, &kept->capacity, KEPT_EVENTS_MAX))
		return KEPT_NO_MEMORY;
	struct event *copy = &kept->events[kept->count];
	size_t used = kept->used;
	while (!try_to_keep(kept, &classes->parts, event, copy, gap_trace)) {
		if (classes->parts.has_failed)
			return KEPT_NO_MEMORY;
		kept->used = used;
		if (kept->count > 0)
			return KEPT_NO_ROOM;
		/* Make room for more, while nothing points into it. */
		size_t room = kept->room < KEPT_BYTES ? KEPT_BYTES : 2 * kept->room;
		uint8_t *bytes = realloc(kept->bytes, room);
		if (bytes == NULL)
			return KEPT_NO_MEMORY;
		kept->bytes = bytes;
		kept->room = room;
	}
	copy->class = class;
	kept->count++;
	return KEPT;
}

/* Have none, in the same memory; that of an event that was larger than a batch is given back. */
static void kept_events_clear(struct kept_events *kept)
{
	kept->count = kept->used = 0;
	if (kept->room <= KEPT_BYTES)
		return;
	free(kept->bytes);
	kept->bytes = NULL;
	kept->room = 0;
}

void kept_events_release(struct kept_events *kept)
{
	free(kept->events);
	free(kept->bytes);
	*kept = (struct kept_events){ 0 };
}

/* ---- event feed ---------------------------------------------------------------------------------------------- */

struct event_feed {
	struct trace *trace;
	struct event_watch watch;
	struct kept_classes classes;
	struct event_batch batches[FEED_BATCHES]; /* number n is batches[n % FEED_BATCHES] */
	struct event event;                       /* the one that did not fit into the batch before */
	bool has_event;
	struct crew *crew;
	struct crew_task filling; /* a step is a batch */

	pthread_mutex_t mutex;                       /* guards what follows, and the owner of each batch */
	uint64_t made;                               /* batches */
	uint64_t given[FEED_READERS_MAX];            /* back, by reader */
	struct crew_task *readers[FEED_READERS_MAX]; /* the first one's is NULL */
	unsigned reader_count;
	unsigned at_work; /* steps: of `filling`, and of readers that have a batch */
	bool is_paused, is_over, is_stopped;
};

/* ---- reading ---------------------------------------------------------------------------------------------- */

static enum histree_status next_event(struct event_feed *feed, struct event_batch *batch)
{
	enum histree_status status = trace_next(feed->trace, &feed->event, &batch->error);
	feed->has_event = status == HISTREE_OK;
	if (status != HISTREE_OK || feed->watch.see == NULL)
		return status;
	status = feed->watch.see(feed->watch.context, feed->trace, &feed->event, &batch->error);
	batch->has_failed = status != HISTREE_OK;
	return status;
}

/* ---- who has which batch ---------------------------------------------------------------------------------- */

/* Returns whether all readers have given back the next `count` batches to be filled. */
static bool has_room_for(const struct event_feed *feed, uint64_t count)
{
	for (unsigned reader = 0; reader < feed->reader_count; reader++)
		if (feed->made - feed->given[reader] + count > FEED_BATCHES)
			return false;
	return true;
}

static bool can_fill(const struct event_feed *feed)
{
	return !feed->is_stopped && !feed->is_paused && !feed->is_over && has_room_for(feed, 1);
}

static bool has_batch_for(const struct event_feed *feed, unsigned reader)
{
	return !feed->is_stopped && !(reader > 0 && feed->is_paused) && feed->given[reader] < feed->made;
}

static void start_readers(struct event_feed *feed)
{
	pthread_mutex_lock(&feed->mutex);
	unsigned count = feed->reader_count;
	pthread_mutex_unlock(&feed->mutex);
	for (unsigned reader = 1; reader < count; reader++)
		crew_start(feed->crew, feed->readers[reader]);
}

/* A step: fill the next batch. */
static bool fill_next(void *context)
{
	struct event_feed *feed = context;
	struct event_batch *batch = NULL;
	pthread_mutex_lock(&feed->mutex);
	if (can_fill(feed)) {
		batch = &feed->batches[feed->made % FEED_BATCHES];
		feed->at_work++;
	}
	pthread_mutex_unlock(&feed->mutex);
	if (batch == NULL)
		return false;
	kept_events_clear(&batch->kept);
	batch->status = HISTREE_OK;
	batch->has_failed = false;
	for (;;) {
		if (!feed->has_event)
			batch->status = next_event(feed, batch);
		if (batch->status != HISTREE_OK)
			break;
		enum kept_outcome outcome = kept_events_add(&batch->kept, &feed->classes, &feed->event);
		if (outcome == KEPT_NO_ROOM)
			break;
		if (outcome == KEPT_NO_MEMORY) {
			batch->status = error_memory(&batch->error, "events that are read ahead");
			batch->has_failed = true;
			break;
		}
		feed->has_event = false;
	}
	batch->report = trace_report(feed->trace);
	pthread_mutex_lock(&feed->mutex);
	feed->at_work--;
	feed->made++;
	feed->is_over = batch->status != HISTREE_OK;
	bool goes_on = can_fill(feed);
	pthread_mutex_unlock(&feed->mutex);
	start_readers(feed);
	return goes_on;
}

/* Begin to read an open trace that is not live.  The caller is the first reader.  Returns NULL if that failed. */
static struct event_feed *event_feed_start(struct crew *crew, struct trace *trace, const struct event_watch *watch)
{
	struct event_feed *feed = calloc(1, sizeof(*feed));
	if (feed == NULL || pthread_mutex_init(&feed->mutex, NULL) != 0) {
		free(feed);
		return NULL;
	}
	feed->trace = trace;
	feed->watch = *watch;
	feed->crew = crew;
	feed->reader_count = 1;
	feed->filling = (struct crew_task){ .step = fill_next, .context = feed };
	crew_start(crew, &feed->filling);
	return feed;
}

void event_feed_add_reader(struct event_feed *feed, struct crew_task *task, unsigned *reader)
{
	pthread_mutex_lock(&feed->mutex);
	assert(feed->reader_count < FEED_READERS_MAX && feed->given[0] == 0);
	feed->readers[feed->reader_count] = task;
	*reader = feed->reader_count++;
	pthread_mutex_unlock(&feed->mutex);
	crew_start(feed->crew, task);
}

/* Whether the first reader need not wait. */
static bool is_served(void *context)
{
	struct event_feed *feed = context;
	pthread_mutex_lock(&feed->mutex);
	bool is_served = feed->is_stopped || feed->is_over || feed->given[0] < feed->made;
	pthread_mutex_unlock(&feed->mutex);
	return is_served;
}

const struct event_batch *event_feed_look(struct event_feed *feed, unsigned reader)
{
	pthread_mutex_lock(&feed->mutex);
	bool has_one = has_batch_for(feed, reader);
	feed->at_work += has_one;
	pthread_mutex_unlock(&feed->mutex);
	return has_one ? &feed->batches[feed->given[reader] % FEED_BATCHES] : NULL;
}

/* Filling begins again when there is room for half of the batches: threads change places less often then. */
static bool give_back(struct event_feed *feed, unsigned reader)
{
	pthread_mutex_lock(&feed->mutex);
	feed->given[reader]++;
	feed->at_work -= reader > 0;
	bool starts_filling = can_fill(feed) && has_room_for(feed, FEED_BATCHES / 2);
	bool has_another = has_batch_for(feed, reader);
	pthread_mutex_unlock(&feed->mutex);
	if (starts_filling)
		crew_start(feed->crew, &feed->filling);
	return has_another;
}

void event_feed_give_back(struct event_feed *feed)
{
	give_back(feed, 0);
}

bool event_feed_return(struct event_feed *feed, unsigned reader)
{
	return give_back(feed, reader);
}

static void set(struct event_feed *feed, bool *member, bool value)
{
	pthread_mutex_lock(&feed->mutex);
	*member = value;
	pthread_mutex_unlock(&feed->mutex);
}

static bool is_quiet(void *context)
{
	struct event_feed *feed = context;
	pthread_mutex_lock(&feed->mutex);
	bool is_quiet = feed->at_work == 0;
	pthread_mutex_unlock(&feed->mutex);
	return is_quiet;
}

void event_feed_pause(struct event_feed *feed)
{
	set(feed, &feed->is_paused, true);
	crew_await(feed->crew, &feed->filling, is_quiet, feed);
}

void event_feed_resume(struct event_feed *feed)
{
	set(feed, &feed->is_paused, false);
	crew_start(feed->crew, &feed->filling);
	start_readers(feed);
}

void event_feed_join(struct event_feed *feed, struct crew_task *task)
{
	crew_finish(feed->crew, task);
}

/* Free what it has, once it has ended and all of its readers were waited for.  NULL is fine. */
static void event_feed_free(struct event_feed *feed)
{
	if (feed == NULL)
		return;
	for (unsigned i = 0; i < FEED_BATCHES; i++)
		kept_events_release(&feed->batches[i].kept);
	kept_classes_release(&feed->classes);
	pthread_mutex_destroy(&feed->mutex);
	free(feed);
}

/* ---- opening ---------------------------------------------------------------------------------------------- */

static enum histree_status prepare(struct event_stream *stream, const struct event_origin *origin,
				   struct histree_error *error)
{
	struct trace *trace = stream->trace;
	if (origin->changed != NULL &&
	    (trace_bytes(trace) != origin->bytes || trace_file_count(trace) != origin->file_count))
		return error_set(error, HISTREE_ERR_TRACE, "%s", origin->changed);
	if (origin->wants_gaps)
		trace_want_gaps(trace);
	if (origin->clock != NULL)
		trace_set_clock(trace, origin->clock);
	return HISTREE_OK;
}

static enum histree_status opened(struct event_stream *stream, const struct event_origin *origin,
				  enum histree_status status, struct histree_error *error)
{
	if (status == HISTREE_OK)
		status = prepare(stream, origin, error);
	if (status != HISTREE_OK)
		event_stream_close(stream);
	return status;
}

enum histree_status event_stream_open(struct event_stream *stream, const struct event_origin *origin,
				      const struct histree_work *work, struct histree_error *error)
{
	return opened(stream, origin,
		      trace_open_or_cancel(origin->paths, origin->path_count, work, &stream->trace, error), error);
}

enum histree_status event_stream_open_at(struct event_stream *stream, const struct event_origin *origin,
					 const struct trace_position *positions, size_t position_count,
					 struct histree_error *error)
{
	return opened(
		stream, origin,
		trace_open_at(origin->paths, origin->path_count, positions, position_count, &stream->trace, error),
		error);
}

void event_stream_close(struct event_stream *stream)
{
	event_stream_release_ahead(stream);
	trace_close(stream->trace);
	stream->trace = NULL;
	stream->count = 0;
}

/* ---- events ----------------------------------------------------------------------------------------------- */

/* Why there are no batches after the last one. */
static enum histree_status end_of_feed(struct event_stream *stream, struct histree_error *error)
{
	const struct event_batch *last = stream->last;
	stream->has_failed = last->has_failed;
	return last->status < 0 ? error_set(error, last->status, "%s", last->error.message) : last->status;
}

/* A batch that was given back is filled again, except the last one. */
enum histree_status event_stream_read_batch(struct event_stream *stream, struct histree_error *error)
{
	if (stream->last != NULL)
		return end_of_feed(stream, error);
	/* Wait for the first reader's next batch. NULL: there are no more. */
	crew_await(stream->feed->crew, &stream->feed->filling, is_served, stream->feed);
	pthread_mutex_lock(&stream->feed->mutex);
	bool has_one = has_batch_for(stream->feed, 0);
	pthread_mutex_unlock(&stream->feed->mutex);
	const struct event_batch *batch =
		has_one ? &stream->feed->batches[stream->feed->given[0] % FEED_BATCHES] : NULL;
	if (batch == NULL)
		return HISTREE_END;
	stream->report = batch->report;
	stream->last = batch->status != HISTREE_OK ? batch : NULL;
	stream->events = batch->kept.events;
	stream->count = batch->kept.count;
	if (stream->count > 0)
		return HISTREE_OK;
	event_feed_give_back(stream->feed);
	return end_of_feed(stream, error);
}

enum histree_status event_stream_go(struct event_stream *stream, const struct trace_position *positions,
				    size_t position_count, struct histree_error *error)
{
	event_stream_forget(stream);
	return trace_move(stream->trace, positions, position_count, error);
}

/* While there is a feed, the trace is not ours to ask. */
struct trace_report event_stream_report(const struct event_stream *stream)
{
	return stream->feed != NULL ? stream->report : trace_report(stream->trace);
}

/* ---- read ahead ---------------------------------------------------------------------------------------------- */

bool event_stream_read_ahead(struct event_stream *stream, struct crew *crew)
{
	stream->feed = event_feed_start(crew, stream->trace, &stream->watch);
	return stream->feed != NULL;
}

void event_stream_end_ahead(struct event_stream *stream, bool is_in_vain)
{
	if (stream->feed != NULL) {
		/*
		 * No task of the feed is left after this; if `is_in_vain`, no more batches are made or taken.
		 */
		if (is_in_vain)
			set(stream->feed, &stream->feed->is_stopped, true);
		crew_finish(stream->feed->crew, &stream->feed->filling);
	}
}

void event_stream_release_ahead(struct event_stream *stream)
{
	event_feed_free(stream->feed);
	stream->feed = NULL;
	stream->last = NULL;
}
