/* SPDX-License-Identifier: MIT */
/*
 * cell_match.h - which lines of a table are looked for: patterns (base/pattern.h) in cells.
 *
 * A pattern comes from a client; what it costs has a bound.
 */
#ifndef SERVER_MODEL_CELL_MATCH_H
#define SERVER_MODEL_CELL_MATCH_H

#include "base/pattern.h"
#include "histree/segment.h"

/* The table of segments has the most columns: start, end, duration, its fields, and the start as a number. */
enum { CELL_COLUMNS_MAX = HISTREE_SEGMENT_FIELDS_MAX + 4 };

/* A zeroed one matches all. */
struct cell_match {
	struct pattern *patterns[CELL_COLUMNS_MAX]; /* NULL: the column may be anything */
	bool any;                                   /* it is enough that one of them matches */
};

/*
 * Adds the pattern of a column that has none yet.  Returns HISTREE_ERR_ARGUMENT if the expression cannot be used.
 */
enum histree_status cell_match_add(struct cell_match *match, unsigned column, const char *expression,
				   struct histree_error *error);

/* Returns a cell of a line as text, borrowed until the next call. */
typedef const char *cell_text(void *line, unsigned column);

bool cell_match_line(const struct cell_match *match, cell_text *text, void *line);

void cell_match_release(struct cell_match *match);

#endif
