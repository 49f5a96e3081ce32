// SPDX-License-Identifier: MIT
#include "export/arrow/ipc_field.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

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

enum histree_status ipc_fields_read(struct ipc_fields *fields, const struct ArrowSchema *schema,
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

void ipc_fields_release(struct ipc_fields *fields)
{
	free(fields->fields);
	*fields = (struct ipc_fields){ 0 };
}

/* ---- writing ------------------------------------------------------------------------------------------ */

static uint32_t put_int(struct flatbuffer *buffer, const struct ipc_type *type)
{
	flatbuffer_table_begin(buffer);
	flatbuffer_field_int32(buffer, 0, type->size * 8);
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
	static const struct ipc_type utf8 = { .kind = IPC_UTF8, .zone = "" };
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
uint32_t ipc_fields_schema(const struct ipc_fields *fields, struct flatbuffer *buffer)
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
