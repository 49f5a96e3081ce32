/* SPDX-License-Identifier: MIT */
/*
 * packed_parts.h - an event with its fields, as a reader of traces has decoded it, and as bytes that are sorted; a
 * field may be a value with others inside, structures and arrays.
 *
 * The bytes: the number of the class plus one, the CPU plus one and the count of cells that are there, as varints;
 * for each of these a byte or more, as a varint, which is the count of absent cells before it times eight plus its
 * kind, and what the kind has, as in packed_parts.h.  A gap has 0 for the class, and then its end and its count of
 * events.
 *
 * A reader of traces puts the parts in their order, each with its name where it is a member:
 *
 * 	packed_parts_clear(&parts);
 * 	packed_parts_open(&parts, EVENT_STRUCTURE, NULL, 0);
 * 	packed_parts_int(&parts, "line", 4, 12);
 * 	packed_parts_close(&parts);
 *
 * A part: its kind, with PACKED_NAMED where it has a name, the size of the name as a varint, the name and a zero,
 * and what the kind has: an integer as a zigzag varint, an unsigned one as a varint, eight bytes of a real number,
 * the size of a text, or of bytes, as a varint and these.
 */
#ifndef TRACE_PACKED_PACKED_PARTS_H
#define TRACE_PACKED_PACKED_PARTS_H

#include "event/event.h"

/* What is deeper is left out. */
enum { PACKED_DEPTH_MAX = 64 };

/* A zeroed one is empty. */
struct packed_parts {
	uint8_t *bytes;
	size_t size, capacity;
	uint32_t depth;    /* of what is open */
	uint32_t too_deep; /* how many were left out as too deep */
	bool has_left_out; /* something of this value */
	bool has_failed;   /* memory was out: the value is not whole */
};

/* Begin another value in the same memory. */
void packed_parts_clear(struct packed_parts *parts);

/* Open a structure or an array.  Elements and the value itself have no name: NULL.  A name ends at a zero. */
void packed_parts_open(struct packed_parts *parts, enum event_part_kind kind, const char *name, size_t name_size);
void packed_parts_close(struct packed_parts *parts);
void packed_parts_nothing(struct packed_parts *parts, const char *name, size_t name_size);
void packed_parts_int(struct packed_parts *parts, const char *name, size_t name_size, int64_t number);
void packed_parts_unsigned(struct packed_parts *parts, const char *name, size_t name_size, uint64_t number);
void packed_parts_real(struct packed_parts *parts, const char *name, size_t name_size, double number);
void packed_parts_text(struct packed_parts *parts, const char *name, size_t name_size, const char *text,
		       size_t size);

/* Put a part of another value; the value itself loses its name. */
void packed_parts_put(struct packed_parts *parts, const struct event_part *part);
void packed_parts_release(struct packed_parts *parts);

/* Visit a value and what is inside, as the field of that name.  Returns false if the visitor ended that. */
bool packed_parts_visit(const void *bytes, size_t size, const char *name, event_visitor visitor, void *context);

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
