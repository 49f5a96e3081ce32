/* SPDX-License-Identifier: MIT */
/*
 * interval_rows.h - intervals as rows: path, start, end, type, value.
 *
 * The text format, for people, says after a value what it means ("5 waits for a CPU"), and adds the time of day
 * (UTC) at which the interval starts and how long it lasts.  JSON says it in a member of its own, "label".
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
	histree_quark quark; /* of the last row */
	bool has_table;
	const struct histree_label_table *table; /* of that attribute's values */
	/* What a value means, in place of the labels of `history`, which is then not asked; NULL: it is. */
	const char *(*words)(void *context, const struct histree_value *value);
	void *words_context;
	bool has_labels;   /* a column of their own */
	char *hexadecimal; /* a custom value as text */
	size_t hexadecimal_capacity;
};

/* Wider paths push their row: they are rare, and a terminal is not. */
#define INTERVAL_PATH_WIDTH_MAX 40

/*
 * `list` has the attributes of `history` that will come; the width of their column follows from it.  Without
 * labels, JSON has the columns of TSV only.
 */
void interval_rows_begin(struct interval_rows *rows, const struct row_format *format, struct output *output,
			 const struct histree_history *history, const struct attribute_list *list,
			 bool with_labels);

/* The same without a list, and then without a history if `words` is set before the first row. */
void interval_rows_begin_wide(struct interval_rows *rows, const struct row_format *format, struct output *output,
			      const struct histree_history *history, unsigned width, bool with_labels);

/* An answer_taker: `context` is the struct interval_rows. */
void interval_rows_take(void *context, const struct listed_attribute *attribute,
			const struct histree_interval *interval);

/* Ends the output and frees what the rows hold. */
void interval_rows_finish(struct interval_rows *rows);

#endif
