// SPDX-License-Identifier: MIT
/*
 * index_part.c - what the index keeps of a part of a trace, made once the number of events before it is known;
 * the result is the same as if one thread had added all events.
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
	part->stretch_count = part->count_count = part->position_count = part->tick_count = 0;
}

void index_part_release(struct index_part *part)
{
	free(part->events);
	free(part->runs);
	free(part->files);
	free(part->type_of_class);
	free(part->stretches);
	free(part->counts);
	free(part->positions);
	free(part->ticks);
	intern_release(&part->types);
	*part = (struct index_part){ 0 };
}

/* ---- what is made of the events ------------------------------------------------------------------------------ */

static bool make_ticks(struct index_part *part)
{
	size_t tick = (EVENTS_PER_TICK - part->before % EVENTS_PER_TICK) % EVENTS_PER_TICK;
	histree_time end = INT64_MIN;
	if (!array_reserve(&part->ticks, &part->tick_capacity, part->count / EVENTS_PER_TICK + 1))
		return false;
	for (size_t i = 0; i < part->count; i++) {
		end = part->events[i].time > end ? part->events[i].time : end;
		if (i != tick)
			continue;
		part->ticks[part->tick_count++] = end;
		tick += EVENTS_PER_TICK;
	}
	part->end = end;
	return true;
}

/* How many events of a file have gone by, and the run that the last of them, or the first of all, is in. */
struct part_place {
	size_t passed, run;
};

/* Returns where the next event of a file is; `end` if the part has no more of it. */
static struct trace_position find_next(const struct index_part *part, size_t file, struct part_place *place,
				       const struct trace_position *end)
{
	if (file >= part->files_seen || place->passed == part->files[file].count)
		return *end;
	const struct part_run *run = &part->runs[place->run];
	while (run->next != SIZE_MAX && part->runs[run->next].first <= place->passed) {
		place->run = run->next;
		run = &part->runs[place->run];
	}
	return (struct trace_position){
		.packet = run->position.packet,
		.events = run->position.events + (place->passed - run->first),
	};
}

/* Where each file is when a block begins, the first of them with event `first`. */
static bool make_positions(struct index_part *part, size_t first, const struct trace_position *end)
{
	size_t files = part->file_count, event = 0;
	size_t blocks = first < part->count ? (part->count - first + EVENTS_PER_BLOCK - 1) / EVENTS_PER_BLOCK : 0;
	struct part_place *places = calloc(files + 1, sizeof(*places));
	if (places == NULL || !array_reserve(&part->positions, &part->position_capacity, blocks * files + 1)) {
		free(places);
		return false;
	}
	assert(part->files_seen <= files);
	for (size_t file = 0; file < part->files_seen; file++)
		places[file].run = part->files[file].first_run;
	for (size_t block = 0; block < blocks; block++) {
		for (; event < first + block * EVENTS_PER_BLOCK; event++)
			places[part->events[event].file].passed++;
		for (size_t file = 0; file < files; file++)
			part->positions[part->position_count++] = find_next(part, file, &places[file], &end[file]);
	}
	free(places);
	return true;
}

static bool make_stretch(struct index_part *part, size_t from, size_t count, uint32_t *by_type)
{
	size_t types = part->types.count, at = part->count_count;
	if (!array_reserve(&part->stretches, &part->stretch_capacity, part->stretch_count + 1) ||
	    !array_reserve(&part->counts, &part->count_capacity, at + types))
		return false;
	memset(by_type, 0, types * sizeof(*by_type));
	for (size_t i = from; i < from + count; i++)
		by_type[part->events[i].type]++;
	for (uint32_t type = 0; type < types; type++)
		if (by_type[type] > 0)
			part->counts[part->count_count++] = (struct part_count){ type, by_type[type] };
	part->stretches[part->stretch_count++] =
		(struct part_stretch){ .events = (uint32_t)count, .counts = part->count_count - at };
	return true;
}

/* How many events of a part, from one on, are in one block. */
static size_t stretch_of(const struct index_part *part, uint64_t from)
{
	uint64_t left = part->event_count - from,
		 room = EVENTS_PER_BLOCK - (part->before + from) % EVENTS_PER_BLOCK;
	return (size_t)(left < room ? left : room);
}

