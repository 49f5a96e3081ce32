// SPDX-License-Identifier: MIT
/*
 * index_part.c - the part of the index that belongs to a part of a trace, made once the number of events before it
 * is known; the result is the same as if one thread had added all events.
 */
#include "event_index/index_part.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"

static bool learn_class(struct index_part *part, const struct event_class *class)
{
	if (!array_reserve(&part->type_of_class, &part->class_capacity, (size_t) class->id + 1))
		return false;
	while (part->class_count <= class->id)
		part->type_of_class[part->class_count++] = 0;
	uint32_t type = intern_add(&part->types, class->name, strlen(class->name));
	if (type != INTERN_NONE)
		part->type_of_class[class->id] = type + 1;
	return type != INTERN_NONE;
}

static bool learn_file(struct index_part *part, size_t file)
{
	if (!array_reserve(&part->files, &part->files_capacity, file + 1))
		return false;
	while (part->files_seen <= file)
		part->files[part->files_seen++] = (struct part_file){ .count = 0 };
	return true;
}

static bool begin_run(struct index_part *part, struct part_file *file, const struct trace_position *position)
{
	if (!array_reserve(&part->runs, &part->run_capacity, part->run_count + 1))
		return false;
	size_t run = part->run_count++;
	part->runs[run] = (struct part_run){ .position = *position, .first = file->count, .next = SIZE_MAX };
	*(file->count == 0 ? &file->first_run : &part->runs[file->last_run].next) = run;
	file->last_run = run;
	file->position = *position;
	return true;
}

enum histree_status index_part_add(struct index_part *part, const struct event *event, size_t file,
				   const struct trace_position *position, struct histree_error *error)
{
	uint32_t id = event->class->id;
	bool is_known = id < part->class_count && part->type_of_class[id] != 0;
	if ((!is_known && !learn_class(part, event->class)) ||
	    (file >= part->files_seen && !learn_file(part, file)) ||
	    (part->count == part->capacity && !array_reserve(&part->events, &part->capacity, part->count + 1)))
		return error_memory(error, "the index of events");
	assert(part->type_of_class[id] > 0 && part->count < part->capacity);
	struct part_file *in = &part->files[file];
	bool goes_on =
		in->count > 0 && in->position.packet == position->packet && in->position.events == position->events;
	if (!goes_on && !begin_run(part, in, position))
		return error_memory(error, "the index of events");
	in->count++;
	in->position.events++;
	part->events[part->count++] = (struct part_event){
		.time = event->time,
		.type = part->type_of_class[id] - 1,
		.file = (uint32_t)file,
	};
	return HISTREE_OK;
}

void index_part_clear(struct index_part *part)
{
	intern_release(&part->types);
	part->count = part->class_count = 0;
	part->run_count = part->files_seen = 0;
	part->event_count = part->before = 0;
	part->made.size = 0;
	part->made.failed = false;
}

void index_part_release(struct index_part *part)
{
	free(part->events);
	free(part->runs);
	free(part->files);
	free(part->type_of_class);
	byte_buffer_release(&part->made);
	intern_release(&part->types);
	*part = (struct index_part){ 0 };
}

/* ---- what is made of the events ------------------------------------------------------------------------------ */

/* How many events of a file have gone by, and the run that the last of them, or the first of all, is in. */
struct part_place {
	size_t passed, run;
};

/* What goes from event to event. */
struct making {
	const struct index_part *part;
	const struct trace_position *end; /* of the part, file by file */
	struct part_place *places;        /* likewise */
	uint32_t *by_type;                /* of a stretch, all 0 between two */
	size_t event;                     /* the next one */
	histree_time greatest, tick;      /* so far; the last one that was put */
	struct byte_buffer *out;
};

/* Put where the next event of a file is; the end of the part if it has no more of it. */
static void put_position(struct making *making, size_t file)
{
	const struct index_part *part = making->part;
	struct part_place *place = &making->places[file];
	struct trace_position next = making->end[file];
	if (file < part->files_seen && place->passed < part->files[file].count) {
		const struct part_run *run = &part->runs[place->run];
		while (run->next != SIZE_MAX && part->runs[run->next].first <= place->passed) {
			place->run = run->next;
			run = &part->runs[place->run];
		}
		next = (struct trace_position){ .packet = run->position.packet,
						.events = run->position.events + (place->passed - run->first) };
	}
	byte_buffer_put_number(making->out, next.packet + 1);
	byte_buffer_put_number(making->out, next.events);
}

