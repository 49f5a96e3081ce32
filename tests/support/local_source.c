// SPDX-License-Identifier: MIT
#include "support/local_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "histree/states.h"
#include "histree/time_use.h"

/* The lists of a region are lent during its start alone: these are what goes on with it. */
struct local_cursor {
	struct histree_cursor *query;
	bool is_started;
	histree_quark *quarks;
	histree_time *times;
};

static enum histree_status cursor_create(void *context, uint32_t part, void **out, struct histree_error *error)
{
	struct histree_history *of = histree_history_part_of(context, part);
	struct local_cursor *cursor = calloc(1, sizeof(*cursor));
	*out = cursor;
	if (cursor == NULL || of == NULL) {
		free(cursor);
		*out = NULL;
		return error_set(error, HISTREE_ERR_MEMORY, "no cursor");
	}
	enum histree_status status = histree_query_create(of, &cursor->query, error);
	if (status != HISTREE_OK) {
		free(cursor);
		*out = NULL;
	}
	return status;
}

static void cursor_stop(void *context)
{
	struct local_cursor *cursor = context;
	cursor->is_started = false;
}

static void *copy(const void *bytes, size_t size)
{
	void *out = malloc(size + 1);
	if (out != NULL && size > 0)
		memcpy(out, bytes, size);
	return out;
}

static enum histree_status cursor_start(void *context, const struct histree_region *region,
					struct histree_error *error)
{
	struct local_cursor *cursor = context;
	struct histree_region own = *region;
	cursor_stop(cursor);
	free(cursor->quarks);
	free(cursor->times);
	cursor->quarks = NULL;
	cursor->times = NULL;
	if (region->quarks != NULL)
		own.quarks = cursor->quarks = copy(region->quarks, region->quark_count * sizeof(*region->quarks));
	if (region->times != NULL)
		own.times = cursor->times = copy(region->times, region->time_count * sizeof(*region->times));
	if ((region->quarks != NULL && own.quarks == NULL) || (region->times != NULL && own.times == NULL))
		return error_memory(error, "a region");
	enum histree_status status = histree_query_start(cursor->query, &own, error);
	cursor->is_started = status == HISTREE_OK;
	return status;
}

static enum histree_status cursor_read(void *context, struct histree_interval *out, size_t room, size_t *count,
				       struct histree_error *error)
{
	const struct local_cursor *cursor = context;
	*count = 0;
	if (!cursor->is_started)
		return HISTREE_END;
	enum histree_status status = histree_cursor_read(cursor->query, room, count, error);
	if (status == HISTREE_OK)
		memcpy(out, histree_cursor_interval(cursor->query), *count * sizeof(*out));
	return status;
}

static struct histree_statistics cursor_statistics(const void *context)
{
	const struct local_cursor *cursor = context;
	return cursor->is_started ? histree_cursor_statistics(cursor->query) : (struct histree_statistics){ 0 };
}

static struct histree_loss cursor_loss(const void *context)
{
	const struct local_cursor *cursor = context;
	return cursor->is_started ? histree_cursor_loss(cursor->query) : (struct histree_loss){ 0 };
}

static void cursor_free(void *context)
{
	struct local_cursor *cursor = context;
	histree_cursor_free(cursor->query);
	free(cursor->quarks);
	free(cursor->times);
	free(cursor);
}

/* The question is kept until it is sent, or the answer is taken. */
struct local_view {
	struct histree_history *history;
	void *question, *answer;
	size_t size;
};

static enum histree_status view_ask(void *context, const void *question, size_t size, void **out,
				    struct histree_error *error)
{
	struct local_view *view = *out = calloc(1, sizeof(*view));
	if (view != NULL)
		*view = (struct local_view){ .history = context, .question = copy(question, size), .size = size };
	if (view != NULL && view->question != NULL)
		return HISTREE_OK;
	free(view);
	return error_memory(error, "a question");
}

static enum histree_status view_send(void *context, struct histree_error *error)
{
	(void)context, (void)error;
	return HISTREE_OK;
}

static struct random *changing;

void local_source_change(struct random *random)
{
	changing = random;
}

/* Some bytes are others, or the end is missing. */
static void change(uint8_t *bytes, size_t *size)
{
	for (uint64_t left = 1 + random_below(changing, 3); left > 0; left--)
		bytes[random_below(changing, *size)] = (uint8_t)random_bits(changing);
	if (random_percent(changing, 20))
		*size = 1 + random_below(changing, *size);
}

static enum histree_status view_take(void *asked, const void **answer, size_t *size, struct histree_error *error)
{
	struct local_view *view = asked;
	void *question = copy(view->question, view->size);
	size_t question_size = view->size;
	if (changing != NULL && random_percent(changing, 20))
		change(question, &question_size);
	enum histree_status status = histree_time_use_answer(
		view->history, question, question_size, (struct histree_work){ 0 }, &view->answer, size, error);
	if (changing != NULL && status == HISTREE_OK)
		change(view->answer, size);
	*answer = view->answer;
	free(question);
	return status;
}

static void view_drop(void *asked)
{
	struct local_view *view = asked;
	free(view->question);
	free(view->answer);
	free(view);
}

static void free_history(void *context)
{
	histree_history_close(context);
}

enum histree_status local_source_make(struct histree_history *history, struct histree_history **out,
				      struct histree_error *error)
{
	const struct histree_history_source source = {
		.context = history,
		.cursor_create = cursor_create,
		.cursor_start = cursor_start,
		.cursor_read = cursor_read,
		.cursor_statistics = cursor_statistics,
		.cursor_loss = cursor_loss,
		.cursor_stop = cursor_stop,
		.cursor_free = cursor_free,
		.view_ask = view_ask,
		.view_send = view_send,
		.view_take = view_take,
		.view_drop = view_drop,
		.free = free_history,
	};
	void *bytes;
	size_t size;
	*out = NULL;
	enum histree_status status = histree_history_describe(history, &bytes, &size, error);
	if (status != HISTREE_OK) {
		histree_history_close(history);
		return status;
	}
	status = histree_history_of_source(&source, bytes, size, out, error);
	free(bytes);
	return status;
}
