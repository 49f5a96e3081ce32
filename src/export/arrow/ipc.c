// SPDX-License-Identifier: MIT
/*
 * ipc.c - Arrow IPC: the messages of a stream (a schema, dictionaries, batches of columns), and the files and
 * streams that they make.
 *
 * The dictionaries of a stream come before the batches that need them, as far as they have grown.  Those of a file
 * come once, after all batches: a reader of files finds them by the footer, and the last batch has all entries of
 * the others.  So a file has no deltas, which not every reader supports.
 */
#include "export/export_output.h"

#include <assert.h>
#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/table.h"
#include "base/zstd.h"
#include "histree/columns.h"
#include "histree/export.h"

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

static void ipc_fields_release(struct ipc_fields *fields);

/* ---- ipc message --------------------------------------------------------------------------------------------- */

enum { IPC_ALIGNMENT = 64 };

enum { IPC_STAGE_SIZE = 1 << 16 };

static uint32_t ipc_body_batch(const struct ipc_body *body, int64_t length, struct flatbuffer *buffer);

static uint32_t ipc_fields_schema(const struct ipc_fields *fields, struct flatbuffer *buffer);

/* ---- flatbuffer ---------------------------------------------------------------------------------------------- */

enum { CAPACITY_MIN = 1024, ALIGNMENT = 8 };

/* Forget everything, but keep the memory. */
static void flatbuffer_clear(struct flatbuffer *buffer)
{
	buffer->used = 0;
	buffer->has_failed = false;
	buffer->field_count = 0;
}

/* ---- bytes -------------------------------------------------------------------------------------------- */

static bool reserve(struct flatbuffer *buffer, size_t size)
{
	if (buffer->has_failed || size > (size_t)INT32_MAX - buffer->used) {
		buffer->has_failed = true;
		return false;
	}
	if (size <= buffer->capacity - buffer->used)
		return true;
	size_t capacity = buffer->capacity < CAPACITY_MIN ? CAPACITY_MIN : buffer->capacity;
	while (capacity - buffer->used < size)
		capacity *= 2;
	uint8_t *bytes = malloc(capacity);
	if (bytes == NULL) {
		buffer->has_failed = true;
		return false;
	}
	if (buffer->used > 0)
		memcpy(bytes + capacity - buffer->used, buffer->bytes + buffer->capacity - buffer->used,
		       buffer->used);
	free(buffer->bytes);
	buffer->bytes = bytes;
	buffer->capacity = capacity;
	return true;
}

/* Put zeros so that after `size` more bytes what comes next lies at a multiple of `alignment` before the end. */
static void align(struct flatbuffer *buffer, size_t size, size_t alignment)
{
	size_t padding = (alignment - (buffer->used + size) % alignment) % alignment;
	if (!reserve(buffer, padding + size))
		return;
	buffer->used += padding;
	memset(buffer->bytes + buffer->capacity - buffer->used, 0, padding);
}

static void flatbuffer_put(struct flatbuffer *buffer, const void *bytes, size_t size)
{
	if (size == 0 || !reserve(buffer, size))
		return;
	buffer->used += size;
	memcpy(buffer->bytes + buffer->capacity - buffer->used, bytes, size);
}

/* A number in the order of the file: the lowest byte first. */
static void put_number(struct flatbuffer *buffer, uint64_t number, size_t size)
{
	uint8_t bytes[8];
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(number >> (8 * i));
	align(buffer, size, size);
	flatbuffer_put(buffer, bytes, size);
}

/* How far ahead of its own place something lies. */
static void put_reference(struct flatbuffer *buffer, uint32_t reference)
{
	align(buffer, 4, 4);
	put_number(buffer, (uint32_t)(buffer->used + 4 - reference), 4);
}

/* ---- texts and vectors -------------------------------------------------------------------------------- */

/* Returns a reference to a text. */
static uint32_t flatbuffer_text(struct flatbuffer *buffer, const char *text)
{
	size_t size = strlen(text);
	align(buffer, size + 1, 4);
	flatbuffer_put(buffer, text, size + 1);
	put_number(buffer, size, 4);
	return (uint32_t)buffer->used;
}

/* Returns a reference to a vector of references. */
static uint32_t flatbuffer_references(struct flatbuffer *buffer, const uint32_t *references, size_t count)
{
	align(buffer, 4 * count, 4);
	for (size_t i = count; i > 0; i--)
		put_reference(buffer, references[i - 1]);
	put_number(buffer, count, 4);
	return (uint32_t)buffer->used;
}

/*
 * Returns a reference to a vector of structs, which are as they are in the file and whose size is a multiple of 8.
 */