/* How many events of a part, from one on, are in one block: the first may go on with one that began before it. */
static size_t stretch_of(const struct index_part *part, uint64_t from)
{
	uint64_t left = part->event_count - from,
		 room = EVENTS_PER_BLOCK - (part->before + from) % EVENTS_PER_BLOCK;
	return (size_t)(left < room ? left : room);
}

static void make_stretch(struct making *making, size_t count)
{
	const struct index_part *part = making->part;
	const size_t first = making->event, types = part->types.count;
	struct byte_buffer *out = making->out;
	if ((part->before + first) % EVENTS_PER_BLOCK == 0)
		for (size_t file = 0; file < part->file_count; file++)
			put_position(making, file);
	for (; making->event < first + count; making->event++) {
		const struct part_event *event = &part->events[making->event];
		if (making->event == 0 || event->time > making->greatest)
			making->greatest = event->time;
		if ((part->before + making->event) % EVENTS_PER_TICK == 0) {
			byte_buffer_put_time(out, making->greatest, making->tick);
			making->tick = making->greatest;
		}
		making->by_type[event->type]++;
		making->places[event->file].passed++;
	}
	size_t met = 0;
	for (size_t type = 0; type < types; type++)
		met += making->by_type[type] > 0;
	byte_buffer_put_number(out, met);
	for (size_t type = 0; type < types; type++) {
		if (making->by_type[type] == 0)
			continue;
		byte_buffer_put_number(out, type);
		byte_buffer_put_number(out, making->by_type[type]);
		making->by_type[type] = 0;
	}
}

enum histree_status index_part_make(struct index_part *part, uint64_t before, const struct trace_position *end,
				    size_t file_count, struct histree_error *error)
{
	struct byte_buffer *out = &part->made;
	struct making making = { .part = part, .end = end, .out = out };
	assert(part->files_seen <= file_count);
	part->before = before;
	part->event_count = part->count;
	part->file_count = file_count;
	out->size = 0;
	making.places = calloc(file_count + 1, sizeof(*making.places));
	making.by_type = calloc((size_t)part->types.count + 1, sizeof(*making.by_type));
	out->failed = making.places == NULL || making.by_type == NULL;
	for (size_t file = 0; file < part->files_seen && !out->failed; file++)
		making.places[file].run = part->files[file].first_run;
	byte_buffer_put_number(out, part->types.count);
	for (uint32_t type = 0; type < part->types.count; type++) {
		size_t size;
		const char *name = intern_get(&part->types, type, &size);
		byte_buffer_put_text(out, name, size);
	}
	while (making.event < part->count && !out->failed)
		make_stretch(&making, stretch_of(part, making.event));
	byte_buffer_put_time(out, making.greatest, making.tick);
	free(making.places);
	free(making.by_type);
	return out->failed ? error_memory(error, "the index of events") : HISTREE_OK;
}

enum histree_status index_part_load(struct index_part *part, uint64_t before, uint64_t event_count,
				    size_t file_count, const void *bytes, size_t size, struct histree_error *error)
{
	index_part_clear(part);
	part->before = before;
	part->event_count = event_count;
	part->file_count = file_count;
	byte_buffer_put(&part->made, bytes, size);
	return part->made.failed ? error_memory(error, "the index of events") : HISTREE_OK;
}

/* ---- adding it to the index ---------------------------------------------------------------------------------- */

/* A type is new to the index when it is met, as it is event by event. */
struct part_type {
	const char *name;
	size_t size;
	uint32_t type; /* of the index, plus one; 0: not met yet */
};

/* What is read of a part. */
struct adding {
	struct byte_reader reader;
	struct part_type *types;
	size_t type_count;
	struct trace_position *positions;
	histree_time ticks[EVENTS_PER_BLOCK / EVENTS_PER_TICK], tick; /* of a stretch; the last one */
	bool has_tick;
};

