// SPDX-License-Identifier: MIT
#include "export/arrow/flatbuffer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY_MIN = 1024, ALIGNMENT = 8 };

void flatbuffer_clear(struct flatbuffer *buffer)
{
	buffer->used = 0;
	buffer->has_failed = false;
	buffer->field_count = 0;
}

void flatbuffer_release(struct flatbuffer *buffer)
{
	free(buffer->bytes);
	*buffer = (struct flatbuffer){ 0 };
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

static void put(struct flatbuffer *buffer, const void *bytes, size_t size)
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
	put(buffer, bytes, size);
}

/* How far ahead of its own place something lies. */
static void put_reference(struct flatbuffer *buffer, uint32_t reference)
{
	align(buffer, 4, 4);
	put_number(buffer, (uint32_t)(buffer->used + 4 - reference), 4);
}

/* ---- texts and vectors -------------------------------------------------------------------------------- */

uint32_t flatbuffer_text(struct flatbuffer *buffer, const char *text)
{
	size_t size = strlen(text);
	align(buffer, size + 1, 4);
	put(buffer, text, size + 1);
	put_number(buffer, size, 4);
	return (uint32_t)buffer->used;
}

uint32_t flatbuffer_references(struct flatbuffer *buffer, const uint32_t *references, size_t count)
{
	align(buffer, 4 * count, 4);
	for (size_t i = count; i > 0; i--)
		put_reference(buffer, references[i - 1]);
	put_number(buffer, count, 4);
	return (uint32_t)buffer->used;
}

uint32_t flatbuffer_structs(struct flatbuffer *buffer, const void *structs, size_t struct_size, size_t count)
{
	assert(struct_size % ALIGNMENT == 0);
	align(buffer, struct_size * count, ALIGNMENT);
	put(buffer, structs, struct_size * count);
	put_number(buffer, count, 4);
	return (uint32_t)buffer->used;
}

/* ---- tables ------------------------------------------------------------------------------------------- */

void flatbuffer_table_begin(struct flatbuffer *buffer)
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

void flatbuffer_field_uint8(struct flatbuffer *buffer, unsigned field, uint8_t number)
{
	put_number(buffer, number, 1);
	set_field(buffer, field);
}

void flatbuffer_field_int16(struct flatbuffer *buffer, unsigned field, int16_t number)
{
	put_number(buffer, (uint16_t)number, 2);
	set_field(buffer, field);
}

void flatbuffer_field_int32(struct flatbuffer *buffer, unsigned field, int32_t number)
{
	put_number(buffer, (uint32_t)number, 4);
	set_field(buffer, field);
}

void flatbuffer_field_int64(struct flatbuffer *buffer, unsigned field, int64_t number)
{
	put_number(buffer, (uint64_t)number, 8);
	set_field(buffer, field);
}

void flatbuffer_field_reference(struct flatbuffer *buffer, unsigned field, uint32_t reference)
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
uint32_t flatbuffer_table_end(struct flatbuffer *buffer)
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

const uint8_t *flatbuffer_finish(struct flatbuffer *buffer, uint32_t root, size_t *size)
{
	align(buffer, 4, ALIGNMENT);
	put_reference(buffer, root);
	*size = buffer->used;
	return buffer->has_failed ? NULL : buffer->bytes + buffer->capacity - buffer->used;
}
