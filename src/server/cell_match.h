/* SPDX-License-Identifier: MIT */
/*
 * cell_match.h - which lines of a table are looked for: regular expressions (POSIX, extended) on cells.
 *
 * An expression comes from a client.  Those with counts ({...}) or back references are refused: they can take
 * memory and time without bound.
 */
#ifndef SERVER_CELL_MATCH_H
#define SERVER_CELL_MATCH_H

#include <regex.h>
#include <stdbool.h>

#include "histree/segment.h"
#include "histree/status.h"

/* Of segments, the table with the most columns: start, end, duration, its fields, and the start as a number. */
enum { CELL_COLUMNS_MAX = HISTREE_SEGMENT_FIELDS_MAX + 4, CELL_EXPRESSION_MAX = 256 };

/* A zeroed one matches all. */
struct cell_match {
	regex_t expressions[CELL_COLUMNS_MAX];
	bool has[CELL_COLUMNS_MAX];
	bool any; /* it is enough that one of them matches */
};

/* HISTREE_ERR_ARGUMENT: the expression cannot be used. */
enum histree_status cell_match_add(struct cell_match *match, unsigned column, const char *expression,
				   struct histree_error *error);

/* A cell of a line as text, borrowed until the next call. */
typedef const char *cell_text(void *line, unsigned column);

bool cell_match_line(const struct cell_match *match, cell_text *text, void *line);

void cell_match_release(struct cell_match *match);

#endif
