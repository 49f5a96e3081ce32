// SPDX-License-Identifier: MIT
/*
 * stream.c - questions of rank 0 to other ranks, step by step, and rows as columns in messages.
 *
 * Numbers of a column are differences, and a start is stored as the difference to the end before it: states that
 * follow each other have zeros.  Differences wrap around, because the difference of two times may not fit into a
 * time.
 *
 * Steps are gathered, and answers find their stream by the number of the ask.
 */
#include "mpi/stream.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/table.h"
#include "histree/events.h"
#include "histree/segments.h"
#include "histree/value.h"
#include "mpi/link.h"

/* ---- columns ------------------------------------------------------------------------------------------------- */

/* Types plus one, and an int64 that is to be read as uint64_t. */
enum { KIND_NOTHING, KIND_UNSIGNED = HISTREE_TYPE_COUNT + 1, KIND_COUNT };

/* Which of its numbers are a start and its duration; `times` is their count if there are none. */
static const struct {
	size_t numbers, times;
} layouts[] = {
	[STATE_ROWS] = { 3, STATE_START },
	[SEGMENT_ROWS] = { 2, SEGMENT_START },
	[EVENT_ROWS] = { 3, 3 },
};

/* ---- writing ------------------------------------------------------------------------------------------------- */

void columns_begin(struct column_writer *writer, enum column_layout layout, size_t value_count)
{
	assert(layout < COLUMN_LAYOUTS && value_count <= COLUMNS_VALUES_MAX);
	for (size_t i = 0; i < layouts[layout].numbers; i++) {
		byte_buffer_clear(&writer->numbers[i]);
		writer->next[i] = 0;
	}
	for (size_t i = 0; i < value_count; i++) {
		struct value_column *column = &writer->values[i];
		byte_buffer_clear(&column->texts);
		byte_buffer_clear(&column->kinds);
		byte_buffer_clear(&column->values);
		intern_release(&column->known);
		column->text_count = column->run = 0;
	}
	writer->layout = layout;
	writer->value_count = value_count;
	writer->rows = 0;
	writer->bytes = 0;
	writer->no_memory = false;
}

void columns_add_number(struct column_writer *writer, size_t column, int64_t number)
{
	byte_buffer_put_signed(&writer->numbers[column], (int64_t)((uint64_t)number - writer->next[column]));
	writer->next[column] = (uint64_t)number;
}

void columns_add_times(struct column_writer *writer, size_t column, histree_time start, histree_time end)
{
	assert(start <= end);
	columns_add_number(writer, column, start);
	byte_buffer_put_number(&writer->numbers[column + 1], (uint64_t)end - (uint64_t)start);
	writer->next[column] = (uint64_t)end + 1;
}

static void end_run(struct value_column *column)
{
	if (column->run == 0)
		return;
	byte_buffer_put_number(&column->kinds, column->kind);
	byte_buffer_put_number(&column->kinds, column->run);
	column->run = 0;
}

static void add_real(struct byte_buffer *out, double real)
{
	uint8_t bytes[sizeof(uint64_t)];
	uint64_t bits;
	memcpy(&bits, &real, sizeof(bits));
	put_le64(bytes, bits);
	byte_buffer_put(out, bytes, sizeof(bytes));
}

static uint32_t kind_of(const struct histree_value *value)
{
	if (value == NULL)
		return KIND_NOTHING;
	return value->type == HISTREE_LONG && value->size == HISTREE_UNSIGNED ? KIND_UNSIGNED
									      : (uint32_t)value->type + 1;
}

static void add_kind(struct value_column *column, uint32_t kind)
{
	if (kind != column->kind)
		end_run(column);
	column->kind = kind;
	column->run++;
}

static void add_text(struct column_writer *writer, struct value_column *column, const void *bytes, size_t size)
{
	byte_buffer_put_text(&column->texts, bytes, size);
	byte_buffer_put_byte(&column->texts, 0);
	column->text_count++;
	writer->bytes += size;
}

void columns_add_text(struct column_writer *writer, size_t index, const char *text)
{
	struct value_column *column = &writer->values[index];
	assert(column->known.count == 0);
	add_kind(column, HISTREE_STRING + 1);
	byte_buffer_put_number(&column->values, column->text_count);
	add_text(writer, column, text, strlen(text));
}

