/* SPDX-License-Identifier: MIT */
/*
 * columns.h - rows as columns, as they travel from a rank to rank 0.
 *
 * Rows are of one layout, which both sides know: some columns of numbers, then some of values.
 *
 *	states		attribute, start, duration;	its value
 *	segments	start, duration;		a value for each field
 *	events		time, CPU, type;		their texts (enum histree_event_text), then values of fields
 *
 * The bytes:
 *
 *	first		the layout, and how many rows and columns of values there are
 *	numbers		of each row: zigzag
 *	values		texts: a count, and for each its size and its bytes with a terminating zero;
 *			kinds: a kind (0: no value), and how many rows have it, up to the last row;
 *			then of each row that has one: int, long: zigzag; double: 8 bytes; bool:
 *			a byte; string, custom: the number of its text
 *
 * Layout, counts, kinds and sizes are varints.  Another rank is as foreign as a file: all of it is checked before
 * any of it is used.  What was read borrows from the bytes.
 */
#ifndef MPI_COLUMNS_H
#define MPI_COLUMNS_H

#include "base/arena.h"
#include "histree/event_source.h"
#include "histree/segment.h"
#include "histree/value.h"
#include "mpi/link.h"

enum {
	COLUMNS_NUMBERS_MAX = 3,
	COLUMNS_VALUES_MAX = 132,
	/* From which on rows are enough. */
	COLUMNS_ROWS_MAX = 8192,
	COLUMNS_BYTES_MAX = 1024 * 1024,
};

enum column_layout { STATE_ROWS, SEGMENT_ROWS, EVENT_ROWS, COLUMN_LAYOUTS };

/* The numbers of each layout. */
enum { STATE_ATTRIBUTE, STATE_START, STATE_END };
enum { SEGMENT_START, SEGMENT_END };
enum { EVENT_TIME, EVENT_CPU, EVENT_TYPE };

/* The values of events begin with their texts. */
enum { EVENT_TEXTS = HISTREE_EVENT_STREAM + 1, EVENT_PATHS_MAX = COLUMNS_VALUES_MAX - EVENT_TEXTS };

struct value_column {
	struct intern known; /* texts that are written once */
	struct message texts, kinds, values;
	uint32_t text_count;
	uint32_t kind, run; /* of the last rows: their kind, and how many they are */
};

/* What is written.  A zeroed one is empty; it keeps its memory. */
struct column_writer {
	enum column_layout layout;
	uint32_t rows;
	size_t value_count, bytes;
	struct message numbers[COLUMNS_NUMBERS_MAX];
	uint64_t next[COLUMNS_NUMBERS_MAX]; /* what a number or a start is the difference to */
	struct value_column values[COLUMNS_VALUES_MAX];
	bool no_memory;
};

void columns_begin(struct column_writer *writer, enum column_layout layout, size_t value_count);

/* A row is all of its numbers and all of its values, in any order. */
void columns_add_number(struct column_writer *writer, size_t column, int64_t number);

/* The numbers of a start, and of the end behind it. */
void columns_add_times(struct column_writer *writer, size_t column, histree_time start, histree_time end);

/* NULL: there is no value. */
void columns_add_value(struct column_writer *writer, size_t column, const struct histree_value *value);

/* A terminated text that is hardly there twice; a column has only such texts, or none of them. */
void columns_add_text(struct column_writer *writer, size_t column, const char *text);
void columns_end_row(struct column_writer *writer);
bool columns_are_full(const struct column_writer *writer);

/* Appends the rows to a message.  Without memory for any of them the message has none either. */
void columns_write(struct column_writer *writer, struct message *out);
void column_writer_release(struct column_writer *writer);

/* What is read.  A zeroed one is empty; it keeps its memory. */
struct columns {
	uint32_t rows;
	size_t number_count, value_count;
	int64_t *numbers;             /* of each row */
	struct histree_value *values; /* likewise; text has a terminating zero behind it */
	struct message_text *texts;
	size_t number_capacity, value_capacity, text_capacity;
};

/* Reads all that is left.  Returns HISTREE_ERR_FORMAT if it is no rows of the layout; there are no rows then. */
enum histree_status columns_read(struct columns *columns, enum column_layout layout, struct byte_reader *reader,
				 struct histree_error *error);

static inline const int64_t *columns_numbers(const struct columns *columns, uint32_t row)
{
	return &columns->numbers[row * columns->number_count];
}

static inline struct histree_value *columns_values(const struct columns *columns, uint32_t row)
{
	return &columns->values[row * columns->value_count];
}

/* Whether there is a value; if there is none, its type is HISTREE_UNKNOWN. */
static inline bool columns_has(const struct histree_value *value)
{
	return value->type != HISTREE_UNKNOWN || value->size == 0;
}

void columns_release(struct columns *columns);

#endif
