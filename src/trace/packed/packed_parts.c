// SPDX-License-Identifier: MIT
/*
 * packed_parts.c - a structured value as bytes: structures and arrays with others inside.
 */
#include "trace/packed/packed_parts.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"

enum { PACKED_NAMED = 0x80 };

/* ---- putting --------------------------------------------------------------------------------------------- */

void packed_parts_clear(struct packed_parts *parts)
{
	*parts = (struct packed_parts){ .bytes = parts->bytes, .capacity = parts->capacity };
}

void packed_parts_release(struct packed_parts *parts)
{
	free(parts->bytes);
	*parts = (struct packed_parts){ 0 };
}

/* Returns where `size` bytes behind the kind and the name go; NULL if the part is left out. */
static uint8_t *begin_part(struct packed_parts *parts, enum event_part_kind kind, const char *name,
			   size_t name_size, size_t size)
{
	name_size = name != NULL ? strnlen(name, name_size) : 0;
	if (parts->too_deep > 0)
		return NULL;
	if (parts->has_failed ||
	    !array_reserve(&parts->bytes, &parts->capacity, parts->size + 2 + VARINT_SIZE_MAX + name_size + size)) {
		parts->has_failed = true;
		return NULL;
	}
	uint8_t *at = parts->bytes + parts->size;
	*at++ = (uint8_t)((unsigned)kind | (name != NULL ? PACKED_NAMED : 0));
	if (name == NULL)
		return at;
	at = put_varint(at, name_size);
	memcpy(at, name, name_size);
	at[name_size] = '\0';
	return at + name_size + 1;
}

static void end_part(struct packed_parts *parts, const uint8_t *at)
{
	parts->size = (size_t)(at - parts->bytes);
}

void packed_parts_open(struct packed_parts *parts, enum event_part_kind kind, const char *name, size_t name_size)
{
	if (parts->too_deep > 0 || parts->depth == PACKED_DEPTH_MAX) {
		if (parts->too_deep == 0)
			packed_parts_nothing(parts, name, name_size);
		parts->too_deep++;
		parts->has_left_out = true;
		return;
	}
	const uint8_t *at = begin_part(parts, kind, name, name_size, 0);
	parts->depth++;
	if (at != NULL)
		end_part(parts, at);
}

void packed_parts_close(struct packed_parts *parts)
{
	if (parts->too_deep > 0) {
		parts->too_deep--;
		return;
	}
	const uint8_t *at = begin_part(parts, EVENT_END, NULL, 0, 0);
	parts->depth--;
	if (at != NULL)
		end_part(parts, at);
}

void packed_parts_nothing(struct packed_parts *parts, const char *name, size_t name_size)
{
	const uint8_t *at = begin_part(parts, EVENT_NOTHING, name, name_size, 0);
	if (at != NULL)
		end_part(parts, at);
}

void packed_parts_int(struct packed_parts *parts, const char *name, size_t name_size, int64_t number)
{
	uint8_t *at = begin_part(parts, EVENT_INT, name, name_size, VARINT_SIZE_MAX);
	if (at != NULL)
		end_part(parts, put_varint(at, zigzag(number)));
}

void packed_parts_unsigned(struct packed_parts *parts, const char *name, size_t name_size, uint64_t number)
{
	uint8_t *at = begin_part(parts, EVENT_UNSIGNED, name, name_size, VARINT_SIZE_MAX);
	if (at != NULL)
		end_part(parts, put_varint(at, number));
}

void packed_parts_real(struct packed_parts *parts, const char *name, size_t name_size, double number)
{
	uint8_t *at = begin_part(parts, EVENT_REAL, name, name_size, sizeof(number));
	if (at == NULL)
		return;
	memcpy(at, &number, sizeof(number));
	end_part(parts, at + sizeof(number));
}

static void put_bytes(struct packed_parts *parts, enum event_part_kind kind, const char *name, size_t name_size,
		      const void *bytes, size_t size)
{
	uint8_t *at = begin_part(parts, kind, name, name_size, VARINT_SIZE_MAX + size);
	if (at == NULL)
		return;
	at = put_varint(at, size);
	if (size > 0)
		memcpy(at, bytes, size);
	end_part(parts, at + size);
}

