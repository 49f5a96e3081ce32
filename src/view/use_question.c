// SPDX-License-Identifier: MIT
#include "view/use_question.h"

#include <string.h>

#include "base/error.h"
#include "state/history.h"

enum { QUESTION_VERSION = 1 };

/* ---- as bytes ----------------------------------------------------------------------------------------------- */

/* With its terminating zero; nothing at all for NULL. */
static void put_string(const char *text, struct saved_bytes *saved)
{
	saved_put_text(saved, text, text != NULL ? strlen(text) + 1 : 0);
}

static const char *read_string(struct byte_reader *reader)
{
	size_t size;
	const char *text = saved_read_text(reader, &size);
	if (size == 0)
		return NULL;
	reader->failed |= memchr(text, '\0', size) != text + size - 1;
	return text;
}

static void put_question(const struct use_question *question, struct saved_bytes *saved)
{
	const struct histree_time_use_request *request = &question->request;
	saved_put(saved, QUESTION_VERSION);
	saved_put_signed(saved, request->from);
	saved_put_signed(saved, request->to);
	saved_put(saved, request->by);
	put_string(request->where, saved);
	saved_put(saved, request->longest);
	saved_put(saved, request->states_max);
	put_string(question->host_name, saved);
	saved_put_signed(saved, question->start);
	saved_put_signed(saved, question->end);
}

bool use_question_read(struct use_question *question, const void *bytes, size_t size)
{
	struct byte_reader reader = byte_reader(bytes, size);
	struct histree_time_use_request *request = &question->request;
	*question = (struct use_question){ 0 };
	reader.failed = read_varint(&reader) != QUESTION_VERSION;
	request->from = saved_read_signed(&reader);
	request->to = saved_read_signed(&reader);
	request->by = (unsigned)saved_read_below(&reader, 1U << HISTREE_USE_KEY_COUNT);
	request->where = read_string(&reader);
	request->longest = saved_read_below(&reader, 2) != 0;
	request->states_max = (size_t)read_varint(&reader);
	question->host_name = read_string(&reader);
	question->start = saved_read_signed(&reader);
	question->end = saved_read_signed(&reader);
	return !reader.failed && byte_reader_left(&reader) == 0 && question->host_name != NULL;
}

/* ---- asking ------------------------------------------------------------------------------------------------- */

bool use_question_is_for(const struct histree_history *history)
{
	uint32_t part;
	const struct histree_history_source *source = history_source_of(history, &part);
	return source != NULL && source->view_ask != NULL;
}

enum histree_status use_question_ask(const struct use_question *question, const struct histree_history *history,
				     struct use_asked *asked, struct histree_error *error)
{
	uint32_t part;
	struct saved_bytes saved = { 0 };
	const struct histree_history_source *source = history_source_of(history, &part);
	put_question(question, &saved);
	enum histree_status status =
		saved.no_memory ? error_memory(error, "the use of time")
				: source->view_ask(source->context, saved.bytes, saved.size, &asked->asked, error);
	if (status == HISTREE_OK)
		asked->source = source;
	saved_release(&saved);
	return status;
}

enum histree_status use_asked_send(const struct use_asked *asked, struct histree_error *error)
{
	return asked->source->view_send(asked->source->context, error);
}

enum histree_status use_asked_take(const struct use_asked *asked, struct byte_reader *answer,
				   struct histree_error *error)
{
	const void *bytes = NULL;
	size_t size = 0;
	enum histree_status status = asked->source->view_take(asked->asked, &bytes, &size, error);
	*answer = byte_reader(status == HISTREE_OK ? bytes : "", status == HISTREE_OK ? size : 0);
	return status;
}

void use_asked_drop(struct use_asked *asked)
{
	if (asked->source != NULL)
		asked->source->view_drop(asked->asked);
	*asked = (struct use_asked){ 0 };
}
