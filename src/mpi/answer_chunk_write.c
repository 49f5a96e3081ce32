// SPDX-License-Identifier: MIT
#include <assert.h>
#include <stdlib.h>

#include "mpi/answer_chunk.h"

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
