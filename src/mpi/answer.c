// SPDX-License-Identifier: MIT
/*
 * answer.c - the answer to one question: rows as columns, the messages of one rank, and those of all ranks put
 * together.
 */
#include "mpi/answer.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/intern.h"
#include "cli/interval_rows.h"
#include "cli/query_question.h"
#include "cli/verb.h"
#include "histree/labels.h"
#include "histree/value.h"
#include "mpi/link.h"
#include "mpi/shard_set.h"

/* Columns that only some chunks have. */
enum { CHUNK_LABELS = 1, CHUNK_OTHERS = 2, CHUNK_OTHER_LABELS = 4 };

enum answer_section { ANSWER_HEADER = 'H', ANSWER_ROWS = 'R', ANSWER_END = 'E' };

/* What a rank says of one pattern. */
struct answer_pattern {
	int status;
	struct message_text why;
};

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

/* ---- answer stream ------------------------------------------------------------------------------------------- */

enum { SEND_BYTES = 256 * 1024, WHY_SIZE = 2048 };

/* ---- the question ----------------------------------------------------------------------------------------- */

void question_write(struct message *out, const char *analysis, histree_time start, histree_time end, int argc,
		    char **argv)
{
	message_string(out, analysis);
	message_signed(out, start);
	message_signed(out, end);
	message_number(out, (uint64_t)argc);
	for (int i = 0; i < argc; i++)
		message_string(out, argv[i]);
}

struct question_read {
	char *analysis;
	struct time_span span;
	int argc;
	char **argv; /* "query", and the words */
	struct question_words chosen;
	struct cli_words words;
};

static void question_free(struct question_read *question)
{
	for (int i = 0; i < question->argc; i++)
		free(question->argv[i]);
	free((void *)question->argv);
	free(question->analysis);
}

static bool question_take(struct question_read *question, struct byte_reader *reader)
{
	struct message_text analysis = read_text(reader);
	*question = (struct question_read){ .analysis = message_text_copy(analysis), .span.what = "history" };
	question->span.start = read_signed(reader);
	question->span.end = read_signed(reader);
	uint64_t count = read_varint(reader);
	if (reader->failed || count > byte_reader_left(reader) || question->analysis == NULL)
		return false;
	question->argv = calloc((size_t)count + 2, sizeof(*question->argv));
	if (question->argv == NULL || (question->argv[question->argc++] = strdup("query")) == NULL)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		struct message_text word = read_text(reader);
		char *copy = message_text_copy(word);
		if (reader->failed || copy == NULL) {
			free(copy);
			return false;
		}
		question->argv[question->argc++] = copy;
	}
	FILE *nowhere = fopen("/dev/null", "w");
	enum cli_parsed parsed = nowhere == NULL ? CLI_WRONG
						 : cli_parse(&question_verb, question->argc, question->argv,
							     &question->chosen, &question->words, nowhere);
	if (nowhere != NULL)
		fclose(nowhere);
	return parsed == CLI_PARSED && question->words.count >= 1;
}

/* ---- sections --------------------------------------------------------------------------------------------- */

struct answering {
	answer_send *send;
	void *context;
	struct histree_cancel cancel;
	bool failed; /* nobody takes it, or there is no memory */
	struct message out;
	struct chunk_writer chunk;
	const struct shard_analysis *analysis;
	bool wants_labels, has_attribute;
	histree_quark quark; /* of the last row */
	const struct histree_label_table *table;
};

static size_t begin_section(struct message *out, enum answer_section section)
{
	message_byte(out, (uint8_t)section);
	return message_room(out, sizeof(uint32_t));
}

static void end_section(struct message *out, size_t at)
{
	if (!out->no_memory && at != SIZE_MAX)
		put_le32(out->bytes + at, (uint32_t)(out->size - at - sizeof(uint32_t)));
}

static void send_out(struct answering *answering)
{
	if (!answering->failed)
		answering->failed =
			answering->out.no_memory || !answering->send(answering->context, &answering->out);
	message_clear(&answering->out);
}

static void flush_chunk(struct answering *answering)
{
	if (answering->chunk.row_count > 0) {
		size_t at = begin_section(&answering->out, ANSWER_ROWS);
		chunk_write(&answering->chunk, &answering->out);
		end_section(&answering->out, at);
	}
	answering->has_attribute = false;
	if (answering->out.size > SEND_BYTES)
		send_out(answering);
}

