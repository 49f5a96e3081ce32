// SPDX-License-Identifier: MIT
/*
 * host_server.c - which hosts of a store this rank answers for, and its answers to rank 0.
 *
 * Each kind of stream (stream.h) is a row of a table: how it starts, continues and ends.  What it needs from one
 * answer to the next is its state.  The bytes of an answer are gathered in `answer` of the server, because the
 * result is known last but sent first.
 */
#include "mpi/host_server.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/io.h"
#include "base/table.h"
#include "histree/events.h"
#include "histree/history.h"
#include "histree/segment_stats.h"
#include "histree/segments.h"
#include "histree/states.h"
#include "histree/store.h"
#include "histree/time_use.h"
#include "mpi/link.h"
#include "mpi/stream.h"

/* ---- shard set ----------------------------------------------------------------------------------------------- */

void shard_set_describe(const struct histree_store_info *info, struct byte_buffer *out)
{
	bool of_one = info->host_count == 0;
	byte_buffer_put_number(out, of_one ? 1 : info->host_count);
	for (size_t i = 0; i < info->host_count; i++) {
		byte_buffer_put_string(out, info->hosts[i].name);
		byte_buffer_put_string(out, info->hosts[i].folder);
		byte_buffer_put_number(out, info->hosts[i].event_count);
		byte_buffer_put_signed(out, info->hosts[i].start);
		byte_buffer_put_signed(out, info->hosts[i].end);
	}
	if (of_one) {
		byte_buffer_put_string(out, "");
		byte_buffer_put_string(out, "");
		byte_buffer_put_number(out, info->event_count);
		byte_buffer_put_signed(out, info->start);
		byte_buffer_put_signed(out, info->end);
	}
}

static enum histree_status read_hosts(struct shard_set *set, struct byte_reader *reader,
				      struct histree_error *error)
{
	uint64_t count = read_varint(reader);
	if (reader->failed || count > byte_reader_left(reader))
		return error_set(error, HISTREE_ERR_FORMAT, "the list of hosts is damaged");
	set->hosts = calloc((size_t)count + 1, sizeof(*set->hosts));
	if (set->hosts == NULL)
		return error_memory(error, "the hosts");
	for (; set->count < count; set->count++) {
		struct shard_host *host = &set->hosts[set->count];
		host->name = message_text_copy(read_text(reader));
		host->folder = message_text_copy(read_text(reader));
		host->event_count = read_varint(reader);
		host->start = byte_reader_signed(reader);
		host->end = byte_reader_signed(reader);
		if (host->name == NULL || host->folder == NULL) {
			set->count++;
			return error_memory(error, "the hosts");
		}
	}
	return reader->failed ? error_set(error, HISTREE_ERR_FORMAT, "the list of hosts is damaged") : HISTREE_OK;
}

/* Whether a store is the one that the manifest means. */
static bool is_meant(const struct shard_host *host, const struct histree_store_info *info)
{
	return info->complete && info->host_count == 0 && info->event_count == host->event_count &&
	       info->start == host->start && info->end == host->end;
}

static void look_at(struct shard_host *host, const char *folder, enum shard_place place)
{
	struct histree_error error = { 0 };
	char *path = NULL;
	bool of_one = *host->folder == '\0' && place == SHARD_IN_STORE;
	if (host->store != NULL || asprintf(&path, of_one ? "%s" : "%s/%s", folder, host->folder) < 0)
		return;
	if (place == SHARD_LOCAL && access(path, F_OK) != 0) {
		/* It need not be there. */
	} else if (!of_one && access(path, F_OK) != 0) { /* as histree_store_host() says it */
		snprintf(host->why, sizeof(host->why),
			 "there is no store '%s': put its folder back, or make all of it again with 'histree copy "
			 "--rebuild'",
			 path);
	} else if (histree_store_open(path, &host->store, &error) != HISTREE_OK) {
		snprintf(host->why, sizeof(host->why), "%s", error.message);
	} else if (!of_one && !is_meant(host, histree_store_info(host->store))) {
		snprintf(host->why, sizeof(host->why), "'%s' is of another build", path);
		histree_store_close(host->store);
		host->store = NULL;
	} else {
		host->place = place;
	}
	free(path);
}

