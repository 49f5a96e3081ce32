// SPDX-License-Identifier: MIT
/*
 * event_row.c - one event of a table: its cells, and the class that says which cell each field is.
 */
#include "trace/text/event_row.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number_text.h"

bool event_row_copy(struct event_row *row, const struct text_cell *cells, size_t count)
{
	size_t size = 0;
	for (size_t i = 0; i < count; i++)
		if (cells[i].kind == TEXT_PLAIN || cells[i].kind == TEXT_STRING)
			size += cells[i].size + 1;
	if (!array_reserve(&row->cells, &row->cell_capacity, count + 1) ||
	    !array_reserve(&row->bytes, &row->byte_capacity, size + 1))
		return false;
	char *at = row->bytes;
	for (size_t i = 0; i < count; i++) {
		row->cells[i] = cells[i];
		if (cells[i].kind != TEXT_PLAIN && cells[i].kind != TEXT_STRING)
			continue;
		row->cells[i].bytes = at;
		memcpy(at, cells[i].bytes, cells[i].size);
		at += cells[i].size;
		*at++ = '\0';
	}
	row->cell_count = count;
	row->byte_count = size;
	return true;
}

void event_row_free(struct event_row *row)
{
	if (row == NULL)
		return;
	free(row->cells);
	free(row->bytes);
	free(row);
}

/* ---- fields ---------------------------------------------------------------------------------------- */

/* "0x7f10", as addresses are written. */
static bool read_hexadecimal(const struct text_cell *cell, int64_t *out)
{
	if ((cell->kind != TEXT_PLAIN && cell->kind != TEXT_STRING) || cell->size < 3 || cell->size > 18 ||
	    strncmp(cell->bytes, "0x", 2) != 0 ||
	    strspn(cell->bytes + 2, "0123456789abcdefABCDEF") != cell->size - 2)
		return false;
	*out = (int64_t)strtoull(cell->bytes + 2, NULL, 16);
	return true;
}

/* A number that only a uint64_t has room for, or an address, as *out of the same bits. */
static bool read_unsigned(const struct text_cell *cell, int64_t *out)
{
	uint64_t number = 0;
	bool is_text = (cell->kind == TEXT_PLAIN || cell->kind == TEXT_STRING) && cell->size > 0;
	if (!is_text || memchr(cell->bytes, '\0', cell->size) != NULL || text_cell_integer(cell, out))
		return false;
	if (number_parse(cell->bytes, &number))
		*out = (int64_t)number;
	return number > 0 || read_hexadecimal(cell, out);
}

static const struct text_cell *cell_of(const struct event *event, uint32_t field)
{
	const struct text_class *class = (const struct text_class *)event->class;
	const struct event_row *row = event->handle;
	if (field >= class->class.field_count || class->columns[field] >= row->cell_count)
		return NULL;
	return &row->cells[class->columns[field]];
}

bool event_row_get_int(const struct event *event, uint32_t field, int64_t *out)
{
	const struct text_cell *cell = cell_of(event, field);
	bool truth;
	*out = 0;
	if (cell == NULL)
		return false;
	if (text_cell_integer(cell, out) || read_unsigned(cell, out))
		return true;
	*out = text_cell_bool(cell, &truth) && truth;
	return text_cell_bool(cell, &truth);
}

bool event_row_get_string(const struct event *event, uint32_t field, const char **bytes, size_t *size)
{
	const struct text_cell *cell = cell_of(event, field);
	if (cell == NULL || text_cell_is_empty(cell) || (cell->kind != TEXT_PLAIN && cell->kind != TEXT_STRING))
		return false;
	*bytes = cell->bytes;
	*size = cell->size;
	return true;
}

/* A number with decimals. */
static bool is_real(const struct text_cell *cell, double *out)
{
	if (cell->kind == TEXT_REAL) {
		*out = cell->real;
		return true;
	}
	if (cell->kind != TEXT_PLAIN)
		return false;
	const struct histree_value value = text_cell_value(cell);
	*out = value.type == HISTREE_DOUBLE ? value.real : 0;
	return value.type == HISTREE_DOUBLE;
}

bool event_row_visit(const struct event *event, uint32_t field, event_visitor visitor, void *context)
{
	const struct text_cell *cell = cell_of(event, field);
	struct event_part part = { .kind = EVENT_NOTHING, .name = event->class->fields[field] };
	if (cell == NULL)
		return visitor(context, &part);
	if (read_unsigned(cell, &part.integer))
		part.kind = EVENT_UNSIGNED;
	else if (event_row_get_int(event, field, &part.integer))
		part.kind = EVENT_INT;
	else if (is_real(cell, &part.real))
		part.kind = EVENT_REAL;
	else if (event_row_get_string(event, field, &part.bytes, &part.size))
		part.kind = EVENT_TEXT;
	return visitor(context, &part);
}
