/* SPDX-License-Identifier: MIT */
/*
 * wire.h - messages of protocol buffers, field by field, as they are on the wire
 * (https://protobuf.dev/programming-guides/encoding/).
 *
 *	struct wire_message message = wire_message(bytes, size);
 *	struct wire_field field;
 *	while (wire_next(&message, &field))
 *		...;			// then message.is_damaged says whether it ended before its end
 *
 * A field says how its value is written, not its type, which only the reader of the message knows.  Groups, which
 * are obsolete, are damage.
 */
#ifndef TRACE_PERFETTO_WIRE_H
#define TRACE_PERFETTO_WIRE_H

#include "base/bytes.h"

enum wire_kind { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

struct wire_field {
	uint32_t number;
	enum wire_kind kind;
	uint64_t value;       /* of a number; of bytes their size */
	const uint8_t *bytes; /* NULL: it is a number */
	size_t size;          /* of them */
};

struct wire_message {
	const uint8_t *at, *end;
	bool is_damaged; /* the bytes behind the last field are not a field */
};

static inline struct wire_message wire_message(const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	return (struct wire_message){ .at = at, .end = size == 0 ? at : at + size };
}

/* The message that a field holds; of a number an empty one. */
static inline struct wire_message wire_inside(const struct wire_field *field)
{
	return wire_message(field->bytes, field->bytes == NULL ? 0 : field->size);
}

/* Get the next field.  Returns false after the last one. */
bool wire_next(struct wire_message *message, struct wire_field *out);

/* Returns whether the fields of a message of `size` bytes, of which only the first are there, may be such. */
bool wire_begins(const struct wire_message *message, size_t size, uint32_t number_max);

/*
 * Get the next number of a repeated field, which may be one number, or many in a row as bytes.  `list` is what
 * wire_list() made of the field; each number is written as `kind` says.
 */
struct wire_list {
	const uint8_t *at, *end;
	uint64_t single;
	bool has_single;
	enum wire_kind kind;
};

static inline struct wire_list wire_list(const struct wire_field *field, enum wire_kind kind)
{
	struct wire_message inside = wire_inside(field);
	return (struct wire_list){ .at = inside.at,
				   .end = inside.end,
				   .single = field->value,
				   .has_single = field->bytes == NULL,
				   .kind = kind };
}

bool wire_list_next(struct wire_list *list, uint64_t *out);

/* A field of fixed64 that is a double. */
static inline double wire_real(uint64_t value)
{
	double real;
	memcpy(&real, &value, sizeof(real));
	return real;
}

#endif
