/* SPDX-License-Identifier: MIT */
/*
 * ipc_body.h - the body of a record batch or a dictionary batch: the buffers of its columns, one after the other,
 * each at a multiple of 64 bytes.
 *
 * Buffers are borrowed until the body is cleared, and copied only where they have to be changed: bits that do not
 * begin with a byte, offsets that do not begin with 0, and what is compressed.
 *
 * Source: "Arrow Columnar Format", IPC; Message.fbs.
 */
#ifndef EXPORT_ARROW_IPC_BODY_H
#define EXPORT_ARROW_IPC_BODY_H

#include "base/arena.h"
#include "export/arrow/ipc_field.h"
#include "export/arrow/ipc_zstd.h"

enum { IPC_ALIGNMENT = 64 };

/* As they are in the file: the lowest byte first. */
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
	struct ipc_zstd *zstd; /* borrowed; NULL: buffers are not compressed */
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

/* Returns a reference to a RecordBatch of so many rows. */
uint32_t ipc_body_batch(const struct ipc_body *body, int64_t length, struct flatbuffer *buffer);

#endif
