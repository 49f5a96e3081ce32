/* SPDX-License-Identifier: MIT */
/*
 * index_part.h - the events of a part of a trace, kept for the index while it is not known how many events come
 * before the part (docs/design/12-build.md).
 *
 * That number decides which of them begin a block, and whose times are ticks.  Once it is known,
 * index_part_make() makes bytes of what the index keeps of the events, in any thread or process, and
 * event_index_add_part() appends that to what comes before the part.  The events take 16 bytes each, what is made
 * of them a five-hundredth of it.
 *
 * The position of an event in its file is kept only at the beginning of a packet: events of a packet follow one
 * another.
 */
#ifndef EVENT_INDEX_INDEX_PART_H
#define EVENT_INDEX_INDEX_PART_H

#include "base/bytes.h"
#include "event_index/event_index.h"

struct part_event {
	histree_time time;
	uint32_t type, file;
};

/* Events of a file that follow one another in a packet. */
struct part_run {
	struct trace_position position; /* of the first */
	size_t first;                   /* its number in the file, of those of the part */
	size_t next;                    /* the next run of the file; SIZE_MAX: it is the last */
};

/* A file; one of which the part has nothing yet has no runs. */
struct part_file {
	size_t count;                   /* of its events */
	struct trace_position position; /* of the next one, if the run goes on */
	size_t first_run, last_run;
};

/* A zeroed one is empty. */
struct index_part {
	struct part_event *events;
	size_t count, capacity;
	struct part_run *runs;
	size_t run_count, run_capacity;
	struct part_file *files;
	size_t files_seen, files_capacity;
	struct intern types;
	uint32_t *type_of_class; /* plus one; 0: not known yet */
	size_t class_capacity, class_count;

	/* What is made of the events. */
	uint64_t before; /* how many events come before the part */
	uint64_t event_count;
	size_t file_count;
	struct byte_buffer made; /* types; by stretch positions, ticks, counts; the greatest time: index_part.c */
};

/* Add the next event, which is at that position of a file. */
enum histree_status index_part_add(struct index_part *part, const struct event *event, size_t file,
				   const struct trace_position *position, struct histree_error *error);

/* So many events come before it, and `end` is where the trace is behind it, file by file. */
enum histree_status index_part_make(struct index_part *part, uint64_t before, const struct trace_position *end,
				    size_t file_count, struct histree_error *error);

/*
 * Add the part, which was made, to the index of what comes before it.  Returns HISTREE_ERR_FORMAT if its bytes,
 * which may come from another process, make no sense.
 */
enum histree_status event_index_add_part(struct event_index_writer *writer, const struct index_part *part,
					 struct histree_error *error);

/* In place of all that: these bytes were made in another process, of so many events. */
enum histree_status index_part_load(struct index_part *part, uint64_t before, uint64_t event_count,
				    size_t file_count, const void *bytes, size_t size, struct histree_error *error);

/* Forget the events, and keep the memory for those of another reader. */
void index_part_clear(struct index_part *part);

void index_part_release(struct index_part *part);

#endif
