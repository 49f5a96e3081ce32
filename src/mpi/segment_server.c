// SPDX-License-Identifier: MIT
#include "mpi/segment_server.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "histree/segment_filter.h"
#include "histree/segment_source.h"
#include "mpi/view_server.h"

/* So that a small question is one message, and a long one few. */
enum { FIRST_ROWS = 256, MORE_ROWS = 4096 };

struct served_store {
	char *analysis; /* NULL: an overview of another one */
	size_t host;
	struct histree_segment_store *store;
};

struct served_cursor {
	uint64_t number;
	const struct histree_segment_store *store;
	struct histree_segment_iter *iter; /* NULL: the place is free */
	uint32_t wanted;                   /* fields, bit by bit */
	struct histree_segment_filter *filter;
};

/* ---- stores ----------------------------------------------------------------------------------------------- */

static void write_info(const struct histree_segment_store_info *info, struct message *out)
{
	const struct histree_segment_schema *schema = &info->schema;
	message_string(out, schema->provider != NULL ? schema->provider : "");
	message_number(out, schema->provider_version);
	message_number(out, schema->field_count);
	for (size_t i = 0; i < schema->field_count; i++) {
		message_string(out, schema->fields[i].name);
		message_number(out, schema->fields[i].type);
	}
	message_number(out, info->segment_count);
	message_signed(out, info->start);
	message_signed(out, info->end);
	message_number(out, info->duration_min);
	message_number(out, info->duration_max);
	message_number(out, info->identity);
}

/* Returns the number of a store, which is put on the list if it is not there; SIZE_MAX without memory. */
static size_t number_of(struct segment_server *server, const struct served_store *store)
{
	for (size_t i = 0; i < server->store_count; i++)
		if (server->stores[i].store == store->store)
			return i;
	if (!array_reserve(&server->stores, &server->store_capacity, server->store_count + 1))
		return SIZE_MAX;
	server->stores[server->store_count] = *store;
	return server->store_count++;
}

static enum histree_status find_store(struct segment_server *server, size_t host, const char *analysis, size_t *out,
				      struct histree_error *error)
{
	struct served_store store = { .host = host };
	for (*out = 0; *out < server->store_count; ++*out)
		if (server->stores[*out].host == host && server->stores[*out].analysis != NULL &&
		    strcmp(server->stores[*out].analysis, analysis) == 0)
			return HISTREE_OK;
	if (host >= server->set->count || server->set->hosts[host].store == NULL)
		return error_set(error, HISTREE_ERR_IO, "%s",
				 host < server->set->count ? server->set->hosts[host].why
							   : "there is no such host");
	enum histree_status status =
		histree_store_segments(server->set->hosts[host].store, analysis, true, NULL, &store.store, error);
	if (status != HISTREE_OK)
		return status;
	store.analysis = strdup(analysis);
	*out = store.analysis != NULL ? number_of(server, &store) : SIZE_MAX;
	if (*out != SIZE_MAX)
		return HISTREE_OK;
	free(store.analysis);
	histree_segment_store_close(store.store);
	return error_memory(error, "a segment store");
}

static void write_overview(struct segment_server *server, const struct histree_segment_overview *overview,
			   struct message *out)
{
	const struct served_store store = { .host = SIZE_MAX, .store = overview->store };
	size_t number = number_of(server, &store);
	if (number == SIZE_MAX)
		out->no_memory = true;
	message_number(out, number);
	write_info(histree_segment_store_info(overview->store), out);
	message_number(out, overview->width_log2);
	message_number(out, overview->parts_log2);
	message_number(out, (uint64_t)overview->field + 1); /* 0: none */
}

