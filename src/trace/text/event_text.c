// SPDX-License-Identifier: MIT
/*
 * event_text.c - a table of events as a source: a file is a stream, a row is an event; the roles of columns, and
 * rows in the order of time.
 *
 * This file makes the classes of the events with their fields, and finds the columns of the other properties of an
 * event, such as its time and its CPU.
 */
#include "trace/text/event_text.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/number_text.h"
#include "base/table.h"
#include "base/trace_word.h"
#include "event/event.h"
#include "histree/status.h"
#include "text/text_table.h"
#include "trace/formats.h"
#include "trace/trace_source.h"

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

/* A number that only a uint64_t has room for, or an address, as *out of the same bits. */
static bool read_unsigned(const struct text_cell *cell, int64_t *out)
{
	uint64_t number = 0;
	bool is_text = (cell->kind == TEXT_PLAIN || cell->kind == TEXT_STRING) && cell->size > 0;
	if (!is_text || memchr(cell->bytes, '\0', cell->size) != NULL || text_cell_integer(cell, out))
		return false;
	if (number_parse(cell->bytes, &number)) {
		*out = (int64_t)number;
		return true;
	}
	/* "0x7f10", as addresses are written. */
	if ((cell->kind != TEXT_PLAIN && cell->kind != TEXT_STRING) || cell->size < 3 || cell->size > 18 ||
	    strncmp(cell->bytes, "0x", 2) != 0 ||
	    strspn(cell->bytes + 2, "0123456789abcdefABCDEF") != cell->size - 2)
		return false;
	*out = (int64_t)strtoull(cell->bytes + 2, NULL, 16);
	return true;
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

/* The names of a part: its own, and another that is often used; NULL ends them. */
static const char *const map_part_names[MAP_PART_COUNT][3] = {
	[MAP_TIME] = { "time", "timestamp", NULL },
	[MAP_NAME] = { "name", "event", NULL },
	[MAP_CPU] = { "cpu", NULL, NULL },
	[MAP_THREAD] = { "thread", NULL, NULL },
};

static const char *const tracer_words[] = { "lttng", "perf", "ust", "none", NULL };

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

static enum histree_status set(struct event_map *map, const char *key, char *value, struct histree_error *error)
{
	for (int part = 0; part < MAP_PART_COUNT; part++)
		if (strcmp(map_part_names[part][0], key) == 0) {
			map->parts[part] = value;
			return HISTREE_OK;
		}
	if (strcmp(key, "unit") == 0) {
		for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
			if (strcmp(units[i].name, value) == 0) {
				map->unit_ns = units[i].ns;
				return HISTREE_OK;
			}
		return error_set(error, HISTREE_ERR_ARGUMENT, "'unit=%.40s': there are s, ms, us and ns", value);
	}
	if (strcmp(key, "tracer") == 0) {
		map->tracer = value;
		return is_among(tracer_words, value)
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
	if (strcmp(key, "machine") == 0) {
		map->machine = value;
	} else if (strcmp(key, "columns") == 0) {
		for (char *at = value; (at = strchr(at, '+')) != NULL;)
			*at = ',';
		map->columns = value;
	} else {
		map->fields[map->field_count++] = (struct event_field_name){ .field = key, .column = value };
	}
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

/* Returns what the field of a column is called. */
static const char *event_map_field(const struct event_map *map, const char *column)
{
	for (size_t i = 0; i < map->field_count; i++)
		if (strcmp(map->fields[i].column, column) == 0)
			return map->fields[i].field;
	return column;
}

/* ---- event window -------------------------------------------------------------------------------------------- */

static size_t place_of(const struct event_window *window, size_t position)
{
	return (window->first + position) % EVENT_WINDOW_ROWS;
}

static bool event_window_make(struct event_window *window)
{
	if (window->rows == NULL)
		window->rows = calloc(EVENT_WINDOW_ROWS, sizeof(struct event_row *));
	/* One that is being filled, and one that is out. */
	if (window->spare == NULL)
		window->spare = calloc(EVENT_WINDOW_ROWS + 2, sizeof(struct event_row *));
	return window->rows != NULL && window->spare != NULL;
}

struct event_row *event_window_room(struct event_window *window)
{
	if (!event_window_make(window))
		return NULL;
	if (window->spare_count > 0)
		return window->spare[--window->spare_count];
	return calloc(1, sizeof(struct event_row));
}

/* Long rows are rare: their memory is given back. */
void event_window_drop(struct event_window *window, struct event_row *row)
{
	enum { KEPT = EVENT_WINDOW_BYTES / EVENT_WINDOW_ROWS };
	if (row->byte_capacity + row->cell_capacity * sizeof(*row->cells) > KEPT)
		event_row_free(row);
	else
		window->spare[window->spare_count++] = row;
}

static size_t size_of(const struct event_row *row)
{
	return row->byte_count + row->cell_count * sizeof(*row->cells);
}

bool event_window_add(struct event_window *window, struct event_row *row)
{
	assert(window->count < EVENT_WINDOW_ROWS);
	if (window->out != NULL && row->time < window->out->time)
		return false;
	size_t position = window->count;
	for (; position > 0; position--) {
		struct event_row *before = window->rows[place_of(window, position - 1)];
		if (before->time <= row->time)
			break;
		window->rows[place_of(window, position)] = before;
	}
	window->rows[place_of(window, position)] = row;
	row->arrival = window->read++;
	window->bytes += size_of(row);
	window->count++;
	return true;
}

const struct event_row *event_window_give(struct event_window *window)
{
	if (window->out != NULL)
		event_window_drop(window, window->out);
	window->out = NULL;
	if (window->count == 0)
		return NULL;
	window->out = window->rows[window->first];
	window->first = place_of(window, 1);
	window->count--;
	window->bytes -= size_of(window->out);
	window->given++;
	return window->out;
}

/* All rows before the first that is still here were given. */
void event_window_position(const struct event_window *window, uint64_t *row_at, uint64_t *rows)
{
	const struct event_row *oldest = window->out;
	assert(oldest != NULL);
	for (size_t i = 0; i < window->count; i++) {
		const struct event_row *row = window->rows[place_of(window, i)];
		if (row->arrival < oldest->arrival)
			oldest = row;
	}
	*row_at = oldest->row_at;
	*rows = window->given - 1 - oldest->arrival;
}

void event_window_release(struct event_window *window)
{
	event_row_free(window->out);
	for (size_t i = 0; i < window->count; i++)
		event_row_free(window->rows[place_of(window, i)]);
	for (size_t i = 0; i < window->spare_count; i++)
		event_row_free(window->spare[i]);
	free((void *)window->rows);
	free((void *)window->spare);
	*window = (struct event_window){ 0 };
}

/* ---- event text ---------------------------------------------------------------------------------------------- */

/* In JSON a name may have several classes. */
enum { EVENT_NAMES_MAX = 65536, EVENT_CLASSES_MAX = 4 * EVENT_NAMES_MAX };

/* ---- event class --------------------------------------------------------------------------------------------- */

static bool is_part(const struct event_text *text, size_t column)
{
	for (int part = 0; part < MAP_PART_COUNT; part++)
		if (text->parts[part] == column)
			return true;
	return false;
}

/* The thread is a context as LTTng has it, and a field of every event as perf has it (kernel_layout.c). */
static bool make_layout(struct event_text *text)
{
	size_t count = text->table.column_count, thread = text->parts[MAP_THREAD];
	const char **fields = arena_allocate(&text->memory, (count + 1) * sizeof(*fields), alignof(char *));
	uint16_t *columns = arena_allocate(&text->memory, (count + 1) * sizeof(*columns), alignof(uint16_t));
	struct event_layout layout = { .fields = fields, .columns = columns, .column_count = (uint16_t)count };
	if (fields == NULL || columns == NULL)
		return false;
	for (size_t column = 0; column < count; column++) {
		if (is_part(text, column))
			continue;
		fields[layout.field_count] = event_map_field(&text->map, text->table.columns[column]);
		columns[layout.field_count++] = (uint16_t)column;
	}
	layout.payload_count = layout.field_count;
	if (thread != TEXT_NO_COLUMN) {
		fields[layout.field_count] =
			strcmp(text->base.trace.tracer_name, "perf") == 0 ? "common_pid" : "tid";
		columns[layout.field_count++] = (uint16_t)thread;
	}
	text->layout = layout;
	return true;
}

static struct text_class *make_class(struct event_text *text, const char *name, struct histree_error *error)
{
	if (text->classes_made == EVENT_CLASSES_MAX) {
		text_table_fault(&text->table, TEXT_NO_COLUMN, error,
				 "more than %d kinds of events, by their names and columns: the map takes another "
				 "column for the name",
				 EVENT_CLASSES_MAX);
		return NULL;
	}
	bool has_layout = text->layout.column_count == text->table.column_count || make_layout(text);
	struct text_class *class = arena_allocate(&text->memory, sizeof(*class), alignof(struct text_class));
	if (!has_layout || class == NULL) {
		error_memory(error, "the classes of events");
		return NULL;
	}
	const struct event_layout *layout = &text->layout;
	*class = (struct text_class){ .class = { .trace = &text->base.trace,
						 .id = (*text->base.class_count)++,
						 .name = name,
						 .fields = layout->fields,
						 .field_count = layout->field_count,
						 .payload_count = layout->payload_count },
				      .columns = layout->columns,
				      .column_count = layout->column_count };
	text->classes_made++;
	return class;
}

/* In JSON, a row may have columns that none had when its class was made. */
static bool has_more(const struct event_text *text, const struct text_class *class)
{
	for (size_t i = class->column_count; i < text->table.column_count; i++)
		if (text->table.cells[i].kind != TEXT_ABSENT)
			return true;
	return false;
}

/* Returns the class of the row that is being read; NULL, and the error, if it cannot have one. */
static const struct text_class *event_class_of_row(struct event_text *text, struct histree_error *error)
{
	char quote[64];
	size_t column = text->parts[MAP_NAME];
	const struct text_cell *cell = text_table_cell(&text->table, column);
	if ((cell->kind != TEXT_PLAIN && cell->kind != TEXT_STRING) || cell->size == 0 ||
	    memchr(cell->bytes, '\0', cell->size) != NULL) {
		text_table_fault(&text->table, column, error, "%s is no name of an event",
				 text_cell_quote(cell, quote));
		return NULL;
	}
	uint32_t number = intern_find(&text->names, cell->bytes, cell->size);
	if (number == INTERN_NONE && text->names.count == EVENT_NAMES_MAX) {
		text_table_fault(&text->table, column, error,
				 "more than %d names of events: the map takes another column for the name",
				 EVENT_NAMES_MAX);
		return NULL;
	}
	if (number == INTERN_NONE)
		number = intern_add(&text->names, cell->bytes, cell->size);
	if (number == INTERN_NONE || !array_reserve(&text->classes, &text->class_capacity, (size_t)number + 1)) {
		error_memory(error, "the classes of events");
		return NULL;
	}
	while (text->class_count <= number)
		text->classes[text->class_count++] = NULL;
	if (text->classes[number] == NULL || has_more(text, text->classes[number])) {
		size_t size;
		text->classes[number] = make_class(text, intern_get(&text->names, number, &size), error);
	}
	return text->classes[number];
}

/* ---- columns --------------------------------------------------------------------------------------- */

static size_t find_part(const struct event_text *text, enum map_part part)
{
	if (text->map.parts[part] != NULL)
		return text_table_column(&text->table, text->map.parts[part]);
	size_t column = TEXT_NO_COLUMN;
	for (const char *const *name = map_part_names[part]; *name != NULL && column == TEXT_NO_COLUMN; name++)
		column = text_table_column(&text->table, *name);
	return column;
}

static enum histree_status lacks(const struct event_text *text, const char *part, const char *wanted,
				 struct histree_error *error)
{
	char columns[200] = "";
	for (size_t i = 0, length = 0; i < text->table.column_count && length < sizeof(columns); i++)
		length += (size_t)snprintf(columns + length, sizeof(columns) - length, "%s%.40s",
					   i == 0 ? "" : ", ", text->table.columns[i]);
	return error_set(error, HISTREE_ERR_TRACE,
			 "'%.120s' has no column '%.40s' for the %s of an event; it has %s: say which it is, as in "
			 "'histree build --map time=ts,unit=us,name=kind'",
			 text->path, wanted, part, columns);
}

/* Find the columns; again when a row of JSON has had new ones.  HISTREE_ERR_TRACE if one that must be is not. */
static enum histree_status event_parts_find(struct event_text *text, struct histree_error *error)
{
	if (text->parts_known == text->table.column_count)
		return HISTREE_OK;
	/* Of JSON another row may have more. */
	bool are_known = text->table.header != NULL || text->map.columns != NULL;
	for (int part = 0; part < MAP_PART_COUNT; part++) {
		const char *wanted =
			text->map.parts[part] != NULL ? text->map.parts[part] : map_part_names[part][0];
		text->parts[part] = find_part(text, (enum map_part)part);
		bool is_needed = part == MAP_TIME || part == MAP_NAME;
		bool is_wrong = text->map.parts[part] != NULL && are_known;
		if (text->parts[part] == TEXT_NO_COLUMN && (is_needed || is_wrong))
			return lacks(text, map_part_names[part][0], wanted, error);
	}
	for (size_t i = 0; i < text->map.field_count && are_known; i++)
		if (text_table_column(&text->table, text->map.fields[i].column) == TEXT_NO_COLUMN)
			return lacks(text, text->map.fields[i].field, text->map.fields[i].column, error);
	text->parts_known = text->table.column_count;
	return HISTREE_OK;
}

/* ---- times ----------------------------------------------------------------------------------------- */

/* Digits with up to nine decimals, counted in a unit: exact, and what is finer than a ns is dropped. */
static bool read_decimal(const char *at, int64_t unit_ns, histree_time *out)
{
	bool is_negative = *at == '-', any = false;
	uint64_t whole = 0, part = 0;
	int64_t scale = unit_ns;
	for (at += is_negative; *at >= '0' && *at <= '9'; at++, any = true)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, (uint64_t)(*at - '0'), &whole))
			return false;
	if (*at == '.')
		for (at++; *at >= '0' && *at <= '9'; at++, any = true) {
			scale /= 10;
			part += (uint64_t)(*at - '0') * (uint64_t)scale;
		}
	if (!any || *at != '\0' || __builtin_mul_overflow(whole, (uint64_t)unit_ns, &whole) ||
	    __builtin_add_overflow(whole, part, &whole) || whole > (uint64_t)INT64_MAX)
		return false;
	*out = is_negative ? -(histree_time)whole : (histree_time)whole;
	return true;
}

/* A number in the unit of the map, or a date and a time of day. */
static bool read_time(const struct event_text *text, const struct text_cell *cell, histree_time *out)
{
	double ns;
	switch (cell->kind) {
	case TEXT_PLAIN:
	case TEXT_STRING:
		if (strlen(cell->bytes) != cell->size)
			return false;
		return read_decimal(cell->bytes, text->map.unit_ns, out) ||
		       (cell->size > 10 && cell->bytes[4] == '-' && time_parse(cell->bytes, 0, 0, out));
	case TEXT_INTEGER:
		return !__builtin_mul_overflow(cell->integer, text->map.unit_ns, out);
	case TEXT_REAL:
		ns = cell->real * (double)text->map.unit_ns;
		if (!(ns > -9e18 && ns < 9e18))
			return false;
		*out = llround(ns);
		return true;
	default:
		return false;
	}
}

/* Read a part of the row at hand.  What has no CPU is on CPU -1. */
static enum histree_status event_parts_time(const struct event_text *text, histree_time *out,
					    struct histree_error *error)
{
	char quote[64];
	const struct text_cell *cell = &text->table.cells[text->parts[MAP_TIME]];
	if (read_time(text, cell, out))
		return *out < INT64_MAX
			       ? HISTREE_OK
			       : text_table_fault(&text->table, text->parts[MAP_TIME], error,
						  "this is the last time there is, and a history ends before it");
	return text_table_fault(&text->table, text->parts[MAP_TIME], error,
				"%s is no time: a number, whose unit the map says ('unit=us'; ns else), or "
				"'2016-03-04 17:46:23.1'",
				text_cell_quote(cell, quote));
}

/* ---- CPUs ------------------------------------------------------------------------------------------ */

static enum histree_status event_parts_cpu(struct event_text *text, int32_t *cpu, struct histree_error *error)
{
	char quote[64];
	int64_t number;
	const struct text_cell *cell = text_table_cell(&text->table, text->parts[MAP_CPU]);
	*cpu = -1;
	if (text_cell_is_empty(cell))
		return HISTREE_OK;
	if (!text_cell_integer(cell, &number) || number < -1 || number > INT32_MAX)
		return text_table_fault(&text->table, text->parts[MAP_CPU], error, "%s is no number of a CPU",
					text_cell_quote(cell, quote));
	*cpu = (int32_t)number;
	return HISTREE_OK;
}

/* ---- event text ---------------------------------------------------------------------------------------------- */

/* ---- rows ------------------------------------------------------------------------------------------ */

static enum histree_status unescape_all(struct event_text *text, struct histree_error *error)
{
	for (size_t i = 0; i < text->table.column_count; i++)
		if (!text_cell_unescape(&text->table.cells[i]))
			return text_table_fault(&text->table, i, error,
						"a backslash in TSV is written twice, a tab as \\t");
	return HISTREE_OK;
}

static enum histree_status read_row(struct event_text *text, struct event_row *row, struct histree_error *error)
{
	enum histree_status status = event_parts_time(text, &row->time, error);
	if (status == HISTREE_OK)
		status = event_parts_cpu(text, &row->cpu, error);
	if (status == HISTREE_OK)
		status = unescape_all(text, error);
	if (status != HISTREE_OK)
		return status;
	row->class = event_class_of_row(text, error);
	if (row->class == NULL)
		return error->status;
	row->row_at = text->table.row_at;
	return event_row_copy(row, text->table.cells, text->table.column_count) ? HISTREE_OK
										: error_memory(error, "an event");
}

static enum histree_status late(const struct event_text *text, const struct event_row *row,
				struct histree_error *error)
{
	char time[TIME_TEXT_SIZE], other[TIME_TEXT_SIZE];
	time_format_date(row->time, time);
	time_format_date(text->window.out->time, other);
	return text_table_fault(&text->table, text->parts[MAP_TIME], error,
				"%s is before %s, which more than 4,000 rows before it have reached: sort the text "
				"by its times, with sort(1)",
				time, other);
}

/* Read rows until the window is full, or the text at its end. */
static enum histree_status fill(struct event_text *text, struct histree_error *error)
{
	while (!text->is_at_end && !event_window_is_full(&text->window)) {
		enum histree_status status = text_table_next(&text->table, error);
		text->is_at_end = status == HISTREE_END;
		if (status != HISTREE_OK)
			return status == HISTREE_END ? HISTREE_OK : status;
		status = event_parts_find(text, error);
		if (status != HISTREE_OK)
			return status;
		struct event_row *row = event_window_room(&text->window);
		if (row == NULL)
			return error_memory(error, "events");
		status = read_row(text, row, error);
		if (status == HISTREE_OK && !event_window_add(&text->window, row))
			status = late(text, row, error);
		if (status != HISTREE_OK) {
			event_window_drop(&text->window, row);
			return status;
		}
	}
	return HISTREE_OK;
}

static enum histree_status next_event(struct trace_stream *stream, struct histree_error *error)
{
	struct event_text *text = (struct event_text *)((char *)stream - offsetof(struct event_text, stream));
	stream->has_upcoming = false;
	if (text->failure.status == HISTREE_OK && fill(text, &text->failure) == HISTREE_OK)
		text->failure.status = HISTREE_OK;
	const struct event_row *row = event_window_give(&text->window);
	if (row == NULL && text->failure.status != HISTREE_OK)
		return error_set(error, text->failure.status, "%s", text->failure.message);
	if (row == NULL)
		return HISTREE_END;
	const struct event event = {
		.time = row->time, .cpu = row->cpu, .class = &row->class->class, .handle = row
	};
	trace_stream_put(stream, &event);
	return HISTREE_OK;
}

static void position(const struct trace_stream *stream, struct trace_position *out)
{
	const struct event_text *text =
		(const struct event_text *)((const char *)stream - offsetof(struct event_text, stream));
	event_window_position(&text->window, &out->packet, &out->events);
}

static const struct trace_stream_kind stream_kind = { .next = next_event, .position = position };

/* ---- the trace ------------------------------------------------------------------------------------- */

/* Perf has the subsystem in front of the name of an event. */
static const char *guess_tracer(const struct event_text *text)
{
	const struct text_cell *cell = &text->table.cells[text->parts[MAP_NAME]];
	bool has_bytes = cell->kind == TEXT_PLAIN || cell->kind == TEXT_STRING;
	return has_bytes && memchr(cell->bytes, ':', cell->size) != NULL ? "perf" : "lttng";
}

/* The first row shows what the columns are, and whose events these are. */
static enum histree_status look(struct event_text *text, struct histree_error *error)
{
	enum histree_status status = text_table_open(&text->table, text->base.io, text->path, text->map.format,
						     text->map.columns, error);
	if (status != HISTREE_OK)
		return status;
	if (!text->table.input.is_file)
		return error_set(error, HISTREE_ERR_TRACE,
				 "'%.200s' is no file: events are read more than once, so keep them in one",
				 text->path);
	status = text_table_next(&text->table, error);
	if (status == HISTREE_END)
		return error_set(error, HISTREE_ERR_TRACE, "'%.200s' has no events", text->path);
	return status == HISTREE_OK ? event_parts_find(text, error) : status;
}

static enum histree_status scan(struct trace_source *base, struct histree_error *error)
{
	struct event_text *text = (struct event_text *)base;
	struct histree_error own;
	if (error == NULL)
		error = &own;
	text->table.input.file = -1;
	text->path = trace_word_path(base->path);
	size_t prefix = sizeof(TRACE_WORD_TEXT) - 1;
	const char *map = text->path == base->path ? "" : base->path + prefix;
	size_t size = text->path == base->path ? 0 : (size_t)(text->path - base->path) - prefix - 1;
	enum histree_status status = event_map_read(&text->map, map, size, error);
	if (status == HISTREE_OK)
		status = look(text, error);
	if (status != HISTREE_OK)
		return status == HISTREE_ERR_FORMAT ? error_set(error, HISTREE_ERR_TRACE, "%s", error->message)
						    : status;
	base->file_count = 1;
	base->bytes = text->table.input.size;
	static const struct {
		const char *name, *tracer, *domain;
	} tracers[] = { { "lttng", "lttng-modules", "kernel" },
			{ "perf", "perf", "" },
			{ "ust", "lttng-ust", "ust" },
			{ "none", "", "" } };
	const char *name = text->map.tracer != NULL ? text->map.tracer : guess_tracer(text);
	size_t i = 0;
	while (strcmp(tracers[i].name, name) != 0)
		i++;
	struct event_trace *trace = &text->base.trace;
	trace_source_describe(&text->base, tracers[i].domain, tracers[i].tracer);
	if (strncmp(tracers[i].tracer, "lttng", 5) == 0) {
		trace->tracer_major = 2;
		trace->tracer_minor = 13;
	}
	if (text->map.machine != NULL)
		trace->machine = text->map.machine;
	trace->has_new_task_states = true; /* as likely as the version of the tracer; a table does not say */
	trace->get_int = event_row_get_int;
	trace->get_string = event_row_get_string;
	trace->visit = event_row_visit;
	return HISTREE_OK;
}

static enum histree_status open_stream(struct trace_source *base, const struct trace_opening *opening,
				       struct histree_error *error)
{
	struct event_text *text = (struct event_text *)base;
	const struct trace_position *at = opening->positions;
	uint64_t row_at = text->table.first_at;
	if (at != NULL)
		row_at = at->packet == TRACE_FILE_DONE ? text->table.input.size : at->packet;
	/* Columns keep their numbers, which classes know. */
	enum histree_status status = text_table_seek(&text->table, row_at, error);
	return status == HISTREE_OK ? trace_source_add(base, &text->stream, &stream_kind, 0, text->path, error)
				    : status;
}

/* Names of events stay known, and their classes keep their numbers. */
static void leave_stream(struct trace_source *base)
{
	struct event_text *text = (struct event_text *)base;
	event_window_release(&text->window);
	text->is_at_end = false;
	text->failure = (struct histree_error){ 0 };
}

static bool has_position(const struct trace_source *base, size_t file, const struct trace_position *at)
{
	(void)file;
	return at->packet < base->bytes;
}

static uint64_t bytes_done(const struct trace_source *base)
{
	return ((const struct event_text *)base)->table.input.at;
}

static void release(struct trace_source *base)
{
	struct event_text *text = (struct event_text *)base;
	text_table_close(&text->table);
	event_window_release(&text->window);
	event_map_release(&text->map);
	intern_release(&text->names);
	arena_release(&text->memory);
	free((void *)text->classes);
}

/* A file of another format, such as the JSON of a browser, is left to the reader of that format. */
/* A table of text; of JSON, one whose first row has a time. */
static bool is_file(const char *path)
{
	struct text_table table;
	if (text_table_open(&table, &io_posix, path, NULL, NULL, NULL) != HISTREE_OK)
		return false;
	bool is = table.input.is_file && text_table_next(&table, NULL) == HISTREE_OK;
	bool has_names = table.header != NULL || text_table_column(&table, "time") != TEXT_NO_COLUMN ||
			 text_table_column(&table, "timestamp") != TEXT_NO_COLUMN;
	text_table_close(&table);
	return is && has_names;
}

const struct trace_format_kind event_text_format = {
	.size = sizeof(struct event_text),
	.reads = "tables of events (TSV, CSV, JSON lines)",
	.is_file = is_file,
	.scan = scan,
	.open = open_stream,
	.leave = leave_stream,
	.has_position = has_position,
	.bytes_done = bytes_done,
	.release = release,
};
