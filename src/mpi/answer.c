// SPDX-License-Identifier: MIT
/*
 * answer.c - some rows of an answer as columns: written, and read with every number checked.
 */
#include "mpi/answer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/intern.h"
#include "histree/value.h"
#include "mpi/link.h"

/* Columns that only some chunks have. */
enum { CHUNK_LABELS = 1, CHUNK_OTHERS = 2, CHUNK_OTHER_LABELS = 4 };

/* ---- answer chunk write -------------------------------------------------------------------------------------- */

static bool has_text(const struct histree_value *value)
{
	return value->type == HISTREE_STRING || value->type == HISTREE_CUSTOM;
}

bool chunk_add_attribute(struct chunk_writer *writer, uint32_t host, const char *path, size_t size)
{
	message_number(&writer->attributes, host);
	message_text(&writer->attributes, path, size);
	writer->attribute_count++;
	return !writer->attributes.no_memory;
}

static bool make_room(struct chunk_writer *writer)
{
	if (writer->rows != NULL)
		return true;
	writer->rows = malloc(CHUNK_ROWS_MAX * sizeof(*writer->rows));
	writer->texts_of = malloc(CHUNK_ROWS_MAX * sizeof(*writer->texts_of));
	return writer->rows != NULL && writer->texts_of != NULL;
}

/* Keeps the texts of a value and its label. */
static bool add_texts(struct chunk_writer *writer, const struct histree_value *value, const char *label,
		      uint32_t *text, uint32_t *words)
{
	*text = *words = 0;
	if (has_text(value))
		*text = intern_add(&writer->texts, value->bytes, value->size);
	if (label != NULL)
		*words = intern_add(&writer->texts, label, strlen(label));
	if (*text == INTERN_NONE || *words == INTERN_NONE)
		return false;
	*words += label != NULL;
	return true;
}

bool chunk_add_row(struct chunk_writer *writer, const struct histree_interval *interval, const char *label)
{
	assert(writer->attribute_count > 0 && writer->row_count < CHUNK_ROWS_MAX);
	if (!make_room(writer))
		return false;
	uint32_t row = writer->row_count;
	struct chunk_texts *texts = &writer->texts_of[row];
	*texts = (struct chunk_texts){ 0 };
	if (!add_texts(writer, &interval->value, label, &texts->value, &texts->label))
		return false;
	writer->rows[row] = (struct chunk_row){ .start = interval->start,
						.end = interval->end,
						.attribute = writer->attribute_count - 1,
						.value = interval->value };
	writer->row_count++;
	return true;
}

bool chunk_add_other(struct chunk_writer *writer, const struct histree_value *other, const char *label)
{
	assert(writer->row_count > 0);
	uint32_t row = writer->row_count - 1;
	struct chunk_texts *texts = &writer->texts_of[row];
	writer->rows[row].has_other = true;
	writer->rows[row].other = *other;
	return add_texts(writer, other, label, &texts->other, &texts->other_label);
}

bool chunk_is_full(const struct chunk_writer *writer)
{
	return writer->row_count == CHUNK_ROWS_MAX || writer->attribute_count == CHUNK_ROWS_MAX ||
	       writer->attributes.size + writer->texts.bytes.bytes_total > CHUNK_BYTES_MAX;
}

enum run_column { RUNS_OF_ATTRIBUTES, RUNS_OF_TYPES, RUNS_OF_LABELS, RUNS_OF_OTHER_TYPES, RUNS_OF_OTHER_LABELS };

static uint32_t cell(const struct chunk_writer *writer, enum run_column column, uint32_t index)
{
	const struct chunk_row *row = &writer->rows[index];
	switch (column) {
	case RUNS_OF_TYPES:
		return (uint32_t)row->value.type;
	case RUNS_OF_LABELS:
		return writer->texts_of[index].label;
	case RUNS_OF_OTHER_TYPES:
		return row->has_other ? (uint32_t)row->other.type + 1 : 0;
	case RUNS_OF_OTHER_LABELS:
		return writer->texts_of[index].other_label;
	case RUNS_OF_ATTRIBUTES:
		break;
	}
	return row->attribute;
}

static bool has_some(const struct chunk_writer *writer, enum run_column column)
{
	for (uint32_t row = 0; row < writer->row_count; row++)
		if (cell(writer, column, row) != 0)
			return true;
	return false;
}

