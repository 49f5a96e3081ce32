/* SPDX-License-Identifier: MIT */
/*
 * packed_event.h - an event with its fields, as a reader of traces has decoded it, and as bytes that are sorted.
 *
 * The bytes: the number of the class plus one, the CPU plus one and the count of cells that are there, as varints;
 * for each of these a byte or more, as a varint, which is the count of absent cells before it times eight plus its
 * kind, and what the kind has, as in packed_parts.h.  A gap has 0 for the class, and then its end and its count of
 * events.
 */
#ifndef TRACE_PACKED_PACKED_EVENT_H
#define TRACE_PACKED_PACKED_EVENT_H

#include "event/event.h"
#include "trace/packed/packed_parts.h"

/* What is true all the time, such as the name of a process: it comes first, at the time of the first event. */
#define PACKED_NO_TIME INT64_MIN

enum packed_kind {
	PACKED_ABSENT,
	PACKED_INT,
	PACKED_UNSIGNED,
	PACKED_REAL,
	PACKED_TEXT,
	PACKED_PARTS, /* the bytes of a struct packed_parts */
};

struct packed_cell {
	enum packed_kind kind;
	int64_t integer; /* one that is PACKED_UNSIGNED is it as uint64_t */
	double real;
	const void *bytes; /* borrowed */
	size_t size;
};

struct packed_class;

struct packed_event {
	histree_time time;
	int32_t cpu; /* -1 where the trace does not say */
	const struct packed_class *class;
	const struct packed_cell *cells; /* one a field of the class */
};

static inline struct packed_cell packed_int(int64_t number)
{
	return (struct packed_cell){ .kind = PACKED_INT, .integer = number };
}

static inline struct packed_cell packed_unsigned(uint64_t number)
{
	return (struct packed_cell){ .kind = PACKED_UNSIGNED, .integer = (int64_t)number };
}

static inline struct packed_cell packed_real(double number)
{
	return (struct packed_cell){ .kind = PACKED_REAL, .real = number };
}

static inline struct packed_cell packed_text(const char *text, size_t size)
{
	return (struct packed_cell){ .kind = PACKED_TEXT, .bytes = text, .size = size };
}

static inline struct packed_cell packed_value(const struct packed_parts *parts)
{
	return (struct packed_cell){ .kind = PACKED_PARTS, .bytes = parts->bytes, .size = parts->size };
}

/* Returns the most bytes that the cells take, besides their own texts and values. */
size_t packed_cells_size_max(const struct packed_cell *cells, uint32_t count);

/* Write cells behind one another.  Returns where the next byte goes. */
uint8_t *packed_cells_write(uint8_t *at, const struct packed_cell *cells, uint32_t count);

struct byte_reader;

/* Read them: texts are borrowed from the reader's bytes.  What is wrong fails the reader. */
void packed_cells_read(struct byte_reader *reader, struct packed_cell *cells, uint32_t count);

/* What event.h wants of a trace: the handle of an event is its cells. */
bool packed_event_int(const struct event *event, uint32_t field, int64_t *out);
bool packed_event_string(const struct event *event, uint32_t field, const char **text, size_t *size);
bool packed_event_visit(const struct event *event, uint32_t field, event_visitor visitor, void *context);

#endif
