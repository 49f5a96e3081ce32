/* SPDX-License-Identifier: MIT */
/*
 * packed_parts.h - a value with others inside, structures and arrays, as bytes.
 *
 * A reader of traces puts the parts in their order, each with its name where it is a member:
 *
 *	packed_parts_clear(&parts);
 *	packed_parts_open(&parts, EVENT_STRUCTURE, NULL, 0);
 *	packed_parts_int(&parts, "line", 4, 12);
 *	packed_parts_close(&parts);
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

void packed_parts_bytes(struct packed_parts *parts, const char *name, size_t name_size, const void *bytes,
			size_t size);

/* Put a part of another value; the value itself loses its name. */
void packed_parts_put(struct packed_parts *parts, const struct event_part *part);

void packed_parts_release(struct packed_parts *parts);

/* Visit a value and what is inside, as the field of that name.  Returns false if the visitor ended that. */
bool packed_parts_visit(const void *bytes, size_t size, const char *name, event_visitor visitor, void *context);

#endif
