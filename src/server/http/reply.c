// SPDX-License-Identifier: MIT
/*
 * reply.c - a request taken apart, and its answer.
 */
#include "server/http/reply.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/monotonic.h"
#include "base/zlib.h"
#include "server/text/json_writer.h"
#include "view/view.h"

/* ---- target -------------------------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decode in place; a '+' of a query is a space (HTML forms).  False if it cannot be a text. */
static bool decode(char *text, bool is_query)
{
	char *to = text;
	for (const char *from = text; *from != '\0'; from++) {
		char c = *from;
		if (c == '%') {
			int high = hex_digit(from[1]);
			int low = high < 0 ? -1 : hex_digit(from[2]);
			if (low < 0 || high + low == 0)
				return false;
			c = (char)(high << 4 | low);
			from += 2;
		} else if (c == '+' && is_query) {
			c = ' ';
		}
		*to++ = c;
	}
	*to = '\0';
	return true;
}

/* The part up to the next of `separators`, cut off; *rest is what follows it, NULL if nothing does. */
static char *cut(char **rest, char separator)
{
	char *part = *rest;
	char *end = strchr(part, separator);
	if (end != NULL)
		*end++ = '\0';
	*rest = end;
	return part;
}

static enum target_result parse_path(struct target *target, char *path)
{
	while (path != NULL) {
		char *segment = cut(&path, '/');
		if (*segment == '\0')
			continue;
		if (target->segment_count == TARGET_SEGMENTS_MAX)
			return TARGET_TOO_LARGE;
		if (!decode(segment, false))
			return TARGET_BAD;
		target->segments[target->segment_count++] = segment;
	}
	return TARGET_OK;
}

static enum target_result parse_query(struct target *target, char *query)
{
	while (query != NULL) {
		char *value = cut(&query, '&');
		char *name = cut(&value, '=');
		if (*name == '\0')
			continue;
		if (target->parameter_count == TARGET_PARAMETERS_MAX)
			return TARGET_TOO_LARGE;
		if (!decode(name, true) || (value != NULL && !decode(value, true)))
			return TARGET_BAD;
		target->parameters[target->parameter_count++] =
			(struct target_parameter){ name, value != NULL ? value : "" };
	}
	return TARGET_OK;
}

enum target_result target_parse(struct target *target, const char *uri)
{
	*target = (struct target){ 0 };
	if (uri[0] != '/')
		return TARGET_BAD;
	if (strlen(uri) > TARGET_SIZE_MAX)
		return TARGET_TOO_LARGE;
	target->text = strdup(uri);
	if (target->text == NULL)
		return TARGET_NO_MEMORY;
	char *query = target->text;
	char *path = cut(&query, '?');
	enum target_result result = parse_path(target, path);
	return result == TARGET_OK ? parse_query(target, query) : result;
}

const char *target_parameter(const struct target *target, const char *name)
{
	for (size_t i = 0; i < target->parameter_count; i++)
		if (strcmp(target->parameters[i].name, name) == 0)
			return target->parameters[i].value;
	return NULL;
}

void target_release(struct target *target)
{
	free(target->text);
	*target = (struct target){ 0 };
}

/* ---- reply --------------------------------------------------------------------------------------------------- */

/* The browser and we are mostly on one machine: speed counts more than the last tenth. */

void reply_init(struct reply *reply)
{
	*reply = (struct reply){ .status = HTTP_OK, .content_type = "application/json" };
	reply->json.out = &reply->body;
}

/* Zeroed memory of an answer, behind a link to what was given out before. */
struct reply_block {
	struct reply_block *before;
	_Alignas(max_align_t) char bytes[];
};

static void release_steps(struct reply *reply)
{
	if (reply->steps.release != NULL)
		reply->steps.release(reply->steps.state);
	reply->steps = (struct reply_steps){ 0 };
}

void reply_release(struct reply *reply)
{
	release_steps(reply);
	while (reply->memory != NULL) {
		struct reply_block *block = reply->memory;
		reply->memory = block->before;
		free(block);
	}
	dataset_release(reply->dataset);
	gzip_free(reply->gzip);
	byte_buffer_release(&reply->compressed);
	byte_buffer_release(&reply->body);
}

void reply_envelope(struct reply *reply)
{
	reply->is_envelope = true;
	json_begin_object(&reply->json);
	json_key(&reply->json, "model");
}

static void end_envelope(struct reply *reply, const char *status, const char *message)
{
	json_end_to(&reply->json, 1);
	json_text_member(&reply->json, "status", status);
	json_text_member(&reply->json, "statusMessage", message);
	json_end(&reply->json);
	assert(reply->json.depth == 0);
	reply->is_envelope = false;
}

void reply_envelope_only(struct reply *reply, const char *status, const char *message)
{
	reply_envelope(reply);
	json_put_null(&reply->json);
	end_envelope(reply, status, message);
}

void reply_steps(struct reply *reply, const struct reply_steps *steps)
{
	assert(reply->steps.state == NULL && steps->state != NULL && !reply->is_done);
	reply->steps = *steps;
}

bool reply_error(struct reply *reply, enum http_status status, const char *format, ...)
{
	char title[sizeof(reply->error.message)];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(title, sizeof(title), format, arguments);
	va_end(arguments);
	title[0] = (char)toupper((unsigned char)title[0]);

	/* Forget the body. */
	release_steps(reply);
	byte_buffer_clear(&reply->body);
	reply->json = (struct json_writer){ .out = &reply->body };
	reply->fixed = NULL;
	reply->is_envelope = reply->is_done = false;
	reply->content_type = "application/json";
	reply->cache_control = reply->notice = NULL;
	reply->status = status;
	json_begin_object(&reply->json);
	json_text_member(&reply->json, "title", title);
	json_end(&reply->json);
	return false;
}

