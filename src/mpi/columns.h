/* SPDX-License-Identifier: MIT */
/*
 * columns.h - events and segments as columns, as they travel from a rank to rank 0.
 *
 * Some events of a host as columns, as they travel from a rank to rank 0.
 *
 * 	rows		count
 * 	values		how many each row has
 * 	four columns, each its size in four bytes and its bytes:
 * 	times		of each row: zigzag, less that of the row before
 * 	CPUs		of each row: plus one
 * 	types		of each row
 * 	texts		of each row: a byte of which texts it has (enum histree_event_text), these, each with a
 * 			terminating zero; then its values, each a type plus one (0: it has none), `size` of
 * 			histree/value.h, and its bytes or number
 *
 * Whoever reads them checks all of them first.
 *
 * Segments as columns, as they travel from one rank to another: a chunk of rows
 * (answer.h) for each field, of which the first has the times too.  One that nobody wants has no bytes.
 */
#ifndef MPI_COLUMNS_H
#define MPI_COLUMNS_H

#include "histree/event_source.h"
#include "histree/segment.h"
#include "mpi/answer.h"
#include "mpi/link.h"

enum {
	EVENT_TEXTS = HISTREE_EVENT_STREAM + 1,
	EVENT_VALUES_MAX = 128,
	EVENT_ROWS_MAX = 8192,
	EVENT_ROWS_BYTES = 1 << 20, /* from which on rows are enough */
};

/* What is written.  A zeroed one is empty. */
struct event_rows_writer {
	struct message times, cpus, types, texts;
	histree_time before;
	uint32_t count, value_count;
};

void event_rows_begin(struct event_rows_writer *writer, uint32_t value_count);

/* An event; then its texts, in the order of their enum, then its values; one that is NULL is not there. */
void event_rows_add(struct event_rows_writer *writer, const struct histree_event *event, uint8_t texts);
void event_rows_text(struct event_rows_writer *writer, const char *text);
void event_rows_value(struct event_rows_writer *writer, const struct histree_value *value);
bool event_rows_are_enough(const struct event_rows_writer *writer);

/* Appends the rows to a message. */
void event_rows_write(const struct event_rows_writer *writer, struct message *out);
void event_rows_writer_release(struct event_rows_writer *writer);

/* What is read: borrows from the bytes. */
struct event_row {
	histree_time time;
	int32_t cpu;
	uint32_t type;
	const char *texts[EVENT_TEXTS]; /* NULL: it has none */
};

/* A zeroed one is empty. */
struct event_rows {
	struct event_row *rows;
	struct histree_value *values; /* value_count of each row */
	bool *are_there;              /* of the values */
	size_t row_capacity, value_capacity, there_capacity;
	uint32_t count, value_count;
};

enum histree_status event_rows_read(struct event_rows *rows, struct byte_reader *reader,
				    struct histree_error *error);
void event_rows_release(struct event_rows *rows);

/* What is written.  A zeroed one is empty; it keeps its memory. */
struct segment_columns_writer {
	struct chunk_writer columns[HISTREE_SEGMENT_FIELDS_MAX];
	size_t field_count;
	uint32_t wanted; /* which fields travel, bit by bit; the others arrive as null */
	uint32_t count;  /* of segments */
};

/* Begins with segments of so many fields. */
void segment_columns_begin(struct segment_columns_writer *writer, size_t field_count, uint32_t wanted);

/* Returns false without memory. */
bool segment_columns_add(struct segment_columns_writer *writer, const struct histree_segment *segment);
bool segment_columns_is_full(const struct segment_columns_writer *writer);

/* Appends them to a message. */
void segment_columns_write(struct segment_columns_writer *writer, struct message *out);
void segment_columns_writer_release(struct segment_columns_writer *writer);

/* What is read.  A zeroed one is empty; it keeps its memory. */
struct segment_columns {
	struct chunk columns[HISTREE_SEGMENT_FIELDS_MAX];
	size_t field_count;
	uint32_t present; /* which fields came, bit by bit */
	uint32_t count;
	struct histree_value values[HISTREE_SEGMENT_FIELDS_MAX]; /* of the segment that was taken last */
};

/* Reads segments of this schema, which borrow from the bytes.  Returns HISTREE_ERR_FORMAT if there are none. */
enum histree_status segment_columns_read(struct segment_columns *columns,
					 const struct histree_segment_schema *schema, struct byte_reader *reader,
					 struct histree_error *error);

/* Returns one of them, borrowed until the next call. */
struct histree_segment segment_columns_get(struct segment_columns *columns, uint32_t index);
void segment_columns_release(struct segment_columns *columns);

#endif