void columns_add_value(struct column_writer *writer, size_t index, const struct histree_value *value)
{
	struct value_column *column = &writer->values[index];
	uint32_t text;
	add_kind(column, kind_of(value));
	if (value == NULL)
		return;
	writer->bytes += sizeof(uint64_t);
	switch (value->type) {
	case HISTREE_INT:
		byte_buffer_put_signed(&column->values, value->int32);
		break;
	case HISTREE_LONG:
		byte_buffer_put_signed(&column->values, value->int64);
		break;
	case HISTREE_DOUBLE:
		add_real(&column->values, value->real);
		break;
	case HISTREE_BOOL:
		byte_buffer_put_byte(&column->values, value->boolean);
		break;
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		assert(column->known.count == column->text_count);
		text = intern_add(&column->known, value->bytes, value->size);
		writer->no_memory |= text == INTERN_NONE;
		if (text == column->text_count)
			add_text(writer, column, value->bytes, value->size);
		byte_buffer_put_number(&column->values, text);
		break;
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	}
}

void columns_end_row(struct column_writer *writer)
{
	writer->rows++;
	assert(writer->rows <= COLUMNS_ROWS_MAX);
	assert(writer->value_count == 0 || writer->values[writer->value_count - 1].run > 0);
}

bool columns_are_full(const struct column_writer *writer)
{
	return writer->rows == COLUMNS_ROWS_MAX || writer->bytes > COLUMNS_BYTES_MAX || writer->no_memory;
}

static void write_column(const struct byte_buffer *column, struct byte_buffer *out)
{
	byte_buffer_put(out, column->bytes, column->size);
	out->failed = out->failed || column->failed;
}

void columns_write(struct column_writer *writer, struct byte_buffer *out)
{
	byte_buffer_put_number(out, writer->layout);
	byte_buffer_put_number(out, writer->rows);
	byte_buffer_put_number(out, writer->value_count);
	for (size_t i = 0; i < layouts[writer->layout].numbers; i++)
		write_column(&writer->numbers[i], out);
	for (size_t i = 0; i < writer->value_count; i++) {
		struct value_column *column = &writer->values[i];
		byte_buffer_put_number(out, column->text_count);
		write_column(&column->texts, out);
		end_run(column);
		write_column(&column->kinds, out);
		write_column(&column->values, out);
	}
	out->failed = out->failed || writer->no_memory;
}

void column_writer_release(struct column_writer *writer)
{
	for (size_t i = 0; i < COLUMNS_NUMBERS_MAX; i++)
		byte_buffer_release(&writer->numbers[i]);
	for (size_t i = 0; i < COLUMNS_VALUES_MAX; i++) {
		byte_buffer_release(&writer->values[i].texts);
		byte_buffer_release(&writer->values[i].kinds);
		byte_buffer_release(&writer->values[i].values);
		intern_release(&writer->values[i].known);
	}
	*writer = (struct column_writer){ 0 };
}

/* ---- reading ------------------------------------------------------------------------------------------------- */

static bool read_numbers(struct columns *columns, size_t column, struct byte_reader *reader)
{
	uint64_t number = 0;
	for (uint32_t row = 0; row < columns->rows; row++) {
		number += (uint64_t)byte_reader_signed(reader);
		columns->numbers[row * columns->number_count + column] = (int64_t)number;
	}
	return !reader->failed;
}

/* A start is the difference to the end before it, whose duration comes in the next column. */
static bool read_times(struct columns *columns, size_t column, struct byte_reader *reader)
{
	uint64_t next = 0;
	for (uint32_t row = 0; row < columns->rows; row++)
		columns->numbers[row * columns->number_count + column] = byte_reader_signed(reader);
	for (uint32_t row = 0; row < columns->rows; row++) {
		int64_t *times = &columns->numbers[row * columns->number_count + column];
		uint64_t start = (uint64_t)times[0] + next, duration = read_varint(reader);
		times[0] = (histree_time)start;
		times[1] = (histree_time)(start + duration);
		if (reader->failed || times[1] < times[0])
			return false;
		next = start + duration + 1;
	}
	return true;
}

static bool read_texts(struct columns *columns, struct byte_reader *reader, uint64_t *count)
{
	*count = read_varint(reader);
	if (reader->failed || *count > columns->rows ||
	    !array_reserve(&columns->texts, &columns->text_capacity, (size_t)*count + 1))
		return false;
	for (uint64_t i = 0; i < *count; i++) {
		uint64_t size = read_varint(reader);
		if (reader->failed || size >= byte_reader_left(reader) || size > UINT32_MAX)
			return false;
		const uint8_t *bytes = read_bytes(reader, (size_t)size + 1);
		if (bytes == NULL || bytes[size] != '\0')
			return false;
		columns->texts[i] = (struct message_text){ (const char *)bytes, (size_t)size };
	}
	return true;
}

