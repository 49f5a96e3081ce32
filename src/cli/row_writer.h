/* SPDX-License-Identifier: MIT */
/*
 * row_writer.h - the printer of tables: rows of cells, in one of the formats text, tsv, csv, json and HTML; and
 * intervals, or cells of pixels (pixel_cells.h), as such rows.
 *
 * A table is described by its columns.  Each has a name, the formats in which it appears, and its cells: a member
 * of the struct of a row, of one of these kinds, or the output of a function.
 *
 * 	static const struct row_column columns[] = {
 * 		ROW_LEFT("name", 20, CELL_TEXT, struct thread, name),
 * 		ROW_RIGHT("ran", 10, CELL_DURATION, struct thread, ns),
 * 		ROW_RIGHT("share", 8, CELL_PUT, .put = put_share, .when = ROW_PEOPLE),
 * 	};
 * 	code = rows_open(&rows, &chosen.question, columns, 3, ROWS_NAMED);
 * 	for each thread
 * 		row_put(&rows, &thread);
 * 	return rows_close(&rows, code);
 *
 * Cells may also be written one by one, in the order of the columns, with a cell for each column in every row.
 * Cells of columns that the format or --columns leaves out are dropped, and so are rows after --limit.
 *
 * 	text	aligned columns for people, below their names; a column has the width given, and a wider cell pushes
 * 		its row
 * 	tsv	a header line; backslash, tab, LF, CR in a text are \\ \t \n \r
 * 	csv	RFC 4180: a header line, lines end in CR LF, quotes where needed
 * 	json	one array, one object a row; null is null, what is not UTF-8 becomes U+FFFD, integers of 64 bits are
 * 		numbers whatever their size (a reader that only has doubles loses digits beyond 2^53)
 *
 * The columns of an interval are path, start, end, type and value; of a cell path, pixel, start, end, type, value,
 * other_type, other.
 *
 * The text format, for people, shows the meaning after a value ("5 waits for a CPU"), times as the time of day
 * (UTC), and how long the interval lasts.  JSON has the meaning in a member of its own, "label".
 * Custom values are hexadecimal.
 */
#ifndef CLI_ROW_WRITER_H
#define CLI_ROW_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/answer.h"
#include "cli/attribute_list.h"
#include "cli/option.h"
#include "cli/output.h"
#include "cli/report.h"
#include "histree/attributes.h"
#include "view/view.h"

struct row_writer;

/* What the member of a row is, and how it is printed. */
enum row_cell {
	CELL_PUT,      /* what the function of the column puts, which gets the member */
	CELL_TEXT,     /* const char *; NULL is null */
	CELL_CHARS,    /* char[], terminated */
	CELL_INT,      /* int32_t */
	CELL_NUMBER,   /* int64_t */
	CELL_UNSIGNED, /* uint64_t */
	CELL_SIZE,     /* uint64_t of bytes: with a unit for people */
	CELL_REAL,     /* double */
	CELL_PERCENT,  /* double, of 100 */
	CELL_CLOCK,    /* histree_time: the time of day for people */
	CELL_DURATION, /* uint64_t of ns: with a unit for people */
	CELL_VALUE,    /* struct histree_value */
	CELL_GROUP,    /* the same, of which null is unknown: people are told so */
	CELL_NS,       /* of any member: the unit of the others, "ns" */
	CELL_FLAG,     /* bool */
};

/* Who sees a column.  One of hosts people need not see where there is one: they know which. */
enum row_when { ROW_ALL, ROW_PEOPLE, ROW_PROGRAMS, ROW_JSON, ROW_HOSTS };

struct row_column {
	const char *name;
	unsigned width;    /* in text */
	bool to_the_right; /* in text */
	bool is_hidden;    /* in this table nobody sees it */
	enum row_when when;
	enum row_cell cell;
	size_t offset; /* of the member in a row; without one, the row itself */
	void (*put)(struct row_writer *rows, const void *member);
};

#define ROW_LEFT(text, columns, kind, type, at)                                            \
	{                                                                                  \
		.name = text, .width = columns, .cell = kind, .offset = offsetof(type, at) \
	}
#define ROW_RIGHT(text, columns, kind, type, at)                                                                 \
	{                                                                                                        \
		.name = text, .width = columns, .to_the_right = true, .cell = kind, .offset = offsetof(type, at) \
	}
/* The same where a function puts the cell. */
#define ROW_LEFT_PUT(text, columns, how, type, at)                                       \
	{                                                                                \
		.name = text, .width = columns, .put = how, .offset = offsetof(type, at) \
	}
#define ROW_RIGHT_PUT(text, columns, how, type, at)                                                            \
	{                                                                                                      \
		.name = text, .width = columns, .to_the_right = true, .put = how, .offset = offsetof(type, at) \
	}

/* Whose row it is, where there are several hosts. */
#define ROW_HOST(text, columns, type, at)                                                                          \
	{                                                                                                          \
		.name = text, .width = columns, .when = ROW_HOSTS, .cell = CELL_TEXT, .offset = offsetof(type, at) \
	}
#define ROW_COLUMNS(table) (table), sizeof(table) / sizeof(*(table))

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

enum { ROW_COLUMNS_MAX = 2048 };

