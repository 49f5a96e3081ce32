/* SPDX-License-Identifier: MIT */
/*
 * interval_rows.h - intervals as rows: path, start, end, type, value.
 *
 * The text format, for people, says a status in words before its number ("waits for a CPU (5)"), and adds the time
 * of day (UTC) at which the interval starts and how long it lasts.
 * Custom values are hexadecimal.
 */
#ifndef CLI_INTERVAL_ROWS_H
#define CLI_INTERVAL_ROWS_H

#include "cli/attribute_list.h"
#include "cli/row_writer.h"
#include "histree/view.h"

enum { INTERVAL_COLUMNS = 7 };

struct interval_rows {
	struct row_writer rows;
	struct row_column columns[INTERVAL_COLUMNS];
	const struct histree_history *history;
	const struct listed_attribute *attribute; /* of the last row; NULL before the first */
	enum histree_meaning meaning;             /* of that attribute's values */
	char *hexadecimal;                        /* a custom value as text */
	size_t hexadecimal_capacity;
};

/* `list` has the attributes of `history` that will come; the width of their column follows from it. */
void interval_rows_begin(struct interval_rows *rows, const struct row_format *format, struct output *output,
			 const struct histree_history *history, const struct attribute_list *list);

/* An answer_taker: `context` is the struct interval_rows. */
void interval_rows_take(void *context, const struct listed_attribute *attribute,
			const struct histree_interval *interval);

/* Ends the output and frees what the rows hold. */
void interval_rows_finish(struct interval_rows *rows);

#endif
