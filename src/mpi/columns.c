// SPDX-License-Identifier: MIT
/*
 * columns.c - events and segments as columns, as they travel from a rank to rank 0.
 */
#include "mpi/columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "histree/event_source.h"
#include "histree/segment.h"
#include "mpi/answer.h"
#include "mpi/link.h"

/* ---- event rows ---------------------------------------------------------------------------------------------- */

/* ---- writing ---------------------------------------------------------------------------------------------- */

void event_rows_begin(struct event_rows_writer *writer, uint32_t value_count)
{
	message_clear(&writer->times);
	message_clear(&writer->cpus);
	message_clear(&writer->types);
	message_clear(&writer->texts);
	writer->before = 0;
	writer->count = 0;
	writer->value_count = value_count;
}

void event_rows_add(struct event_rows_writer *writer, const struct histree_event *event, uint8_t texts)
{
	message_signed(&writer->times, (int64_t)((uint64_t)event->time - (uint64_t)writer->before));
	message_number(&writer->cpus, (uint64_t)(event->cpu + (int64_t)1));
	message_number(&writer->types, event->type);
	message_byte(&writer->texts, texts);
	writer->before = event->time;
	writer->count++;
}

void event_rows_text(struct event_rows_writer *writer, const char *text)
{
	if (text == NULL)
		writer->texts.no_memory = true;
	else
		message_text(&writer->texts, text, strlen(text) + 1);
}

void event_rows_value(struct event_rows_writer *writer, const struct histree_value *value)
{
	struct message *out = &writer->texts;
	uint8_t bits[sizeof(uint64_t)];
	uint64_t real;
	message_byte(out, value == NULL ? 0 : (uint8_t)(value->type + 1));
	if (value == NULL)
		return;
	message_number(out, value->size);
	switch (value->type) {
	case HISTREE_INT:
		message_signed(out, value->int32);
		break;
	case HISTREE_LONG:
		message_signed(out, value->int64);
		break;
	case HISTREE_DOUBLE:
		memcpy(&real, &value->real, sizeof(real));
		put_le64(bits, real);
		message_bytes(out, bits, sizeof(bits));
		break;
	case HISTREE_BOOL:
		message_byte(out, value->boolean);
		break;
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		message_bytes(out, value->bytes, value->size);
		break;
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	}
}

bool event_rows_are_enough(const struct event_rows_writer *writer)
{
	return writer->count >= EVENT_ROWS_MAX || writer->texts.size >= EVENT_ROWS_BYTES || writer->texts.no_memory;
}

static void write_column(const struct message *column, struct message *out)
{
	uint8_t size[sizeof(uint32_t)];
	put_le32(size, (uint32_t)column->size);
	message_bytes(out, size, sizeof(size));
	message_bytes(out, column->bytes, column->size);
	out->no_memory = out->no_memory || column->no_memory;
}

void event_rows_write(const struct event_rows_writer *writer, struct message *out)
{
	message_number(out, writer->count);
	message_number(out, writer->value_count);
	write_column(&writer->times, out);
	write_column(&writer->cpus, out);
	write_column(&writer->types, out);
	write_column(&writer->texts, out);
}

void event_rows_writer_release(struct event_rows_writer *writer)
{
	message_release(&writer->times);
	message_release(&writer->cpus);
	message_release(&writer->types);
	message_release(&writer->texts);
}

/* ---- reading ---------------------------------------------------------------------------------------------- */

static enum histree_status event_rows_damaged(struct histree_error *error, const char *what)
{
	return error_set(error, HISTREE_ERR_FORMAT, "the events of a rank are damaged: %s", what);
}

static struct byte_reader read_column(struct byte_reader *reader)
{
	uint32_t size = read_le32(reader);
	const uint8_t *bytes = read_bytes(reader, size);
	return byte_reader(bytes != NULL ? (const void *)bytes : "", bytes != NULL ? size : 0);
}

static bool read_row_text(struct byte_reader *texts, const char **out)
{
	const struct message_text text = read_text(texts);
	*out = text.bytes;
	return !texts->failed && text.size > 0 && memchr(text.bytes, '\0', text.size) == text.bytes + text.size - 1;
}

static bool read_row_value(struct byte_reader *texts, struct histree_value *out, bool *is_there)
{
	uint8_t type = read_byte(texts);
	const uint8_t *bytes;
	uint64_t bits;
	int64_t number;
	*out = histree_null();
	*is_there = type > 0;
	if (type == 0)
		return !texts->failed;
	uint64_t size = read_varint(texts);
	if (texts->failed || type > HISTREE_TYPE_COUNT || size > UINT32_MAX)
		return false;
	*out = (struct histree_value){ .type = (enum histree_type)(type - 1), .size = (uint32_t)size };
	switch (out->type) {
	case HISTREE_INT:
		number = read_signed(texts);
		out->int32 = (int32_t)number;
		return !texts->failed && number == out->int32;
	case HISTREE_LONG:
		out->int64 = read_signed(texts);
		break;
	case HISTREE_DOUBLE:
		bytes = read_bytes(texts, sizeof(bits));
		bits = bytes != NULL ? get_le64(bytes) : 0;
		memcpy(&out->real, &bits, sizeof(bits));
		break;
	case HISTREE_BOOL:
		bits = read_byte(texts);
		out->boolean = bits == 1;
		return !texts->failed && bits <= 1;
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		out->bytes = read_bytes(texts, (size_t)size);
		return out->bytes != NULL && !texts->failed;
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	}
	return !texts->failed;
}