static void write_runs(const struct chunk_writer *writer, enum run_column column, struct message *out)
{
	for (uint32_t row = 0, next; row < writer->row_count; row = next) {
		uint32_t what = cell(writer, column, row);
		for (next = row + 1; next < writer->row_count && cell(writer, column, next) == what;)
			next++;
		message_number(out, what);
		message_number(out, next - row);
	}
}

static void write_value(const struct histree_value *value, uint32_t text, struct message *out)
{
	uint8_t real[sizeof(uint64_t)];
	uint64_t bits;
	switch (value->type) {
	case HISTREE_INT:
		message_signed(out, value->int32);
		break;
	case HISTREE_LONG:
		message_signed(out, value->int64);
		break;
	case HISTREE_DOUBLE:
		memcpy(&bits, &value->real, sizeof(bits));
		put_le64(real, bits);
		message_bytes(out, real, sizeof(real));
		break;
	case HISTREE_BOOL:
		message_byte(out, value->boolean);
		break;
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		message_number(out, text);
		break;
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	}
}

/* What only some chunks have. */
static void write_some(const struct chunk_writer *writer, struct message *out)
{
	bool has_labels = has_some(writer, RUNS_OF_LABELS), has_others = has_some(writer, RUNS_OF_OTHER_TYPES);
	bool has_other_labels = has_others && has_some(writer, RUNS_OF_OTHER_LABELS);
	message_byte(out, (uint8_t)((has_labels ? CHUNK_LABELS : 0) | (has_others ? CHUNK_OTHERS : 0) |
				    (has_other_labels ? CHUNK_OTHER_LABELS : 0)));
	if (has_labels)
		write_runs(writer, RUNS_OF_LABELS, out);
	if (has_others)
		write_runs(writer, RUNS_OF_OTHER_TYPES, out);
	for (uint32_t row = 0; has_others && row < writer->row_count; row++)
		if (writer->rows[row].has_other)
			write_value(&writer->rows[row].other, writer->texts_of[row].other, out);
	if (has_other_labels)
		write_runs(writer, RUNS_OF_OTHER_LABELS, out);
}

static void write_columns(const struct chunk_writer *writer, struct message *out)
{
	uint64_t next = 0; /* times wrap: a difference may be more than a time can be */
	write_runs(writer, RUNS_OF_ATTRIBUTES, out);
	for (uint32_t row = 0; row < writer->row_count; row++) {
		message_signed(out, (int64_t)((uint64_t)writer->rows[row].start - next));
		next = (uint64_t)writer->rows[row].end + 1;
	}
	for (uint32_t row = 0; row < writer->row_count; row++)
		message_number(out, (uint64_t)writer->rows[row].end - (uint64_t)writer->rows[row].start);
	write_runs(writer, RUNS_OF_TYPES, out);
	for (uint32_t row = 0; row < writer->row_count; row++)
		write_value(&writer->rows[row].value, writer->texts_of[row].value, out);
	write_some(writer, out);
}

void chunk_write(struct chunk_writer *writer, struct message *out)
{
	message_number(out, writer->attribute_count);
	message_bytes(out, writer->attributes.bytes, writer->attributes.size);
	message_number(out, writer->texts.count);
	for (uint32_t text = 0; text < writer->texts.count; text++) {
		size_t size;
		const char *bytes = intern_get(&writer->texts, text, &size);
		message_text(out, bytes, size);
	}
	message_number(out, writer->row_count);
	write_columns(writer, out);
	message_clear(&writer->attributes);
	intern_release(&writer->texts);
	writer->attribute_count = 0;
	writer->row_count = 0;
}

void chunk_writer_release(struct chunk_writer *writer)
{
	message_release(&writer->attributes);
	intern_release(&writer->texts);
	free(writer->rows);
	free(writer->texts_of);
	*writer = (struct chunk_writer){ 0 };
}

/* ---- answer chunk read --------------------------------------------------------------------------------------- */

static enum histree_status wrong(struct histree_error *error, const char *column)
{
	return error_set(error, HISTREE_ERR_FORMAT, "the answer of a rank is damaged: its %s", column);
}

/* A count of things of at least one byte each. */
static bool read_count(struct byte_reader *reader, uint64_t max, uint32_t *count)
{
	uint64_t number = read_varint(reader);
	*count = (uint32_t)number;
	return !reader->failed && number <= max && number <= byte_reader_left(reader);
}

