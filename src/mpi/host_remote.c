// SPDX-License-Identifier: MIT
/*
 * host_remote.c - on rank 0: the data of hosts on other ranks, as sources of the library.
 *
 * Events come in runs, few at first.  Times, CPUs and types are always included; texts and values are included once
 * the reader has asked for one: then the run is requested again, with them.
 */
#include "mpi/host_remote.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/table.h"
#include "histree/history.h"
#include "histree/segments.h"
#include "histree/states.h"
#include "mpi/stream.h"

/* ---- what ranks say of what they have ------------------------------------------------------------------------ */

struct known_thing {
	enum stream_kind kind;
	int rank;
	size_t host;
	char *analysis;
	struct byte_buffer what;
};

/* Asks a rank for what it has of a host; *what is borrowed from the stream, which the caller closes in any case. */
static enum histree_status ask_rank(struct remotes *remotes, int rank, enum stream_kind kind, size_t host,
				    const char *analysis, struct stream *stream, struct byte_reader *what,
				    struct histree_error *error)
{
	stream_open(stream, &remotes->streams, rank);
	struct byte_buffer *message = stream_start(stream, kind);
	byte_buffer_put_number(message, host);
	byte_buffer_put_string(message, analysis);
	return stream_take_all(stream, what, error);
}

static enum histree_status keep(struct remotes *remotes, const struct known_thing *thing, const char *analysis,
				struct byte_reader *what, struct histree_error *error)
{
	struct known_thing known = *thing;
	byte_buffer_put(&known.what, what->at, byte_reader_left(what));
	known.analysis = strdup(analysis);
	if (known.analysis == NULL || known.what.failed ||
	    !array_reserve(&remotes->known, &remotes->known_capacity, remotes->known_count + 1)) {
		byte_buffer_release(&known.what);
		free(known.analysis);
		return error_memory(error, "what a rank has");
	}
	remotes->known[remotes->known_count++] = known;
	*what = byte_reader(known.what.bytes, known.what.size);
	return HISTREE_OK;
}

/* What a rank says of what an analysis made of a host; it is kept, and lives as long as the remotes. */
static enum histree_status find_known(struct remotes *remotes, int rank, enum stream_kind kind, size_t host,
				      const char *analysis, struct byte_reader *what, struct histree_error *error)
{
	const struct known_thing thing = { .kind = kind, .rank = rank, .host = host };
	struct stream stream;
	for (size_t i = 0; i < remotes->known_count; i++) {
		const struct known_thing *known = &remotes->known[i];
		*what = byte_reader(known->what.bytes, known->what.size);
		if (known->kind == kind && known->rank == rank && known->host == host &&
		    strcmp(known->analysis, analysis) == 0)
			return HISTREE_OK;
	}
	enum histree_status status = ask_rank(remotes, rank, kind, host, analysis, &stream, what, error);
	if (status == HISTREE_OK)
		status = keep(remotes, &thing, analysis, what, error);
	stream_close(&stream);
	return status;
}

bool remotes_begin(struct remotes *remotes, struct asker *asker)
{
	*remotes = (struct remotes){ 0 };
	return streams_begin(&remotes->streams, asker);
}

void remotes_release(struct remotes *remotes)
{
	for (size_t i = 0; i < remotes->known_count; i++) {
		byte_buffer_release(&remotes->known[i].what);
		free(remotes->known[i].analysis);
	}
	free(remotes->known);
	streams_release(&remotes->streams);
	*remotes = (struct remotes){ 0 };
}

/* ---- states -------------------------------------------------------------------------------------------------- */

struct remote_history {
	struct remotes *remotes;
	int rank;
	uint64_t number; /* that the rank gave it */
};

struct state_cursor {
	const struct remote_history *of;
	uint32_t part;
	bool is_active; /* an answer was started, and is not at its end */
	struct stream stream;
	struct columns states; /* of the answer that was taken last */
	uint32_t at;
	struct histree_statistics statistics;
	struct histree_loss loss;
};

static void state_cursor_stop(void *context)
{
	struct state_cursor *cursor = context;
	stream_drop(&cursor->stream);
	cursor->is_active = false;
	cursor->states.rows = cursor->at = 0;
	cursor->statistics = (struct histree_statistics){ 0 };
	cursor->loss = (struct histree_loss){ 0 };
}