static void open_store(struct segment_server *server, struct byte_reader *request, struct message *reply)
{
	struct histree_error error = { 0 };
	struct histree_segment_overview overview;
	size_t number = 0, overviews = 0;
	uint64_t host = read_varint(request);
	struct message_text name = read_text(request);
	char *analysis = message_text_copy(name);
	size_t at = section_begin(reply, STEP_OPEN);
	enum histree_status status =
		analysis == NULL || request->failed
			? error_set(&error, HISTREE_ERR_FORMAT, "a rank cannot read the question")
			: find_store(server, (size_t)host, analysis, &number, &error);
	section_status(reply, status, &error);
	if (status == HISTREE_OK) {
		struct histree_segment_store *store = server->stores[number].store;
		message_number(reply, number);
		write_info(histree_segment_store_info(store), reply);
		while (histree_segment_store_overview(store, overviews, &overview) == HISTREE_OK)
			overviews++;
		message_number(reply, overviews);
		for (size_t i = 0; i < overviews; i++)
			if (histree_segment_store_overview(store, i, &overview) == HISTREE_OK)
				write_overview(server, &overview, reply);
	}
	section_end(reply, at);
	free(analysis);
}

/* ---- cursors ---------------------------------------------------------------------------------------------- */

static void drop(struct served_cursor *cursor)
{
	histree_segment_iter_free(cursor->iter);
	histree_segment_filter_free(cursor->filter);
	*cursor = (struct served_cursor){ 0 };
}

static struct served_cursor *find_cursor(struct segment_server *server, uint64_t number)
{
	for (size_t i = 0; i < server->cursor_count; i++)
		if (server->cursors[i].iter != NULL && server->cursors[i].number == number)
			return &server->cursors[i];
	return NULL;
}

static struct served_cursor *free_place(struct segment_server *server)
{
	for (size_t i = 0; i < server->cursor_count; i++)
		if (server->cursors[i].iter == NULL)
			return &server->cursors[i];
	if (!array_reserve(&server->cursors, &server->cursor_capacity, server->cursor_count + 1))
		return NULL;
	server->cursors[server->cursor_count] = (struct served_cursor){ 0 };
	return &server->cursors[server->cursor_count++];
}

static void write_segments(struct segment_server *server, struct served_cursor *cursor, uint32_t rows,
			   struct message *reply)
{
	struct histree_error error = { 0 };
	struct histree_segment segment;
	struct segment_columns_writer *writer = &server->writer;
	enum histree_status status = HISTREE_OK;
	segment_columns_begin(writer, histree_segment_store_info(cursor->store)->schema.field_count,
			      cursor->wanted);
	while (status == HISTREE_OK && writer->count < rows && !segment_columns_is_full(writer)) {
		status = histree_segment_iter_next(cursor->iter, &segment, &error);
		if (status == HISTREE_OK && !segment_columns_add(writer, &segment))
			status = error_memory(&error, "segments");
	}
	section_status(reply, status, &error);
	if (status == HISTREE_PARTIAL) {
		struct histree_segment_loss loss = histree_segment_iter_loss(cursor->iter);
		message_signed(reply, loss.from);
		message_signed(reply, loss.to);
		message_number(reply, loss.count_max);
		message_number(reply, loss.node);
	}
	segment_columns_write(writer, reply);
	if (status < 0 || status == HISTREE_END)
		drop(cursor);
}

/* The condition of a question, as its words say it. */
struct condition {
	struct message_text where; /* empty: none */
	histree_time start, end;   /* of the trace, which its times may be relative to */
};

/* A condition that this rank's segments cannot have, such as one on a field of others, is rank 0's to judge. */
static void push_down(struct served_cursor *cursor, const struct condition *condition,
		      struct histree_segment_query *query)
{
	struct histree_segment_query judged = *query;
	struct histree_error error;
	char *where = condition->where.size > 0 ? message_text_copy(condition->where) : NULL;
	if (where != NULL && histree_segment_filter_create(&histree_segment_store_info(cursor->store)->schema,
							   where, condition->start, condition->end, &cursor->filter,
							   &error) == HISTREE_OK) {
		histree_segment_filter_apply(cursor->filter, &judged);
		query->filter = judged.filter;
		query->filter_context = judged.filter_context;
	}
	/* Only of those that pass are the first so many enough. */
	if (condition->where.size > 0 && cursor->filter == NULL)
		query->limit = 0;
	free(where);
}

