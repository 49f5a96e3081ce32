/* SPDX-License-Identifier: MIT */
/*
 * event_text.h - events in a table of text (text/text_table.h), one a row: when, what, on which CPU, with fields.
 *
 * A text is one stream.  Its rows are sorted by time within a window (event_window.h); one that is further from
 * its place ends the stream with an error that says where it is, as does one that cannot be understood.
 * What each column is, a map says (event_map.h): a trace is written "text:MAP:FILE", or "FILE" with the default
 * map.
 */
#ifndef TRACE_TEXT_EVENT_TEXT_H
#define TRACE_TEXT_EVENT_TEXT_H

#include <stdbool.h>

#include "base/arena.h"
#include "event/event.h"
#include "text/text_table.h"
#include "trace/text/event_map.h"
#include "trace/text/event_window.h"
#include "trace/trace_source.h"

/* What classes have in common that were made while the text had these columns. */
struct event_layout {
	const char *const *fields; /* names, which are those of the map and of the table */
	const uint16_t *columns;   /* of the fields */
	uint32_t field_count, payload_count;
	uint16_t column_count; /* of the text; 0: nothing is known yet */
};

struct event_text {
	struct trace_source base;
	struct trace_stream stream; /* the only one */
	struct trace_stream *streams[1];
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
struct trace_format_kind;

extern const struct trace_format_kind event_text_format;

/* Returns whether a file is a table of text; of JSON, one whose first row has a time. */
bool event_text_is(const struct io *io, const char *path);

#endif