static bool read_kinds(struct columns *columns, size_t column, struct byte_reader *reader)
{
	for (uint64_t row = 0, run; row < columns->rows; row += run) {
		uint64_t kind = read_varint(reader);
		run = read_varint(reader);
		if (reader->failed || kind >= KIND_COUNT || run == 0 || run > columns->rows - row)
			return false;
		struct histree_value value = { .type = HISTREE_UNKNOWN, .size = 1 };
		if (kind == KIND_UNSIGNED)
			value = (struct histree_value){ .type = HISTREE_LONG, .size = HISTREE_UNSIGNED };
		else if (kind != KIND_NOTHING)
			value = (struct histree_value){ .type = (enum histree_type)(kind - 1) };
		for (uint64_t i = row; i < row + run; i++)
			columns->values[i * columns->value_count + column] = value;
	}
	return true;
}

static bool read_value(struct histree_value *value, const struct message_text *texts, uint64_t text_count,
		       struct byte_reader *reader)
{
	int64_t number;
	uint64_t bits;
	switch (value->type) {
	case HISTREE_INT:
		number = byte_reader_signed(reader);
		value->int32 = (int32_t)number;
		return number == value->int32;
	case HISTREE_LONG:
		value->int64 = byte_reader_signed(reader);
		break;
	case HISTREE_DOUBLE:
		bits = read_le64(reader);
		memcpy(&value->real, &bits, sizeof(bits));
		break;
	case HISTREE_BOOL:
		bits = byte_reader_byte(reader);
		value->boolean = bits == 1;
		return bits <= 1;
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		bits = read_varint(reader);
		if (bits >= text_count)
			return false;
		value->bytes = texts[bits].bytes;
		value->size = (uint32_t)texts[bits].size;
		break;
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	}
	return true;
}

static bool read_values(struct columns *columns, size_t column, struct byte_reader *reader)
{
	uint64_t text_count;
	if (!read_texts(columns, reader, &text_count) || !read_kinds(columns, column, reader))
		return false;
	for (uint32_t row = 0; row < columns->rows; row++)
		if (!read_value(&columns->values[row * columns->value_count + column], columns->texts, text_count,
				reader))
			return false;
	return !reader->failed;
}

static enum histree_status damaged(struct columns *columns, const char *what, struct histree_error *error)
{
	columns->rows = 0;
	return error_set(error, HISTREE_ERR_FORMAT, "the answer of a rank is damaged: %s", what);
}

enum histree_status columns_read(struct columns *columns, enum column_layout layout, struct byte_reader *reader,
				 struct histree_error *error)
{
	const size_t numbers = layouts[layout].numbers, times = layouts[layout].times;
	uint64_t found = read_varint(reader), rows = read_varint(reader), values = read_varint(reader);
	if (reader->failed || found != layout)
		return damaged(columns, "its layout", error);
	if (rows > COLUMNS_ROWS_MAX || values > COLUMNS_VALUES_MAX || rows * numbers > byte_reader_left(reader))
		return damaged(columns, "the number of its rows or columns", error);
	if (!array_reserve(&columns->numbers, &columns->number_capacity, (size_t)rows * numbers + 1) ||
	    !array_reserve(&columns->values, &columns->value_capacity, (size_t)(rows * values) + 1)) {
		columns->rows = 0;
		return error_memory(error, "an answer");
	}
	columns->rows = (uint32_t)rows;
	columns->number_count = numbers;
	columns->value_count = (size_t)values;
	for (size_t i = 0; i < times; i++)
		if (!read_numbers(columns, i, reader))
			return damaged(columns, "its numbers", error);
	if (times < numbers && !read_times(columns, times, reader))
		return damaged(columns, "its times", error);
	for (size_t i = 0; i < columns->value_count; i++)
		if (!read_values(columns, i, reader))
			return damaged(columns, "its values", error);
	if (byte_reader_left(reader) > 0)
		return damaged(columns, "its end", error);
	return HISTREE_OK;
}

void columns_release(struct columns *columns)
{
	free(columns->numbers);
	free(columns->values);
	free(columns->texts);
	*columns = (struct columns){ 0 };
}

/* ---- stream -------------------------------------------------------------------------------------------------- */

/* From this answer on, the next one is asked for while one is handed out: who takes two takes more. */
enum { ANSWERS_BEFORE_AHEAD = 2 };

