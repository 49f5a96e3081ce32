// SPDX-License-Identifier: MIT
/*
 * event_map.c - which column of a table is what of an event, and one event of a table.
 */
#include "trace/text/event_map.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/table.h"
#include "base/error.h"
#include "base/number_text.h"
#include "event/event.h"
#include "histree/status.h"
#include "text/text_table.h"

/* ---- event row ----------------------------------------------------------------------------------------------- */

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

/* ---- event map ----------------------------------------------------------------------------------------------- */

const char *const map_part_names[MAP_PART_COUNT][3] = {
	[MAP_TIME] = { "time", "timestamp", NULL },
	[MAP_NAME] = { "name", "event", NULL },
	[MAP_CPU] = { "cpu", NULL, NULL },
	[MAP_THREAD] = { "thread", NULL, NULL },
};

static const char *const tracers[] = { "lttng", "perf", "ust", "none", NULL };

static const char *const formats[] = { "tsv", "csv", "json", NULL };

static const struct {
	const char *name;
	int64_t ns;
} units[] = { { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 } };

static bool is_among(const char *const *names, const char *name)
{
	while (*names != NULL && strcmp(*names, name) != 0)
		names++;
	return *names != NULL;
}

static enum histree_status set_unit(struct event_map *map, const char *name, struct histree_error *error)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(units[i].name, name) == 0) {
			map->unit_ns = units[i].ns;
			return HISTREE_OK;
		}
	return error_set(error, HISTREE_ERR_ARGUMENT, "'unit=%.40s': there are s, ms, us and ns", name);
}

static void set_columns(struct event_map *map, char *names)
{
	for (char *at = names; (at = strchr(at, '+')) != NULL;)
		*at = ',';
	map->columns = names;
}

static enum histree_status set(struct event_map *map, const char *key, char *value, struct histree_error *error)
{
	for (int part = 0; part < MAP_PART_COUNT; part++)
		if (strcmp(map_part_names[part][0], key) == 0) {
			map->parts[part] = value;
			return HISTREE_OK;
		}
	if (strcmp(key, "unit") == 0)
		return set_unit(map, value, error);
	if (strcmp(key, "tracer") == 0) {
		map->tracer = value;
		return is_among(tracers, value)
			       ? HISTREE_OK
			       : error_set(error, HISTREE_ERR_ARGUMENT,
					   "'tracer=%.40s': there are lttng, perf, ust and none", value);
	}
	if (strcmp(key, "format") == 0) {
		map->format = value;
		return is_among(formats, value) ? HISTREE_OK
						: error_set(error, HISTREE_ERR_ARGUMENT,
							    "'format=%.40s': there are tsv, csv and json", value);
	}
	if (strcmp(key, "machine") == 0)
		map->machine = value;
	else if (strcmp(key, "columns") == 0)
		set_columns(map, value);
	else
		map->fields[map->field_count++] = (struct event_field_name){ .field = key, .column = value };
	return HISTREE_OK;
}

enum histree_status event_map_read(struct event_map *map, const char *text, size_t size,
				   struct histree_error *error)
{
	size_t count = 1;
	*map = (struct event_map){ .unit_ns = 1 };
	for (size_t i = 0; i < size; i++)
		count += text[i] == ',';
	char *copy = arena_copy(&map->texts, text, size);
	map->fields = arena_allocate(&map->texts, count * sizeof(*map->fields), alignof(struct event_field_name));
	if (copy == NULL || map->fields == NULL)
		return error_memory(error, "the map of a trace");
	enum histree_status status = HISTREE_OK;
	for (char *key; size > 0 && status == HISTREE_OK && (key = strsep(&copy, ",")) != NULL;) {
		char *value = strchr(key, '=');
		if (value == NULL || value == key || value[1] == '\0')
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "'%.60s' in the map of a trace is not KEY=COLUMN, as in "
					 "'time=ts,unit=us,name=event,cpu=core'",
					 key);
		*value = '\0';
		status = set(map, key, value + 1, error);
	}
	return status;
}

void event_map_release(struct event_map *map)
{
	arena_release(&map->texts);
	map->fields = NULL;
	map->field_count = 0;
}

const char *event_map_field(const struct event_map *map, const char *column)
{
	for (size_t i = 0; i < map->field_count; i++)
		if (strcmp(map->fields[i].column, column) == 0)
			return map->fields[i].field;
	return column;
}
