/* SPDX-License-Identifier: MIT */
/*
 * text_table.h - tables of text, row by row (TSV, CSV, JSON), from a file, a pipe or standard input.
 *
 * An input that is not a regular file is waited for, and read once.
 *
 * A row consists of cells, and a cell can be read as a number, a time or a text.
 *
 * 	text_table_open(&table, io, path, NULL, NULL, &error);
 * 	size_t time = text_table_column(&table, "time");
 * 	while ((status = text_table_next(&table, &error)) == HISTREE_OK)
 * 		text_cell_integer(text_table_cell(&table, time), &t);	// HISTREE_END, or the error
 * 	text_table_close(&table);
 *
 * TSV and CSV begin with a line of the names of the columns, unless the caller gives them.  A later line equal to
 * it is skipped, so that texts can be concatenated.  In TSV, backslash, tab, LF and CR in a cell are escaped by a
 * backslash, as row_writer.h writes them.  CSV is that of RFC 4180.  JSON has one object a line; brackets around
 * all of them and commas between them are allowed.  Lines end in LF or CR LF; empty ones are skipped, and so is a
 * byte-order mark of UTF-8.
 *
 * A row has TEXT_LINE_MAX bytes and TEXT_COLUMNS_MAX columns at most, whose names have TEXT_NAME_MAX bytes, so
 * memory is bounded for any text.
 */
#ifndef TEXT_TEXT_TABLE_H
#define TEXT_TEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/io.h"
#include "histree/status.h"
#include "histree/value.h"

struct text_input {
	const struct io *io; /* borrowed */
	const char *path;    /* borrowed; what messages call it */
	int file;            /* -1: none */
	bool is_file;        /* a regular one: it can be read from anywhere */
	bool is_standard;    /* input, which is not ours to close */
	uint64_t at;         /* of the next byte */
	uint64_t size;       /* of a regular file when it was opened; else 0 */
};

/* On failure the input is closed; text_input_close() is no error then. */
enum histree_status text_input_open(struct text_input *input, const struct io *io, const char *path,
				    struct histree_error *error);

/* Read up to `room` bytes; *size is 0 at the end and only there. */
enum histree_status text_input_read(struct text_input *input, void *bytes, size_t room, size_t *size,
				    struct histree_error *error);
void text_input_close(struct text_input *input);

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

enum text_kind {
	TEXT_ABSENT, /* JSON: the row does not have it */
	TEXT_PLAIN,  /* TSV, CSV: bytes that may mean anything; an empty cell too */
	TEXT_NULL,   /* the others are the kinds that JSON has in addition */
	TEXT_BOOL,
	TEXT_INTEGER,
	TEXT_REAL,
	TEXT_STRING,
	TEXT_NESTED, /* an array or an object */
};

struct text_cell {
	enum text_kind kind;
	bool is_escaped; /* PLAIN: backslashes, as TSV has them, are still to be read */
	char *bytes;     /* PLAIN, STRING: `size` bytes, and a zero after them */
	size_t size;
	union {
		bool boolean;
		int64_t integer;
		double real;
	};
};

/* Whether the row says nothing there. */
bool text_cell_is_empty(const struct text_cell *cell);

/* Each returns false if the cell is not one.  Any number can be read as a double; "nan", "inf" and "-inf" too. */
bool text_cell_integer(const struct text_cell *cell, int64_t *out);
bool text_cell_real(const struct text_cell *cell, double *out);
bool text_cell_bool(const struct text_cell *cell, bool *out);

/* Read the escapes of a cell of TSV, in place.  Returns false if there is one that does not exist. */
bool text_cell_unescape(struct text_cell *cell);

/* The same for an escaped path, whose own backslashes stay. */
bool text_cell_unescape_path(struct text_cell *cell);

/*
 * Read hexadecimal digits as bytes, in place: cell->size becomes the number of bytes.  Returns false if they are
 * not hexadecimal digits.
 */
bool text_cell_hexadecimal(struct text_cell *cell);

/*
 * What a cell says by itself: null if it is empty; an int, or a long if an int has no room; a double; a bool; else
 * a string, which borrows the bytes of the cell.  A number that no program writes so, such as 007 or +5, is a
 * string.  The cell is unescaped, and neither absent nor nested.
 */
struct histree_value text_cell_value(const struct text_cell *cell);

/* What the cell is, for a message: "'12x'", "a list", "nothing". */
const char *text_cell_quote(const struct text_cell *cell, char text[64]);

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
	bool at_end;                    /* end of the input: `filled` is all there is */
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

/* Returns the index of the column with that name, or TEXT_NO_COLUMN; in JSON a column may appear later. */
size_t text_table_column(const struct text_table *table, const char *name);

/* Returns a cell of the row: an absent one if there is no such column. */
struct text_cell *text_table_cell(struct text_table *table, size_t column);

/* Say what is wrong in a row, and where: HISTREE_ERR_FORMAT.  TEXT_NO_COLUMN: with the row as a whole. */
enum histree_status text_table_fault(const struct text_table *table, size_t column, struct histree_error *error,
				     const char *format, ...) __attribute__((format(printf, 4, 5)));
void text_table_close(struct text_table *table);

#endif