enum histree_status shard_set_find(struct shard_set *set, const char *path, const char *local,
				   struct byte_reader *description, struct histree_error *error)
{
	*set = (struct shard_set){ .path = path, .local = local };
	enum histree_status status = read_hosts(set, description, error);
	for (size_t i = 0; i < set->count && status == HISTREE_OK; i++) {
		if (local != NULL)
			look_at(&set->hosts[i], local, SHARD_LOCAL);
		look_at(&set->hosts[i], path, SHARD_IN_STORE);
	}
	return status;
}

void shard_set_keep(struct shard_set *set, const bool *mine)
{
	for (size_t i = 0; i < set->count; i++) {
		struct shard_host *host = &set->hosts[i];
		if (!mine[i]) {
			histree_store_close(host->store);
			host->store = NULL;
		}
	}
}

void shard_set_release(struct shard_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		histree_store_close(set->hosts[i].store);
		free(set->hosts[i].name);
		free(set->hosts[i].folder);
	}
	free(set->hosts);
	*set = (struct shard_set){ 0 };
}

/* ---- host server --------------------------------------------------------------------------------------------- */

/* So that a small question is one message, and a long one few. */
enum { FIRST_ROWS = 256, MORE_ROWS = 4096, BATCH = 256 };

/* What was opened of a host: a history, a segment store, or events. */
struct served_thing {
	enum stream_kind kind;
	size_t host;
	char *analysis;
	void *what;
};

struct served_kind {
	/*
	 * Returns HISTREE_END where the answer is complete; HISTREE_OK: the stream goes on, with `state`, which is
	 * dropped in any case.
	 */
	enum histree_status (*start)(struct host_server *server, struct byte_reader *asked, void **state,
				     struct histree_error *error);
	/* Rows may come with an error, which is behind them. */
	enum histree_status (*go_on)(struct host_server *server, void *state, struct byte_reader *asked,
				     uint32_t rows, struct histree_error *error);
	void (*drop)(void *state);
};

struct served_stream {
	uint64_t number;
	const struct served_kind *kind; /* NULL: the place is free */
	void *state;
};

static enum histree_status unreadable(struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_FORMAT, "a rank cannot read the question");
}

/* ---- what is open of hosts ----------------------------------------------------------------------------------- */

static enum histree_status open_thing(struct histree_store *store, struct served_thing *thing,
				      struct histree_error *error)
{
	struct histree_history *history = NULL;
	struct histree_segment_store *segments = NULL;
	struct histree_events *events = NULL;
	enum histree_status status = HISTREE_ERR_INTERNAL;
	if (thing->kind == STREAM_HISTORY)
		status = histree_store_history(store, thing->analysis, true, NULL, &history, error);
	else if (thing->kind == STREAM_STORE)
		status = histree_store_segments(store, thing->analysis, true, NULL, &segments, error);
	else if (thing->kind == STREAM_INDEX)
		status = histree_events_open(store, &events, error);
	thing->what = history != NULL ? (void *)history : segments != NULL ? (void *)segments : (void *)events;
	return status;
}

static void close_thing(struct served_thing *thing)
{
	if (thing->kind == STREAM_HISTORY)
		histree_history_close(thing->what);
	else if (thing->kind == STREAM_STORE)
		histree_segment_store_close(thing->what);
	else if (thing->kind == STREAM_INDEX)
		histree_events_close(thing->what);
	free(thing->analysis);
}

