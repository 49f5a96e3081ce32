// SPDX-License-Identifier: MIT
#include "mpi/state_server.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/cancel.h"
#include "base/error.h"
#include "histree/history_source.h"
#include "histree/query.h"

/* So that a small question is one message, and a long one few. */
enum { FIRST_ROWS = 256, MORE_ROWS = 4096, BATCH = 256 };

/* Borrowed from the set. */
struct served_history {
	char *analysis;
	size_t host;
	struct histree_history *history;
};

struct served_query {
	uint64_t number;
	struct histree_query *query; /* NULL: the place is free */
	histree_quark *quarks;       /* of its region */
	histree_time *times;
};

/* ---- histories -------------------------------------------------------------------------------------------- */

static enum histree_status find_history(struct state_server *server, struct shard_set *set, size_t host,
					const char *analysis, size_t *out, struct histree_error *error)
{
	struct served_history history = { .host = host };
	for (*out = 0; *out < server->history_count; ++*out)
		if (server->histories[*out].host == host && strcmp(server->histories[*out].analysis, analysis) == 0)
			return HISTREE_OK;
	enum histree_status status = shard_set_host_history(set, analysis, host, &history.history, error);
	if (status != HISTREE_OK)
		return status;
	history.analysis = strdup(analysis);
	if (history.analysis == NULL ||
	    !array_reserve(&server->histories, &server->history_capacity, server->history_count + 1)) {
		free(history.analysis);
		return error_memory(error, "the histories");
	}
	server->histories[server->history_count++] = history;
	return HISTREE_OK;
}

static void open_history(struct state_server *server, struct shard_set *set, struct byte_reader *request,
			 struct message *reply)
{
	struct histree_error error = { 0 };
	void *bytes = NULL;
	size_t number = 0, size = 0;
	uint64_t host = read_varint(request);
	struct message_text name = read_text(request);
	char *analysis = message_text_copy(name);
	size_t at = section_begin(reply, STEP_HISTORY);
	enum histree_status status =
		analysis == NULL || request->failed
			? error_set(&error, HISTREE_ERR_FORMAT, "a rank cannot read the question")
			: find_history(server, set, (size_t)host, analysis, &number, &error);
	if (status == HISTREE_OK)
		status = histree_history_describe(server->histories[number].history, &bytes, &size, &error);
	section_status(reply, status, &error);
	if (status == HISTREE_OK) {
		message_number(reply, number);
		message_bytes(reply, bytes, size);
	}
	section_end(reply, at);
	free(bytes);
	free(analysis);
}

struct histree_history *state_server_history(const struct state_server *server, uint64_t number)
{
	return number < server->history_count ? server->histories[number].history : NULL;
}

/* ---- queries ---------------------------------------------------------------------------------------------- */

static void drop(struct served_query *query)
{
	histree_query_free(query->query);
	free(query->quarks);
	free(query->times);
	*query = (struct served_query){ 0 };
}

static struct served_query *find_query(struct state_server *server, uint64_t number)
{
	for (size_t i = 0; i < server->query_count; i++)
		if (server->queries[i].query != NULL && server->queries[i].number == number)
			return &server->queries[i];
	return NULL;
}

static struct served_query *free_place(struct state_server *server)
{
	for (size_t i = 0; i < server->query_count; i++)
		if (server->queries[i].query == NULL)
			return &server->queries[i];
	if (!array_reserve(&server->queries, &server->query_capacity, server->query_count + 1))
		return NULL;
	server->queries[server->query_count] = (struct served_query){ 0 };
	return &server->queries[server->query_count++];
}

/* The values of a batch are copied before the query is asked on. */
static enum histree_status fill(struct state_server *server, struct histree_query *query, uint32_t rows,
				struct histree_error *error)
{
	struct chunk_writer *writer = &server->writer;
	struct histree_interval batch[BATCH];
	size_t count = 0;
	enum histree_status status = cancel_check(&server->cancel, 0, error);
	histree_quark last = HISTREE_ROOT;
	while (status == HISTREE_OK && writer->row_count < rows && !chunk_is_full(writer)) {
		uint32_t left = rows - writer->row_count;
		status = histree_query_read(query, batch, left < BATCH ? left : BATCH, &count, error);
		for (size_t i = 0; status == HISTREE_OK && i < count; i++) {
			bool added = batch[i].quark == last || chunk_add_attribute(writer, batch[i].quark, "", 0);
			last = batch[i].quark;
			if (!added || !chunk_add_row(writer, &batch[i], NULL))
				status = error_memory(error, "states");
		}
	}
	return status;
}

static void write_states(struct state_server *server, struct served_query *query, uint32_t rows,
			 struct message *reply)
{
	struct histree_error error = { 0 };
	enum histree_status status = fill(server, query->query, rows, &error);
	struct histree_query_stats stats = histree_query_stats(query->query);
	section_status(reply, status, &error);
	message_number(reply, stats.nodes_visited);
	message_number(reply, stats.nodes_loaded);
	message_number(reply, stats.nodes_damaged);
	chunk_write(&server->writer, reply);
	if (status != HISTREE_OK)
		drop(query);
}