static enum histree_status state_cursor_create(void *context, uint32_t part, void **out,
					       struct histree_error *error)
{
	const struct remote_history *history = context;
	struct state_cursor *cursor = *out = calloc(1, sizeof(*cursor));
	if (cursor == NULL)
		return error_memory(error, "a query");
	cursor->of = history;
	cursor->part = part;
	stream_open(&cursor->stream, &history->remotes->streams, history->rank);
	return HISTREE_OK;
}

/* As host_server reads it. */
static void write_region(const struct histree_region *region, struct byte_buffer *out)
{
	histree_quark quark = 0;
	byte_buffer_put_number(out, region->quarks != NULL ? (uint64_t)region->quark_count + 1 : 0);
	for (size_t i = 0; region->quarks != NULL && i < region->quark_count; i++) {
		assert(region->quarks[i] >= quark);
		byte_buffer_put_number(out, region->quarks[i] - quark);
		quark = region->quarks[i];
	}
	byte_buffer_put_number(out, region->times != NULL ? region->time_count : 0);
	for (size_t i = 0; region->times != NULL && i < region->time_count; i++)
		if (i == 0)
			byte_buffer_put_signed(out, region->times[0]);
		else
			byte_buffer_put_number(out, (uint64_t)region->times[i] - (uint64_t)region->times[i - 1]);
	if (region->times != NULL)
		return;
	byte_buffer_put_signed(out, region->from);
	byte_buffer_put_signed(out, region->to);
}

static enum histree_status state_cursor_start(void *context, const struct histree_region *region,
					      struct histree_error *error)
{
	struct state_cursor *cursor = context;
	state_cursor_stop(cursor);
	cursor->is_active = true;
	struct byte_buffer *message = stream_start(&cursor->stream, STREAM_STATES);
	byte_buffer_put_number(message, cursor->of->number);
	byte_buffer_put_number(message, cursor->part);
	write_region(region, message);
	return message->failed ? error_memory(error, "a question") : HISTREE_OK;
}

static enum histree_status fetch_states(struct state_cursor *cursor, struct histree_error *error)
{
	struct byte_reader answer;
	cursor->at = cursor->states.rows = 0;
	enum histree_status status = stream_next(&cursor->stream, &answer, error);
	if (status != HISTREE_OK)
		return status;
	cursor->statistics.nodes_visited = read_varint(&answer);
	cursor->statistics.nodes_loaded = read_varint(&answer);
	cursor->loss.nodes = read_varint(&answer);
	status = columns_read(&cursor->states, STATE_ROWS, &answer, error);
	return status == HISTREE_OK && cursor->states.value_count != 1
		       ? streams_damaged(cursor->stream.streams, cursor->stream.rank, error)
		       : status;
}

static enum histree_status state_cursor_read(void *context, struct histree_interval *out, size_t room,
					     size_t *count, struct histree_error *error)
{
	struct state_cursor *cursor = context;
	const struct columns *states = &cursor->states;
	*count = 0;
	if (room == 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "room for no interval");
	while (cursor->is_active && cursor->at == states->rows) {
		bool is_over = cursor->stream.status != HISTREE_OK;
		enum histree_status status =
			is_over ? stream_end(&cursor->stream, error) : fetch_states(cursor, error);
		cursor->is_active = status == HISTREE_OK;
		if (status != HISTREE_OK)
			return status;
	}
	for (; cursor->at < states->rows && *count < room; cursor->at++) {
		const int64_t *numbers = columns_numbers(states, cursor->at);
		out[(*count)++] = (struct histree_interval){ .start = numbers[STATE_START],
							     .end = numbers[STATE_END],
							     .quark = (histree_quark)numbers[STATE_ATTRIBUTE],
							     .value = *columns_values(states, cursor->at) };
	}
	cursor->statistics.rows += *count;
	return *count > 0 ? HISTREE_OK : HISTREE_END;
}

static struct histree_statistics state_cursor_statistics(const void *context)
{
	return ((const struct state_cursor *)context)->statistics;
}

static struct histree_loss state_cursor_loss(const void *context)
{
	return ((const struct state_cursor *)context)->loss;
}

static void state_cursor_free(void *context)
{
	struct state_cursor *cursor = context;
	stream_close(&cursor->stream);
	columns_release(&cursor->states);
	free(cursor);
}