/* Finds what was opened for the host and the analysis, or opens it; *number is its number on rank 0. */
static enum histree_status find_thing(struct host_server *server, enum stream_kind kind, uint64_t host,
				      struct message_text analysis, size_t *number, struct histree_error *error)
{
	struct served_thing thing = { .kind = kind, .host = (size_t)host, .analysis = message_text_copy(analysis) };
	const struct shard_set *set = server->set;
	enum histree_status status = HISTREE_OK;
	*number = 0;
	while (thing.analysis != NULL && *number < server->thing_count) {
		const struct served_thing *one = &server->things[*number];
		if (one->kind == kind && one->host == host && strcmp(one->analysis, thing.analysis) == 0) {
			free(thing.analysis);
			return HISTREE_OK;
		}
		++*number;
	}
	if (thing.analysis == NULL ||
	    !array_reserve(&server->things, &server->thing_capacity, server->thing_count + 1))
		status = error_memory(error, "what a host has");
	else if (host >= set->count || set->hosts[host].store == NULL)
		status = error_set(error, HISTREE_ERR_IO, "%s",
				   host < set->count ? set->hosts[host].why : "there is no such host");
	if (status == HISTREE_OK)
		status = open_thing(set->hosts[host].store, &thing, error);
	if (status == HISTREE_OK)
		server->things[server->thing_count++] = thing;
	else
		free(thing.analysis);
	return status;
}

/* Returns the object that has this number on rank 0; NULL: there is no such object of this kind. */
static void *thing_of(const struct host_server *server, enum stream_kind kind, uint64_t number)
{
	return number < server->thing_count && server->things[number].kind == kind ? server->things[number].what
										   : NULL;
}

/* Reads a host and an analysis, and finds what it made. */
static enum histree_status read_thing(struct host_server *server, enum stream_kind kind, struct byte_reader *asked,
				      size_t *number, struct histree_error *error)
{
	uint64_t host = read_varint(asked);
	struct message_text analysis = read_text(asked);
	return asked->failed ? unreadable(error) : find_thing(server, kind, host, analysis, number, error);
}

static enum histree_status start_history(struct host_server *server, struct byte_reader *asked, void **state,
					 struct histree_error *error)
{
	void *bytes = NULL;
	size_t number, size = 0;
	(void)state;
	enum histree_status status = read_thing(server, STREAM_HISTORY, asked, &number, error);
	if (status == HISTREE_OK)
		status = histree_history_describe(server->things[number].what, &bytes, &size, error);
	if (status != HISTREE_OK)
		return status;
	byte_buffer_put_number(&server->answer, number);
	byte_buffer_put(&server->answer, bytes, size);
	free(bytes);
	return HISTREE_END;
}

static void write_info(const struct histree_segment_store_info *info, struct byte_buffer *out)
{
	const struct histree_segment_schema *schema = &info->schema;
	byte_buffer_put_string(out, schema->provider != NULL ? schema->provider : "");
	byte_buffer_put_number(out, schema->provider_version);
	byte_buffer_put_number(out, schema->field_count);
	for (size_t i = 0; i < schema->field_count; i++) {
		byte_buffer_put_string(out, schema->fields[i].name);
		byte_buffer_put_number(out, schema->fields[i].type);
	}
	byte_buffer_put_number(out, info->segment_count);
	byte_buffer_put_signed(out, info->start);
	byte_buffer_put_signed(out, info->end);
	byte_buffer_put_number(out, info->duration_min);
	byte_buffer_put_number(out, info->duration_max);
	byte_buffer_put_number(out, info->identity);
}

static enum histree_status start_store(struct host_server *server, struct byte_reader *asked, void **state,
				       struct histree_error *error)
{
	struct byte_buffer *out = &server->answer;
	struct histree_segment_overview overview;
	size_t number, overviews = 0;
	(void)state;
	enum histree_status status = read_thing(server, STREAM_STORE, asked, &number, error);
	if (status != HISTREE_OK)
		return status;
	struct histree_segment_store *store = server->things[number].what;
	byte_buffer_put_number(out, number);
	write_info(histree_segment_store_info(store), out);
	while (histree_segment_store_overview(store, overviews, &overview) == HISTREE_OK)
		overviews++;
	byte_buffer_put_number(out, overviews);
	for (size_t i = 0; i < overviews; i++) {
		if (histree_segment_store_overview(store, i, &overview) != HISTREE_OK)
			return error_set(error, HISTREE_ERR_INTERNAL, "an overview is gone");
		write_info(histree_segment_store_info(overview.store), out);
		byte_buffer_put_number(out, overview.width_log2);
		byte_buffer_put_number(out, overview.parts_log2);
		byte_buffer_put_number(out, (uint64_t)overview.field + 1); /* 0: none */
	}
	return HISTREE_END;
}

