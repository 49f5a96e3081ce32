/* SPDX-License-Identifier: MIT */
/*
 * ipc_output.h - messages of Arrow's IPC, as a stream or a file.
 *
 * A message is a prefix of eight bytes, a flat buffer that says what it is, and a body.  What lies in front of a
 * body is padded so that the body begins at a multiple of 64 in the file.
 *
 *	stream	messages, and a prefix without a message
 *	file	the magic bytes, what a stream has, a footer with the places of all messages, its size, the magic
 */
#ifndef EXPORT_ARROW_IPC_OUTPUT_H
#define EXPORT_ARROW_IPC_OUTPUT_H

#include "export/arrow/ipc_body.h"
#include "export/export_output.h"

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

enum { IPC_STAGE_SIZE = 1 << 16 };

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

/* The same for a dictionary, or, with `is_delta`, for what it has more than it had. */
enum histree_status ipc_output_dictionary(struct ipc_output *ipc, const struct ipc_body *body, int64_t length,
					  size_t id, bool is_delta, struct ipc_blocks *blocks,
					  struct histree_error *error);

/* The end of a stream, also in a file; everything is written then. */
enum histree_status ipc_output_end(struct ipc_output *ipc, struct histree_error *error);
enum histree_status ipc_output_footer(struct ipc_output *ipc, const struct ipc_fields *fields,
				      const struct ipc_blocks *dictionaries, const struct ipc_blocks *batches,
				      struct histree_error *error);

#endif