/* ---- what ranks add up of their histories ------------------------------------------------------------------ */

static enum histree_status view_ask(void *context, const void *question, size_t size, void **out,
				    struct histree_error *error)
{
	const struct remote_history *history = context;
	struct stream *stream = *out = malloc(sizeof(*stream));
	if (stream == NULL)
		return error_memory(error, "a question");
	stream_open(stream, &history->remotes->streams, history->rank);
	struct byte_buffer *message = stream_start(stream, STREAM_VIEW);
	byte_buffer_put_number(message, history->number);
	byte_buffer_put_text(message, question, size);
	return HISTREE_OK;
}

static enum histree_status view_send(void *context, struct histree_error *error)
{
	return streams_send(&((const struct remote_history *)context)->remotes->streams, error);
}

static enum histree_status view_take(void *asked, const void **answer, size_t *size, struct histree_error *error)
{
	struct byte_reader bytes;
	enum histree_status status = stream_take_all(asked, &bytes, error);
	if (status != HISTREE_OK)
		return status;
	*answer = bytes.at;
	*size = byte_reader_left(&bytes);
	return HISTREE_OK;
}

static void view_drop(void *asked)
{
	stream_close(asked);
	free(asked);
}

enum histree_status remotes_history(struct remotes *remotes, int rank, size_t host, const char *analysis,
				    struct histree_history **out, struct histree_error *error)
{
	struct byte_reader what;
	*out = NULL;
	enum histree_status status = find_known(remotes, rank, STREAM_HISTORY, host, analysis, &what, error);
	if (status != HISTREE_OK)
		return status;
	struct remote_history *history = malloc(sizeof(*history));
	if (history == NULL)
		return error_memory(error, "a history");
	*history = (struct remote_history){ .remotes = remotes, .rank = rank, .number = read_varint(&what) };
	const struct histree_history_source source = { .context = history,
						       .cursor_create = state_cursor_create,
						       .cursor_start = state_cursor_start,
						       .cursor_read = state_cursor_read,
						       .cursor_statistics = state_cursor_statistics,
						       .cursor_loss = state_cursor_loss,
						       .cursor_stop = state_cursor_stop,
						       .cursor_free = state_cursor_free,
						       .view_ask = view_ask,
						       .view_send = view_send,
						       .view_take = view_take,
						       .view_drop = view_drop,
						       .free = free };
	return histree_history_of_source(&source, what.at, byte_reader_left(&what), out, error);
}

/* ---- segments ------------------------------------------------------------------------------------------------ */

struct remote_store {
	struct remotes *remotes;
	int rank;
	uint64_t number, part;                  /* part: 0: the store itself; others are its overviews */
	struct histree_segment_store_info info; /* its schema is in the store that is made of this */
	struct histree_segment_field fields[HISTREE_SEGMENT_FIELDS_MAX];
	struct arena texts;
};

struct segment_cursor {
	const struct remote_store *store;
	bool is_active;
	struct stream stream;
	struct columns segments; /* of the answer that was taken last */
	uint32_t at;
	struct histree_loss *losses;
	size_t loss_count, losses_capacity;
};

static enum histree_status segment_cursor_create(void *context, void **out, struct histree_error *error)
{
	const struct remote_store *store = context;
	struct segment_cursor *cursor = *out = calloc(1, sizeof(*cursor));
	if (cursor == NULL)
		return error_memory(error, "an iterator");
	cursor->store = store;
	stream_open(&cursor->stream, &store->remotes->streams, store->rank);
	return HISTREE_OK;
}

/* Bit by bit.  No condition of a question is one of overviews. */
static uint32_t wanted_fields(const struct remote_store *store)
{
	const char *only = store->remotes->only_field;
	if (only == NULL || store->part != 0)
		return UINT32_MAX;
	for (size_t i = 0; i < store->info.schema.field_count; i++)
		if (strcmp(store->fields[i].name, only) == 0)
			return UINT32_C(1) << i;
	return 0;
}