static const char *label_of(struct answering *answering, const struct histree_value *value)
{
	return answering->wants_labels ? histree_label_words(answering->table, value) : NULL;
}

static void begin_attribute(struct answering *answering, const struct listed_attribute *attribute)
{
	const struct shard_analysis *analysis = answering->analysis;
	if (answering->has_attribute && answering->quark == attribute->quark)
		return;
	if (chunk_is_full(&answering->chunk))
		flush_chunk(answering);
	answering->failed |= !chunk_add_attribute(&answering->chunk, shard_set_host_of(analysis, attribute->quark),
						  attribute->path, attribute->path_size);
	answering->has_attribute = true;
	answering->quark = attribute->quark;
	answering->table = histree_labels_of(analysis->history, attribute->quark);
}

static void take(void *context, const struct listed_attribute *attribute, const struct histree_interval *interval)
{
	struct answering *answering = context;
	if (answering->failed)
		return;
	begin_attribute(answering, attribute);
	answering->failed |= !chunk_add_row(&answering->chunk, interval, label_of(answering, &interval->value));
	if (chunk_is_full(&answering->chunk))
		flush_chunk(answering);
}

static void take_cell(void *context, const struct listed_attribute *attribute, const struct pixel_cell *cell)
{
	struct answering *answering = context;
	const struct histree_interval interval = { .start = cell->start, .end = cell->end, .value = cell->value };
	bool has_labels = answering->wants_labels;
	if (answering->failed)
		return;
	begin_attribute(answering, attribute);
	answering->failed |= !chunk_add_row(&answering->chunk, &interval, has_labels ? cell->label : NULL);
	if (cell->has_other && !answering->failed)
		answering->failed |=
			!chunk_add_other(&answering->chunk, &cell->other, has_labels ? cell->other_label : NULL);
	if (chunk_is_full(&answering->chunk))
		flush_chunk(answering);
}

/* ---- the answer ------------------------------------------------------------------------------------------- */

/* What each pattern matches by itself, if one of them matches nothing. */
static void write_patterns(const struct question_read *question, struct histree_history *history, int status,
			   struct message *out)
{
	bool is_told = status == CLI_NOTHING || history == NULL;
	size_t count = is_told ? question->words.count - 1 : 0;
	message_number(out, count);
	for (size_t i = 0; i < count; i++) {
		char why[WHY_SIZE] = "";
		struct attribute_list list = { 0 };
		enum cli_exit code = CLI_NOTHING;
		if (history != NULL) {
			report_capture(why, sizeof(why));
			code = attribute_list_match(&list, history, question->words.words + 1 + i, 1,
						    ATTRIBUTES_WITH_STATES);
			report_capture(NULL, 0);
		}
		attribute_list_release(&list);
		message_number(out, code);
		message_string(out, why);
	}
}

static void write_header(struct answering *answering, const struct question_read *question,
			 struct histree_history *history, const struct attribute_list *list, int status,
			 const char *why)
{
	struct message *out = &answering->out;
	size_t at = begin_section(out, ANSWER_HEADER);
	message_number(out, (uint64_t)status);
	message_string(out, why);
	message_number(out, list != NULL ? list->count : 0);
	message_number(out, list != NULL ? attribute_list_width(list, INTERVAL_PATH_WIDTH_MAX) : 0);
	if (question != NULL)
		write_patterns(question, history, status, out);
	else
		message_number(out, 0);
	end_section(out, at);
}

static void write_end(struct answering *answering, const struct query_outcome *outcome, const char *why)
{
	struct message *out = &answering->out;
	flush_chunk(answering);
	size_t at = begin_section(out, ANSWER_END);
	message_number(out, (uint64_t)outcome->status);
	message_string(out, why);
	message_number(out, outcome->is_damaged);
	message_number(out, outcome->attributes);
	message_number(out, outcome->rows);
	message_signed(out, outcome->stats.ns);
	message_number(out, outcome->stats.query.nodes_visited);
	message_number(out, outcome->stats.query.nodes_loaded);
	message_number(out, outcome->stats.query.intervals);
	message_number(out, outcome->stats.query.nodes_damaged);
	end_section(out, at);
	send_out(answering);
}

