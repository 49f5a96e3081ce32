/* SPDX-License-Identifier: MIT */
/*
 * event_rows.h - some events of a host as columns, as they travel from a rank to rank 0.
 *
 *	rows		count
 *	values		how many each row has
 *	four columns, each its size in four bytes and its bytes:
 *	times		of each row: zigzag, less that of the row before
 *	CPUs		of each row: plus one
 *	types		of each row
 *	texts		of each row: a byte of which texts it has (enum histree_event_text), these, each with a
 *			terminating zero; then its values, each a type plus one (0: it has none), `size` of
 *			histree/value.h, and its bytes or number
 *
 * Whoever reads them checks all of them first.
 */
#ifndef MPI_EVENT_ROWS_H
#define MPI_EVENT_ROWS_H

#include "histree/event_source.h"
#include "mpi/message.h"

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

#endif
