// SPDX-License-Identifier: MIT
#include "mpi/event_server.h"

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

bool event_server_step(struct event_server *server, const struct shard_set *set, uint8_t step,
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

void event_server_reset(struct event_server *server)
{
	for (size_t i = 0; i < server->reader_count; i++)
		histree_event_reader_free(server->readers[i].reader);
	server->reader_count = 0;
}

void event_server_release(struct event_server *server)
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