void packed_parts_text(struct packed_parts *parts, const char *name, size_t name_size, const char *text,
		       size_t size)
{
	put_bytes(parts, EVENT_TEXT, name, name_size, text, size);
}

void packed_parts_bytes(struct packed_parts *parts, const char *name, size_t name_size, const void *bytes,
			size_t size)
{
	put_bytes(parts, EVENT_BYTES, name, name_size, bytes, size);
}

void packed_parts_put(struct packed_parts *parts, const struct event_part *part)
{
	const char *name = part->depth > 0 ? part->name : NULL;
	const size_t size = name != NULL ? strlen(name) : 0;
	switch (part->kind) {
	case EVENT_NOTHING:
		packed_parts_nothing(parts, name, size);
		break;
	case EVENT_INT:
		packed_parts_int(parts, name, size, part->integer);
		break;
	case EVENT_UNSIGNED:
		packed_parts_unsigned(parts, name, size, (uint64_t)part->integer);
		break;
	case EVENT_REAL:
		packed_parts_real(parts, name, size, part->real);
		break;
	case EVENT_TEXT:
	case EVENT_BYTES:
		put_bytes(parts, part->kind, name, size, part->bytes, part->size);
		break;
	case EVENT_STRUCTURE:
	case EVENT_ARRAY:
		packed_parts_open(parts, part->kind, name, size);
		break;
	case EVENT_END:
		packed_parts_close(parts);
		break;
	}
}

/* ---- visiting -------------------------------------------------------------------------------------------- */

static const char *read_name(struct byte_reader *reader)
{
	uint64_t size = read_varint(reader);
	if (size >= byte_reader_left(reader))
		reader->failed = true;
	const uint8_t *name = read_bytes(reader, (size_t)size + 1);
	if (name != NULL && name[size] != '\0')
		reader->failed = true;
	return (const char *)name;
}

static void read_value(struct byte_reader *reader, struct event_part *part)
{
	const uint8_t *bytes;
	switch (part->kind) {
	case EVENT_INT:
		part->integer = unzigzag(read_varint(reader));
		break;
	case EVENT_UNSIGNED:
		part->integer = (int64_t)read_varint(reader);
		break;
	case EVENT_REAL:
		bytes = read_bytes(reader, sizeof(part->real));
		if (bytes != NULL)
			memcpy(&part->real, bytes, sizeof(part->real));
		break;
	case EVENT_TEXT:
	case EVENT_BYTES:
		part->size = (size_t)read_varint(reader);
		part->bytes = (const char *)read_bytes(reader, part->size);
		break;
	case EVENT_NOTHING:
	case EVENT_STRUCTURE:
	case EVENT_ARRAY:
	case EVENT_END:
		break;
	default:
		reader->failed = true;
	}
}

bool packed_parts_visit(const void *bytes, size_t size, const char *name, event_visitor visitor, void *context)
{
	struct byte_reader reader = byte_reader(bytes, size);
	uint64_t elements[PACKED_DEPTH_MAX + 1] = { 0 }; /* so far, of what is open at each depth */
	uint32_t depth = 0;
	do {
		const uint8_t *kind = read_bytes(&reader, 1);
		if (kind == NULL)
			break;
		struct event_part part = { .kind = (enum event_part_kind)(*kind & ~(unsigned)PACKED_NAMED) };
		if ((*kind & PACKED_NAMED) != 0)
			part.name = read_name(&reader);
		read_value(&reader, &part);
		bool opens = part.kind == EVENT_STRUCTURE || part.kind == EVENT_ARRAY;
		if (reader.failed || (part.kind == EVENT_END && depth == 0) || (opens && depth == PACKED_DEPTH_MAX))
			break;
		depth -= part.kind == EVENT_END;
		part.depth = depth;
		if (depth == 0)
			part.name = name;
		else if (part.name == NULL && part.kind != EVENT_END)
			part.index = elements[depth]++;
		if (!visitor(context, &part))
			return false;
		depth += opens;
		elements[depth] = opens ? 0 : elements[depth];
	} while (depth > 0);
	return true;
}