/* Appends the index as its file has it, which was found sound when the events were opened. */
static enum histree_status write_index(const struct histree_store *store, struct byte_buffer *out,
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
	if (status == HISTREE_OK && at == SIZE_MAX)
		status = error_memory(error, "an index of events");
	if (status == HISTREE_OK)
		status = io_read_all(&io_posix, file, out->bytes + at, (size_t)size, 0, error);
	if (file >= 0)
		io_posix.close(io_posix.context, file);
	free(path);
	return status;
}

static enum histree_status start_index(struct host_server *server, struct byte_reader *asked, void **state,
				       struct histree_error *error)
{
	size_t number;
	(void)state;
	enum histree_status status = read_thing(server, STREAM_INDEX, asked, &number, error);
	if (status != HISTREE_OK)
		return status;
	const struct served_thing *thing = &server->things[number];
	byte_buffer_put_byte(&server->answer, histree_events_are_in_order(thing->what));
	status = write_index(server->set->hosts[thing->host].store, &server->answer, error);
	return status == HISTREE_OK ? HISTREE_END : status;
}

static enum histree_status start_view(struct host_server *server, struct byte_reader *asked, void **state,
				      struct histree_error *error)
{
	void *answer = NULL;
	size_t size = 0;
	(void)state;
	struct histree_history *history = thing_of(server, STREAM_HISTORY, read_varint(asked));
	struct message_text question = read_text(asked);
	if (asked->failed || history == NULL)
		return unreadable(error);
	enum histree_status status = histree_time_use_answer(history, question.bytes, question.size, server->work,
							     &answer, &size, error);
	if (status == HISTREE_OK)
		byte_buffer_put(&server->answer, answer, size);
	free(answer);
	return status == HISTREE_OK ? HISTREE_END : status;
}

/* ---- states -------------------------------------------------------------------------------------------------- */

struct served_states {
	struct histree_cursor *query;
	histree_quark *quarks; /* of its region */
	histree_time *times;
};

/* A list of ascending numbers as differences. */
static bool read_quarks(struct byte_reader *asked, uint64_t count, histree_quark **out)
{
	uint64_t quark = 0;
	if (asked->failed || count > byte_reader_left(asked))
		return false;
	*out = malloc(((size_t)count + 1) * sizeof(**out));
	for (uint64_t i = 0; *out != NULL && i < count; i++) {
		quark += read_varint(asked);
		(*out)[i] = (histree_quark)quark;
		asked->failed |= quark > UINT32_MAX;
	}
	return *out != NULL && !asked->failed;
}

static bool read_times(struct byte_reader *asked, uint64_t count, histree_time **out)
{
	uint64_t time = 0;
	if (asked->failed || count > byte_reader_left(asked))
		return false;
	*out = malloc(((size_t)count + 1) * sizeof(**out));
	for (uint64_t i = 0; *out != NULL && i < count; i++) {
		time += i == 0 ? (uint64_t)byte_reader_signed(asked) : read_varint(asked);
		(*out)[i] = (histree_time)time;
	}
	return *out != NULL && !asked->failed;
}

/*
 * The attributes (a count plus one, or 0 for all, and differences), the number of times and their differences, and
 * the range if there are none.
 */
static bool read_region(struct byte_reader *asked, struct served_states *states, struct histree_region *region)
{
	uint64_t quarks = read_varint(asked);
	if (quarks > 0 && !read_quarks(asked, quarks - 1, &states->quarks))
		return false;
	uint64_t times = read_varint(asked);
	if (times > 0 && !read_times(asked, times, &states->times))
		return false;
	*region = (struct histree_region){ .quarks = states->quarks,
					   .quark_count = quarks > 0 ? (size_t)quarks - 1 : 0,
					   .times = states->times,
					   .time_count = (size_t)times };
	if (times == 0) {
		region->from = byte_reader_signed(asked);
		region->to = byte_reader_signed(asked);
	}
	return !asked->failed;
}