/* Reads the next run, of at most `left` rows.  Returns false if there is none. */
static bool read_run(struct byte_reader *reader, uint64_t below, uint32_t left, uint32_t *what, uint32_t *length)
{
	uint64_t number = read_varint(reader), count = read_varint(reader);
	*what = (uint32_t)number;
	*length = (uint32_t)count;
	return !reader->failed && number < below && count > 0 && count <= left;
}

static enum histree_status read_attributes(struct chunk *chunk, struct byte_reader *reader,
					   struct histree_error *error)
{
	if (!read_count(reader, CHUNK_ROWS_MAX, &chunk->attribute_count))
		return wrong(error, "number of attributes");
	if (!array_reserve(&chunk->attributes, &chunk->attribute_capacity, (size_t)chunk->attribute_count + 1))
		return error_memory(error, "an answer");
	for (uint32_t i = 0; i < chunk->attribute_count; i++) {
		uint64_t host = read_varint(reader);
		chunk->attributes[i] =
			(struct chunk_attribute){ .host = (uint32_t)host, .path = read_text(reader) };
		if (reader->failed || host > UINT32_MAX)
			return wrong(error, "attributes");
	}
	return HISTREE_OK;
}

static enum histree_status read_texts(struct chunk *chunk, struct byte_reader *reader, uint32_t *count,
				      struct histree_error *error)
{
	if (!read_count(reader, (uint64_t)4 * CHUNK_ROWS_MAX, count))
		return wrong(error, "number of texts");
	if (!array_reserve(&chunk->texts, &chunk->text_capacity, (size_t)*count + 1))
		return error_memory(error, "an answer");
	for (uint32_t i = 0; i < *count; i++)
		chunk->texts[i] = read_text(reader);
	return reader->failed ? wrong(error, "texts") : HISTREE_OK;
}

static enum histree_status read_row_count(struct chunk *chunk, struct byte_reader *reader,
					  struct histree_error *error)
{
	if (!read_count(reader, CHUNK_ROWS_MAX, &chunk->row_count))
		return wrong(error, "number of rows");
	if (!array_reserve(&chunk->rows, &chunk->row_capacity, (size_t)chunk->row_count + 1))
		return error_memory(error, "an answer");
	for (uint32_t row = 0; row < chunk->row_count; row++)
		chunk->rows[row] = (struct chunk_row){ .value = histree_null() };
	return HISTREE_OK;
}

static enum histree_status read_times(struct chunk *chunk, struct byte_reader *reader, struct histree_error *error)
{
	for (uint32_t row = 0, what, length; row < chunk->row_count; row += length) {
		if (!read_run(reader, chunk->attribute_count, chunk->row_count - row, &what, &length))
			return wrong(error, "column of attributes");
		for (uint32_t i = 0; i < length; i++)
			chunk->rows[row + i].attribute = what;
	}
	/* A start is relative to the end before, which comes in the next column. */
	for (uint32_t row = 0; row < chunk->row_count; row++)
		chunk->rows[row].start = read_signed(reader);
	uint64_t next = 0;
	for (uint32_t row = 0; row < chunk->row_count; row++) {
		uint64_t start = (uint64_t)chunk->rows[row].start + next, lasts = read_varint(reader);
		chunk->rows[row].start = (histree_time)start;
		chunk->rows[row].end = (histree_time)(start + lasts);
		if (reader->failed || chunk->rows[row].end < chunk->rows[row].start)
			return wrong(error, "times");
		next = start + lasts + 1;
	}
	return HISTREE_OK;
}

static bool read_value(const struct chunk *chunk, struct byte_reader *reader, uint32_t text_count,
		       struct histree_value *value)
{
	const uint8_t *real;
	uint64_t bits;
	int64_t number;
	switch (value->type) {
	case HISTREE_INT:
		number = read_signed(reader);
		value->int32 = (int32_t)number;
		return !reader->failed && number == value->int32;
	case HISTREE_LONG:
		value->int64 = read_signed(reader);
		break;
	case HISTREE_DOUBLE:
		real = read_bytes(reader, sizeof(uint64_t));
		bits = real != NULL ? get_le64(real) : 0;
		memcpy(&value->real, &bits, sizeof(bits));
		break;
	case HISTREE_BOOL:
		bits = read_byte(reader);
		value->boolean = bits == 1;
		return !reader->failed && bits <= 1;
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		bits = read_varint(reader);
		if (reader->failed || bits >= text_count || chunk->texts[bits].size > UINT32_MAX)
			return false;
		value->bytes = chunk->texts[bits].bytes;
		value->size = (uint32_t)chunk->texts[bits].size;
		break;
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	}
	return !reader->failed;
}