static uint32_t flatbuffer_structs(struct flatbuffer *buffer, const void *structs, size_t struct_size, size_t count)
{
	assert(struct_size % ALIGNMENT == 0);
	align(buffer, struct_size * count, ALIGNMENT);
	flatbuffer_put(buffer, structs, struct_size * count);
	put_number(buffer, count, 4);
	return (uint32_t)buffer->used;
}

/* ---- tables ------------------------------------------------------------------------------------------- */

/*
 * A table: begin, its fields by their numbers in the schema, end, which returns a reference to it.  Nothing else is
 * written in between.  A number that is the default of its field need not be written.
 */
static void flatbuffer_table_begin(struct flatbuffer *buffer)
{
	memset(buffer->fields, 0, sizeof(buffer->fields));
	buffer->field_count = 0;
	buffer->table_end = (uint32_t)buffer->used;
}

static void set_field(struct flatbuffer *buffer, unsigned field)
{
	assert(field < FLATBUFFER_FIELDS_MAX);
	buffer->fields[field] = (uint32_t)buffer->used;
	if (buffer->field_count <= field)
		buffer->field_count = field + 1;
}

static void flatbuffer_field_uint8(struct flatbuffer *buffer, unsigned field, uint8_t number)
{
	put_number(buffer, number, 1);
	set_field(buffer, field);
}

static void flatbuffer_field_int16(struct flatbuffer *buffer, unsigned field, int16_t number)
{
	put_number(buffer, (uint16_t)number, 2);
	set_field(buffer, field);
}

static void flatbuffer_field_int64(struct flatbuffer *buffer, unsigned field, int64_t number)
{
	put_number(buffer, (uint64_t)number, 8);
	set_field(buffer, field);
}

static void flatbuffer_field_reference(struct flatbuffer *buffer, unsigned field, uint32_t reference)
{
	if (reference == 0)
		return;
	put_reference(buffer, reference);
	set_field(buffer, field);
}

/*
 * The vtable lies right before the table: its size, the size of the table, and for each field how far behind the
 * beginning of the table it is.  The table begins with how far its vtable is before it.
 */
static uint32_t flatbuffer_table_end(struct flatbuffer *buffer)
{
	uint32_t vtable_size = 4 + 2 * buffer->field_count;
	align(buffer, 4, 4);
	uint32_t table = (uint32_t)buffer->used + 4, size = table - buffer->table_end;
	/* The vtable begins `vtable_size` before the table. */
	put_number(buffer, vtable_size, 4);
	for (uint32_t i = buffer->field_count; i > 0; i--)
		put_number(buffer, buffer->fields[i - 1] != 0 ? table - buffer->fields[i - 1] : 0, 2);
	put_number(buffer, size, 2);
	put_number(buffer, vtable_size, 2);
	return table;
}

/*
 * The buffer is complete: its root is that table.  Returns its first byte, aligned to 8 and `*size` a multiple of
 * 8, or NULL if memory runs out.
 */
static const uint8_t *flatbuffer_finish(struct flatbuffer *buffer, uint32_t root, size_t *size)
{
	align(buffer, 4, ALIGNMENT);
	put_reference(buffer, root);
	*size = buffer->used;
	return buffer->has_failed ? NULL : buffer->bytes + buffer->capacity - buffer->used;
}

/* ---- ipc output ---------------------------------------------------------------------------------------------- */

/* MetadataVersion and the union MessageHeader of Message.fbs. */
enum { VERSION_5 = 4, HEADER_SCHEMA = 1, HEADER_DICTIONARY = 2, HEADER_BATCH = 3 };

/* Longer pieces are written from where they are. */
enum { STAGED_MAX = IPC_STAGE_SIZE / 4 };

static const char magic[8] = "ARROW1"; /* with two zeros */

enum { MAGIC_SIZE = 6 };

static const uint8_t zeros[IPC_ALIGNMENT];

/* ---- bytes -------------------------------------------------------------------------------------------- */

static enum histree_status flush(struct ipc_output *ipc, struct histree_error *error)
{
	size_t size = ipc->staged;
	ipc->staged = 0;
	return size > 0 ? export_output_write(ipc->output, ipc->stage, size, error) : HISTREE_OK;
}

static enum histree_status ipc_output_put(struct ipc_output *ipc, const void *bytes, size_t size,
					  struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	ipc->at += size;
	if (size > IPC_STAGE_SIZE - ipc->staged || size > STAGED_MAX)
		status = flush(ipc, error);
	if (status != HISTREE_OK || size == 0)
		return status;
	if (size > STAGED_MAX)
		return export_output_write(ipc->output, bytes, size, error);
	memcpy(ipc->stage + ipc->staged, bytes, size);
	ipc->staged += size;
	return HISTREE_OK;
}

static enum histree_status put_padding(struct ipc_output *ipc, struct histree_error *error)
{
	return ipc_output_put(ipc, zeros, (size_t)(-ipc->at % IPC_ALIGNMENT), error);
}