static enum histree_status segment_cursor_start(void *context, const struct histree_segment_query *query,
						struct histree_error *error)
{
	struct segment_cursor *cursor = context;
	const struct remote_store *store = cursor->store;
	const struct remotes *remotes = store->remotes;
	/* A condition that only this rank knows may refuse some of the first. */
	bool has_limit = query->filter == NULL || remotes->where != NULL;
	struct byte_buffer *message = stream_start(&cursor->stream, STREAM_SEGMENTS);
	cursor->is_active = true;
	cursor->loss_count = 0;
	cursor->segments.rows = cursor->at = 0;
	byte_buffer_put_number(message, store->number);
	byte_buffer_put_number(message, store->part);
	byte_buffer_put_signed(message, query->from);
	byte_buffer_put_signed(message, query->to);
	byte_buffer_put_byte(message, (uint8_t)query->order);
	byte_buffer_put_byte(message, query->descending);
	byte_buffer_put_number(message, query->field);
	byte_buffer_put_number(message, has_limit ? query->limit : 0);
	byte_buffer_put_number(message, wanted_fields(store));
	byte_buffer_put_string(message, remotes->where != NULL && store->part == 0 ? remotes->where : "");
	byte_buffer_put_signed(message, remotes->start);
	byte_buffer_put_signed(message, remotes->end);
	return message->failed ? error_memory(error, "a question") : HISTREE_OK;
}

/* Whether columns have values that the fields may have; one that did not come is null. */
static bool are_of_fields(const struct columns *columns, const struct histree_segment_schema *schema)
{
	if (columns->value_count != schema->field_count)
		return false;
	for (uint32_t row = 0; row < columns->rows; row++) {
		struct histree_value *values = columns_values(columns, row);
		for (size_t i = 0; i < columns->value_count; i++)
			if (!columns_has(&values[i]))
				values[i] = histree_null();
			else if (values[i].type != HISTREE_NULL && values[i].type != schema->fields[i].type)
				return false;
	}
	return true;
}

/* Returns false if there is no memory. */
static bool read_losses(struct segment_cursor *cursor, struct byte_reader *answer)
{
	for (uint64_t left = read_varint(answer); left > 0 && !answer->failed; left--) {
		struct histree_loss loss = { .nodes = 1, .from = byte_reader_signed(answer) };
		loss.to = byte_reader_signed(answer);
		loss.rows_max = read_varint(answer);
		loss.node = (uint32_t)read_varint(answer);
		if (!array_reserve(&cursor->losses, &cursor->losses_capacity, cursor->loss_count + 1))
			return false;
		cursor->losses[cursor->loss_count++] = loss;
	}
	return true;
}

static enum histree_status fetch_segments(struct segment_cursor *cursor, struct histree_error *error)
{
	struct byte_reader answer;
	cursor->at = cursor->segments.rows = 0;
	enum histree_status status = stream_next(&cursor->stream, &answer, error);
	if (status != HISTREE_OK)
		return status;
	if (!read_losses(cursor, &answer))
		return error_memory(error, "what is lost");
	status = columns_read(&cursor->segments, SEGMENT_ROWS, &answer, error);
	if (status == HISTREE_OK && !are_of_fields(&cursor->segments, &cursor->store->info.schema))
		status = streams_damaged(cursor->stream.streams, cursor->stream.rank, error);
	return status;
}

static enum histree_status segment_cursor_next(void *context, struct histree_segment *out,
					       struct histree_error *error)
{
	struct segment_cursor *cursor = context;
	const struct columns *segments = &cursor->segments;
	while (cursor->at == segments->rows) {
		const bool goes_on = cursor->stream.status == HISTREE_OK;
		if (!cursor->is_active)
			return HISTREE_END;
		enum histree_status status =
			goes_on ? fetch_segments(cursor, error) : stream_end(&cursor->stream, error);
		cursor->is_active = status == HISTREE_OK;
		if (status != HISTREE_OK)
			return status;
	}
	const int64_t *times = columns_numbers(segments, cursor->at);
	*out = (struct histree_segment){ times[SEGMENT_START], times[SEGMENT_END],
					 columns_values(segments, cursor->at) };
	cursor->at++;
	return HISTREE_OK;
}

static const struct histree_loss *segment_cursor_losses(const void *context, size_t *count)
{
	const struct segment_cursor *cursor = context;
	*count = cursor->loss_count;
	return cursor->losses;
}

static void segment_cursor_free(void *context)
{
	struct segment_cursor *cursor = context;
	stream_close(&cursor->stream);
	columns_release(&cursor->segments);
	free(cursor->losses);
	free(cursor);
}

