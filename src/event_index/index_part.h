/* SPDX-License-Identifier: MIT */
/*
 * index_part.h - the events of a part of a trace, kept for the index by somebody who does not know how many events
 * come before it (docs/design/0058).
 *
 * Which of them begin a block is known when the part is added to the index.  It takes 32 bytes an event.
 */
#ifndef EVENT_INDEX_INDEX_PART_H
#define EVENT_INDEX_INDEX_PART_H

#include "event_index/event_index_writer.h"

struct part_event {
	histree_time time;
	uint32_t type, file;
	struct trace_position position; /* in the file */
};

/* A zeroed one is empty. */
struct index_part {
	struct part_event *events;
	size_t count, capacity;
	struct intern types;
	uint32_t *type_of_class; /* plus one; 0: not known yet */
	size_t class_capacity, class_count;
};

/* Add the event that `trace` gave last. */
enum histree_status index_part_add(struct index_part *part, const struct trace *trace, const struct event *event,
				   struct histree_error *error);

/* Add the part to the index of what comes before it.  `end` is where the trace is behind it, file by file. */
enum histree_status event_index_add_part(struct event_index_writer *writer, const struct index_part *part,
					 const struct trace_position *end, size_t file_count,
					 struct histree_error *error);

/* Forget the events, and keep the memory for those of another reader. */
void index_part_clear(struct index_part *part);

void index_part_release(struct index_part *part);

#endif