static enum histree_status put_int32(struct ipc_output *ipc, uint32_t number, struct histree_error *error)
{
	number = htole32(number);
	return ipc_output_put(ipc, &number, sizeof(number), error);
}

/* ---- messages ----------------------------------------------------------------------------------------- */

/* Message: version, header (two fields: which, and the table), bodyLength.  Then what is in front of the body. */
static enum histree_status put_message(struct ipc_output *ipc, uint8_t which, uint32_t header, uint64_t body_size,
				       struct ipc_block *block, struct histree_error *error)
{
	struct flatbuffer *buffer = &ipc->buffer;
	size_t size;
	flatbuffer_table_begin(buffer);
	flatbuffer_field_int64(buffer, 3, (int64_t)body_size);
	flatbuffer_field_reference(buffer, 2, header);
	flatbuffer_field_int16(buffer, 0, VERSION_5);
	flatbuffer_field_uint8(buffer, 1, which);
	const uint8_t *bytes = flatbuffer_finish(buffer, flatbuffer_table_end(buffer), &size);
	if (bytes == NULL)
		return error_memory(error, "a message");
	uint64_t begin = ipc->at, behind = begin + 8 + size;
	uint64_t padded = size + (-behind % IPC_ALIGNMENT);
	*block = (struct ipc_block){ .offset = htole64(begin),
				     .metadata_size = htole32((uint32_t)padded + 8),
				     .body_size = htole64(body_size) };
	enum histree_status status = put_int32(ipc, UINT32_MAX, error);
	if (status == HISTREE_OK)
		status = put_int32(ipc, (uint32_t)padded, error);
	if (status == HISTREE_OK)
		status = ipc_output_put(ipc, bytes, size, error);
	return status == HISTREE_OK ? put_padding(ipc, error) : status;
}

static enum histree_status put_both(struct ipc_output *ipc, uint8_t which, uint32_t header,
				    const struct ipc_body *body, struct ipc_blocks *blocks,
				    struct histree_error *error)
{
	struct ipc_block block;
	if (blocks != NULL && !array_reserve(&blocks->blocks, &blocks->capacity, blocks->count + 1))
		return error_memory(error, "a file");
	enum histree_status status = put_message(ipc, which, header, body->size, &block, error);
	if (status == HISTREE_OK) {
		for (size_t i = 0; i < body->buffer_count && status == HISTREE_OK; i++) {
			status = ipc_output_put(ipc, body->pieces[i].bytes, body->pieces[i].size, error);
			if (status == HISTREE_OK)
				status = put_padding(ipc, error);
		}
	}
	if (status == HISTREE_OK && blocks != NULL)
		blocks->blocks[blocks->count++] = block;
	return status;
}

/* Write a record batch, and add where it is to `blocks` unless that is NULL. */
static enum histree_status ipc_output_batch(struct ipc_output *ipc, const struct ipc_body *body, int64_t length,
					    struct ipc_blocks *blocks, struct histree_error *error)
{
	flatbuffer_clear(&ipc->buffer);
	uint32_t batch = ipc_body_batch(body, length, &ipc->buffer);
	return put_both(ipc, HEADER_BATCH, batch, body, blocks, error);
}

/* ---- ends --------------------------------------------------------------------------------------------- */

/* The end of a stream, also in a file; everything is written then. */
static enum histree_status ipc_output_end(struct ipc_output *ipc, struct histree_error *error)
{
	enum histree_status status = put_int32(ipc, UINT32_MAX, error);
	if (status == HISTREE_OK)
		status = put_int32(ipc, 0, error);
	return status == HISTREE_OK ? flush(ipc, error) : status;
}

/* Footer: version, schema, dictionaries, recordBatches. */
static enum histree_status ipc_output_footer(struct ipc_output *ipc, const struct ipc_fields *fields,
					     const struct ipc_blocks *dictionaries,
					     const struct ipc_blocks *batches, struct histree_error *error)
{
	struct flatbuffer *buffer = &ipc->buffer;
	size_t size;
	flatbuffer_clear(buffer);
	uint32_t schema = ipc_fields_schema(fields, buffer);
	uint32_t dictionary_list =
		flatbuffer_structs(buffer, dictionaries->blocks, sizeof(struct ipc_block), dictionaries->count);
	uint32_t batch_list = flatbuffer_structs(buffer, batches->blocks, sizeof(struct ipc_block), batches->count);
	flatbuffer_table_begin(buffer);
	flatbuffer_field_reference(buffer, 1, schema);
	flatbuffer_field_reference(buffer, 2, dictionary_list);
	flatbuffer_field_reference(buffer, 3, batch_list);
	flatbuffer_field_int16(buffer, 0, VERSION_5);
	const uint8_t *bytes = flatbuffer_finish(buffer, flatbuffer_table_end(buffer), &size);
	if (bytes == NULL)
		return error_memory(error, "a footer");
	enum histree_status status = ipc_output_put(ipc, bytes, size, error);
	if (status == HISTREE_OK)
		status = put_int32(ipc, (uint32_t)size, error);
	if (status == HISTREE_OK)
		status = ipc_output_put(ipc, magic, MAGIC_SIZE, error);
	return status == HISTREE_OK ? flush(ipc, error) : status;
}

