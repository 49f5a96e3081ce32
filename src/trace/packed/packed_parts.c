// SPDX-License-Identifier: MIT
/*
 * packed_parts.c - events and their structured values as bytes.
 */
#include "trace/packed/packed_parts.h"

#include <stdlib.h>

#include "base/table.h"
#include "base/bytes.h"
#include "event/event.h"

/* ---- packed parts -------------------------------------------------------------------------------------------- */

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

/* ---- packed event -------------------------------------------------------------------------------------------- */

enum { KINDS = 8 };

size_t packed_cells_size_max(const struct packed_cell *cells, uint32_t count)
{
	size_t size = VARINT_SIZE_MAX;
	for (uint32_t i = 0; i < count; i++)
		if (cells[i].kind != PACKED_ABSENT)
			size += 2 * VARINT_SIZE_MAX + cells[i].size;
	return size;
}

static uint8_t *write_cell(uint8_t *at, const struct packed_cell *cell)
{
	switch (cell->kind) {
	case PACKED_INT:
		return put_varint(at, zigzag(cell->integer));
	case PACKED_UNSIGNED:
		return put_varint(at, (uint64_t)cell->integer);
	case PACKED_REAL:
		memcpy(at, &cell->real, sizeof(cell->real));
		return at + sizeof(cell->real);
	case PACKED_TEXT:
	case PACKED_PARTS:
		at = put_varint(at, cell->size);
		if (cell->size > 0)
			memcpy(at, cell->bytes, cell->size);
		return at + cell->size;
	case PACKED_ABSENT:
		break;
	}
	return at;
}

uint8_t *packed_cells_write(uint8_t *at, const struct packed_cell *cells, uint32_t count)
{
	uint32_t present = 0, absent = 0;
	for (uint32_t i = 0; i < count; i++)
		present += cells[i].kind != PACKED_ABSENT;
	at = put_varint(at, present);
	for (uint32_t i = 0; i < count; i++) {
		if (cells[i].kind == PACKED_ABSENT) {
			absent++;
			continue;
		}
		at = put_varint(at, (uint64_t)absent * KINDS + cells[i].kind);
		at = write_cell(at, &cells[i]);
		absent = 0;
	}
	return at;
}

static void read_cell(struct byte_reader *reader, struct packed_cell *cell)
{
	const uint8_t *bytes;
	switch (cell->kind) {
	case PACKED_INT:
		cell->integer = unzigzag(read_varint(reader));
		break;
	case PACKED_UNSIGNED:
		cell->integer = (int64_t)read_varint(reader);
		break;
	case PACKED_REAL:
		bytes = read_bytes(reader, sizeof(cell->real));
		if (bytes != NULL)
			memcpy(&cell->real, bytes, sizeof(cell->real));
		break;
	case PACKED_TEXT:
	case PACKED_PARTS:
		cell->size = (size_t)read_varint(reader);
		cell->bytes = read_bytes(reader, cell->size);
		break;
	default:
		reader->failed = true;
	}
}

void packed_cells_read(struct byte_reader *reader, struct packed_cell *cells, uint32_t count)
{
	uint64_t present = read_varint(reader);
	uint32_t next = 0;
	for (uint32_t i = 0; i < count; i++)
		cells[i] = (struct packed_cell){ .kind = PACKED_ABSENT };
	for (; present > 0 && !reader->failed; present--, next++) {
		uint64_t tag = read_varint(reader);
		if (tag / KINDS >= count - next) {
			reader->failed = true;
			return;
		}
		next += (uint32_t)(tag / KINDS);
		cells[next].kind = (enum packed_kind)(tag % KINDS);
		read_cell(reader, &cells[next]);
	}
}

/* ---- what analyses ask ----------------------------------------------------------------------------------- */

static const struct packed_cell *cell_of(const struct event *event, uint32_t field)
{
	static const struct packed_cell absent = { .kind = PACKED_ABSENT };
	const struct packed_cell *cells = event->handle;
	return field < event->class->field_count ? &cells[field] : &absent;
}

bool packed_event_int(const struct event *event, uint32_t field, int64_t *out)
{
	const struct packed_cell *cell = cell_of(event, field);
	*out = cell->integer;
	return cell->kind == PACKED_INT || cell->kind == PACKED_UNSIGNED;
}

bool packed_event_string(const struct event *event, uint32_t field, const char **text, size_t *size)
{
	const struct packed_cell *cell = cell_of(event, field);
	*text = cell->bytes;
	*size = cell->size;
	return cell->kind == PACKED_TEXT;
}

bool packed_event_visit(const struct event *event, uint32_t field, event_visitor visitor, void *context)
{
	static const enum event_part_kind kinds[] = {
		[PACKED_ABSENT] = EVENT_NOTHING, [PACKED_INT] = EVENT_INT,   [PACKED_UNSIGNED] = EVENT_UNSIGNED,
		[PACKED_REAL] = EVENT_REAL,      [PACKED_TEXT] = EVENT_TEXT,
	};
	const struct packed_cell *cell = cell_of(event, field);
	const char *name = event->class->fields[field];
	if (cell->kind == PACKED_PARTS)
		return packed_parts_visit(cell->bytes, cell->size, name, visitor, context);
	const struct event_part part = { .kind = kinds[cell->kind],
					 .name = name,
					 .integer = cell->integer,
					 .real = cell->real,
					 .bytes = cell->bytes,
					 .size = cell->size };
	return visitor(context, &part);
}
