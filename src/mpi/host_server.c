// SPDX-License-Identifier: MIT
/*
 * host_server.c - what a rank has of its hosts, for rank 0: events, states, sums and segments.
 *
 * What a rank adds up of its own hosts for rank 0, so that their states need not travel.
 *
 * 	VIEW	number, history, question	the number, a status, and the answer
 *
 * The history is one that HISTORY (host_server.h) has opened; question and answer are bytes of the library
 * (histree/time_use.h).
 */
#include "mpi/host_server.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/io.h"
#include "histree/event_query.h"
#include "histree/history_source.h"
#include "histree/query.h"
#include "histree/segment_filter.h"
#include "histree/segment_source.h"
#include "histree/time_use.h"
#include "mpi/answer.h"
#include "mpi/columns.h"
#include "mpi/link.h"
#include "mpi/shard_set.h"

/* ---- event server -------------------------------------------------------------------------------------------- */

struct served_events {
	uint64_t host;
	struct histree_events *events;
};

struct served_reader {
	uint64_t number, host;
	struct histree_event_reader *reader; /* NULL: the place is free */
};

static enum histree_status unreadable(struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_FORMAT, "a rank cannot read the question");
}

/* ---- indexes ---------------------------------------------------------------------------------------------- */

static enum histree_status find_events(struct event_server *server, const struct shard_set *set, uint64_t host,
				       struct histree_events **out, struct histree_error *error)
{
	for (size_t i = 0; i < server->events_count; i++) {
		*out = server->events[i].events;
		if (server->events[i].host == host)
			return HISTREE_OK;
	}
	if (host >= set->count || set->hosts[host].store == NULL)
		return error_set(error, HISTREE_ERR_IO, "%s",
				 host < set->count ? set->hosts[host].why : "there is no such host");
	enum histree_status status = histree_events_open(set->hosts[host].store, out, error);
	if (status != HISTREE_OK)
		return status;
	if (!array_reserve(&server->events, &server->events_capacity, server->events_count + 1)) {
		histree_events_close(*out);
		return error_memory(error, "the events of a host");
	}
	server->events[server->events_count++] = (struct served_events){ host, *out };
	return HISTREE_OK;
}

