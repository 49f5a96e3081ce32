/* SPDX-License-Identifier: MIT */
/*
 * row_writer.h - rows of cells, in one of the formats text, tsv, csv, json and HTML; and intervals, or cells of
 * pixels (pixel_cells.h), as such rows.
 *
 * 	row_writer_begin(&rows, format, output, columns, 2);
 * 	for each row {
 * 		row_number(&rows, 7);
 * 		row_path(&rows, path, size);
 * 		row_end(&rows);
 * 	}
 * 	row_writer_finish(&rows);
 *
 * A row has as many cells as there are columns, in their order.
 *
 * 	text	aligned columns for people, no header; a column has the width given, and a wider cell pushes its row
 * 	tsv	a header line; backslash, tab, LF, CR in a text are \\ \t \n \r
 * 	csv	RFC 4180: a header line, lines end in CR LF, quotes where needed
 * 	json	one array, one object a row; null is null, what is not UTF-8 becomes U+FFFD, integers of 64 bits are
 * 		numbers whatever their size (a reader that only has doubles loses digits beyond 2^53)
 *
 * The columns of an interval are path, start, end, type and value; of a cell path, pixel, start, end, type, value,
 * other_type, other.
 *
 * The text format, for people, says after a value what it means ("5 waits for a CPU"), and adds the time of day
 * (UTC) at which the interval starts and how long it lasts.  JSON says it in a member of its own, "label".
 * Custom values are hexadecimal.
 */
#ifndef CLI_ROW_WRITER_H
#define CLI_ROW_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/attribute_list.h"
#include "cli/output.h"
#include "cli/pixel_cells.h"
#include "histree/labels.h"
#include "histree/view.h"

struct row_column {
	const char *name;
	unsigned width;    /* in text */
	bool to_the_right; /* in text */
};

struct row_writer;

enum row_text_kind {
	ROW_TEXT, /* any bytes */
	ROW_PATH, /* an escaped path: its backslashes stay as they are in every format */
};

/* What differs between formats: each format is one of these. */
struct row_format {
	bool for_people;      /* also wants cells that say the same in readable form */
	const char *array[3]; /* what comes before, between and after several numbers in one cell */
	char separator;       /* tsv, csv: between cells */
	const char *line_end; /* tsv, csv */
	void (*begin)(struct row_writer *rows);
	void (*plain)(struct row_writer *rows, const char *bytes, size_t size); /* nothing in it needs escaping */
	void (*text)(struct row_writer *rows, const char *bytes, size_t size, enum row_text_kind kind);
	void (*null)(struct row_writer *rows);
	void (*end)(struct row_writer *rows);
	void (*finish)(struct row_writer *rows);
};

struct row_writer {
	const struct row_format *format;
	struct output *output;
	const struct row_column *columns;
	size_t column_count;
	size_t column; /* of the next cell */
	size_t gap;    /* text: spaces that the next cell is owed */
	uint64_t row_count;
};

/* The names of all formats, which are the choices of --format; NULL ends them. */
extern const char *const row_format_names[];

/* Returns the format with this name, or the text format for NULL. */
const struct row_format *row_format_find(const char *name);
void row_writer_begin(struct row_writer *rows, const struct row_format *format, struct output *output,
		      const struct row_column *columns, size_t column_count);

/* Before the first row, for people: writes the names of the columns, which are no row; other formats have them. */
void row_names(struct row_writer *rows);
void row_number(struct row_writer *rows, int64_t number);
void row_unsigned(struct row_writer *rows, uint64_t number);
void row_real(struct row_writer *rows, double number);

/* Writes a bar whose length says how much of `max` a number is.  Any number above 0 has a visible bar. */
void row_bar(struct row_writer *rows, uint64_t number, uint64_t max);
void row_bool(struct row_writer *rows, bool truth);

/* Writes a percentage with one digit after the point; for programs, "67" and "0" have no digit after it. */
void row_percent(struct row_writer *rows, double percent);

/* Writes a length of time: with a unit for people, else in nanoseconds. */
void row_duration(struct row_writer *rows, uint64_t ns);

/* Writes a number of bytes: with a unit for people, else as it is. */
void row_size(struct row_writer *rows, int64_t bytes);
void row_null(struct row_writer *rows);
void row_bytes(struct row_writer *rows, const char *bytes, size_t size);
void row_text(struct row_writer *rows, const char *text);
void row_path(struct row_writer *rows, const char *path, size_t size);

/* Writes a value that is JSON, in that format only. */
void row_json(struct row_writer *rows, const char *json);

/* Writes any value; bytes that only an analysis understands become an empty cell. */
void row_value(struct row_writer *rows, const struct histree_value *value);

/*
 * Writes several numbers into one cell: as an array in JSON, else with spaces.  If columns are aligned, it must be
 * the last cell of its row.
 */
void row_numbers(struct row_writer *rows, const uint64_t *numbers, size_t count);
void row_end(struct row_writer *rows);
void row_writer_finish(struct row_writer *rows);

extern const struct row_format row_format_text, row_format_tsv, row_format_csv, row_format_json;

/* A table of a page of HTML (overview_page.h); no verb has it as a format. */
extern const struct row_format row_format_html;

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