void *reply_memory(struct reply *reply, size_t count, size_t size)
{
	const bool fits = size == 0 || count < SIZE_MAX / 2 / size;
	struct reply_block *block = fits ? calloc(1, sizeof(*block) + count * size) : NULL;
	if (block == NULL) {
		reply_error(reply, HTTP_SERVER_ERROR, "out of memory");
		return NULL;
	}
	block->before = reply->memory;
	reply->memory = block;
	return block->bytes;
}

void reply_hold(struct reply *reply, struct dataset *dataset)
{
	assert(reply->dataset == NULL);
	reply->dataset = dataset;
}

bool reply_failure(struct reply *reply)
{
	const enum histree_status why = reply->error.status;
	if (reply->is_crowded)
		return reply_error(reply, HTTP_BUSY,
				   "the server has no memory for this answer now; try again soon");
	const bool is_request = why == HISTREE_ERR_ARGUMENT || why == HISTREE_ERR_TIME_RANGE;
	return reply_error(reply,
			   is_request                 ? HTTP_BAD_REQUEST
			   : why == HISTREE_NOT_FOUND ? HTTP_NOT_FOUND
						      : HTTP_SERVER_ERROR,
			   "%s", reply->error.message);
}

bool reply_ok(struct reply *reply, enum histree_status status)
{
	return status == HISTREE_OK || reply_failure(reply);
}

static bool is_late(const struct reply *reply)
{
	return reply->deadline_ns != 0 && monotonic_ns() > reply->deadline_ns;
}

static bool has_room(struct reply *reply, size_t more)
{
	if (reply->has_room != NULL && !reply->has_room(reply->room_context, more))
		reply->is_crowded = true;
	return !reply->is_crowded;
}

bool reply_claim(struct reply *reply, size_t more)
{
	if (!has_room(reply, more))
		reply_failure(reply);
	return !reply->is_crowded;
}

static bool goes_on(void *context)
{
	struct reply *reply = context;
	return !is_late(reply) && has_room(reply, 0) &&
	       (reply->is_wanted == NULL || reply->is_wanted(reply->wanted_context));
}

struct histree_work reply_cancel(struct reply *reply)
{
	return (struct histree_work){ .go_on = goes_on, .context = reply };
}

static enum histree_status take_step(struct reply *reply)
{
	if (reply->steps.state == NULL)
		return HISTREE_END;
	if (is_late(reply))
		return error_set(&reply->error, HISTREE_ERR_CANCELLED,
				 "the answer took too long; ask for a smaller part");
	if (!has_room(reply, 0))
		return error_set(&reply->error, HISTREE_ERR_CANCELLED,
				 "the server has no memory for this answer now; try again soon");
	enum histree_status status = reply->steps.next(reply->steps.state, &reply->json, &reply->error);
	return reply->body.failed ? error_memory(&reply->error, "an answer") : status;
}

bool reply_zip(struct reply *reply)
{
	reply->gzip = gzip_create();
	return reply->gzip != NULL;
}

void reply_unzip(struct reply *reply)
{
	gzip_free(reply->gzip);
	reply->gzip = NULL;
}

/* Compresses `size` bytes, after what is compressed already. */
static bool compress_bytes(struct reply *reply, const char *bytes, size_t size, bool is_last)
{
	struct byte_buffer *compressed = &reply->compressed;
	uint8_t *room = byte_buffer_room(compressed, gzip_bound(reply->gzip, size));
	size_t packed;
	if (room == NULL)
		return false;
	bool is_whole = gzip_write(reply->gzip, bytes, size, is_last, room, compressed->capacity - compressed->size,
				   &packed);
	compressed->size += packed;
	return is_whole;
}

/* The next bytes before compression. */
static bool next_plain(struct reply *reply, const char **bytes, size_t *size)
{
	if (reply->fixed != NULL) {
		*bytes = reply->fixed;
		*size = reply->is_done ? 0 : reply->fixed_size;
		reply->is_done = true;
		return true;
	}

	/* Steps until a piece is full, or all is written, or cut. */
	while (!reply->is_done && reply->body.size < PIECE_SIZE) {
		enum histree_status status = take_step(reply);
		if (status == HISTREE_OK)
			continue;
		release_steps(reply);
		reply->is_done = true;
		bool failed = status < 0 || reply->body.failed;
		if (failed && !reply->is_envelope)
			return false;
		const char *notice = reply->notice != NULL ? reply->notice : "Completed";
		if (reply->is_envelope)
			end_envelope(reply, failed ? "FAILED" : "COMPLETED",
				     failed ? reply->error.message : notice);
	}
	if (reply->body.failed)
		return false;
	*bytes = byte_buffer_chars(&reply->body);
	*size = reply->body.size;
	reply->body.size = 0;
	return true;
}

bool reply_next(struct reply *reply, const char **bytes, size_t *size)
{
	*size = 0;
	reply->compressed.size = 0;
	while (!reply->is_cut && *size == 0) {
		const char *plain;
		size_t plain_size;
		bool was_done = reply->is_done && reply->body.size == 0;
		if (was_done)
			return true;
		if (!next_plain(reply, &plain, &plain_size) ||
		    (reply->gzip != NULL && !compress_bytes(reply, plain, plain_size, reply->is_done))) {
			reply->is_cut = true;
			break;
		}
		*bytes = reply->gzip != NULL ? byte_buffer_chars(&reply->compressed) : plain;
		*size = reply->gzip != NULL ? reply->compressed.size : plain_size;
	}
	return !reply->is_cut;
}