static bool wants_labels(const struct query_options *chosen)
{
	const struct row_format *format = row_format_find(chosen->format);
	return format->for_people || format == &row_format_json;
}

static void answer_of_history(struct answering *answering, const struct question_read *read,
			      struct histree_history *history)
{
	struct query_question question;
	struct query_outcome outcome = { 0 };
	char why[WHY_SIZE], later[WHY_SIZE];
	report_capture(why, sizeof(why));
	int status = query_question_make(&question, &read->chosen.query, history, &read->span,
					 read->words.words + 1, read->words.count - 1);
	report_capture(NULL, 0);
	write_header(answering, read, history, &question.list, status, why);
	answering->wants_labels = wants_labels(&read->chosen.query);
	report_capture(later, sizeof(later));
	if (status == CLI_OK || status == CLI_NOTHING)
		query_question_ask(&question, CLI_OK,
				   &(struct query_taker){ take, take_cell, answering, answering->cancel },
				   &outcome);
	report_capture(NULL, 0);
	write_end(answering, &outcome, later);
	query_question_release(&question);
}

static const struct query_outcome nothing;

void question_answer(struct shard_set *set, struct byte_reader *reader, answer_send *send, void *context,
		     struct histree_cancel cancel)
{
	struct answering answering = { .send = send, .context = context, .cancel = cancel };
	struct question_read question;
	struct histree_history *history = NULL;
	struct histree_error error = { 0 };
	if (!question_take(&question, reader)) {
		write_header(&answering, NULL, NULL, NULL, CLI_INTERNAL, "a rank cannot read the question");
		write_end(&answering, &nothing, "");
	} else if (shard_set_history(set, question.analysis, question.span.start, question.span.end,
				     &answering.analysis, &history, &error) != HISTREE_OK) {
		write_header(&answering, NULL, NULL, NULL, exit_of_status(error.status), error.message);
		write_end(&answering, &nothing, "");
	} else if (history == NULL) { /* there are more ranks than hosts */
		write_header(&answering, &question, NULL, NULL, CLI_OK, "");
		write_end(&answering, &nothing, "");
	} else {
		answer_of_history(&answering, &question, history);
	}
	question_free(&question);
	chunk_writer_release(&answering.chunk);
	message_release(&answering.out);
}

/* ---- who reads it ----------------------------------------------------------------------------------------- */

static bool answer_header_read(struct answer_header *header, const void *bytes, size_t size)
{
	struct byte_reader reader = byte_reader(bytes, size);
	uint64_t status = read_varint(&reader);
	header->why = read_text(&reader);
	header->attributes = read_varint(&reader);
	uint64_t width = read_varint(&reader);
	header->pattern_count = read_varint(&reader);
	header->patterns = reader;
	header->status = (int)status;
	header->width = (uint32_t)width;
	return !reader.failed && status <= CLI_INTERNAL && width <= INTERVAL_PATH_WIDTH_MAX &&
	       header->pattern_count <= byte_reader_left(&reader);
}

static bool answer_pattern_read(struct answer_header *header, struct answer_pattern *pattern)
{
	uint64_t status = read_varint(&header->patterns);
	pattern->status = (int)status;
	pattern->why = read_text(&header->patterns);
	return !header->patterns.failed && status <= CLI_INTERNAL;
}

/* What it says last: the outcome, and why it is not CLI_OK. */
static bool answer_end_read(struct query_outcome *outcome, struct message_text *why, const void *bytes, size_t size)
{
	struct byte_reader reader = byte_reader(bytes, size);
	uint64_t status = read_varint(&reader);
	*why = read_text(&reader);
	outcome->status = (int)status;
	outcome->is_damaged = read_varint(&reader) != 0;
	outcome->attributes = read_varint(&reader);
	outcome->rows = read_varint(&reader);
	outcome->stats.ns = read_signed(&reader);
	outcome->stats.query.nodes_visited = read_varint(&reader);
	outcome->stats.query.nodes_loaded = read_varint(&reader);
	outcome->stats.query.intervals = read_varint(&reader);
	outcome->stats.query.nodes_damaged = read_varint(&reader);
	return !reader.failed && status <= CLI_INTERNAL;
}

