// SPDX-License-Identifier: MIT
#include "export/arrow/ipc_body.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

/* CompressionType of Message.fbs; the one method is to compress each buffer. */
enum { COMPRESSION_ZSTD = 1 };

void ipc_body_clear(struct ipc_body *body)
{
	body->node_count = body->buffer_count = 0;
	body->size = 0;
	arena_release(&body->copies);
}

void ipc_body_release(struct ipc_body *body)
{
	arena_release(&body->copies);
	free(body->nodes);
	free(body->buffers);
	free(body->pieces);
	*body = (struct ipc_body){ 0 };
}

/* ---- buffers ------------------------------------------------------------------------------------------ */

static enum histree_status add_node(struct ipc_body *body, int64_t length, int64_t null_count,
				    struct histree_error *error)
{
	if (!array_reserve(&body->nodes, &body->nodes_capacity, body->node_count + 1))
		return error_memory(error, "a batch");
	body->nodes[body->node_count++] =
		(struct ipc_node){ htole64((uint64_t)length), htole64((uint64_t)null_count) };
	return HISTREE_OK;
}

/* A compressed buffer has its length before it, or -1 where it would have been longer than it was. */
static enum histree_status compress(struct ipc_body *body, struct ipc_piece *piece, struct histree_error *error)
{
	uint64_t length = htole64((uint64_t)piece->size);
	size_t bound = ipc_zstd_bound(piece->size), size;
	uint8_t *out = arena_allocate(&body->copies, sizeof(length) + bound, 8);
	if (out == NULL ||
	    (size = ipc_zstd_compress(body->zstd, piece->bytes, piece->size, out + sizeof(length), bound)) == 0)
		return error_memory(error, "a compressed batch");
	if (size >= piece->size) {
		length = UINT64_MAX;
		size = piece->size;
		memcpy(out + sizeof(length), piece->bytes, size);
	}
	memcpy(out, &length, sizeof(length));
	*piece = (struct ipc_piece){ out, sizeof(length) + size };
	return HISTREE_OK;
}

static enum histree_status add_buffer(struct ipc_body *body, const void *bytes, size_t size,
				      struct histree_error *error)
{
	struct ipc_piece piece = { bytes, size };
	if (!array_reserve(&body->buffers, &body->buffers_capacity, body->buffer_count + 1) ||
	    !array_reserve(&body->pieces, &body->pieces_capacity, body->buffer_count + 1))
		return error_memory(error, "a batch");
	enum histree_status status = HISTREE_OK;
	if (body->zstd != NULL && size > 0)
		status = compress(body, &piece, error);
	body->buffers[body->buffer_count] =
		(struct ipc_buffer){ htole64(body->size), htole64((uint64_t)piece.size) };
	body->pieces[body->buffer_count++] = piece;
	body->size += (piece.size + IPC_ALIGNMENT - 1) / IPC_ALIGNMENT * IPC_ALIGNMENT;
	return status;
}

static bool bit_at(const uint8_t *bits, uint64_t at)
{
	return (bits[at / 8] >> (at % 8) & 1) != 0;
}

static enum histree_status add_bits(struct ipc_body *body, const uint8_t *bits, uint64_t first, uint64_t count,
				    struct histree_error *error)
{
	size_t size = (size_t)((count + 7) / 8);
	if (first % 8 == 0)
		return add_buffer(body, bits + first / 8, size, error);
	uint8_t *copy = arena_allocate(&body->copies, size + 1, 8);
	if (copy == NULL)
		return error_memory(error, "a batch");
	memset(copy, 0, size + 1);
	for (uint64_t i = 0; i < count; i++)
		copy[i / 8] = (uint8_t)(copy[i / 8] | bit_at(bits, first + i) << (i % 8));
	return add_buffer(body, copy, size, error);
}

/* Offsets from 0 on, and the bytes that they are about. */
static enum histree_status add_texts(struct ipc_body *body, const struct ArrowArray *array, uint64_t first,
				     uint64_t count, struct histree_error *error)
{
	static const int32_t nothing;
	const int32_t *offsets = array->buffers[1] != NULL ? (const int32_t *)array->buffers[1] + first : &nothing;
	size_t size = (size_t)(count + 1) * sizeof(*offsets);
	int32_t begin = offsets[0], end = offsets[count];
	enum histree_status status;
	if (begin == 0) {
		status = add_buffer(body, offsets, size, error);
	} else {
		int32_t *copy = arena_allocate(&body->copies, size, 8);
		if (copy == NULL)
			return error_memory(error, "a batch");
		for (uint64_t i = 0; i <= count; i++)
			copy[i] = offsets[i] - begin;
		status = add_buffer(body, copy, size, error);
	}
	const char *bytes = end > begin ? (const char *)array->buffers[2] + begin : NULL;
	return status == HISTREE_OK ? add_buffer(body, bytes, (size_t)(end - begin), error) : status;
}

/* ---- columns ------------------------------------------------------------------------------------------ */

/* Of some rows.  An array says how many it has, or -1 if it has not counted. */
static int64_t count_nulls(const struct ArrowArray *array, uint64_t first, int64_t length)
{
	const uint8_t *bits = array->n_buffers > 0 ? array->buffers[0] : NULL;
	int64_t nulls = 0;
	if (bits == NULL || array->null_count == 0)
		return 0;
	if (length == array->length && array->null_count > 0)
		return array->null_count;
	for (int64_t i = 0; i < length; i++)
		nulls += !bit_at(bits, first + (uint64_t)i);
	return nulls;
}

enum histree_status ipc_body_add(struct ipc_body *body, const struct ipc_type *type, const struct ArrowArray *array,
				 int64_t first, int64_t length, struct histree_error *error)
{
	uint64_t from = (uint64_t)(array->offset + first), count = (uint64_t)length;
	int64_t nulls = count_nulls(array, from, length);
	enum histree_status status = add_node(body, length, nulls, error);
	if (status == HISTREE_OK)
		status = nulls > 0 ? add_bits(body, array->buffers[0], from, count, error)
				   : add_buffer(body, NULL, 0, error);
	if (status != HISTREE_OK)
		return status;
	if (type->kind == IPC_UTF8)
		return add_texts(body, array, from, count, error);
	if (length == 0)
		return add_buffer(body, NULL, 0, error);
	if (type->kind == IPC_BOOL)
		return add_bits(body, array->buffers[1], from, count, error);
	return add_buffer(body, (const uint8_t *)array->buffers[1] + from * type->size, (size_t)count * type->size,
			  error);
}

/* RecordBatch: length, nodes, buffers, compression (codec). */
uint32_t ipc_body_batch(const struct ipc_body *body, int64_t length, struct flatbuffer *buffer)
{
	uint32_t nodes = flatbuffer_structs(buffer, body->nodes, sizeof(*body->nodes), body->node_count);
	uint32_t buffers = flatbuffer_structs(buffer, body->buffers, sizeof(*body->buffers), body->buffer_count);
	uint32_t compression = 0;
	if (body->zstd != NULL) {
		flatbuffer_table_begin(buffer);
		flatbuffer_field_uint8(buffer, 0, COMPRESSION_ZSTD);
		compression = flatbuffer_table_end(buffer);
	}
	flatbuffer_table_begin(buffer);
	flatbuffer_field_int64(buffer, 0, length);
	flatbuffer_field_reference(buffer, 1, nodes);
	flatbuffer_field_reference(buffer, 2, buffers);
	flatbuffer_field_reference(buffer, 3, compression);
	return flatbuffer_table_end(buffer);
}