struct stream_rank {
	struct byte_buffer pending; /* steps that were not sent yet */
	size_t step;                /* where the size of the last one belongs */
	uint32_t outstanding;       /* messages that are to come */
};

static enum histree_status lost(struct streams *streams, int rank, struct histree_error *error)
{
	streams->is_lost = true;
	return error_set(error, HISTREE_ERR_IO, "rank %d does not answer", rank);
}

enum histree_status streams_damaged(struct streams *streams, int rank, struct histree_error *error)
{
	streams->is_lost = true;
	return error_set(error, HISTREE_ERR_FORMAT, "the answer of rank %d is damaged", rank);
}

static enum histree_status unwanted(struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_CANCELLED, "the answer is no longer wanted");
}

/* ---- messages ------------------------------------------------------------------------------------------------ */

static enum histree_status send_to(struct streams *streams, int rank, struct histree_error *error)
{
	struct stream_rank *to = &streams->ranks[rank];
	if (streams->asker->is_stopped)
		return unwanted(error);
	if (to->pending.size == 0)
		return HISTREE_OK;
	section_end(&to->pending, to->step);
	if (to->pending.failed)
		return error_memory(error, "a question");
	if (!link_send(streams->asker->link, rank, &to->pending))
		return lost(streams, rank, error);
	byte_buffer_clear(&to->pending);
	to->outstanding++;
	return HISTREE_OK;
}

enum histree_status streams_send(struct streams *streams, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (int rank = 1; rank < streams->asker->link->count && status == HISTREE_OK; rank++)
		status = send_to(streams, rank, error);
	return status;
}

static struct byte_buffer *begin_step(struct streams *streams, int rank, enum stream_step step)
{
	struct stream_rank *to = &streams->ranks[rank];
	if (to->pending.size == 0)
		byte_buffer_put_byte(&to->pending, JOB_REQUEST);
	else
		section_end(&to->pending, to->step);
	to->step = section_begin(&to->pending, (uint8_t)step);
	return &to->pending;
}

/* Keeps an answer for its stream; one that wants something else by now, or was closed, needs it no more. */
static bool hand_over(struct streams *streams, struct byte_reader answer)
{
	uint64_t ask = read_varint(&answer);
	struct stream *stream = streams->first;
	while (stream != NULL && (stream->asked != ask || ask == 0))
		stream = stream->next;
	if (stream == NULL || answer.failed)
		return !answer.failed;
	assert(!stream->has_arrived);
	byte_buffer_clear(&stream->arrived);
	byte_buffer_put(&stream->arrived, answer.at, byte_reader_left(&answer));
	stream->has_arrived = true;
	stream->asked = 0;
	return !stream->arrived.failed;
}

/* Takes the next message of a rank. */
static enum histree_status receive_from(struct streams *streams, int rank, struct histree_error *error)
{
	struct byte_buffer *message = &streams->received;
	struct byte_reader section;
	uint8_t letter;
	if (streams->is_lost || streams->ranks[rank].outstanding == 0 ||
	    !asker_receive(streams->asker, rank, message))
		return lost(streams, rank, error);
	streams->ranks[rank].outstanding--;
	struct byte_reader reader = byte_reader(message->bytes, message->size);
	while (section_next(&reader, &letter, &section))
		if (letter != STEP_ANSWER || !hand_over(streams, section))
			return streams_damaged(streams, rank, error);
	return reader.failed ? streams_damaged(streams, rank, error) : HISTREE_OK;
}

/* ---- all of them --------------------------------------------------------------------------------------------- */

bool streams_begin(struct streams *streams, struct asker *asker)
{
	*streams = (struct streams){ .asker = asker };
	streams->ranks = calloc((size_t)asker->link->count, sizeof(*streams->ranks));
	return streams->ranks != NULL;
}

void streams_drain(struct streams *streams)
{
	struct histree_error error;
	for (int rank = 1; streams->ranks != NULL && rank < streams->asker->link->count; rank++) {
		/* Streams that are dropped are not kept there; ranks that were stopped keep none. */
		if (streams->asker->is_stopped)
			byte_buffer_clear(&streams->ranks[rank].pending);
		else if (!streams->is_lost)
			streams->is_lost = send_to(streams, rank, &error) != HISTREE_OK;
		while (!streams->is_lost && streams->ranks[rank].outstanding > 0)
			streams->is_lost = receive_from(streams, rank, &error) != HISTREE_OK;
	}
}