static void store_free(void *context)
{
	struct remote_store *store = context;
	if (store != NULL)
		arena_release(&store->texts);
	free(store);
}

static const char *keep_text(struct remote_store *store, struct byte_reader *what)
{
	struct message_text text = read_text(what);
	const char *copy = arena_copy(&store->texts, text.bytes, text.size);
	what->failed |= copy == NULL;
	return copy;
}

static bool read_info(struct remote_store *store, struct byte_reader *what)
{
	struct histree_segment_store_info *info = &store->info;
	info->schema.provider = keep_text(store, what);
	info->schema.provider_version = (uint32_t)read_varint(what);
	uint64_t count = read_varint(what);
	if (what->failed || count > HISTREE_SEGMENT_FIELDS_MAX)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		store->fields[i].name = keep_text(store, what);
		uint64_t type = read_varint(what);
		store->fields[i].type = (enum histree_type)type;
		if (what->failed || type >= HISTREE_TYPE_COUNT)
			return false;
	}
	info->schema.fields = store->fields;
	info->schema.field_count = (size_t)count;
	info->segment_count = read_varint(what);
	info->start = byte_reader_signed(what);
	info->end = byte_reader_signed(what);
	info->duration_min = read_varint(what);
	info->duration_max = read_varint(what);
	info->identity = read_varint(what);
	return !what->failed;
}

static struct remote_store *read_store(const struct remote_store *model, uint64_t part, struct byte_reader *what)
{
	struct remote_store *store = malloc(sizeof(*store));
	if (store == NULL)
		return NULL;
	*store = *model;
	store->part = part;
	if (read_info(store, what))
		return store;
	store_free(store);
	return NULL;
}

static enum histree_status make_store(struct remote_store *store, const struct histree_segment_overview *overviews,
				      size_t count, struct histree_segment_store **out, struct histree_error *error)
{
	const struct histree_segment_source source = {
		.context = store,
		.cursor_create = segment_cursor_create,
		.cursor_start = segment_cursor_start,
		.cursor_next = segment_cursor_next,
		.cursor_losses = segment_cursor_losses,
		.cursor_free = segment_cursor_free,
		.free = store_free,
	};
	const struct histree_segment_store_info info = store->info;
	return histree_segment_store_of_source(&source, &info, overviews, count, out, error);
}

static bool read_overview(const struct remote_store *model, uint64_t part, struct byte_reader *what,
			  struct histree_segment_overview *overview)
{
	struct remote_store *store = read_store(model, part, what);
	overview->width_log2 = (unsigned)read_varint(what);
	overview->parts_log2 = (unsigned)read_varint(what);
	overview->field = (size_t)(read_varint(what) - 1);
	if (store != NULL && !what->failed && overview->width_log2 < 64)
		return make_store(store, NULL, 0, &overview->store, NULL) == HISTREE_OK;
	store_free(store);
	return false;
}

enum histree_status remotes_segments(struct remotes *remotes, int rank, size_t host, const char *analysis,
				     struct histree_segment_store **out, struct histree_error *error)
{
	struct histree_segment_overview overviews[HISTREE_SEGMENT_OVERVIEWS_MAX + 1];
	struct byte_reader what;
	size_t count = 0;
	*out = NULL;
	enum histree_status status = find_known(remotes, rank, STREAM_STORE, host, analysis, &what, error);
	if (status != HISTREE_OK)
		return status;
	const struct remote_store model = { .remotes = remotes, .rank = rank, .number = read_varint(&what) };
	struct remote_store *store = read_store(&model, 0, &what);
	uint64_t overview_count = read_varint(&what);
	bool is_well = store != NULL && !what.failed && overview_count <= HISTREE_SEGMENT_OVERVIEWS_MAX + 1;
	while (is_well && count < overview_count) {
		is_well = read_overview(&model, count + 1, &what, &overviews[count]);
		count += is_well;
	}
	if (is_well)
		return make_store(store, overviews, count, out, error);
	while (count > 0)
		histree_segment_store_close(overviews[--count].store);
	store_free(store);
	return streams_damaged(&remotes->streams, rank, error);
}

/* ---- events -------------------------------------------------------------------------------------------------- */