static enum histree_status start(struct segment_server *server, struct served_cursor *cursor,
				 struct byte_reader *request, struct histree_error *error)
{
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	struct condition condition;
	uint64_t number = read_varint(request);
	query.from = read_signed(request);
	query.to = read_signed(request);
	query.order = (enum histree_segment_order)read_byte(request);
	query.descending = read_byte(request) != 0;
	query.field = (size_t)read_varint(request);
	query.limit = read_varint(request);
	cursor->wanted = (uint32_t)read_varint(request);
	condition.where = read_text(request);
	condition.start = read_signed(request);
	condition.end = read_signed(request);
	if (request->failed || number >= server->store_count)
		return error_set(error, HISTREE_ERR_FORMAT, "a rank cannot read the question");
	struct histree_segment_store *store = server->stores[number].store;
	cursor->store = store;
	query.cancel = server->cancel;
	push_down(cursor, &condition, &query);
	enum histree_status status = histree_segment_iter_create(store, &cursor->iter, error);
	return status == HISTREE_OK ? histree_segment_iter_start(cursor->iter, &query, NULL, error) : status;
}

static void start_cursor(struct segment_server *server, struct byte_reader *request, struct message *reply)
{
	struct histree_error error = { 0 };
	uint64_t number = read_varint(request);
	struct served_cursor *cursor = free_place(server);
	size_t at = section_begin(reply, STEP_NEXT);
	message_number(reply, number);
	enum histree_status status =
		cursor != NULL ? start(server, cursor, request, &error) : error_memory(&error, "an iterator");
	if (status == HISTREE_OK) {
		cursor->number = number;
		write_segments(server, cursor, FIRST_ROWS, reply);
	} else {
		section_status(reply, status, &error);
		message_number(reply, 0);
		if (cursor != NULL)
			drop(cursor);
	}
	section_end(reply, at);
}

static void go_on(struct segment_server *server, struct byte_reader *request, struct message *reply)
{
	struct histree_error error;
	uint64_t number = read_varint(request);
	struct served_cursor *cursor = find_cursor(server, number);
	size_t at = section_begin(reply, STEP_NEXT);
	message_number(reply, number);
	if (cursor != NULL) {
		write_segments(server, cursor, MORE_ROWS, reply);
	} else {
		error_set(&error, HISTREE_ERR_FORMAT, "a rank has no such iterator");
		section_status(reply, HISTREE_ERR_FORMAT, &error);
		message_number(reply, 0);
	}
	section_end(reply, at);
}

void segment_server_answer(struct segment_server *server, struct byte_reader *request, struct message *reply)
{
	while (!request->failed && byte_reader_left(request) > 0) {
		struct served_cursor *cursor;
		uint8_t step = read_byte(request);
		switch (step) {
		case STEP_OPEN:
			open_store(server, request, reply);
			break;
		case STEP_START:
			start_cursor(server, request, reply);
			break;
		case STEP_NEXT:
			go_on(server, request, reply);
			break;
		case STEP_CLOSE:
			cursor = find_cursor(server, read_varint(request));
			if (cursor != NULL)
				drop(cursor);
			break;
		default:
			server->events.cancel = server->states.cancel = server->cancel;
			if (step == STEP_VIEW) {
				view_server_answer(&server->states, request, reply);
				break;
			}
			if (!event_server_step(&server->events, server->set, step, request, reply) &&
			    !state_server_step(&server->states, server->set, step, request, reply))
				request->failed = true;
		}
	}
}

void segment_server_reset(struct segment_server *server)
{
	for (size_t i = 0; i < server->cursor_count; i++)
		drop(&server->cursors[i]);
	server->cursor_count = 0;
	event_server_reset(&server->events);
	state_server_reset(&server->states);
}

void segment_server_release(struct segment_server *server)
{
	segment_server_reset(server);
	for (size_t i = 0; i < server->store_count; i++) {
		if (server->stores[i].analysis != NULL) /* an overview is its store's */
			histree_segment_store_close(server->stores[i].store);
		free(server->stores[i].analysis);
	}
	free(server->stores);
	free(server->cursors);
	event_server_release(&server->events);
	state_server_release(&server->states);
	segment_columns_writer_release(&server->writer);
}