/* ---- answer merge -------------------------------------------------------------------------------------------- */

struct merging {
	struct answer_source *sources;
	size_t count;
	const struct question_words *chosen;
	const struct cli_words *words;
	struct interval_rows rows;
	const char *label; /* of the row that is printed */
	uint32_t pixel;    /* of the next cell: all of an attribute come one after the other, from one rank */
	bool is_lost;
};

/* ---- one source ----------------------------------------------------------------------------------------- */

static enum histree_status lost(const struct answer_source *source, struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_IO, "rank %d does not answer", source->rank);
}

/* Finds the next section; its letter is 0 if the answer is at its end. */
static enum histree_status next_section(struct answer_source *source, uint8_t *letter, struct byte_reader *section,
					struct histree_error *error)
{
	*letter = 0;
	if (source->is_done)
		return HISTREE_OK;
	if (byte_reader_left(&source->sections) == 0) {
		if (!source->receive(source->context, &source->message))
			return lost(source, error);
		source->sections = byte_reader(source->message.bytes, source->message.size);
	}
	*letter = read_byte(&source->sections);
	uint32_t size = read_le32(&source->sections);
	const uint8_t *bytes = read_bytes(&source->sections, size);
	if (bytes == NULL)
		return error_set(error, HISTREE_ERR_FORMAT,
				 "the answer of rank %d is damaged: a section ends early", source->rank);
	*section = byte_reader(bytes, size);
	return HISTREE_OK;
}

static enum histree_status read_header(struct answer_source *source, struct histree_error *error)
{
	uint8_t letter = 0;
	struct byte_reader section = { 0 };
	source->sections = byte_reader("", 0);
	enum histree_status status = next_section(source, &letter, &section, error);
	if (status != HISTREE_OK)
		return status;
	message_clear(&source->header_bytes);
	message_bytes(&source->header_bytes, section.at, byte_reader_left(&section));
	if (source->header_bytes.no_memory)
		return error_memory(error, "an answer");
	if (letter != ANSWER_HEADER ||
	    !answer_header_read(&source->header, source->header_bytes.bytes, source->header_bytes.size))
		return error_set(error, HISTREE_ERR_FORMAT, "the answer of rank %d has no header", source->rank);
	return HISTREE_OK;
}

/* Goes to the next row, or to the end of the answer. */
static enum histree_status fill(struct answer_source *source, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && !source->is_done && source->row >= source->chunk.row_count) {
		uint8_t letter = 0;
		struct byte_reader section = { 0 };
		status = next_section(source, &letter, &section, error);
		if (status != HISTREE_OK)
			break;
		if (letter == ANSWER_ROWS) {
			source->row = 0;
			status = chunk_read(&source->chunk, section.at, byte_reader_left(&section), error);
		} else if (letter == ANSWER_END && answer_end_read(&source->outcome, &source->why, section.at,
								   byte_reader_left(&section))) {
			source->is_done = true;
		} else {
			status = error_set(error, HISTREE_ERR_FORMAT,
					   "the answer of rank %d is damaged: it has an unknown section",
					   source->rank);
		}
	}
	return status;
}

void answer_source_release(struct answer_source *source)
{
	chunk_release(&source->chunk);
	message_release(&source->message);
	message_release(&source->header_bytes);
}

/* ---- headers -------------------------------------------------------------------------------------------- */

static int report_text(int status, const struct message_text *why)
{
	const char *line = why->bytes, *end = why->bytes + why->size;
	while (line < end) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		size_t size = (size_t)((next != NULL ? next : end) - line);
		report("%.*s", (int)size, line);
		line += size + 1;
	}
	return status;
}

/*
 * A pattern matches if it does on one rank; else a folder on one of them is worth more than nothing on another.  A
 * rank that knows the host says less than one that advises to name a host.
 */