static void write_nothing(struct state_server *server, enum histree_status status,
			  const struct histree_error *error, struct message *reply)
{
	section_status(reply, status, error);
	for (int i = 0; i < 3; i++)
		message_number(reply, 0);
	chunk_write(&server->writer, reply);
}

/* A list of ascending numbers as differences; *out is NULL if there is none. */
static bool read_quarks(struct byte_reader *request, uint64_t count, histree_quark **out)
{
	uint64_t quark = 0;
	if (request->failed || count > byte_reader_left(request))
		return false;
	*out = malloc(((size_t)count + 1) * sizeof(**out));
	for (uint64_t i = 0; *out != NULL && i < count; i++) {
		quark += read_varint(request);
		(*out)[i] = (histree_quark)quark;
		request->failed |= quark > UINT32_MAX;
	}
	return *out != NULL && !request->failed;
}

static bool read_times(struct byte_reader *request, uint64_t count, histree_time **out)
{
	uint64_t time = 0;
	if (request->failed || count > byte_reader_left(request))
		return false;
	*out = malloc(((size_t)count + 1) * sizeof(**out));
	for (uint64_t i = 0; *out != NULL && i < count; i++) {
		time += i == 0 ? (uint64_t)read_signed(request) : read_varint(request);
		(*out)[i] = (histree_time)time;
	}
	return *out != NULL && !request->failed;
}

static bool read_region(struct byte_reader *request, struct served_query *query, struct histree_region *region)
{
	uint64_t quarks = read_varint(request);
	if (quarks > 0 && !read_quarks(request, quarks - 1, &query->quarks))
		return false;
	uint64_t times = read_varint(request);
	if (times > 0 && !read_times(request, times, &query->times))
		return false;
	*region = (struct histree_region){ .quarks = query->quarks,
					   .quark_count = quarks > 0 ? (size_t)quarks - 1 : 0,
					   .times = query->times,
					   .time_count = (size_t)times };
	if (times == 0) {
		region->from = read_signed(request);
		region->to = read_signed(request);
	}
	return !request->failed;
}

static enum histree_status start(struct state_server *server, struct served_query *query,
				 struct byte_reader *request, struct histree_error *error)
{
	struct histree_region region;
	uint64_t history = read_varint(request), part = read_varint(request);
	struct histree_history *of = NULL;
	bool is_read = read_region(request, query, &region);
	if (is_read)
		of = state_server_history(server, history);
	of = of != NULL && part <= UINT32_MAX ? histree_history_part_of(of, (uint32_t)part) : NULL;
	if (of == NULL)
		return error_set(error, HISTREE_ERR_FORMAT, "a rank cannot read the question");
	enum histree_status status = histree_query_create(of, &query->query, error);
	return status == HISTREE_OK ? histree_query_start(query->query, &region, error) : status;
}

static void start_query(struct state_server *server, struct byte_reader *request, struct message *reply)
{
	struct histree_error error = { 0 };
	uint64_t number = read_varint(request);
	struct served_query *query = free_place(server);
	size_t at = section_begin(reply, STEP_STATES);
	message_number(reply, number);
	enum histree_status status =
		query != NULL ? start(server, query, request, &error) : error_memory(&error, "a query");
	if (status == HISTREE_OK) {
		query->number = number;
		write_states(server, query, FIRST_ROWS, reply);
	} else {
		write_nothing(server, status, &error, reply);
		if (query != NULL)
			drop(query);
	}
	section_end(reply, at);
}

static void go_on(struct state_server *server, struct byte_reader *request, struct message *reply)
{
	struct histree_error error;
	uint64_t number = read_varint(request);
	struct served_query *query = find_query(server, number);
	size_t at = section_begin(reply, STEP_STATES);
	message_number(reply, number);
	if (query != NULL) {
		write_states(server, query, MORE_ROWS, reply);
	} else {
		error_set(&error, HISTREE_ERR_FORMAT, "a rank has no such query");
		write_nothing(server, HISTREE_ERR_FORMAT, &error, reply);
	}
	section_end(reply, at);
}

bool state_server_step(struct state_server *server, struct shard_set *set, uint8_t step,
		       struct byte_reader *request, struct message *reply)
{
	struct served_query *query;
	switch (step) {
	case STEP_HISTORY:
		open_history(server, set, request, reply);
		return true;
	case STEP_STATES:
		start_query(server, request, reply);
		return true;
	case STEP_MORE:
		go_on(server, request, reply);
		return true;
	case STEP_DROP:
		query = find_query(server, read_varint(request));
		if (query != NULL)
			drop(query);
		return true;
	default:
		return false;
	}
}

void state_server_reset(struct state_server *server)
{
	for (size_t i = 0; i < server->query_count; i++)
		drop(&server->queries[i]);
	server->query_count = 0;
}

void state_server_release(struct state_server *server)
{
	state_server_reset(server);
	for (size_t i = 0; i < server->history_count; i++)
		free(server->histories[i].analysis);
	free(server->histories);
	free(server->queries);
	chunk_writer_release(&server->writer);
}