enum histree_status index_part_make(struct index_part *part, uint64_t before, const struct trace_position *end,
				    size_t file_count, struct histree_error *error)
{
	uint32_t *by_type = calloc((size_t)part->types.count + 1, sizeof(*by_type));
	size_t first = (size_t)((EVENTS_PER_BLOCK - before % EVENTS_PER_BLOCK) % EVENTS_PER_BLOCK), count = 0;
	part->before = before;
	part->event_count = part->count;
	part->file_count = file_count;
	bool has_room = by_type != NULL && make_ticks(part) && make_positions(part, first, end);
	for (size_t from = 0; from < part->count && has_room; from += count) {
		count = stretch_of(part, from);
		has_room = make_stretch(part, from, count, by_type);
	}
	free(by_type);
	return has_room ? HISTREE_OK : error_memory(error, "the index of events");
}

/* ---- adding it to the index ---------------------------------------------------------------------------------- */

/* Add what a stretch has of each type; a type is new to the index when it is met, as it is event by event. */
static bool add_counts(struct event_index_writer *writer, const struct index_part *part,
		       const struct part_count *counts, size_t count, uint32_t *types)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t *type = &types[counts[i].type];
		if (*type == 0) {
			size_t size;
			const char *name = intern_get(&part->types, counts[i].type, &size);
			*type = event_index_type(writer, name, size) + 1;
			if (*type == 0)
				return false;
		}
		writer->counts[*type - 1] += counts[i].count;
	}
	return true;
}

enum histree_status event_index_add_part(struct event_index_writer *writer, const struct index_part *part,
					 struct histree_error *error)
{
	if (writer->is_left_out || part->event_count == 0)
		return HISTREE_OK;
	uint32_t *types = calloc((size_t)part->types.count + 1, sizeof(*types)); /* plus one; 0: not met yet */
	enum histree_status status = types != NULL ? HISTREE_OK : error_memory(error, "the index of events");
	const struct part_count *counts = part->counts;
	const struct trace_position *positions = part->positions;
	struct index_stretch stretch = { .ticks = part->ticks, .file_count = part->file_count };
	for (size_t i = 0; i < part->stretch_count && status == HISTREE_OK && !writer->is_left_out; i++) {
		bool begins_block = event_index_begins_block(writer);
		stretch.events = part->stretches[i].events;
		stretch.positions = begins_block ? positions : NULL;
		positions += begins_block ? part->file_count : 0;
		status = event_index_add_stretch(writer, &stretch, error);
		if (status == HISTREE_OK && !writer->is_left_out &&
		    !add_counts(writer, part, counts, part->stretches[i].counts, types))
			status = error_memory(error, "the index of events");
		counts += part->stretches[i].counts;
	}
	assert((size_t)(counts - part->counts) <= part->count_count);
	assert((size_t)(positions - part->positions) <= part->position_count);
	if (status == HISTREE_OK && !writer->is_left_out && part->end > writer->end)
		writer->end = part->end;
	free(types);
	return status;
}

/* ---- as bytes ------------------------------------------------------------------------------------------------ */

void index_part_save(const struct index_part *part, struct saved_bytes *out)
{
	histree_time before = 0;
	saved_put(out, part->types.count);
	for (uint32_t type = 0; type < part->types.count; type++) {
		size_t size;
		const char *name = intern_get(&part->types, type, &size);
		saved_put_text(out, name, size);
	}
	const struct part_count *counts = part->counts;
	for (size_t i = 0; i < part->stretch_count; i++) {
		saved_put(out, part->stretches[i].counts);
		for (size_t at = 0; at < part->stretches[i].counts; at++, counts++) {
			saved_put(out, counts->type);
			saved_put(out, counts->count);
		}
	}
	for (size_t i = 0; i < part->position_count; i++) {
		saved_put(out, part->positions[i].packet + 1);
		saved_put(out, part->positions[i].events);
	}
	for (size_t i = 0; i < part->tick_count; i++) {
		saved_put_time(out, part->ticks[i], before);
		before = part->ticks[i];
	}
	saved_put_time(out, part->end, before);
}

