/* SPDX-License-Identifier: MIT */
/*
 * answer.h - some rows of an answer as columns, as they travel from one rank to another.
 *
 * 	attributes	count, and for each its host and its path
 * 	texts		count, and for each its size and bytes: values and labels, each once
 * 	rows		count
 * 	attribute	runs: index of an attribute, how many rows
 * 	start		of each row: less the end of the row before, less 1: 0 for states that follow each other
 * 	lasts		of each row: end - start
 * 	type		runs: type, how many rows
 * 	value		of each row: int, long: zigzag; double: 8 bytes; bool: a byte; string, custom: a text
 * 	which		a byte: 1 if some row has a label, 2 if one has another value, as cells of pixels have, 4 if
 * 			that has a label
 * 	label		runs: index of a text plus one, or 0 for none, how many rows; nothing if no row has one
 * 	other type	runs: type plus one, or 0 for none, how many rows; nothing if no row has another value
 * 	other value	of each row that has one
 * 	other label	as label
 *
 * Numbers are varints.  Whoever reads a chunk checks all of it first: then each index is one of a thing that there
 * is.
 */
#ifndef MPI_ANSWER_H
#define MPI_ANSWER_H

#include "base/intern.h"
#include "histree/value.h"
#include "mpi/link.h"

/* Rows, attributes, and bytes of texts and paths, from which on a chunk is full. */
enum { CHUNK_ROWS_MAX = 8192, CHUNK_BYTES_MAX = 1024 * 1024 };

struct chunk_attribute {
	uint32_t host;
	struct message_text path;
};

struct chunk_row {
	histree_time start, end;
	uint32_t attribute;
	struct histree_value value; /* its bytes are borrowed */
	const char *label;          /* NULL: none */
	bool has_other;
	struct histree_value other;
	const char *other_label;
};

/* Of a row: texts of its values, and those of its labels plus one, or 0. */
struct chunk_texts {
	uint32_t value, label, other, other_label;
};

/* What is written.  A zeroed one is empty. */
struct chunk_writer {
	struct message attributes;
	struct intern texts;
	uint32_t attribute_count;
	struct chunk_row *rows;
	struct chunk_texts *texts_of; /* of rows */
	uint32_t row_count;
};

/* Adds a row of the attribute that was added last.  Both return false without memory. */
bool chunk_add_attribute(struct chunk_writer *writer, uint32_t host, const char *path, size_t size);
bool chunk_add_row(struct chunk_writer *writer, const struct histree_interval *interval, const char *label);

/* Gives the row that was added last another value.  Returns false without memory. */
bool chunk_add_other(struct chunk_writer *writer, const struct histree_value *other, const char *label);
bool chunk_is_full(const struct chunk_writer *writer);

/* Appends the chunk to a message, and empties the writer. */
void chunk_write(struct chunk_writer *writer, struct message *out);
void chunk_writer_release(struct chunk_writer *writer);

/* What is read.  A zeroed one is empty; it keeps its memory from one chunk to the next. */
struct chunk {
	struct chunk_attribute *attributes;
	struct chunk_row *rows;
	size_t attribute_capacity, row_capacity, text_capacity;
	uint32_t attribute_count, row_count;
	struct message_text *texts;
	struct arena labels; /* texts with terminators */
};

/*
 * Reads a chunk, whose rows borrow from the bytes.  Returns HISTREE_ERR_FORMAT, with the column that is wrong, if
 * it is none.
 */
enum histree_status chunk_read(struct chunk *chunk, const void *bytes, size_t size, struct histree_error *error);
void chunk_release(struct chunk *chunk);

#endif