static enum histree_status start_states(struct host_server *server, struct byte_reader *asked, void **state,
					struct histree_error *error)
{
	struct histree_region region;
	struct served_states *states = *state = calloc(1, sizeof(*states));
	if (states == NULL)
		return error_memory(error, "a query");
	struct histree_history *history = thing_of(server, STREAM_HISTORY, read_varint(asked));
	uint64_t number = read_varint(asked);
	struct histree_history *part =
		history != NULL && number <= UINT32_MAX ? histree_history_part_of(history, (uint32_t)number) : NULL;
	if (part == NULL || !read_region(asked, states, &region))
		return unreadable(error);
	enum histree_status status = histree_query_create(part, &states->query, error);
	return status == HISTREE_OK ? histree_query_start(states->query, &region, error) : status;
}

static void add_states(struct column_writer *writer, const struct histree_interval *states, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		columns_add_number(writer, STATE_ATTRIBUTE, states[i].quark);
		columns_add_times(writer, STATE_START, states[i].start, states[i].end);
		columns_add_value(writer, 0, &states[i].value);
		columns_end_row(writer);
	}
}

static enum histree_status more_states(struct host_server *server, void *state, struct byte_reader *asked,
				       uint32_t rows, struct histree_error *error)
{
	struct column_writer *writer = &server->writer;
	struct served_states *states = state;
	size_t count = 0;
	(void)asked;
	columns_begin(writer, STATE_ROWS, 1);
	enum histree_status status = cancel_check(&server->work, 0, error);
	while (status == HISTREE_OK && writer->rows < rows && !columns_are_full(writer)) {
		uint32_t left = rows - writer->rows;
		status = histree_cursor_read(states->query, left < BATCH ? left : BATCH, &count, error);
		if (status == HISTREE_OK)
			add_states(writer, histree_cursor_interval(states->query), count);
	}
	const struct histree_statistics stats = histree_cursor_statistics(states->query);
	byte_buffer_put_number(&server->answer, stats.nodes_visited);
	byte_buffer_put_number(&server->answer, stats.nodes_loaded);
	byte_buffer_put_number(&server->answer, histree_cursor_loss(states->query).nodes);
	columns_write(writer, &server->answer);
	return status;
}

static void drop_states(void *state)
{
	struct served_states *states = state;
	histree_cursor_free(states->query);
	free(states->quarks);
	free(states->times);
	free(states);
}

/* ---- segments ------------------------------------------------------------------------------------------------ */

struct served_segments {
	const struct histree_segment_schema *schema;
	struct histree_cursor *iter;
	size_t told;     /* of its losses */
	uint32_t wanted; /* fields, bit by bit */
	struct histree_segment_filter *filter;
};

/* Reads a number and a part: 0 is the store itself, others its overviews. */
static struct histree_segment_store *read_store(const struct host_server *server, struct byte_reader *asked)
{
	struct histree_segment_overview overview;
	struct histree_segment_store *store = thing_of(server, STREAM_STORE, read_varint(asked));
	uint64_t part = read_varint(asked);
	if (part == 0 || store == NULL)
		return store;
	return histree_segment_store_overview(store, (size_t)part - 1, &overview) == HISTREE_OK ? overview.store
												: NULL;
}

/*
 * Reads the condition of a question, as its words say it, and the times that its own may be relative to.  One that
 * this rank's segments cannot have, such as one on a field of others, is rank 0's to judge.
 */
static void push_down(struct served_segments *segments, struct byte_reader *asked,
		      struct histree_segment_query *query)
{
	struct histree_segment_query judged = *query;
	struct histree_error error;
	struct message_text text = read_text(asked);
	histree_time start = byte_reader_signed(asked), end = byte_reader_signed(asked);
	char *where = text.size > 0 && !asked->failed ? message_text_copy(text) : NULL;
	if (where != NULL &&
	    histree_segment_filter_create(segments->schema, where, start, end, &segments->filter, &error) ==
		    HISTREE_OK &&
	    histree_segment_filter_lacks_threads(segments->filter)) {
		histree_segment_filter_free(segments->filter);
		segments->filter = NULL;
	}
	if (segments->filter != NULL) {
		histree_segment_filter_apply(segments->filter, &judged);
		query->filter = judged.filter;
		query->filter_context = judged.filter_context;
	}
	/* A limit counts the rows that pass, which only rank 0 can decide. */
	if (text.size > 0 && segments->filter == NULL)
		query->limit = 0;
	free(where);
}