enum {
	FIRST_RUN = 64, /* as many as are looked at to find a time */
	LONGEST_RUN = 4096,
	RUNS_BEFORE_AHEAD = 2,
	TYPES_OF_ALL = 4, /* once a text was wanted of this many types, it is of all */
};

struct remote_events {
	struct remotes *remotes;
	int rank;
	size_t host;
	uint64_t count;
	size_t type_count;
};

struct event_cursor {
	const struct remote_events *of;
	struct stream stream;
	uint64_t wanted;       /* the number of the next event */
	uint64_t first;        /* of the run that is here */
	uint64_t asked_first;  /* of the one that was asked for last */
	struct columns events; /* that are here */
	uint32_t run, runs;    /* how many to ask for; how many came one after the other */
	/* Earlier bytes of the run that is here, to which values that were handed out may point. */
	struct byte_buffer *before;
	size_t before_count, before_capacity;
	/* What is wanted of events besides their times. */
	uint8_t texts_of_all;
	uint8_t *texts; /* of each type */
	char *paths[EVENT_PATHS_MAX];
	uint32_t path_count;
	struct histree_error error; /* of a function that cannot return it */
};

static void ask_events(struct event_cursor *cursor, uint64_t first, uint64_t count)
{
	const struct remote_events *of = cursor->of;
	struct byte_buffer *message;
	uint64_t more = 0;
	assert(first < of->count);
	if (count > of->count - first)
		count = of->count - first;
	cursor->asked_first = first;
	if (cursor->stream.number != 0) {
		message = stream_more(&cursor->stream);
	} else {
		message = stream_start(&cursor->stream, STREAM_EVENTS);
		byte_buffer_put_number(message, of->host);
		byte_buffer_put_string(message, "");
	}
	byte_buffer_put_number(message, first);
	byte_buffer_put_number(message, count);
	byte_buffer_put_number(message, cursor->path_count);
	for (uint32_t i = 0; i < cursor->path_count; i++)
		byte_buffer_put_string(message, cursor->paths[i]);
	byte_buffer_put_byte(message, cursor->texts_of_all);
	for (size_t type = 0; type < of->type_count; type++)
		more += cursor->texts[type] != 0;
	byte_buffer_put_number(message, more);
	for (size_t type = 0; type < of->type_count; type++)
		if (cursor->texts[type] != 0) {
			byte_buffer_put_number(message, type);
			byte_buffer_put_byte(message, cursor->texts[type]);
		}
}

static bool is_event(const int64_t *numbers, size_t type_count)
{
	return numbers[EVENT_CPU] >= -1 && numbers[EVENT_CPU] < INT32_MAX && numbers[EVENT_TYPE] >= 0 &&
	       (uint64_t)numbers[EVENT_TYPE] < type_count;
}

/* Waits for what was asked for.  What comes before that which failed is handed out first. */
static enum histree_status fetch_events(struct event_cursor *cursor, struct histree_error *error)
{
	struct columns *events = &cursor->events;
	struct byte_reader answer;
	events->rows = 0;
	cursor->first = cursor->asked_first;
	enum histree_status status = stream_take(&cursor->stream, &answer, error);
	if (status == HISTREE_OK)
		status = columns_read(events, EVENT_ROWS, &answer, error);
	bool is_well =
		events->value_count >= EVENT_TEXTS && (events->rows > 0 || cursor->stream.status != HISTREE_OK);
	for (uint32_t i = 0; i < events->rows; i++)
		is_well = is_well && is_event(columns_numbers(events, i), cursor->of->type_count);
	if (status == HISTREE_OK && !is_well) {
		events->rows = 0;
		return streams_damaged(cursor->stream.streams, cursor->stream.rank, error);
	}
	return status == HISTREE_OK && events->rows == 0 ? stream_end(&cursor->stream, error) : status;
}

static bool is_here(const struct event_cursor *cursor, uint64_t number)
{
	return number >= cursor->first && number - cursor->first < cursor->events.rows;
}

static bool is_coming(const struct event_cursor *cursor, uint64_t number)
{
	return (cursor->stream.asked != 0 || cursor->stream.has_arrived) && cursor->asked_first == number;
}

static void forget_before(struct event_cursor *cursor)
{
	while (cursor->before_count > 0)
		byte_buffer_release(&cursor->before[--cursor->before_count]);
}

