/* SPDX-License-Identifier: MIT */
/*
 * line_table.h - lines that are requested by number, such as events and segments: read, found by time, searched.
 *
 * Lines are found by patterns (base/pattern.h) in their cells; a pattern comes from a client, so its cost is
 * bounded.  Lines are read in turns, between which other requests have theirs: so a search of millions of lines,
 * even a mistaken one, does not block others.
 */
#ifndef SERVER_MODEL_LINE_TABLE_H
#define SERVER_MODEL_LINE_TABLE_H

#include "base/pattern.h"
#include "histree/segments.h"
#include "histree/status.h"

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

struct line_kind {
	/* Around each turn; NULL: the lines are this request's alone. */
	void (*enter)(void *lines), (*leave)(void *lines);
	/* Goes to a line, and reads the next one, which is then at hand; HISTREE_END: there are no more. */
	enum histree_status (*seek)(void *lines, uint64_t number, struct histree_error *error);
	enum histree_status (*next)(void *lines, struct histree_error *error);
	/* Finds the first line at or after a time; *number is that after the last one if no line is. */
	enum histree_status (*find)(void *lines, histree_time time, uint64_t *number, struct histree_error *error);
	cell_text *cell;      /* of the line at hand */
	uint64_t turn;        /* how many lines a search reads in one */
	unsigned seconds;     /* that a search may take; 0: any number */
	const char *one_line; /* what a line is called */
};

struct line_table {
	const struct line_kind *kind;
	void *lines;
	uint64_t count;
	unsigned columns;
};

/* Visits the line at hand, for each of the lines [first, first + count) as far as there are any. */
typedef void line_visit(void *context, void *lines, uint64_t number);

enum histree_status line_table_read(const struct line_table *table, uint64_t first, uint64_t count,
				    line_visit *visit, void *context, struct histree_error *error);

enum histree_status line_table_find(const struct line_table *table, histree_time time, uint64_t *number,
				    struct histree_error *error);

/*
 * Finds the next line that matches, from line `first` on or back from it.  Returns HISTREE_NOT_FOUND if no line
 * matches, HISTREE_ERR_CANCELLED if none was found in the time that a search may take, or before it was cancelled.
 */
enum histree_status line_table_search(const struct line_table *table, const struct cell_match *match,
				      uint64_t first, bool backwards, struct histree_work work, uint64_t *number,
				      struct histree_error *error);

#endif
