// SPDX-License-Identifier: MIT
/*
 * api_time_use.c - where the time of a span went, for the page: the rows of `histree top`, by any of its keys.
 */
#include <stdlib.h>
#include <string.h>

#include "histree/time_use.h"
#include "server/api/api.h"
#include "server/api/page_request.h"

enum { TIME_USE_ROWS_MAX = 10000 };

struct time_use_call {
	struct histree_time_use_request request;
	const struct histree_history_host *hosts; /* NULL: there is one */
	histree_time start;
	int64_t limit;
	int sort; /* a state, SORT_TIME or SORT_COUNT; -1: as the rows come */
	bool descending;
};

enum { SORT_TIME = HISTREE_USE_COUNT, SORT_COUNT };

/* ---- order --------------------------------------------------------------------------------------------------- */

struct sorted_row {
	uint64_t key;
	uint32_t number; /* decides among equals */
};

static uint64_t sort_key(const struct histree_use_row *row, int sort)
{
	uint64_t sum = 0;
	if (sort == SORT_COUNT)
		return row->count;
	for (int use = 0; use < HISTREE_USE_COUNT; use++)
		sum += sort == SORT_TIME || sort == use ? row->ns[use] : 0;
	return sum;
}

static int by_key_ascending(const void *left, const void *right)
{
	const struct sorted_row *a = left, *b = right;
	return a->key != b->key ? (a->key > b->key) - (a->key < b->key)
				: (a->number > b->number) - (a->number < b->number);
}

static int by_key_descending(const void *left, const void *right)
{
	const struct sorted_row *a = left, *b = right;
	return a->key != b->key ? (a->key < b->key) - (a->key > b->key)
				: (a->number > b->number) - (a->number < b->number);
}

/* Returns the rows in the order that is asked for; NULL: it has answered that memory is out. */
static struct sorted_row *sort_use_rows(const struct call *call, const struct time_use_call *asked,
					const struct histree_use_row *rows, size_t count)
{
	struct sorted_row *sorted = reply_memory(call->reply, count, sizeof(*sorted));
	for (size_t i = 0; sorted != NULL && i < count; i++)
		sorted[i] = (struct sorted_row){ sort_key(&rows[i], asked->sort), (uint32_t)i };
	if (sorted != NULL && count > 1 && asked->sort >= 0)
		qsort(sorted, count, sizeof(*sorted), asked->descending ? by_key_descending : by_key_ascending);
	return sorted;
}

/* ---- answer -------------------------------------------------------------------------------------------------- */

static void write_key(struct json_writer *json, enum histree_use_key key, const struct histree_value *value)
{
	if (value->type == HISTREE_NULL)
		return;
	json_key(json, histree_use_key_name(key));
	if (key == HISTREE_USE_BY_STATE && value->type == HISTREE_INT)
		json_put_text(json, histree_use_name((enum histree_use)value->int32));
	else if (value->type == HISTREE_INT)
		json_put_int(json, value->int32);
	else if (value->type == HISTREE_STRING)
		json_put_string(json, value->bytes, value->size);
	else
		json_put_text(json, "?");
}

static void write_row(struct json_writer *json, const struct time_use_call *asked,
		      const struct histree_use_row *row)
{
	json_begin_object(json);
	if (asked->hosts != NULL)
		json_text_member(json, "host", asked->hosts[row->host].name);
	for (unsigned key = 0; key < HISTREE_USE_KEY_COUNT; key++)
		if ((asked->request.by & 1U << key) != 0)
			write_key(json, (enum histree_use_key)key, &row->keys[key]);
	if ((asked->request.by & HISTREE_BY(THREAD)) != 0) {
		json_text_member(json, "threadName", row->name);
		json_int_member(json, "from", row->from - asked->start);
	}
	if ((asked->request.by & HISTREE_BY(HAD_BY)) != 0)
		json_text_member(json, "hadByName", row->had_by_name);
	json_int_member(json, "count", (int64_t)row->count);
	json_begin_array_member(json, "ns");
	for (unsigned use = 0; use < HISTREE_USE_COUNT; use++)
		json_put_unsigned(json, row->ns[use]);
	json_end(json);
	json_end(json);
}

