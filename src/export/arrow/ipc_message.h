/* SPDX-License-Identifier: MIT */
/*
 * ipc_message.h - the messages of Arrow's IPC, as a stream or a file: a schema, dictionaries, batches of columns.
 *
 * *Flat buffers*, as far as messages of Arrow need them: tables, vectors and texts, written from back to front.
 * The target of a reference is written before the reference, and lies behind it.  A reference is how far
 * something begins before the end of the buffer; 0 is no reference.  If memory runs out, that is remembered, and
 * everything after it is ignored.
 *
 * A *message* is a prefix of eight bytes, a flat buffer that says what it is, and a body.  What lies in front of
 * a body is padded so that the body begins at a multiple of 64 in the file.
 *
 *	stream	messages, and a prefix without a message
 *	file	the magic bytes, what a stream has, a footer with the places of all messages, its size, the magic
 *
 * The *body* of a record batch or a dictionary batch is the buffers of its columns, one after the other, each at
 * a multiple of 64 bytes.  Buffers are borrowed until the body is cleared, and copied only where they have to be
 * changed: bits that do not begin with a byte, offsets that do not begin with 0, and compressed buffers.
 *
 * A batch adds to the dictionaries of the one before only what is new.
 *
 * Sources: "Arrow Columnar Format", IPC; Message.fbs; Schema.fbs; "The Arrow C data interface", format strings;
 * "FlatBuffer Internals" (https://flatbuffers.dev/internals).
 */
#ifndef EXPORT_ARROW_IPC_MESSAGE_H
#define EXPORT_ARROW_IPC_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/zstd.h"
#include "export/export_output.h"
#include "histree/columns.h"

enum { FLATBUFFER_FIELDS_MAX = 8 };

/* A zeroed struct flatbuffer is an empty one. */
struct flatbuffer {
	uint8_t *bytes;
	size_t capacity, used; /* used: at the end */
	bool has_failed;
	/* The fields of the table being written, as references, and its end. */
	uint32_t fields[FLATBUFFER_FIELDS_MAX];
	uint32_t field_count, table_end;
};

enum ipc_kind { IPC_INT, IPC_REAL, IPC_BOOL, IPC_UTF8, IPC_TIME };

struct ipc_type {
	enum ipc_kind kind;
	bool is_signed;   /* of an int */
	uint8_t size;     /* of a value in bytes; 0 of a bool and of utf8 */
	uint8_t unit;     /* of a time: 0 s, 1 ms, 2 us, 3 ns */
	const char *zone; /* of a time, borrowed; "" if it has no zone */
};

struct ipc_field {
	const char *name; /* borrowed */
	bool is_nullable;
	struct ipc_type type;            /* of the values; of a dictionary, of its indices */
	bool has_dictionary, is_ordered; /* of utf8 */
};

struct ipc_fields {
	struct ipc_field *fields;
	size_t count;
};

/*
 * Read the columns of a schema, which is borrowed until the fields are released.  Returns HISTREE_ERR_ARGUMENT if
 * there is one that cannot be written.
 */
enum histree_status ipc_fields_read(struct ipc_fields *fields, const struct ArrowSchema *schema,
				    struct histree_error *error);
void ipc_fields_release(struct ipc_fields *fields);

/* As in the file: the lowest byte first. */
struct ipc_node {
	uint64_t length, null_count;
};

struct ipc_buffer {
	uint64_t offset, length;
};

struct ipc_piece {
	const void *bytes;
	size_t size;
};

struct ipc_body {
	struct zstd_packer *zstd; /* borrowed; NULL: buffers are not compressed */
	struct ipc_node *nodes;
	size_t node_count, nodes_capacity;
	struct ipc_buffer *buffers;
	struct ipc_piece *pieces; /* the bytes of each buffer */
	size_t buffer_count, buffers_capacity, pieces_capacity;
	uint64_t size; /* of all, with what is between them */
	struct arena copies;
};

/* Forget everything but the room. */
void ipc_body_clear(struct ipc_body *body);
void ipc_body_release(struct ipc_body *body);

/* Add `length` rows of a column from the row `first` on, `first` being counted from the offset of the array. */
enum histree_status ipc_body_add(struct ipc_body *body, const struct ipc_type *type, const struct ArrowArray *array,
				 int64_t first, int64_t length, struct histree_error *error);

/* Where a message is, as it is in the footer. */
struct ipc_block {
	uint64_t offset;
	uint32_t metadata_size, unused;
	uint64_t body_size;
};

struct ipc_blocks {
	struct ipc_block *blocks;
	size_t count, capacity;
};

struct ipc_output {
	struct export_output *output; /* borrowed */
	struct flatbuffer buffer;     /* of the message being made */
	uint64_t at;                  /* in the file */
	size_t staged;
	uint8_t *stage; /* small pieces are written together */
};

enum histree_status ipc_output_init(struct ipc_output *ipc, struct export_output *output,
				    struct histree_error *error);
void ipc_output_release(struct ipc_output *ipc);
enum histree_status ipc_output_magic(struct ipc_output *ipc, struct histree_error *error);
enum histree_status ipc_output_schema(struct ipc_output *ipc, const struct ipc_fields *fields,
				      struct histree_error *error);

/* Write a record batch, and add where it is to `blocks` unless that is NULL. */
enum histree_status ipc_output_batch(struct ipc_output *ipc, const struct ipc_body *body, int64_t length,
				     struct ipc_blocks *blocks, struct histree_error *error);

/* The end of a stream, also in a file; everything is written then. */
enum histree_status ipc_output_end(struct ipc_output *ipc, struct histree_error *error);
enum histree_status ipc_output_footer(struct ipc_output *ipc, const struct ipc_fields *fields,
				      const struct ipc_blocks *dictionaries, const struct ipc_blocks *batches,
				      struct histree_error *error);

/*
 * In a stream: write the dictionaries of a batch as far as readers do not know them from the batch before, or from
 * none if `before` is NULL.  A dictionary that does not extend the one before replaces it.
 */
enum histree_status ipc_dictionaries_stream(struct ipc_output *ipc, const struct ipc_fields *fields,
					    struct ipc_body *body, const struct ArrowArray *batch,
					    const struct ArrowArray *before, struct histree_error *error);

/* In a file, no dictionary is replaced: returns HISTREE_ERR_ARGUMENT if one does not extend the one before. */
enum histree_status ipc_dictionaries_check(const struct ipc_fields *fields, const struct ArrowArray *batch,
					   const struct ArrowArray *before, struct histree_error *error);

/* In a file: write those of the last batch, which have all of the others; of no batch, empty ones. */
enum histree_status ipc_dictionaries_file(struct ipc_output *ipc, const struct ipc_fields *fields,
					  struct ipc_body *body, const struct ArrowArray *last,
					  struct ipc_blocks *blocks, struct histree_error *error);

#endif