/* ---- ipc body ------------------------------------------------------------------------------------------------ */

/* CompressionType of Message.fbs; the one method is to compress each buffer. */
enum { COMPRESSION_ZSTD = 1 };

/* Forget everything but the room. */
static void ipc_body_clear(struct ipc_body *body)
{
	body->node_count = body->buffer_count = 0;
	body->size = 0;
	arena_release(&body->copies);
}

/* ---- buffers ------------------------------------------------------------------------------------------ */

/* A compressed buffer has its length before it, or -1 where it would have been longer than it was. */
static enum histree_status compress(struct ipc_body *body, struct ipc_piece *piece, struct histree_error *error)
{
	uint64_t length = htole64((uint64_t)piece->size);
	size_t bound = zstd_pack_bound(piece->size), size;
	uint8_t *out = arena_allocate(&body->copies, sizeof(length) + bound, 8);
	if (out == NULL ||
	    (size = zstd_pack(body->zstd, piece->bytes, piece->size, out + sizeof(length), bound)) == 0)
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

/* Counts in some rows.  An array says how many nulls it has, or -1 if it has not counted. */
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

/* Add `length` rows of a column from the row `first` on, `first` being counted from the offset of the array. */
static enum histree_status ipc_body_add(struct ipc_body *body, const struct ipc_type *type,
					const struct ArrowArray *array, int64_t first, int64_t length,
					struct histree_error *error)
{
	uint64_t from = (uint64_t)(array->offset + first), count = (uint64_t)length;
	int64_t nulls = count_nulls(array, from, length);

	enum histree_status status = HISTREE_OK;
	if (!array_reserve(&body->nodes, &body->nodes_capacity, body->node_count + 1)) {
		status = error_memory(error, "a batch");
	} else {
		body->nodes[body->node_count++] =
			(struct ipc_node){ htole64((uint64_t)length), htole64((uint64_t)nulls) };
	}

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
static uint32_t ipc_body_batch(const struct ipc_body *body, int64_t length, struct flatbuffer *buffer)
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

/* ---- ipc dictionaries ---------------------------------------------------------------------------------------- */

static const struct ipc_type utf8 = { .kind = IPC_UTF8, .zone = "" };

/* ---- comparing ---------------------------------------------------------------------------------------- */

static const int32_t *offsets_of(const struct ArrowArray *texts)
{
	return (const int32_t *)texts->buffers[1] + texts->offset;
}

static bool has_nulls(const struct ArrowArray *texts)
{
	return texts->buffers[0] != NULL && texts->null_count != 0;
}

/* The same memory. */
static bool is_same(const struct ArrowArray *one, const struct ArrowArray *other)
{
	return one->length == other->length && one->offset == other->offset &&
	       one->buffers[0] == other->buffers[0] && one->buffers[1] == other->buffers[1] &&
	       one->buffers[2] == other->buffers[2];
}

/*
 * Returns whether a dictionary of utf8 begins with another, which is held as long as it is compared.  If they lie
 * in the same memory, that is known without reading it.
 */
static bool ipc_dictionary_extends(const struct ArrowArray *dictionary, const struct ArrowArray *before)
{
	int64_t count = before->length;
	if (has_nulls(before) || has_nulls(dictionary))
		return is_same(dictionary, before);
	if (count > dictionary->length)
		return false;
	if (count == 0)
		return true;
	const int32_t *old = offsets_of(before), *new = offsets_of(dictionary);
	const char *old_bytes = before->buffers[2], *new_bytes = dictionary->buffers[2];
	if (old != new)
		for (int64_t i = 1; i <= count; i++)
			if (new[i] - new[0] != old[i] - old[0])
				return false;
	size_t size = (size_t)(old[count] - old[0]);
	return size == 0 || (old_bytes + old[0] == new_bytes + new[0]) ||
	       memcmp(old_bytes + old[0], new_bytes + new[0], size) == 0;
}

/* In a file, no dictionary is replaced: returns HISTREE_ERR_ARGUMENT if one does not extend the one before. */
static enum histree_status ipc_dictionaries_check(const struct ipc_fields *fields, const struct ArrowArray *batch,
						  const struct ArrowArray *before, struct histree_error *error)
{
	for (size_t i = 0; i < fields->count; i++)
		if (fields->fields[i].has_dictionary &&
		    !ipc_dictionary_extends(batch->children[i]->dictionary, before->children[i]->dictionary))
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "the dictionary of column '%s' changes from batch to batch, which a file "
					 "cannot have; write it as a stream",
					 fields->fields[i].name);
	return HISTREE_OK;
}

/* ---- writing ------------------------------------------------------------------------------------------ */

/* Those texts from `first` on. */
static enum histree_status put_texts(struct ipc_output *ipc, struct ipc_body *body, size_t id,
				     const struct ArrowArray *texts, int64_t first, struct ipc_blocks *blocks,
				     struct histree_error *error)
{
	ipc_body_clear(body);
	enum histree_status status = ipc_body_add(body, &utf8, texts, first, texts->length - first, error);
	if (status == HISTREE_OK) {
		/* DictionaryBatch: id, data, isDelta. */
		struct flatbuffer *buffer = &ipc->buffer;
		flatbuffer_clear(buffer);
		uint32_t batch = ipc_body_batch(body, texts->length - first, buffer);
		flatbuffer_table_begin(buffer);
		flatbuffer_field_int64(buffer, 0, (int64_t)id);
		flatbuffer_field_reference(buffer, 1, batch);
		flatbuffer_field_uint8(buffer, 2, first > 0);
		status = put_both(ipc, HEADER_DICTIONARY, flatbuffer_table_end(buffer), body, blocks, error);
	}
	ipc_body_clear(body);
	return status;
}

/* In a file: write those of the last batch, which have all of the others; of no batch, empty ones. */
static enum histree_status ipc_dictionaries_file(struct ipc_output *ipc, const struct ipc_fields *fields,
						 struct ipc_body *body, const struct ArrowArray *last,
						 struct ipc_blocks *blocks, struct histree_error *error)
{
	static const int32_t no_offsets[1];
	static const void *no_buffers[3] = { NULL, no_offsets, NULL };
	static const struct ArrowArray nothing = { .n_buffers = 3, .buffers = no_buffers };
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < fields->count && status == HISTREE_OK; i++)
		if (fields->fields[i].has_dictionary)
			status = put_texts(ipc, body, i, last != NULL ? last->children[i]->dictionary : &nothing, 0,
					   blocks, error);
	return status;
}