static int check_pattern(const struct answer_pattern *patterns, size_t count)
{
	const struct answer_pattern *told = NULL;
	bool told_folder = false;
	for (size_t i = 0; i < count; i++) {
		if (patterns[i].status == CLI_OK)
			return CLI_OK;
		bool is_folder = patterns[i].why.size > 0 &&
				 memmem(patterns[i].why.bytes, patterns[i].why.size, "is a folder", 11) != NULL;
		bool is_less = told != NULL && patterns[i].why.size < told->why.size;
		if (patterns[i].why.size > 0 && (told == NULL || is_folder || (is_less && !told_folder))) {
			told = &patterns[i];
			told_folder = is_folder;
		}
	}
	return told != NULL ? report_text(CLI_NOTHING, &told->why) : CLI_NOTHING;
}

/* A rank on which all patterns match says nothing of them. */
static int check_patterns(struct merging *merging)
{
	size_t pattern_count = merging->words->count - 1;
	int status = CLI_OK;
	struct answer_pattern *patterns = calloc(merging->count + 1, sizeof(*patterns));
	if (patterns == NULL)
		return report_no_memory();
	for (size_t k = 0; k < pattern_count; k++) {
		for (size_t i = 0; i < merging->count; i++) {
			struct answer_header *header = &merging->sources[i].header;
			patterns[i] = (struct answer_pattern){ .status = CLI_OK };
			if (header->pattern_count == pattern_count && !answer_pattern_read(header, &patterns[i]))
				patterns[i].status = CLI_NOTHING;
		}
		if (check_pattern(patterns, merging->count) != CLI_OK)
			status = CLI_NOTHING;
	}
	free(patterns);
	return status;
}

/* Whether a stack is one can only be said of the only attribute; of several, the others are left out. */
static bool is_of_one(const struct merging *merging)
{
	uint64_t attributes = 0;
	for (size_t i = 0; i < merging->count; i++)
		attributes += merging->sources[i].header.attributes;
	return attributes <= 1;
}

/* The status of a question that cannot be asked, for which the first rank has the reason. */
static int check_headers(struct merging *merging)
{
	for (size_t i = 0; i < merging->count; i++) {
		const struct answer_header *header = &merging->sources[i].header;
		if (header->status > CLI_NOTHING)
			return report_text(header->status, &header->why);
	}
	return check_patterns(merging);
}

static unsigned width_of(const struct merging *merging)
{
	unsigned width = 0;
	for (size_t i = 0; i < merging->count; i++)
		if (merging->sources[i].header.width > width)
			width = merging->sources[i].header.width;
	return width;
}

/* ---- rows ------------------------------------------------------------------------------------------------- */

static const struct chunk_row *row_of(const struct answer_source *source)
{
	return source->is_done ? NULL : &source->chunk.rows[source->row];
}

static int compare_paths(const struct message_text *a, const struct message_text *b)
{
	int order = memcmp(a->bytes, b->bytes, a->size < b->size ? a->size : b->size);
	return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

/* Whether the row of one source comes before that of another one. */
static bool is_before(const struct merging *merging, const struct answer_source *one,
		      const struct answer_source *other)
{
	const struct chunk_row *a = row_of(one), *b = row_of(other);
	const struct chunk_attribute *a_of = &one->chunk.attributes[a->attribute];
	const struct chunk_attribute *b_of = &other->chunk.attributes[b->attribute];
	if (!merging->chosen->query.changes)
		return compare_paths(&a_of->path, &b_of->path) < 0;
	if (a->start != b->start)
		return (a->start < b->start) != merging->chosen->query.reverse;
	return a_of->host < b_of->host;
}

static struct answer_source *first_source(const struct merging *merging)
{
	struct answer_source *first = NULL;
	for (size_t i = 0; i < merging->count; i++) {
		struct answer_source *source = &merging->sources[i];
		if (!source->is_done && (first == NULL || is_before(merging, source, first)))
			first = source;
	}
	return first;
}

static const char *words_of_row(void *context, const struct histree_value *value)
{
	(void)value;
	return ((const struct merging *)context)->label;
}

static void print_cell(struct merging *merging, const struct listed_attribute *attribute,
		       const struct chunk_row *row)
{
	const struct pixel_cell cell = { .pixel = merging->pixel++,
					 .start = row->start,
					 .end = row->end,
					 .value = row->value,
					 .label = row->label,
					 .has_other = row->has_other,
					 .other = row->other,
					 .other_label = row->other_label };
	if (merging->pixel == merging->chosen->query.pixels)
		merging->pixel = 0;
	interval_rows_take_cell(&merging->rows, attribute, &cell);
}

static void print_row(struct merging *merging, const struct answer_source *source)
{
	const struct chunk_row *row = row_of(source);
	const struct message_text *path = &source->chunk.attributes[row->attribute].path;
	const struct listed_attribute attribute = { .path = path->bytes, .path_size = (uint32_t)path->size };
	const struct histree_interval interval = { .start = row->start, .end = row->end, .value = row->value };
	merging->label = row->label;
	if (merging->chosen->query.pixels == 0)
		interval_rows_take(&merging->rows, &attribute, &interval);
	else
		print_cell(merging, &attribute, row);
}

/* Prints `left` rows; all answers are taken to their ends all the same, so that the ranks are free again. */
static enum histree_status print_rows(struct merging *merging, uint64_t left, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < merging->count && status == HISTREE_OK; i++)
		status = fill(&merging->sources[i], error);
	while (status == HISTREE_OK) {
		struct answer_source *source = first_source(merging);
		if (source == NULL)
			break;
		if (left > 0) {
			print_row(merging, source);
			left--;
		}
		source->row++;
		status = fill(source, error);
	}
	return status;
}

