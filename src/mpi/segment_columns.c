// SPDX-License-Identifier: MIT
#include "mpi/segment_columns.h"

#include <string.h>

#include "base/error.h"

/* Segments without fields have a column of nulls for their times. */
static size_t column_count(size_t field_count)
{
	return field_count > 0 ? field_count : 1;
}

/* The first has the times: it always travels. */
static bool travels(uint32_t wanted, size_t column)
{
	return column == 0 || (wanted >> column & 1) != 0;
}

void segment_columns_begin(struct segment_columns_writer *writer, size_t field_count, uint32_t wanted)
{
	writer->field_count = field_count;
	writer->wanted = wanted;
	writer->count = 0;
}

bool segment_columns_add(struct segment_columns_writer *writer, const struct histree_segment *segment)
{
	for (size_t i = 0; i < column_count(writer->field_count); i++) {
		if (!travels(writer->wanted, i))
			continue;
		struct chunk_writer *column = &writer->columns[i];
		struct histree_interval cell = { .value = histree_null() };
		if (i == 0) {
			cell.start = segment->start;
			cell.end = segment->end;
		}
		if (i < writer->field_count && segment->content != NULL && (writer->wanted >> i & 1) != 0)
			cell.value = segment->content[i];
		if ((writer->count == 0 && !chunk_add_attribute(column, 0, "", 0)) ||
		    !chunk_add_row(column, &cell, NULL))
			return false;
	}
	writer->count++;
	return true;
}

bool segment_columns_is_full(const struct segment_columns_writer *writer)
{
	for (size_t i = 0; i < column_count(writer->field_count); i++)
		if (travels(writer->wanted, i) && chunk_is_full(&writer->columns[i]))
			return true;
	return false;
}

void segment_columns_write(struct segment_columns_writer *writer, struct message *out)
{
	message_number(out, writer->count);
	for (size_t i = 0; i < column_count(writer->field_count) && writer->count > 0; i++) {
		size_t at = message_room(out, sizeof(uint32_t));
		if (travels(writer->wanted, i))
			chunk_write(&writer->columns[i], out);
		if (!out->no_memory && at != SIZE_MAX)
			put_le32(out->bytes + at, (uint32_t)(out->size - at - sizeof(uint32_t)));
	}
	writer->count = 0;
}

void segment_columns_writer_release(struct segment_columns_writer *writer)
{
	for (size_t i = 0; i < HISTREE_SEGMENT_FIELDS_MAX; i++)
		chunk_writer_release(&writer->columns[i]);
	*writer = (struct segment_columns_writer){ 0 };
}

static enum histree_status damaged(struct histree_error *error, const char *what)
{
	return error_set(error, HISTREE_ERR_FORMAT, "the segments of a rank are damaged: %s", what);
}

/* Whether a column has values that the field may have. */
static bool is_of_field(const struct chunk *column, const struct histree_segment_field *field)
{
	for (uint32_t row = 0; row < column->row_count; row++) {
		enum histree_type type = column->rows[row].value.type;
		if (type != HISTREE_NULL && (field == NULL || type != field->type))
			return false;
	}
	return true;
}

enum histree_status segment_columns_read(struct segment_columns *columns,
					 const struct histree_segment_schema *schema, struct byte_reader *reader,
					 struct histree_error *error)
{
	uint64_t count = read_varint(reader);
	columns->count = 0;
	columns->field_count = schema->field_count;
	columns->present = 0;
	if (reader->failed || count > CHUNK_ROWS_MAX || schema->field_count > HISTREE_SEGMENT_FIELDS_MAX)
		return damaged(error, "their number");
	for (size_t i = 0; i < column_count(schema->field_count) && count > 0; i++) {
		uint32_t size = read_le32(reader);
		const uint8_t *bytes = read_bytes(reader, size);
		if (reader->failed || bytes == NULL)
			return damaged(error, "a column ends early");
		if (size == 0 && i > 0)
			continue; /* nobody wants it */
		columns->present |= UINT32_C(1) << i;
		enum histree_status status = chunk_read(&columns->columns[i], bytes, size, error);
		if (status != HISTREE_OK)
			return status;
		if (columns->columns[i].row_count != count)
			return damaged(error, "a column has another length");
		if (!is_of_field(&columns->columns[i], i < schema->field_count ? &schema->fields[i] : NULL))
			return damaged(error, "a column has another type");
	}
	columns->count = (uint32_t)count;
	return HISTREE_OK;
}

struct histree_segment segment_columns_get(struct segment_columns *columns, uint32_t index)
{
	const struct chunk_row *times = &columns->columns[0].rows[index];
	for (size_t i = 0; i < columns->field_count; i++)
		columns->values[i] =
			(columns->present >> i & 1) != 0 ? columns->columns[i].rows[index].value : histree_null();
	return (struct histree_segment){ times->start, times->end, columns->values };
}

void segment_columns_release(struct segment_columns *columns)
{
	for (size_t i = 0; i < HISTREE_SEGMENT_FIELDS_MAX; i++)
		chunk_release(&columns->columns[i]);
	*columns = (struct segment_columns){ 0 };
}
