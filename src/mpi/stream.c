// SPDX-License-Identifier: MIT
/*
 * stream.c - rank 0's side of all that it asks other ranks for: steps that are gathered, and answers that find
 * their stream by the number of the ask.
 */
#include "mpi/stream.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"

/* From this answer on, the next one is asked for while one is handed out: who takes two takes more. */
enum { ANSWERS_BEFORE_AHEAD = 2 };

struct stream_rank {
	struct message pending; /* steps that were not sent yet */
	size_t step;            /* where the size of the last one belongs */
	uint32_t outstanding;   /* messages that are to come */
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
	if (to->pending.no_memory)
		return error_memory(error, "a question");
	if (!link_send(streams->asker->link, rank, &to->pending))
		return lost(streams, rank, error);
	message_clear(&to->pending);
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

static struct message *begin_step(struct streams *streams, int rank, enum stream_step step)
{
	struct stream_rank *to = &streams->ranks[rank];
	if (to->pending.size == 0)
		message_byte(&to->pending, JOB_REQUEST);
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
	message_clear(&stream->arrived);
	message_bytes(&stream->arrived, answer.at, byte_reader_left(&answer));
	stream->has_arrived = true;
	stream->asked = 0;
	return !stream->arrived.no_memory;
}

/* Takes the next message of a rank. */
static enum histree_status receive_from(struct streams *streams, int rank, struct histree_error *error)
{
	struct message *message = &streams->received;
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
			message_clear(&streams->ranks[rank].pending);
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
		message_release(&streams->ranks[rank].pending);
	free(streams->ranks);
	message_release(&streams->received);
	*streams = (struct streams){ 0 };
}

/* ---- one of them --------------------------------------------------------------------------------------------- */

void stream_open(struct stream *stream, struct streams *streams, int rank)
{
	assert(rank > 0 && rank < streams->asker->link->count);
	*stream = (struct stream){ .streams = streams, .next = streams->first, .rank = rank };
	streams->first = stream;
}

static struct message *ask(struct stream *stream, enum stream_step step)
{
	struct message *message = begin_step(stream->streams, stream->rank, step);
	stream->asked = ++stream->streams->asks;
	stream->has_arrived = false;
	message_number(message, stream->asked);
	return message;
}

struct message *stream_start(struct stream *stream, enum stream_kind kind)
{
	stream_drop(stream);
	struct message *message = ask(stream, STEP_START);
	stream->number = stream->asked;
	message_number(message, kind);
	return message;
}

struct message *stream_more(struct stream *stream)
{
	assert(stream->number != 0);
	struct message *message = ask(stream, STEP_MORE);
	message_number(message, stream->number);
	return message;
}

static bool goes_on(const struct stream *stream)
{
	return stream->status == HISTREE_OK;
}

static enum histree_status take_arrived(struct stream *stream, struct byte_reader *answer,
					struct histree_error *error)
{
	const struct message taken = stream->taken;
	stream->taken = stream->arrived;
	stream->arrived = taken;
	stream->has_arrived = false;
	stream->answers++;
	*answer = byte_reader(stream->taken.bytes, stream->taken.size);
	int64_t status = read_signed(answer);
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
		message_number(begin_step(stream->streams, stream->rank, STEP_DROP), stream->number);
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
	message_release(&stream->arrived);
	message_release(&stream->taken);
}
