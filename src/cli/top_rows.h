/* SPDX-License-Identifier: MIT */
/*
 * top_rows.h - rows of what threads did with their time: the columns that are asked for, and what is in them.
 */
#ifndef CLI_TOP_ROWS_H
#define CLI_TOP_ROWS_H

#include "cli/row_writer.h"
#include "cli/switch_counts.h"
#include "histree/time_use.h"

enum { TOP_COLUMNS_MAX = 1 + HISTREE_USE_KEY_COUNT + 2 + HISTREE_USE_COUNT + 2 + 6 };

struct top_rows {
	unsigned by; /* HISTREE_BY() of keys */
	bool has_switches, has_longest;
	struct switch_counts switches;
	const struct histree_history_host *hosts; /* NULL: one, */
	char *host;                               /* which is called so */
	uint64_t ns;                              /* of all rows: what they have a share of */
	struct row_writer rows;
	struct row_column columns[TOP_COLUMNS_MAX];
	size_t column_count;
};

/* Chooses the columns; for people, their names are written if `has_names`. */
void top_rows_begin(struct top_rows *top, const struct row_format *format, struct output *output, bool has_names);

void top_rows_put(struct top_rows *top, const struct histree_use_row *row);

/* Returns the total time of a row. */
uint64_t top_rows_sum(const struct histree_use_row *row);

#endif
