/* SPDX-License-Identifier: MIT */
/*
 * text_format.h - what differs between the formats of a text.
 */
#ifndef TEXT_TEXT_FORMAT_H
#define TEXT_TEXT_FORMAT_H

#include <stddef.h>

#include "histree/status.h"

struct text_table;

struct text_format {
	const char *name;
	char separator; /* of cells; 0: rows name their cells */
	/*
	 * Returns the end of the row that begins at `bytes`, which is where its line feed is; NULL if it is not
	 * within `size` bytes.  No row ends in the first `scanned` bytes.
	 */
	char *(*row_end)(char *bytes, size_t size, size_t scanned);
	/*
	 * Make the cells of the row in these bytes, one of which behind them may be changed.  HISTREE_NOT_FOUND: it
	 * is no row, and to be passed over.
	 */
	enum histree_status (*split)(struct text_table *table, char *bytes, size_t size,
				     struct histree_error *error);
};

extern const struct text_format text_format_tsv, text_format_csv, text_format_json;

#endif