static void event_cursor_free(void *context)
{
	struct event_cursor *cursor = context;
	stream_close(&cursor->stream);
	forget_before(cursor);
	free(cursor->before);
	columns_release(&cursor->events);
	for (uint32_t i = 0; i < cursor->path_count; i++)
		free(cursor->paths[i]);
	free(cursor->texts);
	free(cursor);
}

static enum histree_status event_cursor_create(void *context, void **out, struct histree_error *error)
{
	const struct remote_events *of = context;
	struct event_cursor *cursor = calloc(1, sizeof(*cursor));
	uint8_t *texts = calloc(of->type_count + 1, 1);
	*out = cursor;
	if (cursor == NULL || texts == NULL) {
		free(cursor);
		free(texts);
		*out = NULL;
		return error_memory(error, "a reader of events");
	}
	cursor->of = of;
	cursor->texts = texts;
	cursor->run = FIRST_RUN;
	stream_open(&cursor->stream, &of->remotes->streams, of->rank);
	return HISTREE_OK;
}

/* It is asked for at once, and sent when an event is wanted: so the ranks of all hosts look for theirs together. */
static enum histree_status event_cursor_seek(void *context, uint64_t number, struct histree_error *error)
{
	struct event_cursor *cursor = context;
	(void)error;
	cursor->wanted = number;
	if (is_here(cursor, number) || is_coming(cursor, number))
		return HISTREE_OK;
	cursor->run = FIRST_RUN;
	cursor->runs = 0;
	ask_events(cursor, number, cursor->run);
	return HISTREE_OK;
}

static enum histree_status next_run(struct event_cursor *cursor, struct histree_error *error)
{
	if (!is_coming(cursor, cursor->wanted))
		ask_events(cursor, cursor->wanted, cursor->run);
	enum histree_status status = fetch_events(cursor, error);
	if (status != HISTREE_OK)
		return status;
	cursor->run = cursor->run < LONGEST_RUN ? cursor->run * 4 : LONGEST_RUN;
	uint64_t behind = cursor->first + cursor->events.rows;
	if (++cursor->runs < RUNS_BEFORE_AHEAD || behind >= cursor->of->count)
		return HISTREE_OK;
	ask_events(cursor, behind, cursor->run);
	return streams_send(&cursor->of->remotes->streams, error);
}

static enum histree_status event_cursor_next(void *context, struct histree_event *out, struct histree_error *error)
{
	struct event_cursor *cursor = context;
	enum histree_status status = HISTREE_OK;
	forget_before(cursor);
	if (cursor->error.status < 0)
		return error_set(error, cursor->error.status, "%s", cursor->error.message);
	if (!is_here(cursor, cursor->wanted))
		status = next_run(cursor, error);
	if (status != HISTREE_OK)
		return status;
	const int64_t *numbers = columns_numbers(&cursor->events, (uint32_t)(cursor->wanted - cursor->first));
	*out = (struct histree_event){
		.number = cursor->wanted++,
		.time = numbers[EVENT_TIME],
		.cpu = (int32_t)numbers[EVENT_CPU],
		.type = (uint32_t)numbers[EVENT_TYPE],
	};
	return HISTREE_OK;
}

/* Asks again for the event that was given last and those behind it, with what is wanted of them now. */
static bool fetch_again(struct event_cursor *cursor)
{
	uint64_t last = cursor->wanted - 1, left = cursor->first + cursor->events.rows - last;
	struct histree_error error = { 0 };
	enum histree_status status = HISTREE_OK;
	if (!array_reserve(&cursor->before, &cursor->before_capacity, cursor->before_count + 1))
		status = error_memory(&error, "events of a rank");
	if (status == HISTREE_OK) {
		cursor->before[cursor->before_count++] = cursor->stream.taken;
		cursor->stream.taken = (struct byte_buffer){ 0 };
		ask_events(cursor, last, left);
		status = fetch_events(cursor, &error);
	}
	if (status < 0)
		cursor->error = error;
	return status == HISTREE_OK;
}

/* Whether the event that was given last is here. */
static bool has_last(const struct event_cursor *cursor)
{
	return cursor->wanted > 0 && cursor->error.status >= 0 && is_here(cursor, cursor->wanted - 1);
}