static bool load_types(struct index_part *part, struct byte_reader *reader)
{
	size_t count = saved_read_count(reader, 1);
	for (size_t type = 0; type < count && !reader->failed; type++) {
		size_t size;
		const char *name = saved_read_text(reader, &size);
		uint32_t got = reader->failed ? 0 : intern_add(&part->types, name, size);
		if (got == INTERN_NONE)
			return false;
		reader->failed = reader->failed || got != type;
	}
	return true;
}

/* The counts of a stretch are of types by their order, each once, and of all of its events. */
static bool load_counts(struct index_part *part, struct part_stretch *stretch, struct byte_reader *reader)
{
	uint64_t left = stretch->events, least = 0;
	stretch->counts = saved_read_count(reader, 2);
	if (!array_reserve(&part->counts, &part->count_capacity, part->count_count + stretch->counts))
		return false;
	for (size_t i = 0; i < stretch->counts && !reader->failed; i++) {
		uint64_t type = saved_read_below(reader, part->types.count);
		uint64_t count = saved_read_below(reader, left + 1);
		reader->failed = reader->failed || type < least || count == 0;
		part->counts[part->count_count++] = (struct part_count){ (uint32_t)type, (uint32_t)count };
		least = type + 1;
		left -= count;
	}
	reader->failed = reader->failed || left > 0;
	return true;
}

static bool load_stretches(struct index_part *part, struct byte_reader *reader)
{
	size_t count = 0;
	bool has_room = true;
	for (uint64_t from = 0; from < part->event_count && has_room && !reader->failed; from += count) {
		count = stretch_of(part, from);
		has_room = array_reserve(&part->stretches, &part->stretch_capacity, part->stretch_count + 1);
		if (!has_room)
			break;
		struct part_stretch *stretch = &part->stretches[part->stretch_count++];
		*stretch = (struct part_stretch){ .events = (uint32_t)count };
		has_room = load_counts(part, stretch, reader);
		bool begins_block = (part->before + from) % EVENTS_PER_BLOCK == 0;
		part->position_count += begins_block ? part->file_count : 0;
	}
	return has_room;
}

static bool load_positions(struct index_part *part, struct byte_reader *reader)
{
	if (reader->failed || part->position_count > byte_reader_left(reader) / 2) {
		reader->failed = true;
		return true;
	}
	if (!array_reserve(&part->positions, &part->position_capacity, part->position_count + 1))
		return false;
	for (size_t i = 0; i < part->position_count; i++) {
		part->positions[i].packet = read_varint(reader) - 1;
		part->positions[i].events = read_varint(reader);
	}
	return true;
}

/* Times are the greatest so far, so that they do not fall. */
static bool load_ticks(struct index_part *part, struct byte_reader *reader)
{
	uint64_t first = (EVENTS_PER_TICK - part->before % EVENTS_PER_TICK) % EVENTS_PER_TICK;
	uint64_t count =
		first < part->event_count ? (part->event_count - first + EVENTS_PER_TICK - 1) / EVENTS_PER_TICK : 0;
	histree_time before = 0;
	if (reader->failed || count >= byte_reader_left(reader)) {
		reader->failed = true;
		return true;
	}
	if (!array_reserve(&part->ticks, &part->tick_capacity, (size_t)count + 1))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		histree_time time = saved_read_time(reader, before);
		reader->failed = reader->failed || (i > 0 && time < before);
		part->ticks[part->tick_count++] = before = time;
	}
	part->end = saved_read_time(reader, before);
	reader->failed = reader->failed || (count > 0 && part->end < before);
	return true;
}

enum histree_status index_part_load(struct index_part *part, uint64_t before, uint64_t event_count,
				    size_t file_count, struct byte_reader *reader, struct histree_error *error)
{
	index_part_clear(part);
	part->before = before;
	part->event_count = event_count;
	part->file_count = file_count;
	bool has_room = load_types(part, reader) && load_stretches(part, reader) && load_positions(part, reader) &&
			load_ticks(part, reader);
	if (!has_room)
		return error_memory(error, "the index of events");
	return reader->failed ? error_set(error, HISTREE_ERR_FORMAT, "the index of a slice makes no sense")
			      : HISTREE_OK;
}
