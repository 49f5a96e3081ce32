// SPDX-License-Identifier: MIT
/*
 * packed_event.c - an event with its fields as cells, and the bytes in which it is sorted.
 */
#include "trace/packed/packed_event.h"

#include "base/bytes.h"

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
