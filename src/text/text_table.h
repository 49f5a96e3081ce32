/* SPDX-License-Identifier: MIT */
/*
 * text_table.h - read a text as rows of cells: tab-separated values, comma-separated values, or JSON, one object a
 * line.
 *
 *	text_table_open(&table, io, path, NULL, NULL, &error);
 *	size_t time = text_table_column(&table, "time");
 *	while ((status = text_table_next(&table, &error)) == HISTREE_OK)
 *		text_cell_integer(text_table_cell(&table, time), &t);	// HISTREE_END, or the error
 *	text_table_close(&table);
 *
 * TSV and CSV begin with a line of the names of the columns, or the caller has them.  A later line that is the same
 * is passed over, so that texts can be put behind one another.  In TSV, backslash, tab, LF and CR of a cell are
 * written with a backslash, as row_writer.h does.  CSV is that of RFC 4180.  JSON has one object a line;
 * brackets around all of them and commas between them may be there.  Lines end in LF or CR LF; empty ones are
 * passed over; a byte-order mark of UTF-8 is too.
 *
 * A row has TEXT_LINE_MAX bytes and TEXT_COLUMNS_MAX columns at most, whose names have TEXT_NAME_MAX bytes, so
 * memory is bounded whatever the text is.
 */
#ifndef TEXT_TEXT_TABLE_H
#define TEXT_TEXT_TABLE_H

#include "base/arena.h"
#include "text/text_cell.h"
#include "text/text_input.h"

enum { TEXT_LINE_MAX = 16 << 20, TEXT_COLUMNS_MAX = 1024, TEXT_NAME_MAX = 255 };

#define TEXT_NO_COLUMN SIZE_MAX

struct text_format;
struct json_t;

struct text_table {
	struct text_input input;
	const struct text_format *format;
	char *bytes; /* a piece of the text */
	size_t capacity, used, filled;
	size_t scanned;                 /* from `used` on: no row ends there */
	bool at_end;                    /* of the input: `filled` is all that there is */
	uint64_t row_at;                /* the byte at which the row begins */
	uint64_t line, lines;           /* the row's first, from 1; those up to its end */
	uint64_t lines_from;            /* the byte from which lines are counted */
	uint64_t first_at, first_lines; /* the byte of the first row, and the lines before it */
	char *header;                   /* the line of names; NULL: none */
	size_t header_size;
	const char **columns; /* names */
	size_t column_count, column_capacity;
	struct text_cell *cells; /* of the row, one a column */
	size_t cell_capacity;
	struct text_cell absent; /* of a column that is not there */
	struct arena names;
	struct json_t *row; /* that the cells borrow from */
};

/* The names of formats: tsv, csv, json, and NULL. */
extern const char *const text_format_names[];

/*
 * Open a text.  `format` is one of the names; NULL: the text shows it.  `columns` are names with commas between
 * them, for a text of TSV or CSV that does not begin with its own; else NULL.  Returns HISTREE_ERR_FORMAT if it is
 * no such text, with a sentence about what it is.
 */
enum histree_status text_table_open(struct text_table *table, const struct io *io, const char *path,
				    const char *format, const char *columns, struct histree_error *error);

/* Get the next row, or return HISTREE_END.  Cells, and what they borrow, are valid until the next call. */
enum histree_status text_table_next(struct text_table *table, struct histree_error *error);

/*
 * Go to the row that begins at a byte of a regular file.  Columns stay where they are.  Lines are counted from
 * there, and faults say so, unless it is the first row.
 */
enum histree_status text_table_seek(struct text_table *table, uint64_t row_at, struct histree_error *error);

/* Returns the index of the column of that name, TEXT_NO_COLUMN if there is none, in JSON: none so far. */
size_t text_table_column(const struct text_table *table, const char *name);

/* Returns the index of a name, which is added if it is new; TEXT_NO_COLUMN, and the error, if that cannot be. */
size_t text_table_add_column(struct text_table *table, const char *name, size_t size, struct histree_error *error);

/* Returns a cell of the row: an absent one if there is no such column. */
struct text_cell *text_table_cell(struct text_table *table, size_t column);

/* Say what is wrong in a row, and where: HISTREE_ERR_FORMAT.  TEXT_NO_COLUMN: with the row as a whole. */
enum histree_status text_table_fault(const struct text_table *table, size_t column, struct histree_error *error,
				     const char *format, ...) __attribute__((format(printf, 4, 5)));

void text_table_close(struct text_table *table);

#endif