/* ---- ipc field ----------------------------------------------------------------------------------------------- */

/* The union Type of Schema.fbs. */
enum { TYPE_INT = 2, TYPE_REAL = 3, TYPE_UTF8 = 5, TYPE_BOOL = 6, TYPE_TIME = 10 };

enum { PRECISION_SINGLE = 1, PRECISION_DOUBLE = 2 };

/* ---- reading ------------------------------------------------------------------------------------------ */

static const struct {
	char letter;
	struct ipc_type type;
} numbers[] = {
	{ 'c', { IPC_INT, true, 1, 0, "" } },   { 'C', { IPC_INT, false, 1, 0, "" } },
	{ 's', { IPC_INT, true, 2, 0, "" } },   { 'S', { IPC_INT, false, 2, 0, "" } },
	{ 'i', { IPC_INT, true, 4, 0, "" } },   { 'I', { IPC_INT, false, 4, 0, "" } },
	{ 'l', { IPC_INT, true, 8, 0, "" } },   { 'L', { IPC_INT, false, 8, 0, "" } },
	{ 'f', { IPC_REAL, true, 4, 0, "" } },  { 'g', { IPC_REAL, true, 8, 0, "" } },
	{ 'b', { IPC_BOOL, false, 0, 0, "" } }, { 'u', { IPC_UTF8, false, 0, 0, "" } },
};

static bool read_type(const char *format, struct ipc_type *out)
{
	static const char units[] = "smun";
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (format[0] == numbers[i].letter && format[1] == '\0') {
			*out = numbers[i].type;
			return true;
		}
	const char *unit = strncmp(format, "ts", 2) == 0 && format[2] != '\0' ? strchr(units, format[2]) : NULL;
	if (unit == NULL || format[3] != ':')
		return false;
	*out = (struct ipc_type){ IPC_TIME, true, 8, (uint8_t)(unit - units), format + 4 };
	return true;
}

static enum histree_status read_field(struct ipc_field *field, const struct ArrowSchema *schema,
				      struct histree_error *error)
{
	struct ipc_type values;
	field->name = schema->name != NULL ? schema->name : "";
	field->is_nullable = (schema->flags & ARROW_FLAG_NULLABLE) != 0;
	field->is_ordered = (schema->flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0;
	field->has_dictionary = schema->dictionary != NULL;
	if (!read_type(schema->format, &field->type) || schema->n_children != 0)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "column '%s' is of a type that cannot be written ('%s')", field->name,
				 schema->format);
	if (field->has_dictionary && (field->type.kind != IPC_INT ||
				      !read_type(schema->dictionary->format, &values) || values.kind != IPC_UTF8))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "column '%s' has a dictionary that cannot be written ('%s' of '%s')", field->name,
				 schema->format, schema->dictionary->format);
	return HISTREE_OK;
}

