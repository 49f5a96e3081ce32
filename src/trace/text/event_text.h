/* SPDX-License-Identifier: MIT */
/*
 * event_text.h - a table of events as a source: a file is a stream, a row is an event; the roles of columns, and
 * rows in the order of time.
 *
 * A *map* gives the roles of columns: "time=ts,unit=us,name=event,cpu=core,tid=thread".
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
 *
 * The *window* holds the rows that were read and not yet handed out.
 *
 * A row may be up to EVENT_WINDOW_ROWS rows away from its place in the order of time: so many rows are held back,
 * or fewer if they take more than EVENT_WINDOW_BYTES.  Rows of one time stay in the order of the text.  A row that
 * comes in order costs one comparison.
 *
 * A text is one stream.  A row further from its place than the window ends the stream with an error that names the
 * line, as does a row that cannot be parsed.  A trace is named "text:MAP:FILE", or "FILE" with the default map.
 */
#ifndef TRACE_TEXT_EVENT_TEXT_H
#define TRACE_TEXT_EVENT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "event/event.h"
#include "histree/status.h"
#include "text/text_table.h"
#include "trace/trace_source.h"

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

/* Copy cells into a row.  Returns false if memory runs out. */
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

/* Read a map of `size` bytes.  Returns HISTREE_ERR_ARGUMENT if it is malformed, with what would be right. */
enum histree_status event_map_read(struct event_map *map, const char *text, size_t size,
				   struct histree_error *error);

/* Also after a failure. */
void event_map_release(struct event_map *map);

enum { EVENT_WINDOW_ROWS = 4096, EVENT_WINDOW_BYTES = 16 << 20 };

struct event_window {
	struct event_row **rows; /* a ring, by time: EVENT_WINDOW_ROWS of them at most */
	size_t first, count;
	struct event_row **spare; /* rows without content */
	size_t spare_count;
	uint64_t read, given;  /* rows, so far */
	size_t bytes;          /* of the rows in it */
	struct event_row *out; /* that was given last, until the next one is */
};

/* A zeroed window is empty; the first row makes its memory. */

static inline bool event_window_is_full(const struct event_window *window)
{
	return window->count == EVENT_WINDOW_ROWS || window->bytes > EVENT_WINDOW_BYTES;
}

/* Returns a row to be filled and added, or given back by event_window_drop(); NULL if memory runs out. */
struct event_row *event_window_room(struct event_window *window);
void event_window_drop(struct event_window *window, struct event_row *row);

/* Returns false if the row is late: one after it in time was given before. */
bool event_window_add(struct event_window *window, struct event_row *row);

/* Returns the earliest row, which is valid until the next call, or NULL. */
const struct event_row *event_window_give(struct event_window *window);

/*
 * Where the row that was given last comes first: a byte of the text from which all that is in the window, and that
 * row, can be read again, and how many rows that were given before it come after that byte.
 */
void event_window_position(const struct event_window *window, uint64_t *row_at, uint64_t *rows);
void event_window_release(struct event_window *window);

/* What classes have in common that were made while the text had these columns. */
struct event_layout {
	const char *const *fields; /* names of columns, from the map and from the table */
	const uint16_t *columns;   /* of the fields */
	uint32_t field_count, payload_count;
	uint16_t column_count; /* of the text; 0: nothing is known yet */
};

struct event_text {
	struct trace_source base;
	struct trace_stream stream; /* the only one */
	struct event_map map;
	const char *path; /* of the file */
	struct text_table table;
	size_t parts[MAP_PART_COUNT]; /* columns; TEXT_NO_COLUMN: absent */
	size_t parts_known;           /* columns of the table when they were looked for */
	struct intern names;          /* of events */
	struct text_class **classes;  /* by their numbers; of each name the last one that was made */
	size_t class_count, class_capacity;
	uint32_t classes_made;
	struct event_layout layout; /* of the class that was made last */
	struct arena memory;        /* of the classes */
	struct event_window window;
	bool is_at_end;               /* of the text */
	struct histree_error failure; /* which ended the reading: what was read before it comes first */
};

struct io;
#endif