static enum histree_status read_values(struct chunk *chunk, struct byte_reader *reader, uint32_t text_count,
				       struct histree_error *error)
{
	for (uint32_t row = 0, what, length; row < chunk->row_count; row += length) {
		if (!read_run(reader, HISTREE_TYPE_COUNT, chunk->row_count - row, &what, &length))
			return wrong(error, "column of types");
		for (uint32_t i = 0; i < length; i++)
			chunk->rows[row + i].value.type = (enum histree_type)what;
	}
	for (uint32_t row = 0; row < chunk->row_count; row++)
		if (!read_value(chunk, reader, text_count, &chunk->rows[row].value))
			return wrong(error, "values");
	return HISTREE_OK;
}

static enum histree_status read_labels(struct chunk *chunk, bool of_others, struct byte_reader *reader,
				       uint32_t text_count, struct histree_error *error)
{
	for (uint32_t row = 0, what, length; row < chunk->row_count; row += length) {
		if (!read_run(reader, (uint64_t)text_count + 1, chunk->row_count - row, &what, &length))
			return wrong(error, "labels");
		const struct message_text *text = what > 0 ? &chunk->texts[what - 1] : NULL;
		const char *label = text != NULL ? arena_copy(&chunk->labels, text->bytes, text->size) : NULL;
		if (text != NULL && label == NULL)
			return error_memory(error, "an answer");
		for (uint32_t i = 0; i < length; i++)
			*(of_others ? &chunk->rows[row + i].other_label : &chunk->rows[row + i].label) = label;
	}
	return HISTREE_OK;
}

static enum histree_status read_others(struct chunk *chunk, struct byte_reader *reader, uint32_t text_count,
				       struct histree_error *error)
{
	for (uint32_t row = 0, what, length; row < chunk->row_count; row += length) {
		if (!read_run(reader, HISTREE_TYPE_COUNT + 1, chunk->row_count - row, &what, &length))
			return wrong(error, "column of other types");
		for (uint32_t i = 0; i < length && what > 0; i++) {
			chunk->rows[row + i].has_other = true;
			chunk->rows[row + i].other.type = (enum histree_type)(what - 1);
		}
	}
	for (uint32_t row = 0; row < chunk->row_count; row++)
		if (chunk->rows[row].has_other && !read_value(chunk, reader, text_count, &chunk->rows[row].other))
			return wrong(error, "other values");
	return HISTREE_OK;
}

static enum histree_status read_some(struct chunk *chunk, struct byte_reader *reader, uint32_t text_count,
				     struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	uint8_t which = read_byte(reader);
	if (reader->failed || which > (CHUNK_LABELS | CHUNK_OTHERS | CHUNK_OTHER_LABELS))
		return wrong(error, "columns");
	if (which & CHUNK_LABELS)
		status = read_labels(chunk, false, reader, text_count, error);
	if (status == HISTREE_OK && which & CHUNK_OTHERS)
		status = read_others(chunk, reader, text_count, error);
	if (status == HISTREE_OK && which & CHUNK_OTHER_LABELS)
		status = read_labels(chunk, true, reader, text_count, error);
	if (status == HISTREE_OK && byte_reader_left(reader) > 0)
		status = wrong(error, "end");
	return status;
}

enum histree_status chunk_read(struct chunk *chunk, const void *bytes, size_t size, struct histree_error *error)
{
	struct byte_reader reader = byte_reader(bytes, size);
	uint32_t text_count = 0;
	arena_release(&chunk->labels);
	enum histree_status status = read_attributes(chunk, &reader, error);
	if (status == HISTREE_OK)
		status = read_texts(chunk, &reader, &text_count, error);
	if (status == HISTREE_OK)
		status = read_row_count(chunk, &reader, error);
	if (status == HISTREE_OK)
		status = read_times(chunk, &reader, error);
	if (status == HISTREE_OK)
		status = read_values(chunk, &reader, text_count, error);
	if (status == HISTREE_OK)
		status = read_some(chunk, &reader, text_count, error);
	if (status != HISTREE_OK)
		chunk->row_count = chunk->attribute_count = 0;
	return status;
}

void chunk_release(struct chunk *chunk)
{
	free(chunk->attributes);
	free(chunk->rows);
	free(chunk->texts);
	arena_release(&chunk->labels);
	*chunk = (struct chunk){ 0 };
}