void streams_release(struct streams *streams)
{
	assert(streams->first == NULL);
	for (int rank = 0; streams->ranks != NULL && rank < streams->asker->link->count; rank++)
		byte_buffer_release(&streams->ranks[rank].pending);
	free(streams->ranks);
	byte_buffer_release(&streams->received);
	*streams = (struct streams){ 0 };
}

/* ---- one of them --------------------------------------------------------------------------------------------- */

void stream_open(struct stream *stream, struct streams *streams, int rank)
{
	assert(rank > 0 && rank < streams->asker->link->count);
	*stream = (struct stream){ .streams = streams, .next = streams->first, .rank = rank };
	streams->first = stream;
}

static struct byte_buffer *ask(struct stream *stream, enum stream_step step)
{
	struct byte_buffer *message = begin_step(stream->streams, stream->rank, step);
	stream->asked = ++stream->streams->asks;
	stream->has_arrived = false;
	byte_buffer_put_number(message, stream->asked);
	return message;
}

struct byte_buffer *stream_start(struct stream *stream, enum stream_kind kind)
{
	stream_drop(stream);
	struct byte_buffer *message = ask(stream, STEP_START);
	stream->number = stream->asked;
	byte_buffer_put_number(message, kind);
	return message;
}

struct byte_buffer *stream_more(struct stream *stream)
{
	assert(stream->number != 0);
	struct byte_buffer *message = ask(stream, STEP_MORE);
	byte_buffer_put_number(message, stream->number);
	return message;
}

static bool goes_on(const struct stream *stream)
{
	return stream->status == HISTREE_OK;
}

static enum histree_status take_arrived(struct stream *stream, struct byte_reader *answer,
					struct histree_error *error)
{
	const struct byte_buffer taken = stream->taken;
	stream->taken = stream->arrived;
	stream->arrived = taken;
	stream->has_arrived = false;
	stream->answers++;
	*answer = byte_reader(stream->taken.bytes, stream->taken.size);
	int64_t status = byte_reader_signed(answer);
	read_text_into(answer, stream->error.message, sizeof(stream->error.message));
	stream->status = stream->error.status = (enum histree_status)status;
	if (answer->failed)
		return streams_damaged(stream->streams, stream->rank, error);
	if (!goes_on(stream))
		stream->number = 0;
	return stream->status < 0 && byte_reader_left(answer) == 0 ? stream_end(stream, error) : HISTREE_OK;
}

enum histree_status stream_take(struct stream *stream, struct byte_reader *answer, struct histree_error *error)
{
	struct streams *streams = stream->streams;
	assert(stream->asked != 0 || stream->has_arrived);
	enum histree_status status = stream->has_arrived ? HISTREE_OK : streams_send(streams, error);
	while (status == HISTREE_OK && !stream->has_arrived)
		status = streams->asker->is_stopped ? unwanted(error) : receive_from(streams, stream->rank, error);
	return status == HISTREE_OK ? take_arrived(stream, answer, error) : status;
}

enum histree_status stream_next(struct stream *stream, struct byte_reader *answer, struct histree_error *error)
{
	if (stream->asked == 0 && !stream->has_arrived)
		stream_more(stream);
	enum histree_status status = stream_take(stream, answer, error);
	if (status != HISTREE_OK || !goes_on(stream) || stream->answers < ANSWERS_BEFORE_AHEAD)
		return status;
	stream_more(stream);
	return send_to(stream->streams, stream->rank, error);
}

enum histree_status stream_take_all(struct stream *stream, struct byte_reader *answer, struct histree_error *error)
{
	enum histree_status status = stream_take(stream, answer, error);
	return status != HISTREE_OK || stream->status == HISTREE_END ? status : stream_end(stream, error);
}

enum histree_status stream_end(const struct stream *stream, struct histree_error *error)
{
	return stream->status < 0 || *stream->error.message != '\0'
		       ? error_set(error, stream->status, "%s", stream->error.message)
		       : stream->status;
}

void stream_drop(struct stream *stream)
{
	if (stream->number != 0)
		byte_buffer_put_number(begin_step(stream->streams, stream->rank, STEP_DROP), stream->number);
	stream->number = stream->asked = 0;
	stream->has_arrived = false;
	stream->answers = 0;
	stream->status = HISTREE_OK;
}

void stream_close(struct stream *stream)
{
	struct stream **at = &stream->streams->first;
	stream_drop(stream);
	while (*at != stream)
		at = &(*at)->next;
	*at = stream->next;
	byte_buffer_release(&stream->arrived);
	byte_buffer_release(&stream->taken);
}
