/* SPDX-License-Identifier: MIT */
/*
 * segment_columns.h - segments as columns, as they travel from one rank to another: a chunk of rows
 * (answer_chunk.h) for each field, of which the first has the times too.  One that nobody wants has no bytes.
 */
#ifndef MPI_SEGMENT_COLUMNS_H
#define MPI_SEGMENT_COLUMNS_H

#include "histree/segment.h"
#include "mpi/answer_chunk.h"

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