static enum histree_status start_segments(struct host_server *server, struct byte_reader *asked, void **state,
					  struct histree_error *error)
{
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	struct served_segments *segments = *state = calloc(1, sizeof(*segments));
	if (segments == NULL)
		return error_memory(error, "an iterator");
	struct histree_segment_store *store = read_store(server, asked);
	if (store == NULL)
		return unreadable(error);
	segments->schema = &histree_segment_store_info(store)->schema;
	query.from = byte_reader_signed(asked);
	query.to = byte_reader_signed(asked);
	query.order = (enum histree_segment_order)byte_reader_byte(asked);
	query.descending = byte_reader_byte(asked) != 0;
	query.field = (size_t)read_varint(asked);
	query.limit = read_varint(asked);
	query.work = server->work;
	segments->wanted = (uint32_t)read_varint(asked);
	push_down(segments, asked, &query);
	if (asked->failed)
		return unreadable(error);
	enum histree_status status = histree_segments_create(store, &segments->iter, error);
	return status == HISTREE_OK ? histree_segments_start(segments->iter, &query, NULL, error) : status;
}

static void add_segment(struct column_writer *writer, const struct histree_segment *segment, uint32_t wanted)
{
	columns_add_times(writer, SEGMENT_START, segment->start, segment->end);
	for (size_t i = 0; i < writer->value_count; i++)
		columns_add_value(writer, i,
				  segment->content != NULL && (wanted >> i & 1) != 0 ? &segment->content[i] : NULL);
	columns_end_row(writer);
}

static void add_loss(struct byte_buffer *answer, const struct histree_loss *loss)
{
	byte_buffer_put_signed(answer, loss->from);
	byte_buffer_put_signed(answer, loss->to);
	byte_buffer_put_number(answer, loss->rows_max);
	byte_buffer_put_number(answer, loss->node);
}

static enum histree_status more_segments(struct host_server *server, void *state, struct byte_reader *asked,
					 uint32_t rows, struct histree_error *error)
{
	struct column_writer *writer = &server->writer;
	struct served_segments *segments = state;
	enum histree_status status = HISTREE_OK;
	size_t lost;
	(void)asked;
	columns_begin(writer, SEGMENT_ROWS, segments->schema->field_count);
	while (status == HISTREE_OK && writer->rows < rows && !columns_are_full(writer)) {
		status = histree_cursor_next(segments->iter, error);
		if (status == HISTREE_OK)
			add_segment(writer, histree_cursor_segment(segments->iter), segments->wanted);
	}
	const struct histree_loss *losses = histree_cursor_losses(segments->iter, &lost);
	byte_buffer_put_number(&server->answer, lost - segments->told);
	for (; segments->told < lost; segments->told++)
		add_loss(&server->answer, &losses[segments->told]);
	columns_write(writer, &server->answer);
	return status;
}

static void drop_segments(void *state)
{
	struct served_segments *segments = state;
	histree_cursor_free(segments->iter);
	histree_segment_filter_free(segments->filter);
	free(segments);
}

/* ---- events -------------------------------------------------------------------------------------------------- */

struct served_events {
	struct histree_cursor *reader;
	size_t type_count;
	uint8_t *texts; /* of each type: which are wanted */
	char *paths[EVENT_PATHS_MAX];
	uint32_t path_count;
};

static enum histree_status start_events(struct host_server *server, struct byte_reader *asked, void **state,
					struct histree_error *error)
{
	size_t number;
	struct served_events *events = *state = calloc(1, sizeof(*events));
	if (events == NULL)
		return error_memory(error, "a reader of events");
	enum histree_status status = read_thing(server, STREAM_INDEX, asked, &number, error);
	if (status != HISTREE_OK)
		return status;
	histree_events_types(server->things[number].what, &events->type_count);
	events->texts = calloc(events->type_count + 1, 1);
	if (events->texts == NULL)
		return error_memory(error, "a reader of events");
	return histree_event_reader_create(server->things[number].what, &events->reader, error);
}