static const struct histree_value *last_values(const struct event_cursor *cursor)
{
	return columns_values(&cursor->events, (uint32_t)(cursor->wanted - 1 - cursor->first));
}

static void want_text(struct event_cursor *cursor, uint8_t text)
{
	const int64_t *numbers = columns_numbers(&cursor->events, (uint32_t)(cursor->wanted - 1 - cursor->first));
	size_t types = 0;
	cursor->texts[numbers[EVENT_TYPE]] |= text;
	for (size_t i = 0; i < cursor->of->type_count; i++)
		types += (cursor->texts[i] & text) != 0;
	if (types >= TYPES_OF_ALL)
		cursor->texts_of_all |= text;
}

static const char *event_cursor_text(void *context, enum histree_event_text what)
{
	struct event_cursor *cursor = context;
	if (!has_last(cursor))
		return "";
	if (!columns_has(&last_values(cursor)[what])) {
		want_text(cursor, (uint8_t)(1U << what));
		if (!fetch_again(cursor))
			return "";
	}
	const struct histree_value *text = &last_values(cursor)[what];
	return text->type == HISTREE_STRING ? text->bytes : "";
}

/* Returns the index of a path among those that are wanted, and wants it from now on; SIZE_MAX: no memory. */
static size_t want_path(struct event_cursor *cursor, const char *path)
{
	for (uint32_t i = 0; i < cursor->path_count; i++)
		if (strcmp(cursor->paths[i], path) == 0)
			return i;
	if (cursor->path_count == EVENT_PATHS_MAX) { /* a reader that asks for that many begins anew */
		while (cursor->path_count > 0)
			free(cursor->paths[--cursor->path_count]);
		cursor->events.value_count = 0;
	}
	cursor->paths[cursor->path_count] = strdup(path);
	return cursor->paths[cursor->path_count] != NULL ? cursor->path_count++ : SIZE_MAX;
}

static enum histree_status event_cursor_value(void *context, const char *path, struct histree_value *out)
{
	struct event_cursor *cursor = context;
	*out = histree_null();
	if (!has_last(cursor))
		return HISTREE_NOT_FOUND;
	size_t index = want_path(cursor, path);
	if (index == SIZE_MAX) {
		error_memory(&cursor->error, "events of a rank");
		return HISTREE_NOT_FOUND;
	}
	index += EVENT_TEXTS;
	if (index >= cursor->events.value_count && !fetch_again(cursor))
		return HISTREE_NOT_FOUND;
	if (index >= cursor->events.value_count || !columns_has(&last_values(cursor)[index]))
		return HISTREE_NOT_FOUND;
	*out = last_values(cursor)[index];
	return HISTREE_OK;
}

static enum histree_status make_events(struct remotes *remotes, int rank, size_t host, struct byte_reader *what,
				       struct histree_events **out, struct histree_error *error)
{
	struct remote_events *of = calloc(1, sizeof(*of));
	if (of == NULL)
		return error_memory(error, "the events of a host");
	*of = (struct remote_events){ .remotes = remotes, .rank = rank, .host = host };
	const struct histree_event_source source = {
		.context = of,
		.cursor_create = event_cursor_create,
		.cursor_seek = event_cursor_seek,
		.cursor_next = event_cursor_next,
		.cursor_text = event_cursor_text,
		.cursor_value = event_cursor_value,
		.cursor_free = event_cursor_free,
		.free = free,
	};
	bool are_in_order = byte_reader_byte(what) != 0;
	size_t size = byte_reader_left(what);
	enum histree_status status =
		histree_events_of_source(&source, read_bytes(what, size), size, are_in_order, out, error);
	if (status != HISTREE_OK)
		return status;
	of->count = histree_events_count(*out);
	histree_events_types(*out, &of->type_count);
	return HISTREE_OK;
}

/* An index is large, and is not kept as bytes. */
enum histree_status remotes_events(struct remotes *remotes, int rank, size_t host, struct histree_events **out,
				   struct histree_error *error)
{
	struct stream stream;
	struct byte_reader what;
	*out = NULL;
	enum histree_status status = ask_rank(remotes, rank, STREAM_INDEX, host, "", &stream, &what, error);
	if (status == HISTREE_OK)
		status = make_events(remotes, rank, host, &what, out, error);
	stream_close(&stream);
	return status;
}