/*
 * Read the columns of a schema, which is borrowed until the fields are released.  Returns HISTREE_ERR_ARGUMENT if
 * there is one that cannot be written.
 */
static enum histree_status ipc_fields_read(struct ipc_fields *fields, const struct ArrowSchema *schema,
					   struct histree_error *error)
{
	*fields = (struct ipc_fields){ 0 };
	if (strcmp(schema->format, "+s") != 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a stream of '%s', which has no columns",
				 schema->format);
	fields->fields = calloc((size_t)schema->n_children + 1, sizeof(*fields->fields));
	if (fields->fields == NULL)
		return error_memory(error, "columns");
	enum histree_status status = HISTREE_OK;
	for (; fields->count < (size_t)schema->n_children && status == HISTREE_OK; fields->count++)
		status = read_field(&fields->fields[fields->count], schema->children[fields->count], error);
	if (status != HISTREE_OK)
		ipc_fields_release(fields);
	return status;
}

static void ipc_fields_release(struct ipc_fields *fields)
{
	free(fields->fields);
	*fields = (struct ipc_fields){ 0 };
}

/* ---- writing ------------------------------------------------------------------------------------------ */

static uint32_t put_int(struct flatbuffer *buffer, const struct ipc_type *type)
{
	flatbuffer_table_begin(buffer);
	const int32_t number = type->size * 8;
	put_number(buffer, (uint32_t)number, 4);
	set_field(buffer, 0);
	flatbuffer_field_uint8(buffer, 1, type->is_signed);
	return flatbuffer_table_end(buffer);
}

static uint32_t put_empty(struct flatbuffer *buffer)
{
	flatbuffer_table_begin(buffer);
	return flatbuffer_table_end(buffer);
}

/* Returns a reference to the table of a type, and which of the union it is. */
static uint32_t put_type(struct flatbuffer *buffer, const struct ipc_type *type, uint8_t *which)
{
	uint32_t zone;
	switch (type->kind) {
	case IPC_INT:
		*which = TYPE_INT;
		return put_int(buffer, type);
	case IPC_REAL:
		*which = TYPE_REAL;
		flatbuffer_table_begin(buffer);
		flatbuffer_field_int16(buffer, 0, type->size == 8 ? PRECISION_DOUBLE : PRECISION_SINGLE);
		return flatbuffer_table_end(buffer);
	case IPC_BOOL:
		*which = TYPE_BOOL;
		return put_empty(buffer);
	case IPC_UTF8:
		*which = TYPE_UTF8;
		return put_empty(buffer);
	case IPC_TIME:
		break;
	}
	*which = TYPE_TIME;
	zone = type->zone[0] != '\0' ? flatbuffer_text(buffer, type->zone) : 0;
	flatbuffer_table_begin(buffer);
	flatbuffer_field_int16(buffer, 0, type->unit);
	flatbuffer_field_reference(buffer, 1, zone);
	return flatbuffer_table_end(buffer);
}

/* DictionaryEncoding: id, indexType, isOrdered. */
static uint32_t put_dictionary(struct flatbuffer *buffer, const struct ipc_field *field, size_t id)
{
	uint32_t index = put_int(buffer, &field->type);
	flatbuffer_table_begin(buffer);
	flatbuffer_field_int64(buffer, 0, (int64_t)id);
	flatbuffer_field_reference(buffer, 1, index);
	flatbuffer_field_uint8(buffer, 2, field->is_ordered);
	return flatbuffer_table_end(buffer);
}

/* Field: name, nullable, type (two fields: which, and the table), dictionary, children. */
static uint32_t put_field(struct flatbuffer *buffer, const struct ipc_field *field, size_t id)
{
	uint8_t which;
	uint32_t name = flatbuffer_text(buffer, field->name);
	uint32_t type = put_type(buffer, field->has_dictionary ? &utf8 : &field->type, &which);
	uint32_t dictionary = field->has_dictionary ? put_dictionary(buffer, field, id) : 0;
	uint32_t children = flatbuffer_references(buffer, NULL, 0);
	flatbuffer_table_begin(buffer);
	flatbuffer_field_reference(buffer, 0, name);
	flatbuffer_field_uint8(buffer, 1, field->is_nullable);
	flatbuffer_field_uint8(buffer, 2, which);
	flatbuffer_field_reference(buffer, 3, type);
	flatbuffer_field_reference(buffer, 4, dictionary);
	flatbuffer_field_reference(buffer, 5, children);
	return flatbuffer_table_end(buffer);
}