static void forget_paths(struct served_events *events)
{
	while (events->path_count > 0)
		free(events->paths[--events->path_count]);
}

/* All types have those texts that come first; then some have more. */
static bool read_wanted(struct served_events *events, struct byte_reader *asked)
{
	uint64_t paths = read_varint(asked);
	forget_paths(events);
	if (asked->failed || paths > EVENT_PATHS_MAX)
		return false;
	while (events->path_count < paths) {
		events->paths[events->path_count] = message_text_copy(read_text(asked));
		if (events->paths[events->path_count] == NULL)
			return false;
		events->path_count++;
	}
	memset(events->texts, byte_reader_byte(asked), events->type_count + 1);
	for (uint64_t more = read_varint(asked); more > 0 && !asked->failed; more--) {
		uint64_t type = read_varint(asked);
		uint8_t texts = byte_reader_byte(asked);
		if (type >= events->type_count)
			return false;
		events->texts[type] |= texts;
	}
	return !asked->failed;
}

static void add_text(struct column_writer *writer, const struct served_events *events, enum histree_event_text what)
{
	const char *text = what == HISTREE_EVENT_CONTENTS ? histree_event_reader_contents(events->reader)
			   : what == HISTREE_EVENT_JSON   ? histree_event_reader_json(events->reader)
							  : histree_event_reader_stream(events->reader);
	writer->no_memory |= text == NULL;
	columns_add_text(writer, what, text != NULL ? text : "");
}

static void add_event(struct column_writer *writer, const struct served_events *events,
		      const struct histree_event *event)
{
	struct histree_value value;
	columns_add_number(writer, EVENT_TIME, event->time);
	columns_add_number(writer, EVENT_CPU, event->cpu);
	columns_add_number(writer, EVENT_TYPE, event->type);
	for (unsigned i = 0; i < EVENT_TEXTS; i++)
		if ((events->texts[event->type] >> i & 1) != 0)
			add_text(writer, events, (enum histree_event_text)i);
		else
			columns_add_value(writer, i, NULL);
	for (uint32_t i = 0; i < events->path_count; i++) {
		bool has = histree_event_reader_value(events->reader, events->paths[i], &value) == HISTREE_OK;
		columns_add_value(writer, EVENT_TEXTS + i, has ? &value : NULL);
	}
	columns_end_row(writer);
}

static enum histree_status more_events(struct host_server *server, void *state, struct byte_reader *asked,
				       uint32_t rows, struct histree_error *error)
{
	struct column_writer *writer = &server->writer;
	struct served_events *events = state;
	struct histree_event event;
	uint64_t first = read_varint(asked), count = read_varint(asked);
	(void)rows;
	if (!read_wanted(events, asked) || count > COLUMNS_ROWS_MAX)
		return unreadable(error);
	columns_begin(writer, EVENT_ROWS, EVENT_TEXTS + events->path_count);
	enum histree_status status = histree_event_reader_seek(events->reader, first, error);
	while (status == HISTREE_OK && writer->rows < count && !columns_are_full(writer)) {
		status = cancel_check(&server->work, writer->rows, error);
		if (status == HISTREE_OK) {
			status = histree_cursor_next(events->reader, error);
			if (status == HISTREE_OK)
				event = *histree_cursor_event(events->reader);
		}
		if (status == HISTREE_OK)
			add_event(writer, events, &event);
	}
	columns_write(writer, &server->answer);
	return status;
}

static void drop_events(void *state)
{
	struct served_events *events = state;
	histree_cursor_free(events->reader);
	forget_paths(events);
	free(events->texts);
	free(events);
}

/* ---- steps --------------------------------------------------------------------------------------------------- */

static const struct served_kind kinds[STREAM_KINDS] = {
	[STREAM_HISTORY] = { .start = start_history },
	[STREAM_STORE] = { .start = start_store },
	[STREAM_INDEX] = { .start = start_index },
	[STREAM_STATES] = { start_states, more_states, drop_states },
	[STREAM_SEGMENTS] = { start_segments, more_segments, drop_segments },
	[STREAM_EVENTS] = { start_events, more_events, drop_events },
	[STREAM_VIEW] = { .start = start_view },
};

