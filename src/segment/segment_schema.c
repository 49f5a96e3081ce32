// SPDX-License-Identifier: MIT
/*
 * segment_schema.c - the schema of a store's fields: checked, copied, and in section SEGM of its file.
 *
 * A copied schema has valid types, and distinct names of 1 to 255 bytes; so does a schema that was read, because
 * reading makes a copy.
 */
#include "segment/segment_schema.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"

enum { NAME_SIZE_MAX = 255 };

/* ---- copies ------------------------------------------------------------------------------------- */

static bool is_field_type(enum histree_type type)
{
	return type == HISTREE_INT || type == HISTREE_LONG || type == HISTREE_DOUBLE || type == HISTREE_BOOL ||
	       type == HISTREE_STRING;
}

enum histree_status segment_schema_copy(const struct histree_segment_schema *schema,
					struct histree_segment_schema *out, struct histree_error *error)
{
	*out = (struct histree_segment_schema){ 0 };
	if (schema->field_count > HISTREE_SEGMENT_FIELDS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a schema of %zu fields; it may have %d",
				 schema->field_count, HISTREE_SEGMENT_FIELDS_MAX);
	if (schema->provider != NULL && strlen(schema->provider) > NAME_SIZE_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "the name '%.80s' is longer than %d bytes",
				 schema->provider, NAME_SIZE_MAX);
	for (size_t i = 0; i < schema->field_count; i++) {
		const struct histree_segment_field *field = &schema->fields[i];
		if (field->name == NULL || field->name[0] == '\0' || strlen(field->name) > NAME_SIZE_MAX)
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "field %zu of a schema: its name must have 1 to %d bytes", i,
					 NAME_SIZE_MAX);
		if (!is_field_type(field->type))
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "field '%s': it must be an int, long, double, bool or string",
					 field->name);
		for (size_t before = 0; before < i; before++)
			if (strcmp(schema->fields[before].name, field->name) == 0)
				return error_set(error, HISTREE_ERR_ARGUMENT,
						 "field '%s': another one has its name", field->name);
	}
	struct histree_segment_field *fields = calloc(schema->field_count + 1, sizeof(*fields));
	char *provider = strdup(schema->provider != NULL ? schema->provider : "");
	bool whole = fields != NULL && provider != NULL;
	*out = (struct histree_segment_schema){ .provider = provider,
						.provider_version = schema->provider_version,
						.fields = fields };
	for (size_t i = 0; whole && i < schema->field_count; i++) {
		fields[i].type = schema->fields[i].type;
		fields[i].name = strdup(schema->fields[i].name);
		whole = fields[i].name != NULL;
		out->field_count = i + 1;
	}
	if (whole)
		return HISTREE_OK;
	segment_schema_release(out);
	return error_memory(error, "a schema");
}

/* What segment_schema_copy() allocated is constant for all other code. */
static void free_text(const char *text)
{
	free((void *)(uintptr_t)text);
}

void segment_schema_release(struct histree_segment_schema *schema)
{
	for (size_t i = 0; i < schema->field_count; i++)
		free_text(schema->fields[i].name);
	free((void *)(uintptr_t)schema->fields);
	free_text(schema->provider);
	*schema = (struct histree_segment_schema){ 0 };
}

/* ---- the section -------------------------------------------------------------------------------- */

static uint8_t *put_name(uint8_t *at, const char *name)
{
	size_t size = strlen(name);
	at = put_varint(at, size);
	memcpy(at, name, size);
	return at + size;
}

enum histree_status segment_schema_write(const struct histree_segment_store_info *info, struct block_file *file,
					 struct histree_error *error)
{
	const struct histree_segment_schema *schema = &info->schema;
	uint8_t bytes[4 * 8 + 4 + 1 + (HISTREE_SEGMENT_FIELDS_MAX + 1) * (NAME_SIZE_MAX + 3)];
	put_le64(bytes, (uint64_t)info->start);
	put_le64(bytes + 8, (uint64_t)info->end);
	put_le64(bytes + 16, info->duration_min);
	put_le64(bytes + 24, info->duration_max);
	put_le32(bytes + 32, schema->provider_version);
	uint8_t *at = put_name(bytes + 36, schema->provider);
	*at++ = (uint8_t)schema->field_count;
	for (size_t i = 0; i < schema->field_count; i++) {
		*at++ = (uint8_t)schema->fields[i].type;
		at = put_name(at, schema->fields[i].name);
	}
	assert((size_t)(at - bytes) <= sizeof(bytes) && schema->field_count <= HISTREE_SEGMENT_FIELDS_MAX);
	return block_file_section_put(file, SECTION_SEGMENTS, bytes, (size_t)(at - bytes), error);
}

/* The name is terminated in `name`. */
static void read_name(struct byte_reader *reader, char name[NAME_SIZE_MAX + 1])
{
	uint64_t size = read_varint(reader);
	const uint8_t *bytes = size <= NAME_SIZE_MAX ? read_bytes(reader, (size_t)size) : NULL;
	if (bytes == NULL || memchr(bytes, '\0', (size_t)size) != NULL) {
		reader->failed = true;
		return;
	}
	memcpy(name, bytes, (size_t)size);
	name[size] = '\0';
}

static enum histree_status decode_schema(struct byte_reader *reader, struct histree_segment_store_info *info,
					 struct histree_error *error)
{
	struct histree_segment_field fields[HISTREE_SEGMENT_FIELDS_MAX];
	char names[HISTREE_SEGMENT_FIELDS_MAX + 1][NAME_SIZE_MAX + 1];
	info->start = (histree_time)read_le64(reader);
	info->end = (histree_time)read_le64(reader);
	info->duration_min = read_le64(reader);
	info->duration_max = read_le64(reader);
	uint32_t version = read_le32(reader);
	read_name(reader, names[0]);
	const uint8_t *count = read_bytes(reader, 1);
	if (count == NULL || *count > HISTREE_SEGMENT_FIELDS_MAX)
		return error_set(error, HISTREE_ERR_FORMAT, "is malformed");
	for (size_t i = 0; i < *count; i++) {
		const uint8_t *type = read_bytes(reader, 1);
		read_name(reader, names[i + 1]);
		fields[i].type =
			type != NULL && *type < HISTREE_TYPE_COUNT ? (enum histree_type) * type : HISTREE_NULL;
		fields[i].name = names[i + 1];
		if (reader->failed)
			return error_set(error, HISTREE_ERR_FORMAT, "is malformed");
	}
	if (byte_reader_left(reader) > 0)
		return error_set(error, HISTREE_ERR_FORMAT, "has %zu bytes after its last field",
				 byte_reader_left(reader));
	const struct histree_segment_schema schema = {
		.provider = names[0], .provider_version = version, .fields = fields, .field_count = *count
	};
	enum histree_status status = segment_schema_copy(&schema, &info->schema, error);
	return status == HISTREE_ERR_ARGUMENT ? HISTREE_ERR_FORMAT : status;
}

enum histree_status segment_schema_read(const struct block_file *file, struct histree_segment_store_info *info,
					struct histree_error *error)
{
	uint8_t *bytes;
	size_t size;
	enum histree_status status = block_file_section(file, SECTION_SEGMENTS, &bytes, &size, error);
	if (status != HISTREE_OK)
		return status;
	struct byte_reader reader = byte_reader(bytes, size);
	status = decode_schema(&reader, info, error);
	if (status != HISTREE_OK)
		error_prefix(error, "'%s': section SEGM", file->path);
	free(bytes);
	return status;
}
