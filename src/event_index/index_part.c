// SPDX-License-Identifier: MIT
#include "event_index/index_part.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

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

enum histree_status index_part_add(struct index_part *part, const struct trace *trace, const struct event *event,
				   struct histree_error *error)
{
	uint32_t id = event->class->id;
	bool is_known = id < part->class_count && part->type_of_class[id] != 0;
	if ((!is_known && !learn_class(part, event->class)) ||
	    (part->count == part->capacity && !array_reserve(&part->events, &part->capacity, part->count + 1)))
		return error_memory(error, "the index of events");
	struct part_event *added = &part->events[part->count++];
	added->time = event->time;
	added->type = part->type_of_class[id] - 1;
	added->file = (uint32_t)trace_position_here(trace, &added->position);
	return HISTREE_OK;
}

void index_part_clear(struct index_part *part)
{
	part->count = part->class_count = 0;
}

void index_part_release(struct index_part *part)
{
	free(part->events);
	free(part->type_of_class);
	intern_release(&part->types);
	*part = (struct index_part){ 0 };
}

/* ---- adding to the index ------------------------------------------------------------------------------------- */

/* Of each file that has an event in a block, where the first of these is; seen by the number of the block. */
static void find_first(const struct index_part *part, size_t first, size_t seen_mark, size_t *seen,
		       size_t file_count, struct trace_position *now)
{
	size_t left = file_count;
	size_t end = part->count - first > EVENTS_PER_BLOCK ? first + EVENTS_PER_BLOCK : part->count;
	for (size_t i = first; i < end && left > 0; i++) {
		const struct part_event *event = &part->events[i];
		if (seen[event->file] == seen_mark)
			continue;
		seen[event->file] = seen_mark;
		now[event->file] = event->position;
		left--;
	}
}

/*
 * Find the positions of the blocks that begin in the part, the first with event `first`: of each file, where its
 * next event is.  What a block has not, the one behind it knows.
 */
static struct trace_position *find_positions(const struct index_part *part, size_t first,
					     const struct trace_position *end, size_t file_count)
{
	size_t blocks = first < part->count ? (part->count - first + EVENTS_PER_BLOCK - 1) / EVENTS_PER_BLOCK : 0;
	struct trace_position *positions = calloc((blocks + 1) * file_count + 1, sizeof(*positions));
	size_t *seen = calloc(file_count + 1, sizeof(*seen));
	if (positions == NULL || seen == NULL) {
		free(positions);
		free(seen);
		return NULL;
	}
	if (file_count > 0)
		memcpy(&positions[blocks * file_count], end, file_count * sizeof(*end));
	for (size_t block = blocks; block > 0 && file_count > 0; block--) {
		struct trace_position *now = &positions[(block - 1) * file_count];
		memcpy(now, now + file_count, file_count * sizeof(*now));
		find_first(part, first + (block - 1) * EVENTS_PER_BLOCK, block, seen, file_count, now);
	}
	free(seen);
	return positions;
}

enum histree_status event_index_add_part(struct event_index_writer *writer, const struct index_part *part,
					 const struct trace_position *end, size_t file_count,
					 struct histree_error *error)
{
	if (writer->is_left_out)
		return HISTREE_OK;
	size_t first = (EVENTS_PER_BLOCK - writer->event_count % EVENTS_PER_BLOCK) % EVENTS_PER_BLOCK;
	struct trace_position *positions = find_positions(part, first, end, file_count);
	uint32_t *types = calloc((size_t)part->types.count + 1, sizeof(*types)); /* plus one; 0: not met yet */
	enum histree_status status =
		positions != NULL && types != NULL ? HISTREE_OK : error_memory(error, "the index of events");
	const struct trace_position *next = positions;
	for (size_t i = 0; i < part->count && status == HISTREE_OK; i++) {
		const struct part_event *event = &part->events[i];
		if (types[event->type] == 0) {
			size_t size;
			const char *name = intern_get(&part->types, event->type, &size);
			types[event->type] = event_index_type(writer, name, size) + 1;
			if (types[event->type] == 0) {
				status = error_memory(error, "the index of events");
				break;
			}
		}
		bool begins_block = event_index_begins_block(writer) && !writer->is_left_out;
		status = event_index_add_type(writer, types[event->type] - 1, event->time, next, file_count, error);
		next += begins_block ? file_count : 0;
	}
	free(positions);
	free(types);
	return status;
}