static void drop(struct served_stream *stream)
{
	if (stream->kind != NULL && stream->state != NULL)
		stream->kind->drop(stream->state);
	*stream = (struct served_stream){ 0 };
}

static struct served_stream *find_stream(struct host_server *server, uint64_t number)
{
	for (size_t i = 0; i < server->stream_count; i++)
		if (server->streams[i].kind != NULL && server->streams[i].number == number)
			return &server->streams[i];
	return NULL;
}

static struct served_stream *free_place(struct host_server *server)
{
	for (size_t i = 0; i < server->stream_count; i++)
		if (server->streams[i].kind == NULL)
			return &server->streams[i];
	if (!array_reserve(&server->streams, &server->stream_capacity, server->stream_count + 1))
		return NULL;
	server->streams[server->stream_count] = (struct served_stream){ 0 };
	return &server->streams[server->stream_count++];
}

static enum histree_status host_server_start(struct host_server *server, uint64_t number, struct byte_reader *asked,
					     struct served_stream **out, struct histree_error *error)
{
	uint64_t kind = read_varint(asked);
	struct served_stream *stream = *out = free_place(server);
	if (stream == NULL)
		return error_memory(error, "a question");
	if (asked->failed || kind >= STREAM_KINDS)
		return unreadable(error);
	*stream = (struct served_stream){ .number = number, .kind = &kinds[kind] };
	enum histree_status status = stream->kind->start(server, asked, &stream->state, error);
	assert(status != HISTREE_OK || stream->kind->go_on != NULL);
	return status == HISTREE_OK ? stream->kind->go_on(server, stream->state, asked, FIRST_ROWS, error) : status;
}

static enum histree_status go_on(struct host_server *server, struct byte_reader *asked, struct served_stream **out,
				 struct histree_error *error)
{
	struct served_stream *stream = *out = find_stream(server, read_varint(asked));
	if (stream == NULL)
		return error_set(error, HISTREE_ERR_FORMAT, "a rank has no such stream");
	return stream->kind->go_on(server, stream->state, asked, MORE_ROWS, error);
}

static void answer_step(struct host_server *server, uint8_t step, struct byte_reader *asked,
			struct byte_buffer *reply)
{
	struct histree_error error = { 0 };
	struct served_stream *stream = NULL;
	uint64_t ask = read_varint(asked);
	byte_buffer_clear(&server->answer);
	enum histree_status status = step == STEP_START  ? host_server_start(server, ask, asked, &stream, &error)
				     : step == STEP_MORE ? go_on(server, asked, &stream, &error)
							 : unreadable(&error);
	if (server->answer.failed) {
		byte_buffer_clear(&server->answer);
		status = error_memory(&error, "an answer");
	}
	if (stream != NULL && status != HISTREE_OK)
		drop(stream);
	size_t at = section_begin(reply, STEP_ANSWER);
	byte_buffer_put_number(reply, ask);
	byte_buffer_put_signed(reply, status);
	byte_buffer_put_string(reply, status == HISTREE_OK ? "" : error.message);
	byte_buffer_put(reply, server->answer.bytes, server->answer.size);
	section_end(reply, at);
}

void host_server_answer(struct host_server *server, struct byte_reader *request, struct byte_buffer *reply)
{
	struct byte_reader asked;
	uint8_t step;
	while (section_next(request, &step, &asked)) {
		struct served_stream *stream = step == STEP_DROP ? find_stream(server, read_varint(&asked)) : NULL;
		if (step != STEP_DROP)
			answer_step(server, step, &asked, reply);
		else if (stream != NULL)
			drop(stream);
	}
}

void host_server_reset(struct host_server *server)
{
	for (size_t i = 0; i < server->stream_count; i++)
		drop(&server->streams[i]);
	server->stream_count = 0;
}

void host_server_release(struct host_server *server)
{
	host_server_reset(server);
	for (size_t i = 0; i < server->thing_count; i++)
		close_thing(&server->things[i]);
	free(server->things);
	free(server->streams);
	column_writer_release(&server->writer);
	byte_buffer_release(&server->answer);
	*server = (struct host_server){ 0 };
}
