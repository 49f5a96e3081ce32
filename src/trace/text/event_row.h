/* SPDX-License-Identifier: MIT */
/*
 * event_row.h - one event of a text: its cells, and the class that says which cell each field is.
 */
#ifndef TRACE_TEXT_EVENT_ROW_H
#define TRACE_TEXT_EVENT_ROW_H

#include "event/event.h"
#include "text/text_table.h"

/* Events of one name.  The fields are the columns that had been seen when one of them had each. */
struct text_class {
	struct event_class class;
	const uint16_t *columns; /* of the fields */
	uint16_t column_count;   /* of the text, when the class was made */
};

/* A row of its own. */
struct event_row {
	histree_time time;
	int32_t cpu;
	const struct text_class *class;
	uint64_t row_at;  /* byte of the text */
	uint64_t arrival; /* its number among those read */
	struct text_cell *cells;
	size_t cell_count, cell_capacity;
	char *bytes; /* of the cells */
	size_t byte_count, byte_capacity;
};

/* Copy cells into a row.  Returns false if memory is out. */
bool event_row_copy(struct event_row *row, const struct text_cell *cells, size_t count);

/* NULL is allowed. */
void event_row_free(struct event_row *row);

/* What event.h wants of a trace: the handle of an event is its struct event_row, its class a struct text_class. */
bool event_row_get_int(const struct event *event, uint32_t field, int64_t *out);
bool event_row_get_string(const struct event *event, uint32_t field, const char **bytes, size_t *size);
bool event_row_visit(const struct event *event, uint32_t field, event_visitor visitor, void *context);

#endif