static void write_time_use(const struct call *call, const struct time_use_call *asked,
			   const struct histree_time_use *use)
{
	size_t count;
	struct json_writer *json = call->json;
	const struct histree_use_row *rows = histree_time_use_rows(use, &count);
	struct sorted_row *sorted = sort_use_rows(call, asked, rows, count);
	uint64_t ns[HISTREE_USE_COUNT] = { 0 };
	if (sorted == NULL)
		return;
	for (size_t i = 0; i < count; i++)
		for (unsigned state = 0; state < HISTREE_USE_COUNT; state++)
			ns[state] += rows[i].ns[state];
	json_begin_object(json);
	json_unsigned_member(json, "total", count);
	json_bool_member(json, "isDamaged", histree_time_use_loss(use).nodes > 0);
	json_begin_array_member(json, "states");
	for (unsigned state = 0; state < HISTREE_USE_COUNT; state++)
		json_put_text(json, histree_use_name((enum histree_use)state));
	json_end(json);
	json_begin_array_member(json, "ns");
	for (unsigned state = 0; state < HISTREE_USE_COUNT; state++)
		json_put_unsigned(json, ns[state]);
	json_end(json);
	json_begin_array_member(json, "rows");
	for (size_t i = 0; i < count && i < (size_t)asked->limit; i++)
		write_row(json, asked, &rows[sorted[i].number]);
	json_end(json);
	json_end(json);
}

/* ---- request ------------------------------------------------------------------------------------------------- */

static bool read_sort(const struct call *call, struct time_use_call *out)
{
	const char *name = page_text(call, "sort");
	int64_t descending;
	out->sort = -1;
	if (!page_number(call, "descending", 0, 1, 1, &descending))
		return false;
	out->descending = descending != 0;
	for (int use = 0; use < HISTREE_USE_COUNT; use++)
		if (strcmp(name, histree_use_name((enum histree_use)use)) == 0)
			out->sort = use;
	if (strcmp(name, "time") == 0 || strcmp(name, "count") == 0)
		out->sort = *name == 't' ? SORT_TIME : SORT_COUNT;
	if (out->sort >= 0 || *name == '\0')
		return true;
	reply_error(call->reply, HTTP_BAD_REQUEST, "'sort' is no state, and neither time nor count");
	return false;
}

static bool read_time_use(const struct call *call, const struct histree_history_info *info,
			  struct time_use_call *out)
{
	const char *by = page_text(call, "by"), *where = page_text(call, "where");
	int64_t from, to;
	if (!page_number(call, "from", 0, INT64_MAX - 1, 0, &from) ||
	    !page_number(call, "to", 0, INT64_MAX - 1, info->end - out->start, &to) ||
	    !page_number(call, "limit", 1, TIME_USE_ROWS_MAX, TIME_USE_ROWS_MAX, &out->limit) ||
	    !reply_ok(call->reply, histree_use_keys_read(by, &out->request.by, &call->reply->error)) ||
	    !read_sort(call, out))
		return false;
	out->request.from = out->start + from;
	out->request.to = out->start + to;
	out->request.where = *where != '\0' ? where : NULL;
	out->request.work = reply_cancel(call->reply);
	return true;
}

void api_time_use(struct call *call)
{
	struct histree_time_use *use;
	size_t host_count;
	if (!page_dataset(call))
		return;
	struct histree_history *history = dataset_history(call->dataset, "kernel");
	if (history == NULL) {
		reply_error(call->reply, HTTP_NOT_FOUND, "The trace has no threads of a kernel");
		return;
	}
	struct time_use_call asked = { .hosts = histree_history_hosts(history, &host_count),
				       .start = histree_store_info(call->dataset->store)->start };
	if (!read_time_use(call, histree_history_info(history), &asked) ||
	    !reply_ok(call->reply, histree_time_use_create(history, &asked.request, &use, &call->reply->error)))
		return;
	write_time_use(call, &asked, use);
	histree_time_use_free(use);
}
