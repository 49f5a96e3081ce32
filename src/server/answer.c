// SPDX-License-Identifier: MIT
#include "server/answer.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "base/error.h"

/* The browser and we are mostly on one machine: speed counts more than the last tenth. */
enum { ZIP_LEVEL = 1, ZIP_WINDOW_BITS = 15, ZIP_AS_GZIP = 16, ZIP_MEMORY_LEVEL = 8 };

void answer_init(struct answer *answer)
{
	*answer = (struct answer){ .status = HTTP_OK, .content_type = "application/json" };
	answer->json.piece = &answer->piece;
}

static void free_steps(struct answer *answer)
{
	if (answer->steps.state != NULL)
		answer->steps.free(answer->steps.state);
	answer->steps = (struct answer_steps){ 0 };
}

void answer_release(struct answer *answer)
{
	free_steps(answer);
	if (answer->zipped)
		deflateEnd(&answer->deflate);
	piece_release(&answer->compressed);
	piece_release(&answer->piece);
}

void answer_envelope(struct answer *answer)
{
	answer->is_envelope = true;
	json_begin_object(&answer->json);
	json_key(&answer->json, "model");
}

static void end_envelope(struct answer *answer, const char *status, const char *message)
{
	json_end_to(&answer->json, 1);
	json_text_member(&answer->json, "status", status);
	json_text_member(&answer->json, "statusMessage", message);
	json_end(&answer->json);
	answer->is_envelope = false;
}

void answer_envelope_only(struct answer *answer, const char *status, const char *message)
{
	answer_envelope(answer);
	json_put_null(&answer->json);
	end_envelope(answer, status, message);
}

void answer_steps(struct answer *answer, const struct answer_steps *steps)
{
	answer->steps = *steps;
}

/* Forget the body. */
static void restart(struct answer *answer)
{
	free_steps(answer);
	answer->piece.size = 0;
	answer->piece.failed = false;
	answer->json = (struct json_writer){ .piece = &answer->piece };
	answer->fixed = NULL;
	answer->is_envelope = answer->is_done = false;
	answer->content_type = "application/json";
	answer->cache_control = NULL;
}

void answer_error(struct answer *answer, enum http_status status, const char *format, ...)
{
	char title[sizeof(answer->error.message)];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(title, sizeof(title), format, arguments);
	va_end(arguments);
	title[0] = (char)toupper((unsigned char)title[0]);
	restart(answer);
	answer->status = status;
	json_begin_object(&answer->json);
	json_text_member(&answer->json, "title", title);
	json_end(&answer->json);
}

void answer_failure(struct answer *answer, const struct histree_error *error)
{
	bool is_request = error->status == HISTREE_ERR_ARGUMENT || error->status == HISTREE_ERR_TIME_RANGE;
	enum http_status status = is_request                           ? HTTP_BAD_REQUEST
				  : error->status == HISTREE_NOT_FOUND ? HTTP_NOT_FOUND
								       : HTTP_SERVER_ERROR;
	answer_error(answer, status, "%s", error->message);
}

static int64_t monotonic_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static enum histree_status take_step(struct answer *answer)
{
	if (answer->steps.state == NULL)
		return HISTREE_END;
	if (answer->deadline_ns != 0 && monotonic_ns() > answer->deadline_ns)
		return error_set(&answer->error, HISTREE_ERR_CANCELLED,
				 "the answer took too long; ask for a smaller part");
	enum histree_status status = answer->steps.next(answer->steps.state, &answer->json, &answer->error);
	return answer->piece.failed ? error_memory(&answer->error, "an answer") : status;
}

/* Steps until a piece is full, or all is written.  False: cut. */
static bool make_piece(struct answer *answer)
{
	while (!answer->is_done && answer->piece.size < PIECE_SIZE) {
		enum histree_status status = take_step(answer);
		if (status == HISTREE_OK)
			continue;
		free_steps(answer);
		answer->is_done = true;
		bool failed = status < 0 || answer->piece.failed;
		if (failed && !answer->is_envelope)
			return false;
		if (answer->is_envelope)
			end_envelope(answer, failed ? "FAILED" : "COMPLETED",
				     failed ? answer->error.message : "Completed");
	}
	return !answer->piece.failed;
}

bool answer_zip(struct answer *answer)
{
	if (deflateInit2(&answer->deflate, ZIP_LEVEL, Z_DEFLATED, ZIP_WINDOW_BITS + ZIP_AS_GZIP, ZIP_MEMORY_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	answer->zipped = true;
	return true;
}

/* Compress `size` bytes behind what is compressed already. */
static bool compress_bytes(struct answer *answer, const char *bytes, size_t size, bool is_last)
{
	z_stream *stream = &answer->deflate;
	char *room = piece_room(&answer->compressed, deflateBound(stream, size));
	if (room == NULL)
		return false;
	stream->next_in = (z_const Bytef *)(uintptr_t)bytes;
	stream->avail_in = (uInt)size;
	stream->next_out = (Bytef *)room;
	stream->avail_out = (uInt)(answer->compressed.capacity - answer->compressed.size);
	uInt before = stream->avail_out;
	int result = deflate(stream, is_last ? Z_FINISH : Z_NO_FLUSH);
	answer->compressed.size += before - stream->avail_out;
	return result == (is_last ? Z_STREAM_END : Z_OK) && stream->avail_in == 0;
}

/* The next bytes before compression. */
static bool next_plain(struct answer *answer, const char **bytes, size_t *size)
{
	if (answer->fixed != NULL) {
		*bytes = answer->fixed;
		*size = answer->is_done ? 0 : answer->fixed_size;
		answer->is_done = true;
		return true;
	}
	if (!make_piece(answer))
		return false;
	*bytes = answer->piece.bytes;
	*size = answer->piece.size;
	answer->piece.size = 0;
	return true;
}

bool answer_next(struct answer *answer, const char **bytes, size_t *size)
{
	*size = 0;
	answer->compressed.size = 0;
	while (!answer->is_cut && *size == 0) {
		const char *plain;
		size_t plain_size;
		bool was_done = answer->is_done && answer->piece.size == 0;
		if (was_done)
			return true;
		if (!next_plain(answer, &plain, &plain_size) ||
		    (answer->zipped && !compress_bytes(answer, plain, plain_size, answer->is_done))) {
			answer->is_cut = true;
			break;
		}
		*bytes = answer->zipped ? answer->compressed.bytes : plain;
		*size = answer->zipped ? answer->compressed.size : plain_size;
	}
	return !answer->is_cut;
}
