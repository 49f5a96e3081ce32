// SPDX-License-Identifier: MIT
#include "export/arrow/ipc_output.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

/* MetadataVersion and the union MessageHeader of Message.fbs. */
enum { VERSION_5 = 4, HEADER_SCHEMA = 1, HEADER_DICTIONARY = 2, HEADER_BATCH = 3 };

/* Longer pieces are written from where they are. */
enum { STAGED_MAX = IPC_STAGE_SIZE / 4 };

static const char magic[8] = "ARROW1"; /* with two zeros */

enum { MAGIC_SIZE = 6 };

static const uint8_t zeros[IPC_ALIGNMENT];

/* ---- bytes -------------------------------------------------------------------------------------------- */

enum histree_status ipc_output_init(struct ipc_output *ipc, struct export_output *output,
				    struct histree_error *error)
{
	*ipc = (struct ipc_output){ .output = output, .stage = malloc(IPC_STAGE_SIZE) };
	return ipc->stage != NULL ? HISTREE_OK : error_memory(error, "a file");
}

void ipc_output_release(struct ipc_output *ipc)
{
	flatbuffer_release(&ipc->buffer);
	free(ipc->stage);
	*ipc = (struct ipc_output){ 0 };
}

static enum histree_status flush(struct ipc_output *ipc, struct histree_error *error)
{
	size_t size = ipc->staged;
	ipc->staged = 0;
	return size > 0 ? export_output_write(ipc->output, ipc->stage, size, error) : HISTREE_OK;
}

static enum histree_status put(struct ipc_output *ipc, const void *bytes, size_t size, struct histree_error *error)
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
	return put(ipc, zeros, (size_t)(-ipc->at % IPC_ALIGNMENT), error);
}

static enum histree_status put_int32(struct ipc_output *ipc, uint32_t number, struct histree_error *error)
{
	number = htole32(number);
	return put(ipc, &number, sizeof(number), error);
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
		status = put(ipc, bytes, size, error);
	return status == HISTREE_OK ? put_padding(ipc, error) : status;
}

static enum histree_status put_body(struct ipc_output *ipc, const struct ipc_body *body,
				    struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < body->buffer_count && status == HISTREE_OK; i++) {
		status = put(ipc, body->pieces[i].bytes, body->pieces[i].size, error);
		if (status == HISTREE_OK)
			status = put_padding(ipc, error);
	}
	return status;
}

static enum histree_status put_both(struct ipc_output *ipc, uint8_t which, uint32_t header,
				    const struct ipc_body *body, struct ipc_blocks *blocks,
				    struct histree_error *error)
{
	struct ipc_block block;
	if (blocks != NULL && !array_reserve(&blocks->blocks, &blocks->capacity, blocks->count + 1))
		return error_memory(error, "a file");
	enum histree_status status = put_message(ipc, which, header, body->size, &block, error);
	if (status == HISTREE_OK)
		status = put_body(ipc, body, error);
	if (status == HISTREE_OK && blocks != NULL)
		blocks->blocks[blocks->count++] = block;
	return status;
}

enum histree_status ipc_output_batch(struct ipc_output *ipc, const struct ipc_body *body, int64_t length,
				     struct ipc_blocks *blocks, struct histree_error *error)
{
	flatbuffer_clear(&ipc->buffer);
	uint32_t batch = ipc_body_batch(body, length, &ipc->buffer);
	return put_both(ipc, HEADER_BATCH, batch, body, blocks, error);
}

/* DictionaryBatch: id, data, isDelta. */
enum histree_status ipc_output_dictionary(struct ipc_output *ipc, const struct ipc_body *body, int64_t length,
					  size_t id, bool is_delta, struct ipc_blocks *blocks,
					  struct histree_error *error)
{
	struct flatbuffer *buffer = &ipc->buffer;
	flatbuffer_clear(buffer);
	uint32_t batch = ipc_body_batch(body, length, buffer);
	flatbuffer_table_begin(buffer);
	flatbuffer_field_int64(buffer, 0, (int64_t)id);
	flatbuffer_field_reference(buffer, 1, batch);
	flatbuffer_field_uint8(buffer, 2, is_delta);
	return put_both(ipc, HEADER_DICTIONARY, flatbuffer_table_end(buffer), body, blocks, error);
}

enum histree_status ipc_output_schema(struct ipc_output *ipc, const struct ipc_fields *fields,
				      struct histree_error *error)
{
	struct ipc_block block;
	flatbuffer_clear(&ipc->buffer);
	return put_message(ipc, HEADER_SCHEMA, ipc_fields_schema(fields, &ipc->buffer), 0, &block, error);
}

/* ---- ends --------------------------------------------------------------------------------------------- */

enum histree_status ipc_output_magic(struct ipc_output *ipc, struct histree_error *error)
{
	return put(ipc, magic, sizeof(magic), error);
}

enum histree_status ipc_output_end(struct ipc_output *ipc, struct histree_error *error)
{
	enum histree_status status = put_int32(ipc, UINT32_MAX, error);
	if (status == HISTREE_OK)
		status = put_int32(ipc, 0, error);
	return status == HISTREE_OK ? flush(ipc, error) : status;
}

/* Footer: version, schema, dictionaries, recordBatches. */
enum histree_status ipc_output_footer(struct ipc_output *ipc, const struct ipc_fields *fields,
				      const struct ipc_blocks *dictionaries, const struct ipc_blocks *batches,
				      struct histree_error *error)
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
	enum histree_status status = put(ipc, bytes, size, error);
	if (status == HISTREE_OK)
		status = put_int32(ipc, (uint32_t)size, error);
	if (status == HISTREE_OK)
		status = put(ipc, magic, MAGIC_SIZE, error);
	return status == HISTREE_OK ? flush(ipc, error) : status;
}
