/* SPDX-License-Identifier: MIT */
/*
 * flatbuffer.h - the part of FlatBuffers that messages of Arrow need: tables, vectors and texts, from back to
 * front.
 *
 * What is referred to is written before what refers to it, and lies behind it.  A reference is how far something
 * begins before the end of the buffer; 0 is none.  A failure for want of memory is remembered, and everything after
 * it is ignored.
 *
 * Source: "FlatBuffer Internals" (https://flatbuffers.dev/internals).
 */
#ifndef EXPORT_ARROW_FLATBUFFER_H
#define EXPORT_ARROW_FLATBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FLATBUFFER_FIELDS_MAX = 8 };

/* A zeroed struct flatbuffer is an empty one. */
struct flatbuffer {
	uint8_t *bytes;
	size_t capacity, used; /* used: at the end */
	bool has_failed;
	/* Of the table being written: where its fields are, as references, and where it ends. */
	uint32_t fields[FLATBUFFER_FIELDS_MAX];
	uint32_t field_count, table_end;
};

/* Forget everything, but keep the memory. */
void flatbuffer_clear(struct flatbuffer *buffer);
void flatbuffer_release(struct flatbuffer *buffer);

/* Returns a reference to a text. */
uint32_t flatbuffer_text(struct flatbuffer *buffer, const char *text);

/* Returns a reference to a vector of references. */
uint32_t flatbuffer_references(struct flatbuffer *buffer, const uint32_t *references, size_t count);

/*
 * Returns a reference to a vector of structs, which are as they are in the file and whose size is a multiple of 8.
 */
uint32_t flatbuffer_structs(struct flatbuffer *buffer, const void *structs, size_t struct_size, size_t count);

/*
 * A table: begin, its fields by their numbers in the schema, end, which returns a reference to it.  Nothing else is
 * written in between.  A number that is the default of its field need not be written.
 */
void flatbuffer_table_begin(struct flatbuffer *buffer);
void flatbuffer_field_uint8(struct flatbuffer *buffer, unsigned field, uint8_t number);
void flatbuffer_field_int16(struct flatbuffer *buffer, unsigned field, int16_t number);
void flatbuffer_field_int32(struct flatbuffer *buffer, unsigned field, int32_t number);
void flatbuffer_field_int64(struct flatbuffer *buffer, unsigned field, int64_t number);
void flatbuffer_field_reference(struct flatbuffer *buffer, unsigned field, uint32_t reference);
uint32_t flatbuffer_table_end(struct flatbuffer *buffer);

/*
 * The buffer is complete: its root is that table.  Returns its first byte, aligned to 8 and `*size` a multiple of
 * 8, or NULL if memory is out.
 */
const uint8_t *flatbuffer_finish(struct flatbuffer *buffer, uint32_t root, size_t *size);

#endif