/* Schema: endianness, of which 0 is little, and fields. */
static uint32_t ipc_fields_schema(const struct ipc_fields *fields, struct flatbuffer *buffer)
{
	uint32_t *references = calloc(fields->count + 1, sizeof(*references));
	if (references == NULL) {
		buffer->has_failed = true;
		return 0;
	}
	for (size_t i = 0; i < fields->count; i++)
		references[i] = put_field(buffer, &fields->fields[i], i);
	uint32_t list = flatbuffer_references(buffer, references, fields->count);
	free(references);
	flatbuffer_table_begin(buffer);
	flatbuffer_field_int16(buffer, 0, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	flatbuffer_field_reference(buffer, 1, list);
	return flatbuffer_table_end(buffer);
}

/* ---- ipc export ---------------------------------------------------------------------------------------------- */

enum { LEVEL_DEFAULT = 1, LEVEL_MAX = 19 };

struct ipc_export {
	const struct histree_ipc_options *options;
	struct ArrowArrayStream *stream;
	struct ArrowSchema schema;
	struct ipc_fields fields;
	struct export_output output;
	struct ipc_output ipc;
	struct ipc_body body;
	struct ipc_blocks dictionaries, batches;
	struct ArrowArray last; /* the batch before, whose dictionaries are compared with those of the next */
	struct histree_export_counts counts;
};

/* ---- batches ------------------------------------------------------------------------------------------ */

static enum histree_status check_batch(const struct ipc_export *export, const struct ArrowArray *batch,
				       struct histree_error *error)
{
	if (batch->n_children != (int64_t) export->fields.count)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a batch has %lld columns; its schema has %zu",
				 (long long)batch->n_children, export->fields.count);
	if (batch->null_count != 0 && batch->n_buffers > 0 && batch->buffers[0] != NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a batch has rows that are null as a whole");
	for (size_t i = 0; i < export->fields.count; i++) {
		const struct ArrowArray *column = batch->children[i];
		if (column->length < batch->offset + batch->length ||
		    (column->dictionary != NULL) != export->fields.fields[i].has_dictionary)
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "column '%s' of a batch is not as its schema says",
					 export->fields.fields[i].name);
	}
	return HISTREE_OK;
}

static enum histree_status put_dictionaries(struct ipc_export *export, const struct ArrowArray *batch,
					    struct histree_error *error)
{
	const struct ArrowArray *before = export->last.release != NULL ? &export->last : NULL;
	if (export->options->is_stream) {
		/*
		 * In a stream: write the dictionaries of a batch as far as readers do not know them from the batch
		 * before, or from none if `before` is NULL.  A dictionary that does not extend the one before
		 * replaces it.
		 */
		enum histree_status status = HISTREE_OK;
		for (size_t i = 0; i < export->fields.count && status == HISTREE_OK; i++) {
			const struct ArrowArray *texts = batch->children[i]->dictionary, *old = NULL;
			if (!export->fields.fields[i].has_dictionary)
				continue;
			if (before != NULL && ipc_dictionary_extends(texts, before->children[i]->dictionary))
				old = before->children[i]->dictionary;
			if (old == NULL || texts->length > old->length)
				status = put_texts(&export->ipc, &export->body, i, texts,
						   old != NULL ? old->length : 0, NULL, error);
		}
		return status;
	}
	return before != NULL ? ipc_dictionaries_check(&export->fields, batch, before, error) : HISTREE_OK;
}

static enum histree_status put_batch(struct ipc_export *export, const struct ArrowArray *batch,
				     struct histree_error *error)
{
	enum histree_status status = check_batch(export, batch, error);
	if (status == HISTREE_OK)
		status = put_dictionaries(export, batch, error);
	ipc_body_clear(&export->body);
	for (size_t i = 0; i < export->fields.count && status == HISTREE_OK; i++)
		status = ipc_body_add(&export->body, &export->fields.fields[i].type, batch->children[i],
				      batch->offset, batch->length, error);
	if (status == HISTREE_OK)
		status = ipc_output_batch(&export->ipc, &export->body, batch->length,
					  export->options->is_stream ? NULL : &export->batches, error);
	ipc_body_clear(&export->body);
	return status;
}

