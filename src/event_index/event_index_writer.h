/* SPDX-License-Identifier: MIT */
/*
 * event_index_writer.h - gather the index of events while a trace is read, event by event.
 */
#ifndef EVENT_INDEX_EVENT_INDEX_WRITER_H
#define EVENT_INDEX_EVENT_INDEX_WRITER_H

#include "base/intern.h"
#include "event_index/event_index.h"

struct index_bytes {
	uint8_t *bytes;
	size_t size, capacity;
};

/* A zeroed one is empty. */
struct event_index_writer {
	uint64_t event_count;
	histree_time end, last_tick;
	struct intern types;
	uint32_t *type_of_class; /* plus one; 0: not known yet */
	size_t class_capacity, class_count;
	uint64_t *counts; /* of the block, by type */
	size_t count_capacity, count_count;
	struct trace_position *positions;
	size_t file_count;
	struct index_bytes ticks, blocks, gaps;
	uint64_t gap_count;
	histree_time last_gap; /* when it began */
	uint64_t memory;       /* of the names of types, and of what blocks have, once it is read */
	bool is_left_out;      /* it does not fit, and was given up */
};

/* Returns the number of a type of events, which it gets now if it is new; INTERN_NONE if memory is out. */
uint32_t event_index_type(struct event_index_writer *writer, const char *name, size_t size);

/* Whether the next event begins a block, so that its positions are wanted. */
static inline bool event_index_begins_block(const struct event_index_writer *writer)
{
	return writer->event_count % EVENTS_PER_BLOCK == 0;
}

/* Events that follow one another in one block, counted by somebody else (index_part.h). */
struct index_stretch {
	uint64_t events;
	const histree_time
		*ticks; /* of those that are ticks, the greatest time of the stretches so far; moves on */
	const struct trace_position *positions; /* of one that begins a block: where each file is */
	size_t file_count;
};

/* Adds them, but for how many there are of which type. */
enum histree_status event_index_add_stretch(struct event_index_writer *writer, struct index_stretch *stretch,
					    struct histree_error *error);

/* Adds the event that `trace` gave last. */
enum histree_status event_index_add(struct event_index_writer *writer, const struct trace *trace,
				    const struct event *event, struct histree_error *error);

/* Adds a gap, where it belongs among the events. */
enum histree_status event_index_add_gap(struct event_index_writer *writer, const struct event_gap *gap,
					struct histree_error *error);

/*
 * Writes all of it, instead of what a build left that is continued, and gives its identity.  One that is left out
 * is not written, and its identity is 0.
 */
enum histree_status event_index_write(struct event_index_writer *writer, const struct io *io, const char *path,
				      uint64_t *identity, struct histree_error *error);

/* Returns why there is no index, or NULL if there is one. */
const char *event_index_missing(const struct event_index_writer *writer);

void event_index_writer_release(struct event_index_writer *writer);

#endif
