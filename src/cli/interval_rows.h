/* SPDX-License-Identifier: MIT */
/*
 * interval_rows.h - intervals as rows: path, start, end, type, value.  Cells of pixels (pixel_cells.h) as rows
 * too: path, pixel, start, end, type, value, other_type, other.
 *
 * The text format, for people, says after a value what it means ("5 waits for a CPU"), and adds the time of day
 * (UTC) at which the interval starts and how long it lasts.  JSON says it in a member of its own, "label".
 * Custom values are hexadecimal.
 */
#ifndef CLI_INTERVAL_ROWS_H
#define CLI_INTERVAL_ROWS_H

#include "cli/attribute_list.h"
#include "cli/pixel_cells.h"
#include "cli/row_writer.h"
#include "histree/view.h"

enum { INTERVAL_COLUMNS = 10 };

enum interval_kind {
	INTERVAL_PLAIN,  /* JSON has the columns of TSV only */
	INTERVAL_LABELS, /* and what a value means */
	INTERVAL_CELLS,  /* of pixels */
};

struct interval_rows {
	struct row_writer rows;
	struct row_column columns[INTERVAL_COLUMNS];
	const struct histree_history *history;
	histree_quark quark; /* of the last row */
	bool has_table;
	const struct histree_label_table *table; /* of that attribute's values */
	bool has_labels;   /* a column of their own */
	char *hexadecimal; /* a custom value as text */
	size_t hexadecimal_capacity;
};

/* Wider paths push their row: they are rare, and a terminal is not. */
#define INTERVAL_PATH_WIDTH_MAX 40

/* `list` has the attributes of `history` that will come; the width of their column follows from it. */
void interval_rows_begin(struct interval_rows *rows, const struct row_format *format, struct output *output,
			 const struct histree_history *history, const struct attribute_list *list,
			 enum interval_kind kind);

/* An answer_taker: `context` is the struct interval_rows. */
void interval_rows_take(void *context, const struct listed_attribute *attribute,
			const struct histree_interval *interval);

/* A pixel_taker, where cells come. */
void interval_rows_take_cell(void *context, const struct listed_attribute *attribute,
			     const struct pixel_cell *cell);

/* Ends the output and frees what the rows hold. */
void interval_rows_finish(struct interval_rows *rows);

#endif
