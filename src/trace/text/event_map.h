/* SPDX-License-Identifier: MIT */
/*
 * event_map.h - which columns of a text are what of an event: "time=ts,unit=us,name=event,cpu=core,tid=thread"; and
 * an event of it: its cells, and the class that says which cell each field is.
 *
 * KEY=VALUE with commas between them:
 *
 * 	time, name, cpu, thread	the column that has it; default: the one of that name, for the first two also
 * 				`timestamp` and `event`
 * 	unit			of the time: s, ms, us or ns, the default
 * 	tracer			whose names events and fields have: lttng, perf, ust or none; default: perf if the
 * 				first event has a colon in its name, behind its subsystem, else lttng
 * 	machine			whose numbers system calls have, such as x86_64 (uname(2))
 * 	format			tsv, csv or json; default: as the text shows
 * 	columns			the names of the columns, with '+' between them, of a text that lacks them
 * 	FIELD			the column that the field of that name is; the other columns are fields too, by
 * 				their own names
 */
#ifndef TRACE_TEXT_EVENT_MAP_H
#define TRACE_TEXT_EVENT_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "event/event.h"
#include "histree/status.h"
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

/* What an event has besides its fields. */
enum map_part { MAP_TIME, MAP_NAME, MAP_CPU, MAP_THREAD, MAP_PART_COUNT };

struct event_field_name {
	const char *field, *column;
};

struct event_map {
	const char *parts[MAP_PART_COUNT]; /* columns; NULL: the default */
	int64_t unit_ns;
	const char *tracer, *machine, *format, *columns; /* NULL: the default */
	struct event_field_name *fields;                 /* that are called otherwise than their columns */
	size_t field_count;
	struct arena texts;
};

/* The names of a part: its own, and another that is often used; NULL ends them. */
extern const char *const map_part_names[MAP_PART_COUNT][3];

/* Read a map of `size` bytes.  Returns HISTREE_ERR_ARGUMENT if it is malformed, with what would be right. */
enum histree_status event_map_read(struct event_map *map, const char *text, size_t size,
				   struct histree_error *error);

/* Also after a failure. */
void event_map_release(struct event_map *map);

/* Returns what the field of a column is called. */
const char *event_map_field(const struct event_map *map, const char *column);

#endif