struct row_writer {
	const struct row_format *format;
	struct output *output;
	const struct row_column *columns;
	size_t column_count;
	size_t column;  /* of the next cell */
	size_t written; /* cells of this row */
	size_t gap;     /* text: spaces that the next cell is owed */
	size_t quick;   /* cells before this one are written in any case */
	uint64_t row_count, row_max;
	bool is_named;       /* text: the first row has the names of the columns above it */
	bool is_bold;        /* the names are */
	bool is_usual;       /* the limit is that of a verb, which nobody asked for */
	bool has_day;        /* text: the names of the columns say the day of clocks, if there is one */
	histree_time day_at; /* some time of that day */
	const void *context; /* of the functions of columns */
	uint64_t left_out[ROW_COLUMNS_MAX / 64];
};

enum rows_kind { ROWS_PLAIN, ROWS_NAMED = 1, ROWS_OF_HOSTS = 2 };

/* Returns the format with this name, or the text format for NULL. */
const struct row_format *row_format_find(const char *name);
void row_writer_begin(struct row_writer *rows, const struct row_format *format, struct output *output,
		      const struct row_column *columns, size_t column_count, unsigned kind);

/*
 * Opens standard output and begins a table on it, as a question has it: its format, the columns that it wants, as
 * many rows.  What is wrong with it is reported.  rows_close() even then.
 */
enum cli_exit rows_open(struct row_writer *rows, const struct cli_question *question,
			const struct row_column *columns, size_t column_count, unsigned kind);

/* The same on another output, or NULL: memory was out. */
enum cli_exit rows_open_on(struct row_writer *rows, struct output *output, const struct cli_question *question,
			   const struct row_column *columns, size_t column_count, unsigned kind);

/*
 * Says for people, behind the rows, that there are more than a limit that nobody asked for lets through: of `all`
 * rows, or of 0 if they were not counted.
 */
void rows_say_rest(const struct row_writer *rows, uint64_t all);

/* Ends both.  Returns `status`, or CLI_INPUT if standard output could not be written, which is reported. */
int rows_close(struct row_writer *rows, int status);

/* Writes a row whose cells the columns describe. */
void row_put(struct row_writer *rows, const void *row);

/* Whether what comes is dropped, as --limit is reached. */
static inline bool rows_are_full(const struct row_writer *rows)
{
	return rows->row_count >= rows->row_max;
}

/* For people: writes the names of the columns now, if no row has them above it yet. */
void row_names(struct row_writer *rows);
void row_number(struct row_writer *rows, int64_t number);
void row_unsigned(struct row_writer *rows, uint64_t number);
void row_real(struct row_writer *rows, double number);

/* Writes a bar whose length says how much of `max` a number is.  Any number above 0 has a visible bar. */
void row_bar(struct row_writer *rows, uint64_t number, uint64_t max);
void row_bool(struct row_writer *rows, bool truth);

/* Writes a percentage with one digit after the point; for programs, "67" and "0" have no digit after it. */
void row_percent(struct row_writer *rows, double percent);

/* Returns how many of a hundred of `all` this is. */
static inline double row_percent_of(uint64_t part, uint64_t all)
{
	return all > 0 ? 100 * (double)part / (double)all : 0;
}

/* Writes a length of time: with a unit for people, else in nanoseconds. */
void row_duration(struct row_writer *rows, uint64_t ns);

/* Writes a number of bytes: with a unit for people, else as it is. */
void row_size(struct row_writer *rows, int64_t bytes);
void row_null(struct row_writer *rows);
void row_bytes(struct row_writer *rows, const char *bytes, size_t size);
void row_text(struct row_writer *rows, const char *text);
void row_text_or_null(struct row_writer *rows, const char *text);

/* For people: the names of the columns are to say the day of this time, if any; other days have their date. */
void row_say_day(struct row_writer *rows, histree_time time);

/* Writes a time: that of the day for people, else nanoseconds. */
void row_clock(struct row_writer *rows, histree_time time);
void row_path(struct row_writer *rows, const char *path, size_t size);

/* Writes a value that is JSON, in that format only. */
void row_json(struct row_writer *rows, const char *json);

/* Writes any value; bytes that only an analysis understands become an empty cell. */
void row_value(struct row_writer *rows, const struct histree_value *value);
/* For people, a number or a short text has what it means behind it, which `words` say; NULL: nothing. */
void row_state_value(struct row_writer *rows, const struct histree_value *value, const char *words);

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

enum { INTERVAL_COLUMNS = 11 };

enum interval_kind {
	INTERVAL_STATES,
	INTERVAL_CELLS, /* of pixels */
};

struct interval_rows {
	struct row_writer rows;
	struct row_column columns[INTERVAL_COLUMNS];
	const struct histree_history *history;
	histree_quark quark; /* of the last row */
	bool has_table;
	const struct histree_label_table *table; /* of that attribute's values */
	bool has_words;                          /* of what values mean */
	char *hexadecimal;                       /* a custom value as text */
	size_t hexadecimal_capacity;
};

/* Wider paths push their row: they are rare, and a terminal is not. */
#define INTERVAL_PATH_WIDTH_MAX 40

/*
 * As rows_open_on(); `list` has the attributes of `history` that will come: the width of their column follows from
 * it.  interval_rows_close() even after failure.
 */
enum cli_exit interval_rows_open(struct interval_rows *rows, struct output *output,
				 const struct cli_question *question, const struct histree_history *history,
				 const struct attribute_list *list, enum interval_kind kind);

/* An answer_taker: `context` is the struct interval_rows. */
void interval_rows_take(void *context, const struct listed_attribute *attribute,
			const struct histree_interval *interval);

/* A pixel_taker, where cells come. */
void interval_rows_take_cell(void *context, const struct listed_attribute *attribute,
			     const struct pixel_cell *cell);

/* As rows_close(), and frees what the rows hold. */
int interval_rows_close(struct interval_rows *rows, int status);

#endif
