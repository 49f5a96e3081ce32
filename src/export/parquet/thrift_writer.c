// SPDX-License-Identifier: MIT
#include "export/parquet/thrift_writer.h"

#include <assert.h>

enum { SHORT_DELTA_MAX = 15, SHORT_LIST_MAX = 14 };

struct thrift_writer thrift_begin(struct parquet_bytes *bytes)
{
	return (struct thrift_writer){ .bytes = bytes };
}

static void put_field(struct thrift_writer *writer, int16_t id, enum thrift_type type)
{
	int16_t *last = &writer->last_ids[writer->depth];
	int delta = id - *last;
	assert(delta > 0);
	if (delta <= SHORT_DELTA_MAX) {
		parquet_bytes_put_byte(writer->bytes, (uint8_t)(delta << 4 | type));
	} else {
		parquet_bytes_put_byte(writer->bytes, (uint8_t)type);
		parquet_bytes_put_varint(writer->bytes, zigzag(id));
	}
	*last = id;
}

void thrift_struct_begin(struct thrift_writer *writer, int16_t id)
{
	if (id != 0)
		put_field(writer, id, THRIFT_STRUCT);
	assert(writer->depth + 1 < THRIFT_DEPTH_MAX);
	writer->last_ids[++writer->depth] = 0;
}

void thrift_struct_end(struct thrift_writer *writer)
{
	parquet_bytes_put_byte(writer->bytes, 0);
	if (writer->depth > 0)
		writer->depth--;
}

void thrift_struct_raw(struct thrift_writer *writer, int16_t id, const void *bytes, size_t size)
{
	put_field(writer, id, THRIFT_STRUCT);
	parquet_bytes_put(writer->bytes, bytes, size);
}

void thrift_list(struct thrift_writer *writer, int16_t id, enum thrift_type type, size_t count)
{
	put_field(writer, id, THRIFT_LIST);
	if (count <= SHORT_LIST_MAX) {
		parquet_bytes_put_byte(writer->bytes, (uint8_t)(count << 4 | type));
	} else {
		parquet_bytes_put_byte(writer->bytes, (uint8_t)(0xf0 | type));
		parquet_bytes_put_varint(writer->bytes, count);
	}
}

void thrift_bool(struct thrift_writer *writer, int16_t id, bool value)
{
	put_field(writer, id, value ? THRIFT_TRUE : THRIFT_FALSE);
}

void thrift_i8(struct thrift_writer *writer, int16_t id, int8_t value)
{
	put_field(writer, id, THRIFT_BYTE);
	parquet_bytes_put_byte(writer->bytes, (uint8_t)value);
}

void thrift_i32(struct thrift_writer *writer, int16_t id, int32_t value)
{
	put_field(writer, id, THRIFT_I32);
	thrift_element_number(writer, value);
}

void thrift_i64(struct thrift_writer *writer, int16_t id, int64_t value)
{
	put_field(writer, id, THRIFT_I64);
	thrift_element_number(writer, value);
}

void thrift_binary(struct thrift_writer *writer, int16_t id, const void *bytes, size_t size)
{
	put_field(writer, id, THRIFT_BINARY);
	thrift_element_binary(writer, bytes, size);
}

void thrift_text(struct thrift_writer *writer, int16_t id, const char *text)
{
	thrift_binary(writer, id, text, strlen(text));
}

void thrift_element_bool(struct thrift_writer *writer, bool value)
{
	parquet_bytes_put_byte(writer->bytes, value ? THRIFT_TRUE : THRIFT_FALSE);
}

void thrift_element_number(struct thrift_writer *writer, int64_t value)
{
	parquet_bytes_put_varint(writer->bytes, zigzag(value));
}

void thrift_element_binary(struct thrift_writer *writer, const void *bytes, size_t size)
{
	parquet_bytes_put_varint(writer->bytes, size);
	parquet_bytes_put(writer->bytes, bytes, size);
}
