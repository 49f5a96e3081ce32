/* SPDX-License-Identifier: MIT */
/*
 * event_index.h - events.idx: where the events of a trace are, and how many there are of each type.
 *
 * The file is made while the histories are built.  It has what a table, a histogram and statistics of events need
 * besides the trace itself:
 *
 * 	tick	the greatest time so far, at every 64th event
 * 	block	of 8,192 events: the position of its first event in the trace (trace.h), and its events by type
 *
 * Because the greatest time so far never decreases, ticks can be searched even if the clock of a stream steps back.
 * The file is read as a whole: 3 bytes for 64 events in the file, 8 in memory, and some 60 bytes for a block of a
 * trace with eight streams.
 *
 * 	"HTEVENTS"	u32 version, u32 CRC-32C of what follows
 * 	u64 events, u64 last time, u32 files (0: no positions), u32 types
 * 	types		each a varint of its size, and the name
 * 	ticks		each a varint: the first zigzag, the others the difference to the one before
 * 	blocks		a varint packet (0: done, else plus one) and a varint of events for each file; a varint of
 * how many types, and for each of them its id and its count
 * 	gaps		since version 2: a varint of how many, and for each of them varints: CPU plus one (0: not
 * known), the first ns, zigzag, from that of the gap before, how many ns (0: to the end of the trace), and events
 *
 * An index is gathered event by event while a trace is read.
 */
#ifndef EVENT_INDEX_EVENT_INDEX_H
#define EVENT_INDEX_EVENT_INDEX_H

#include "base/arena.h"
#include "base/io.h"
#include "histree/events.h"
#include "trace/trace.h"

#define EVENT_INDEX_FILE "events.idx"
#define EVENT_INDEX_MAGIC "HTEVENTS"

enum {
	EVENT_INDEX_VERSION = 2,
	EVENT_INDEX_VERSION_MIN = 1, /* that can be read */
	EVENT_INDEX_HEADER_SIZE = 40,
	EVENT_INDEX_CHECKED_FROM = 16,      /* what the checksum covers */
	EVENT_INDEX_MEMORY_MAX = 192 << 20, /* about a billion events: event_index_fits() */
	EVENTS_PER_TICK = 64,
	EVENTS_PER_BLOCK = 8192,
};

struct event_block {
	struct trace_position *positions; /* as many as files */
	const uint32_t *types, *counts;
	uint32_t type_count;
};

struct event_index {
	struct arena arena;
	uint64_t memory;   /* event_index_room() of all its parts */
	uint64_t identity; /* other content would hardly have it: its checksum, and its size */
	uint64_t event_count;
	histree_time end; /* the greatest time of all */
	uint32_t file_count;
	const char **types;
	uint32_t type_count;
	histree_time *ticks;
	size_t tick_count;
	struct event_block *blocks;
	size_t block_count;
	struct histree_gap *gaps; /* by `from` */
	size_t gap_count;
};

/* Returns the memory of an array of a part: one element is to spare, and arrays begin where anything may. */
static inline uint64_t event_index_room(uint64_t count, size_t element_size)
{
	enum { ALIGNMENT = 16 };
	return ((count + 1) * element_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/*
 * Returns whether an index may be as large: writers make none, and readers take none, that does not fit.  What a
 * sound index has takes no more bytes in its file than in memory.
 */
static inline bool event_index_fits(uint64_t memory, uint64_t file_size)
{
	return memory <= EVENT_INDEX_MEMORY_MAX && file_size <= EVENT_INDEX_MEMORY_MAX;
}

/*
 * Reads the index.  Returns HISTREE_NOT_FOUND if there is no such file, and HISTREE_ERR_TOO_LARGE if it does not
 * fit.
 */
enum histree_status event_index_read(const struct io *io, const char *path, struct event_index *out,
				     struct histree_error *error);
void event_index_release(struct event_index *index);

/* Returns the last tick before `time`, or the first of all. */
size_t event_index_tick_before(const struct event_index *index, histree_time time);

/* Returns how many events come before `time`, as if they lay evenly between two ticks. */
double event_index_estimate(const struct event_index *index, histree_time time);

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

/* Returns the number of a type of events, which it gets now if it is new; INTERN_NONE if memory runs out. */
uint32_t event_index_type(struct event_index_writer *writer, const char *name, size_t size);

/* Whether the next event begins a block, so that its positions are wanted. */
static inline bool event_index_begins_block(const struct event_index_writer *writer)
{
	return writer->event_count % EVENTS_PER_BLOCK == 0;
}

/* Events that follow one another in one block, counted elsewhere (index_part.h). */
struct index_stretch {
	uint64_t events;
	const histree_time *ticks; /* for ticks among them: the greatest time of the stretches so far; moves on */
	const struct trace_position *positions; /* of one that begins a block: where each file is */
	size_t file_count;
};

/* Adds a stretch, without its counts by type. */
enum histree_status event_index_add_stretch(struct event_index_writer *writer, struct index_stretch *stretch,
					    struct histree_error *error);

/* Adds the event that `trace` gave last. */
enum histree_status event_index_add(struct event_index_writer *writer, const struct trace *trace,
				    const struct event *event, struct histree_error *error);

/* Adds a gap, where it belongs among the events. */
enum histree_status event_index_add_gap(struct event_index_writer *writer, const struct event_gap *gap,
					struct histree_error *error);

/* Adds what `trace` gave last, an event or a gap: a writer that watches a stream (trace/event_stream.h). */
enum histree_status event_index_see(void *writer, const struct trace *trace, const struct event *event,
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