static enum histree_status put_batches(struct ipc_export *export, struct histree_error *error)
{
	struct ArrowArray batch;
	enum histree_status status;
	while ((status = export_stream_next(export->stream, &export->options->work, &batch, error)) == HISTREE_OK) {
		status = put_batch(export, &batch, error);
		if (export->last.release != NULL)
			export->last.release(&export->last);
		export->last = batch;
		if (status != HISTREE_OK)
			return status;

		export->counts.rows += (uint64_t)batch.length;
		export->counts.row_groups++;
		export->counts.bytes = export->ipc.at;
		export->counts.loss = histree_arrow_loss(export->stream);
		export_tell(&export->options->work, &export->counts);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---- the whole ---------------------------------------------------------------------------------------- */

static enum histree_status put_all(struct ipc_export *export, struct histree_error *error)
{
	bool is_stream = export->options->is_stream;
	const struct ArrowArray *last = &export->last;
	struct ipc_output *ipc = &export->ipc;
	*ipc = (struct ipc_output){ .output = &export->output, .stage = malloc(IPC_STAGE_SIZE) };
	enum histree_status status = ipc->stage != NULL ? HISTREE_OK : error_memory(error, "a file");
	if (status == HISTREE_OK && !is_stream)
		status = ipc_output_put(&export->ipc, magic, sizeof(magic), error);
	if (status == HISTREE_OK) {
		struct ipc_block block;
		flatbuffer_clear(&export->ipc.buffer);
		status = put_message(&export->ipc, HEADER_SCHEMA,
				     ipc_fields_schema(&export->fields, &export->ipc.buffer), 0, &block, error);
	}
	if (status == HISTREE_OK)
		status = put_batches(export, error);
	if (status == HISTREE_OK && !is_stream)
		status = ipc_dictionaries_file(&export->ipc, &export->fields, &export->body,
					       last->release != NULL ? last : NULL, &export->dictionaries, error);
	if (status == HISTREE_OK)
		status = ipc_output_end(&export->ipc, error);
	if (status == HISTREE_OK && !is_stream)
		status = ipc_output_footer(&export->ipc, &export->fields, &export->dictionaries, &export->batches,
					   error);
	export->counts.bytes = export->ipc.at;
	export->counts.files = 1;
	export->counts.loss = histree_arrow_loss(export->stream);
	return status;
}

static enum histree_status choose_compression(struct ipc_export *export, struct histree_error *error)
{
	int level = export->options->level != 0 ? export->options->level : LEVEL_DEFAULT;
	if (!export->options->is_compressed)
		return HISTREE_OK;
	if (!zstd_is_there)
		return error_set(
			error, HISTREE_ERR_ARGUMENT,
			"compression needs zstd, which this library was built without (Debian: libzstd-dev)");
	if (level < 1 || level > LEVEL_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "level %d of zstd: there are 1 to %d", level,
				 LEVEL_MAX);
	export->body.zstd = zstd_packer_create(level);
	return export->body.zstd != NULL ? HISTREE_OK : error_memory(error, "compression");
}

static enum histree_status ipc_export_begin(struct ipc_export *export, const struct io *io, const char *path,
					    struct histree_error *error)
{
	enum histree_status status = export_stream_schema(export->stream, &export->schema, error);
	if (status == HISTREE_OK)
		status = ipc_fields_read(&export->fields, &export->schema, error);
	if (status == HISTREE_OK)
		status = choose_compression(export, error);
	if (status != HISTREE_OK)
		return status;
	if (path != NULL)
		return export_output_open(&export->output, io, path, error);
	export_output_use(&export->output, export->options->descriptor);
	return HISTREE_OK;
}

static void release(struct ipc_export *export)
{
	struct zstd_packer *zstd = export->body.zstd;

	struct ipc_output *ipc = &export->ipc;
	struct flatbuffer *buffer = &ipc->buffer;
	free(buffer->bytes);
	*buffer = (struct flatbuffer){ 0 };
	free(ipc->stage);
	*ipc = (struct ipc_output){ 0 };

	struct ipc_body *body = &export->body;
	arena_release(&body->copies);
	free(body->nodes);
	free(body->buffers);
	free(body->pieces);
	*body = (struct ipc_body){ 0 };

	zstd_packer_free(zstd);
	ipc_fields_release(&export->fields);
	free(export->dictionaries.blocks);
	free(export->batches.blocks);
	if (export->last.release != NULL)
		export->last.release(&export->last);
	if (export->schema.release != NULL)
		export->schema.release(&export->schema);
	export->stream->release(export->stream);
}

enum histree_status ipc_export(const struct io *io, struct ArrowArrayStream *stream, const char *path,
			       const struct histree_ipc_options *options, struct histree_error *error)
{
	static const struct histree_ipc_options defaults;
	struct ipc_export export = { .options = options != NULL ? options : &defaults, .stream = stream };
	enum histree_status status = ipc_export_begin(&export, io, path, error);
	if (status == HISTREE_OK) {
		status = put_all(&export, error);
		status = export_output_finish(&export.output, status, error);
	}
	release(&export);
	if (export.options->counts != NULL)
		*export.options->counts = export.counts;
	return status;
}

enum histree_status histree_export_arrow(struct ArrowArrayStream *stream, const char *path,
					 const struct histree_ipc_options *options, struct histree_error *error)
{
	return ipc_export(&io_posix, stream, path, options, error);
}
