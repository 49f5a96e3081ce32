// SPDX-License-Identifier: MIT
/*
 * event_class.c - the classes of the events of a table, and their fields.
 */
#include "trace/text/event_class.h"

#include <stdalign.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

static bool is_perf(const struct event_text *text)
{
	return strcmp(text->base.trace.tracer_name, "perf") == 0;
}

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
		fields[layout.field_count] = is_perf(text) ? "common_pid" : "tid";
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

const struct text_class *event_class_of_row(struct event_text *text, struct histree_error *error)
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