struct row_columns {
	struct byte_reader times, cpus, types, texts;
	histree_time before;
};

static const char *read_row(struct event_rows *rows, uint32_t index, struct row_columns *columns)
{
	struct event_row *row = &rows->rows[index];
	size_t first = (size_t)index * rows->value_count;
	columns->before = (histree_time)((uint64_t)columns->before + (uint64_t)read_signed(&columns->times));
	uint64_t cpu = read_varint(&columns->cpus), type = read_varint(&columns->types);
	uint8_t has = read_byte(&columns->texts);
	*row = (struct event_row){ columns->before, (int32_t)((int64_t)cpu - 1), (uint32_t)type, { NULL } };
	if (columns->times.failed || columns->cpus.failed || columns->types.failed || columns->texts.failed)
		return "a column ends early";
	if (cpu > INT32_MAX || type > UINT32_MAX || has >= 1 << EVENT_TEXTS)
		return "a number is too large";
	for (int i = 0; i < EVENT_TEXTS; i++)
		if ((has >> i & 1) != 0 && !read_row_text(&columns->texts, &row->texts[i]))
			return "a text";
	for (uint32_t i = 0; i < rows->value_count; i++)
		if (!read_row_value(&columns->texts, &rows->values[first + i], &rows->are_there[first + i]))
			return "a value";
	return NULL;
}

enum histree_status event_rows_read(struct event_rows *rows, struct byte_reader *reader,
				    struct histree_error *error)
{
	uint64_t count = read_varint(reader), value_count = read_varint(reader);
	rows->count = rows->value_count = 0;
	if (reader->failed || count > EVENT_ROWS_MAX || value_count > EVENT_VALUES_MAX)
		return event_rows_damaged(error, "their number");
	struct row_columns columns = { .times = read_column(reader) };
	columns.cpus = read_column(reader);
	columns.types = read_column(reader);
	columns.texts = read_column(reader);
	/* A row has a byte in each column at least, and so has each of its values. */
	if (reader->failed || byte_reader_left(&columns.times) < count ||
	    byte_reader_left(&columns.texts) < count * (value_count + 1))
		return event_rows_damaged(error, "a column ends early");
	if (!array_reserve(&rows->rows, &rows->row_capacity, count + 1) ||
	    !array_reserve(&rows->values, &rows->value_capacity, count * value_count + 1) ||
	    !array_reserve(&rows->are_there, &rows->there_capacity, count * value_count + 1))
		return error_memory(error, "events of a rank");
	rows->value_count = (uint32_t)value_count;
	for (uint32_t i = 0; i < count; i++) {
		const char *what = read_row(rows, i, &columns);
		if (what != NULL)
			return event_rows_damaged(error, what);
	}
	if (byte_reader_left(&columns.times) + byte_reader_left(&columns.cpus) + byte_reader_left(&columns.types) +
		    byte_reader_left(&columns.texts) >
	    0)
		return event_rows_damaged(error, "a column is too long");
	rows->count = (uint32_t)count;
	return HISTREE_OK;
}

void event_rows_release(struct event_rows *rows)
{
	free(rows->rows);
	free(rows->values);
	free(rows->are_there);
	*rows = (struct event_rows){ 0 };
}

/* ---- segment columns ----------------------------------------------------------------------------------------- */

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

static enum histree_status segment_columns_damaged(struct histree_error *error, const char *what)
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
		return segment_columns_damaged(error, "their number");
	for (size_t i = 0; i < column_count(schema->field_count) && count > 0; i++) {
		uint32_t size = read_le32(reader);
		const uint8_t *bytes = read_bytes(reader, size);
		if (reader->failed || bytes == NULL)
			return segment_columns_damaged(error, "a column ends early");
		if (size == 0 && i > 0)
			continue; /* nobody wants it */
		columns->present |= UINT32_C(1) << i;
		enum histree_status status = chunk_read(&columns->columns[i], bytes, size, error);
		if (status != HISTREE_OK)
			return status;
		if (columns->columns[i].row_count != count)
			return segment_columns_damaged(error, "a column has another length");
		if (!is_of_field(&columns->columns[i], i < schema->field_count ? &schema->fields[i] : NULL))
			return segment_columns_damaged(error, "a column has another type");
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
