// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "mpi/answer_chunk.h"

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