static bool read_types(struct adding *adding)
{
	struct byte_reader *reader = &adding->reader;
	adding->type_count = byte_reader_count(reader, 1);
	adding->types = calloc(adding->type_count + 1, sizeof(*adding->types));
	for (size_t i = 0; i < adding->type_count && adding->types != NULL; i++)
		adding->types[i].name = byte_reader_text(reader, &adding->types[i].size);
	return adding->types != NULL;
}

/* Times are the greatest so far, so that they do not fall. */
static histree_time read_tick(struct adding *adding)
{
	const histree_time time = byte_reader_time(&adding->reader, adding->tick);
	adding->reader.failed |= adding->has_tick && time < adding->tick;
	adding->has_tick = true;
	return adding->tick = time;
}

/* Where each file is if a block begins, and the ticks. */
static void read_stretch(struct adding *adding, const struct index_part *part, uint64_t first, size_t count,
			 struct index_stretch *out)
{
	const bool begins_block = first % EVENTS_PER_BLOCK == 0;
	for (size_t file = 0; file < part->file_count && begins_block; file++) {
		adding->positions[file].packet = read_varint(&adding->reader) - 1;
		adding->positions[file].events = read_varint(&adding->reader);
	}
	const uint64_t begun = (first + EVENTS_PER_TICK - 1) / EVENTS_PER_TICK,
		       ended = (first + count + EVENTS_PER_TICK - 1) / EVENTS_PER_TICK;
	for (uint64_t tick = begun; tick < ended; tick++)
		adding->ticks[tick - begun] = read_tick(adding);
	*out = (struct index_stretch){ .events = count,
				       .ticks = adding->ticks,
				       .positions = begins_block ? adding->positions : NULL,
				       .file_count = part->file_count };
}

/* The counts of a stretch are of types by their order, each once, and of all of its events.  False: no memory. */
static bool add_counts(struct adding *adding, struct event_index_writer *writer, uint64_t left)
{
	struct byte_reader *reader = &adding->reader;
	uint64_t least = 0;
	for (size_t count = byte_reader_count(reader, 2); count > 0 && !reader->failed; count--) {
		const uint64_t type = byte_reader_below(reader, adding->type_count);
		const uint64_t of_type = byte_reader_below(reader, left + 1);
		reader->failed |= type < least || of_type == 0;
		if (reader->failed)
			return true;
		struct part_type *known = &adding->types[type];
		if (known->type == 0)
			known->type = event_index_type(writer, known->name, known->size) + 1;
		if (known->type == 0)
			return false;
		writer->counts[known->type - 1] += of_type;
		least = type + 1;
		left -= of_type;
	}
	reader->failed |= left > 0;
	return true;
}

enum histree_status event_index_add_part(struct event_index_writer *writer, const struct index_part *part,
					 struct histree_error *error)
{
	if (writer->is_left_out || part->event_count == 0)
		return HISTREE_OK;
	struct adding adding = { .reader = byte_reader(part->made.bytes, part->made.size) };
	adding.positions = calloc(part->file_count + 1, sizeof(*adding.positions));
	bool has_room = read_types(&adding) && adding.positions != NULL;
	enum histree_status status = HISTREE_OK;
	size_t count = 0;
	for (uint64_t from = 0; from < part->event_count && has_room && status == HISTREE_OK; from += count) {
		struct index_stretch stretch;
		count = stretch_of(part, from);
		read_stretch(&adding, part, part->before + from, count, &stretch);
		if (adding.reader.failed || writer->is_left_out)
			break;
		status = event_index_add_stretch(writer, &stretch, error);
		if (status == HISTREE_OK && !writer->is_left_out)
			has_room = add_counts(&adding, writer, count);
	}
	const histree_time end = read_tick(&adding);
	free(adding.types);
	free(adding.positions);
	if (status != HISTREE_OK || writer->is_left_out)
		return status;
	if (!has_room)
		return error_memory(error, "the index of events");
	if (adding.reader.failed || byte_reader_left(&adding.reader) > 0)
		return error_set(error, HISTREE_ERR_FORMAT, "the index of a slice makes no sense");
	writer->end = end > writer->end ? end : writer->end;
	return HISTREE_OK;
}