/* Appends the index as its file has it, which was found sound when the events were opened. */
static enum histree_status write_index(const struct histree_store *store, struct message *out,
				       struct histree_error *error)
{
	char *path = NULL;
	off_t size = 0;
	if (asprintf(&path, "%s/events.idx", histree_store_info(store)->path) < 0)
		return error_memory(error, "an index of events");
	int file = io_posix.open(io_posix.context, path, O_RDONLY | O_CLOEXEC, 0);
	enum histree_status status = HISTREE_OK;
	if (file < 0 || io_posix.size(io_posix.context, file, &size) != 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot open '%s': %s", path, strerror(errno));
	size_t at = status == HISTREE_OK ? message_room(out, (size_t)size) : SIZE_MAX;
	if (status == HISTREE_OK && (at == SIZE_MAX || out->no_memory))
		status = error_memory(error, "an index of events");
	if (status == HISTREE_OK)
		status = io_read_all(&io_posix, file, out->bytes + at, (size_t)size, 0, error);
	if (file >= 0)
		io_posix.close(io_posix.context, file);
	free(path);
	return status;
}

static void open_events(struct event_server *server, const struct shard_set *set, struct byte_reader *request,
			struct message *reply)
{
	struct histree_error error = { 0 };
	struct histree_events *events = NULL;
	struct message index = { 0 };
	uint64_t host = read_varint(request);
	enum histree_status status =
		request->failed ? unreadable(&error) : find_events(server, set, host, &events, &error);
	if (status == HISTREE_OK)
		status = write_index(set->hosts[host].store, &index, &error);
	size_t at = section_begin(reply, STEP_EVENTS);
	section_status(reply, status, &error);
	if (status == HISTREE_OK) {
		message_byte(reply, histree_events_are_in_order(events));
		message_bytes(reply, index.bytes, index.size);
	}
	section_end(reply, at);
	message_release(&index);
}

/* ---- readers ---------------------------------------------------------------------------------------------- */

static enum histree_status find_reader(struct event_server *server, const struct histree_events *events,
				       uint64_t host, uint64_t number, struct histree_event_reader **out,
				       struct histree_error *error)
{
	struct served_reader *place = NULL;
	for (size_t i = 0; i < server->reader_count; i++) {
		struct served_reader *reader = &server->readers[i];
		*out = reader->reader;
		if (reader->reader != NULL && reader->number == number)
			return reader->host == host ? HISTREE_OK : unreadable(error);
		if (reader->reader == NULL)
			place = reader;
	}
	if (place == NULL && !array_reserve(&server->readers, &server->reader_capacity, server->reader_count + 1))
		return error_memory(error, "a reader of events");
	if (place == NULL)
		place = &server->readers[server->reader_count++];
	*place = (struct served_reader){ number, host, NULL };
	enum histree_status status = histree_event_reader_create(events, &place->reader, error);
	*out = place->reader;
	return status;
}

struct wish {
	uint64_t reader, serial, host, first, count;
	char *paths[EVENT_VALUES_MAX];
	uint32_t path_count;
};

static void wish_release(struct wish *wish)
{
	for (uint32_t i = 0; i < wish->path_count; i++)
		free(wish->paths[i]);
}

/* Reads a wish but for the texts of types, which depend on the host. */
static bool read_wish(struct wish *wish, struct byte_reader *request)
{
	wish->reader = read_varint(request);
	wish->serial = read_varint(request);
	wish->host = read_varint(request);
	wish->first = read_varint(request);
	wish->count = read_varint(request);
	uint64_t paths = read_varint(request);
	if (request->failed || paths > EVENT_VALUES_MAX || wish->count > EVENT_ROWS_MAX) {
		request->failed = true;
		return false;
	}
	for (; wish->path_count < paths; wish->path_count++) {
		wish->paths[wish->path_count] = message_text_copy(read_text(request));
		if (wish->paths[wish->path_count] == NULL)
			return false;
	}
	return !request->failed;
}

/* All types have those that come first; then some have more. */
static enum histree_status read_wanted(struct event_server *server, size_t type_count, struct byte_reader *request,
				       struct histree_error *error)
{
	uint8_t all = read_byte(request);
	uint64_t more = read_varint(request);
	if (!array_reserve(&server->wanted, &server->wanted_capacity, type_count + 1))
		return error_memory(error, "a question");
	memset(server->wanted, all, type_count + 1);
	for (; more > 0 && !request->failed; more--) {
		uint64_t type = read_varint(request);
		uint8_t texts = read_byte(request);
		if (type >= type_count)
			return unreadable(error);
		server->wanted[type] |= texts;
	}
	return request->failed ? unreadable(error) : HISTREE_OK;
}

static void add_row(struct event_server *server, const struct wish *wish, struct histree_event_reader *reader,
		    const struct histree_event *event)
{
	struct event_rows_writer *writer = &server->writer;
	struct histree_value value;
	uint8_t texts = server->wanted[event->type] & ((1 << EVENT_TEXTS) - 1);
	event_rows_add(writer, event, texts);
	if ((texts >> HISTREE_EVENT_CONTENTS & 1) != 0)
		event_rows_text(writer, histree_event_reader_contents(reader));
	if ((texts >> HISTREE_EVENT_JSON & 1) != 0)
		event_rows_text(writer, histree_event_reader_json(reader));
	if ((texts >> HISTREE_EVENT_STREAM & 1) != 0)
		event_rows_text(writer, histree_event_reader_stream(reader));
	for (uint32_t i = 0; i < wish->path_count; i++) {
		bool is_there = histree_event_reader_value(reader, wish->paths[i], &value) == HISTREE_OK;
		event_rows_value(writer, is_there ? &value : NULL);
	}
}

static enum histree_status read_rows(struct event_server *server, const struct wish *wish,
				     struct histree_event_reader *reader, struct histree_error *error)
{
	struct histree_event event;
	enum histree_status status = histree_event_reader_seek(reader, wish->first, error);
	while (status == HISTREE_OK && server->writer.count < wish->count &&
	       !event_rows_are_enough(&server->writer)) {
		status = cancel_check(&server->cancel, server->writer.count, error);
		if (status == HISTREE_OK)
			status = histree_event_reader_next(reader, &event, error);
		if (status == HISTREE_OK)
			add_row(server, wish, reader, &event);
	}
	return status;
}

static void read_events(struct event_server *server, const struct shard_set *set, struct byte_reader *request,
			struct message *reply)
{
	struct wish wish = { 0 };
	struct histree_error error = { 0 };
	struct histree_events *events = NULL;
	struct histree_event_reader *reader = NULL;
	size_t type_count = 0;
	enum histree_status status = read_wish(&wish, request)
					     ? find_events(server, set, wish.host, &events, &error)
					     : unreadable(&error);
	if (status == HISTREE_OK) {
		histree_events_types(events, &type_count);
		status = read_wanted(server, type_count, request, &error);
	} else { /* nothing else of the request can be told apart */
		request->failed = true;
	}
	event_rows_begin(&server->writer, wish.path_count);
	if (status == HISTREE_OK)
		status = find_reader(server, events, wish.host, wish.reader, &reader, &error);
	if (status == HISTREE_OK)
		status = read_rows(server, &wish, reader, &error);
	size_t at = section_begin(reply, STEP_READ);
	message_number(reply, wish.reader);
	message_number(reply, wish.serial);
	section_status(reply, status, &error);
	event_rows_write(&server->writer, reply);
	section_end(reply, at);
	wish_release(&wish);
}

static void leave(struct event_server *server, uint64_t number)
{
	for (size_t i = 0; i < server->reader_count; i++)
		if (server->readers[i].reader != NULL && server->readers[i].number == number) {
			histree_event_reader_free(server->readers[i].reader);
			server->readers[i].reader = NULL;
		}
}

/* Takes a step; returns false if it is none of these. */
static bool event_server_step(struct event_server *server, const struct shard_set *set, uint8_t step,
			      struct byte_reader *request, struct message *reply)
{
	switch (step) {
	case STEP_EVENTS:
		open_events(server, set, request, reply);
		return true;
	case STEP_READ:
		read_events(server, set, request, reply);
		return true;
	case STEP_LEAVE:
		leave(server, read_varint(request));
		return true;
	default:
		return false;
	}
}

/* Drops all readers: the question is over. */
static void event_server_reset(struct event_server *server)
{
	for (size_t i = 0; i < server->reader_count; i++)
		histree_event_reader_free(server->readers[i].reader);
	server->reader_count = 0;
}

static void event_server_release(struct event_server *server)
{
	event_server_reset(server);
	for (size_t i = 0; i < server->events_count; i++)
		histree_events_close(server->events[i].events);
	free(server->readers);
	free(server->events);
	free(server->wanted);
	event_rows_writer_release(&server->writer);
	*server = (struct event_server){ 0 };
}

/* ---- state server -------------------------------------------------------------------------------------------- */

/* So that a small question is one message, and a long one few. */
enum { STATE_SERVER_FIRST_ROWS = 256, STATE_SERVER_MORE_ROWS = 4096, BATCH = 256 };

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
	if (host >= set->count || set->hosts[host].store == NULL)
		return error_set(error, HISTREE_ERR_IO, "%s",
				 host < set->count ? set->hosts[host].why : "there is no such host");
	enum histree_status status =
		histree_store_history(set->hosts[host].store, analysis, true, NULL, &history.history, error);
	if (status != HISTREE_OK)
		return status;
	history.analysis = strdup(analysis);
	if (history.analysis == NULL ||
	    !array_reserve(&server->histories, &server->history_capacity, server->history_count + 1)) {
		histree_history_close(history.history);
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

/* Returns a history by its number; NULL: there is none. */
static struct histree_history *state_server_history(const struct state_server *server, uint64_t number)
{
	return number < server->history_count ? server->histories[number].history : NULL;
}

/* ---- queries ---------------------------------------------------------------------------------------------- */

static void state_server_drop(struct served_query *query)
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

static struct served_query *state_server_free_place(struct state_server *server)
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
		state_server_drop(query);
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

static enum histree_status state_server_start(struct state_server *server, struct served_query *query,
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
	struct served_query *query = state_server_free_place(server);
	size_t at = section_begin(reply, STEP_STATES);
	message_number(reply, number);
	enum histree_status status = query != NULL ? state_server_start(server, query, request, &error)
						   : error_memory(&error, "a query");
	if (status == HISTREE_OK) {
		query->number = number;
		write_states(server, query, STATE_SERVER_FIRST_ROWS, reply);
	} else {
		write_nothing(server, status, &error, reply);
		if (query != NULL)
			state_server_drop(query);
	}
	section_end(reply, at);
}

static void state_server_go_on(struct state_server *server, struct byte_reader *request, struct message *reply)
{
	struct histree_error error;
	uint64_t number = read_varint(request);
	struct served_query *query = find_query(server, number);
	size_t at = section_begin(reply, STEP_STATES);
	message_number(reply, number);
	if (query != NULL) {
		write_states(server, query, STATE_SERVER_MORE_ROWS, reply);
	} else {
		error_set(&error, HISTREE_ERR_FORMAT, "a rank has no such query");
		write_nothing(server, HISTREE_ERR_FORMAT, &error, reply);
	}
	section_end(reply, at);
}

/* Takes a step; returns false if it is none of these. */
static bool state_server_step(struct state_server *server, struct shard_set *set, uint8_t step,
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
		state_server_go_on(server, request, reply);
		return true;
	case STEP_DROP:
		query = find_query(server, read_varint(request));
		if (query != NULL)
			state_server_drop(query);
		return true;
	default:
		return false;
	}
}

/* Drops all queries: the question is over. */
static void state_server_reset(struct state_server *server)
{
	for (size_t i = 0; i < server->query_count; i++)
		state_server_drop(&server->queries[i]);
	server->query_count = 0;
}

static void state_server_release(struct state_server *server)
{
	state_server_reset(server);
	for (size_t i = 0; i < server->history_count; i++) {
		histree_history_close(server->histories[i].history);
		free(server->histories[i].analysis);
	}
	free(server->histories);
	free(server->queries);
	chunk_writer_release(&server->writer);
}

/* ---- view server --------------------------------------------------------------------------------------------- */

static void view_server_answer(const struct state_server *states, struct byte_reader *request,
			       struct message *reply)
{
	struct histree_error error = { 0 };
	void *answer = NULL;
	size_t size = 0;
	uint64_t number = read_varint(request), history = read_varint(request);
	struct message_text question = read_text(request);
	size_t at = section_begin(reply, STEP_VIEW);
	struct histree_history *of = state_server_history(states, history);
	message_number(reply, number);
	enum histree_status status =
		request->failed || of == NULL
			? error_set(&error, HISTREE_ERR_FORMAT, "a rank cannot read the question")
			: histree_time_use_answer(of, question.bytes, question.size, states->cancel, &answer, &size,
						  &error);
	section_status(reply, status, &error);
	message_bytes(reply, answer, size);
	section_end(reply, at);
	free(answer);
}

/* ---- segment server ------------------------------------------------------------------------------------------ */

/* So that a small question is one message, and a long one few. */
enum { SEGMENT_SERVER_FIRST_ROWS = 256, SEGMENT_SERVER_MORE_ROWS = 4096 };

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

static void segment_server_drop(struct served_cursor *cursor)
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

static struct served_cursor *segment_server_free_place(struct segment_server *server)
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
		segment_server_drop(cursor);
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

static enum histree_status segment_server_start(struct segment_server *server, struct served_cursor *cursor,
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
	struct served_cursor *cursor = segment_server_free_place(server);
	size_t at = section_begin(reply, STEP_NEXT);
	message_number(reply, number);
	enum histree_status status = cursor != NULL ? segment_server_start(server, cursor, request, &error)
						    : error_memory(&error, "an iterator");
	if (status == HISTREE_OK) {
		cursor->number = number;
		write_segments(server, cursor, SEGMENT_SERVER_FIRST_ROWS, reply);
	} else {
		section_status(reply, status, &error);
		message_number(reply, 0);
		if (cursor != NULL)
			segment_server_drop(cursor);
	}
	section_end(reply, at);
}

static void segment_server_go_on(struct segment_server *server, struct byte_reader *request, struct message *reply)
{
	struct histree_error error;
	uint64_t number = read_varint(request);
	struct served_cursor *cursor = find_cursor(server, number);
	size_t at = section_begin(reply, STEP_NEXT);
	message_number(reply, number);
	if (cursor != NULL) {
		write_segments(server, cursor, SEGMENT_SERVER_MORE_ROWS, reply);
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
			segment_server_go_on(server, request, reply);
			break;
		case STEP_CLOSE:
			cursor = find_cursor(server, read_varint(request));
			if (cursor != NULL)
				segment_server_drop(cursor);
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
		segment_server_drop(&server->cursors[i]);
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