static int add_outcomes(const struct merging *merging, struct query_outcome *all)
{
	int status = CLI_OK;
	for (size_t i = 0; i < merging->count; i++) {
		const struct answer_source *source = &merging->sources[i];
		const struct query_outcome *one = &source->outcome;
		bool is_left_out = merging->chosen->query.stack_top && one->status == CLI_USAGE;
		if (one->status > CLI_NOTHING && (!is_left_out || is_of_one(merging)) && status == CLI_OK)
			status = report_text(one->status, &source->why);
		else if (one->is_damaged && one->status <= CLI_NOTHING)
			report_text(CLI_OK, &source->why); /* which hosts are missing */
		all->is_damaged |= one->is_damaged;
		all->attributes += one->attributes;
		all->rows += one->rows;
		all->stats.ns = one->stats.ns > all->stats.ns ? one->stats.ns : all->stats.ns;
		all->stats.query.nodes_visited += one->stats.query.nodes_visited;
		all->stats.query.nodes_loaded += one->stats.query.nodes_loaded;
		all->stats.query.intervals += one->stats.query.intervals;
		all->stats.query.nodes_damaged += one->stats.query.nodes_damaged;
	}
	return status;
}

static int print(struct merging *merging, int status, int file)
{
	const struct query_options *chosen = &merging->chosen->query;
	bool is_silent = status > CLI_NOTHING;
	struct output *output = output_create(file);
	struct histree_error error = { 0 };
	struct query_outcome outcome = { 0 };
	if (output == NULL)
		return report_no_memory();
	if (!is_silent) {
		interval_rows_begin_wide(&merging->rows, row_format_find(chosen->format), output, NULL,
					 width_of(merging), chosen->pixels != 0 ? INTERVAL_CELLS : INTERVAL_LABELS);
		merging->rows.words = words_of_row;
		merging->rows.words_context = merging;
	}
	uint64_t left = is_silent ? 0 : chosen->top != 0 ? chosen->top : UINT64_MAX;
	if (print_rows(merging, left, &error) != HISTREE_OK) {
		merging->is_lost = true;
		status = report_error(&error);
	} else if (!is_silent) {
		int failed = add_outcomes(merging, &outcome);
		outcome.status = failed != CLI_OK ? failed : status;
		status = query_outcome_report(&outcome, chosen);
	}
	if (!is_silent)
		interval_rows_finish(&merging->rows);
	return cli_end(output, status);
}

int answer_merge(struct answer_source *sources, size_t count, const struct question_words *chosen,
		 const struct cli_words *words, int file, bool *is_lost)
{
	struct merging merging = { .sources = sources, .count = count, .chosen = chosen, .words = words };
	struct histree_error error = { 0 };
	int status = CLI_OK;
	for (size_t i = 0; i < count && status == CLI_OK; i++) {
		if (read_header(&sources[i], &error) != HISTREE_OK) {
			*is_lost = true;
			return report_error(&error);
		}
	}
	status = print(&merging, check_headers(&merging), file);
	*is_lost = merging.is_lost;
	return status;
}
