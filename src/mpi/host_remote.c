// SPDX-License-Identifier: MIT
/*
 * host_remote.c - on rank 0: segments, sums and events of hosts that other ranks have, as sources of the library.
 */
#include "mpi/host_remote.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "histree/event_source.h"
#include "histree/segment_source.h"
#include "histree/segment_store.h"
#include "mpi/columns.h"
#include "mpi/link.h"

/* ---- segment remote ------------------------------------------------------------------------------------------ */

/* From this answer on, the next one is asked for while one is handed out: whoever takes so many takes more. */
enum { ANSWERS_BEFORE_AHEAD = 2 };

struct remote_store {
	struct segment_remotes *remotes;
	int rank;
	uint64_t number;
	bool is_overview;                       /* of which no condition of a question is one */
	struct histree_segment_store_info info; /* its schema is in the store that is made of this */
	struct histree_segment_field fields[HISTREE_SEGMENT_FIELDS_MAX];
	struct arena texts;
};

struct remote_cursor {
	const struct remote_store *store;
	uint64_t number;
	bool is_open, is_asked, has_arrived;
	struct message arrived;         /* the section that came last */
	struct message bytes;           /* the one that is handed out */
	struct segment_columns columns; /* of it */
	uint32_t at, answers;
	enum histree_status status; /* behind its segments */
	bool is_told;               /* a loss */
	struct histree_segment_loss loss;
	struct histree_error error;
};

/* ---- messages --------------------------------------------------------------------------------------------- */

static enum histree_status lost(struct segment_remotes *remotes, int rank, struct histree_error *error)
{
	remotes->is_lost = true;
	return error_set(error, HISTREE_ERR_IO, "rank %d does not answer", rank);
}

enum histree_status segment_remotes_damaged(struct segment_remotes *remotes, int rank, struct histree_error *error)
{
	remotes->is_lost = true;
	return error_set(error, HISTREE_ERR_FORMAT, "the answer of rank %d is damaged", rank);
}

static enum histree_status unwanted(struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_CANCELLED, "the answer is no longer wanted");
}

enum histree_status segment_remotes_send(struct segment_remotes *remotes, int rank, struct histree_error *error)
{
	struct remote_rank *to = &remotes->ranks[rank];
	if (remotes->asker->is_stopped)
		return unwanted(error);
	if (to->pending.size <= 1)
		return HISTREE_OK;
	if (to->pending.no_memory)
		return error_memory(error, "a question");
	if (!link_send(remotes->asker->link, rank, &to->pending))
		return lost(remotes, rank, error);
	message_clear(&to->pending);
	to->outstanding++;
	return HISTREE_OK;
}

/* All of them, so that ranks work at a time. */
enum histree_status segment_remotes_send_all(struct segment_remotes *remotes, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (int rank = 1; rank < remotes->asker->link->count && status == HISTREE_OK; rank++)
		status = segment_remotes_send(remotes, rank, error);
	return status;
}

struct message *segment_remotes_step(struct segment_remotes *remotes, int rank, enum rank_step step)
{
	struct message *pending = &remotes->ranks[rank].pending;
	if (pending->size == 0)
		message_byte(pending, SEGMENT_REQUEST);
	message_byte(pending, (uint8_t)step);
	return pending;
}

static struct remote_cursor *find_cursor(const struct segment_remotes *remotes, uint64_t number)
{
	for (size_t i = 0; i < remotes->cursor_count; i++)
		if (remotes->cursors[i]->is_open && remotes->cursors[i]->number == number)
			return remotes->cursors[i];
	return NULL;
}

/* Keeps a section for the cursor that it is of; one that was closed since needs it no more. */
static bool hand_out(struct segment_remotes *remotes, struct byte_reader section)
{
	uint64_t number = read_varint(&section);
	struct remote_cursor *cursor = section.failed ? NULL : find_cursor(remotes, number);
	if (cursor == NULL)
		return !section.failed;
	message_clear(&cursor->arrived);
	message_bytes(&cursor->arrived, section.at, byte_reader_left(&section));
	cursor->has_arrived = true;
	cursor->is_asked = false;
	return !cursor->arrived.no_memory;
}

/* Returns false if the section is damaged, or none that anybody takes. */
static bool segment_remote_take_section(struct segment_remotes *remotes, uint8_t letter, struct byte_reader section,
					struct byte_reader *opened)
{
	switch (letter) {
	case STEP_OPEN:
	case STEP_EVENTS:
	case STEP_HISTORY:
		*opened = section;
		return true;
	case STEP_NEXT:
		return hand_out(remotes, section);
	case STEP_READ:
		return remotes->take_events != NULL && remotes->take_events(remotes->events, section);
	case STEP_STATES:
		return remotes->take_states != NULL && remotes->take_states(remotes->states, section);
	case STEP_VIEW:
		return remotes->take_views != NULL && remotes->take_views(remotes->views, section);
	default:
		return false;
	}
}

/* Takes the next answer of a rank; *opened is its section on a store, if it has one. */
static enum histree_status take_answer(struct segment_remotes *remotes, int rank, struct byte_reader *opened,
				       struct histree_error *error)
{
	struct message *message = &remotes->received;
	*opened = byte_reader("", 0);
	if (remotes->is_lost || remotes->ranks[rank].outstanding == 0 ||
	    !asker_receive(remotes->asker, rank, message))
		return lost(remotes, rank, error);
	remotes->ranks[rank].outstanding--;
	struct byte_reader reader = byte_reader(message->bytes, message->size);
	while (byte_reader_left(&reader) > 0) {
		uint8_t letter = read_byte(&reader);
		uint32_t size = read_le32(&reader);
		const uint8_t *bytes = read_bytes(&reader, size);
		if (bytes == NULL ||
		    !segment_remote_take_section(remotes, letter, byte_reader(bytes, size), opened))
			return segment_remotes_damaged(remotes, rank, error);
	}
	return HISTREE_OK;
}

enum histree_status segment_remotes_take(struct segment_remotes *remotes, int rank, struct byte_reader *opened,
					 struct histree_error *error)
{
	if (remotes->asker->is_stopped)
		return unwanted(error);
	return take_answer(remotes, rank, opened, error);
}

/* ---- cursors ---------------------------------------------------------------------------------------------- */

static void close_cursor(struct remote_cursor *cursor)
{
	struct segment_remotes *remotes = cursor->store->remotes;
	if (cursor->is_open)
		message_number(segment_remotes_step(remotes, cursor->store->rank, STEP_CLOSE), cursor->number);
	cursor->is_open = cursor->is_asked = cursor->has_arrived = false;
	cursor->columns.count = cursor->at = cursor->answers = 0;
	cursor->is_told = true;
}

static enum histree_status segment_remote_cursor_create(void *context, void **out, struct histree_error *error)
{
	const struct remote_store *store = context;
	struct segment_remotes *remotes = store->remotes;
	struct remote_cursor *cursor = calloc(1, sizeof(*cursor));
	*out = NULL;
	if (cursor == NULL ||
	    !array_reserve(&remotes->cursors, &remotes->cursor_capacity, remotes->cursor_count + 1)) {
		free(cursor);
		return error_memory(error, "an iterator");
	}
	cursor->store = store;
	remotes->cursors[remotes->cursor_count++] = cursor;
	*out = cursor;
	return HISTREE_OK;
}

/* Bit by bit. */
static uint32_t wanted_fields(const struct remote_store *store)
{
	const char *only = store->remotes->only_field;
	if (only == NULL || store->is_overview)
		return UINT32_MAX;
	for (size_t i = 0; i < store->info.schema.field_count; i++)
		if (strcmp(store->fields[i].name, only) == 0)
			return UINT32_C(1) << i;
	return 0;
}

static enum histree_status cursor_start(void *context, const struct histree_segment_query *query,
					struct histree_error *error)
{
	struct remote_cursor *cursor = context;
	struct segment_remotes *remotes = cursor->store->remotes;
	const char *where = remotes->where != NULL && !cursor->store->is_overview ? remotes->where : "";
	/* A condition that only this rank knows may refuse some of the first. */
	bool has_limit = query->filter == NULL || remotes->where != NULL;
	close_cursor(cursor);
	cursor->number = ++remotes->next_number;
	cursor->is_open = cursor->is_asked = true;
	struct message *message = segment_remotes_step(remotes, cursor->store->rank, STEP_START);
	message_number(message, cursor->number);
	message_number(message, cursor->store->number);
	message_signed(message, query->from);
	message_signed(message, query->to);
	message_byte(message, (uint8_t)query->order);
	message_byte(message, query->descending);
	message_number(message, query->field);
	message_number(message, has_limit ? query->limit : 0);
	message_number(message, wanted_fields(cursor->store));
	message_string(message, where);
	message_signed(message, remotes->start);
	message_signed(message, remotes->end);
	return message->no_memory ? error_memory(error, "a question") : HISTREE_OK;
}

static void ask_for_more(struct remote_cursor *cursor)
{
	message_number(segment_remotes_step(cursor->store->remotes, cursor->store->rank, STEP_NEXT),
		       cursor->number);
	cursor->is_asked = true;
}

static enum histree_status read_arrived(struct remote_cursor *cursor, struct histree_error *error)
{
	struct message empty = cursor->bytes;
	cursor->bytes = cursor->arrived;
	cursor->arrived = empty;
	cursor->has_arrived = false;
	cursor->at = 0;
	struct byte_reader reader = byte_reader(cursor->bytes.bytes, cursor->bytes.size);
	int64_t status = read_signed(&reader);
	read_text_into(&reader, cursor->error.message, sizeof(cursor->error.message));
	cursor->status = cursor->error.status = (enum histree_status)status;
	cursor->is_told = cursor->status != HISTREE_PARTIAL;
	if (cursor->status == HISTREE_PARTIAL) {
		cursor->loss = (struct histree_segment_loss){ .from = read_signed(&reader) };
		cursor->loss.to = read_signed(&reader);
		cursor->loss.count_max = read_varint(&reader);
		cursor->loss.node = (uint32_t)read_varint(&reader);
	}
	enum histree_status read =
		segment_columns_read(&cursor->columns, &cursor->store->info.schema, &reader, error);
	return read == HISTREE_OK && reader.failed
		       ? segment_remotes_damaged(cursor->store->remotes, cursor->store->rank, error)
		       : read;
}

/* Gets the next segments of the cursor. */
static enum histree_status segment_remote_fetch(struct remote_cursor *cursor, struct histree_error *error)
{
	struct segment_remotes *remotes = cursor->store->remotes;
	struct byte_reader unused;
	if (!cursor->is_asked && !cursor->has_arrived)
		ask_for_more(cursor);
	enum histree_status status = cursor->has_arrived ? HISTREE_OK : segment_remotes_send_all(remotes, error);
	while (status == HISTREE_OK && !cursor->has_arrived)
		status = segment_remotes_take(remotes, cursor->store->rank, &unused, error);
	if (status == HISTREE_OK)
		status = read_arrived(cursor, error);
	cursor->answers++;
	bool goes_on = status == HISTREE_OK && (cursor->status == HISTREE_OK || cursor->status == HISTREE_PARTIAL);
	if (goes_on && cursor->answers >= ANSWERS_BEFORE_AHEAD) {
		ask_for_more(cursor);
		status = segment_remotes_send(remotes, cursor->store->rank, error);
	}
	return status;
}

static enum histree_status segment_remote_cursor_next(void *context, struct histree_segment *out,
						      struct histree_error *error)
{
	struct remote_cursor *cursor = context;
	for (;;) {
		if (cursor->at < cursor->columns.count) {
			*out = segment_columns_get(&cursor->columns, cursor->at++);
			return HISTREE_OK;
		}
		if (!cursor->is_open)
			return HISTREE_END;
		if (!cursor->is_told) {
			cursor->is_told = true;
			return HISTREE_PARTIAL;
		}
		if (cursor->answers > 0 && cursor->status != HISTREE_OK && cursor->status != HISTREE_PARTIAL) {
			cursor->is_open = false; /* of an iterator that is at its end nothing is kept there */
			if (cursor->status < 0 && error != NULL)
				*error = cursor->error;
			return cursor->status;
		}
		enum histree_status status = segment_remote_fetch(cursor, error);
		if (status != HISTREE_OK)
			return status;
	}
}

static struct histree_segment_loss cursor_loss(const void *context)
{
	return ((const struct remote_cursor *)context)->loss;
}

static void segment_remote_cursor_free(void *context)
{
	struct remote_cursor *cursor = context;
	struct segment_remotes *remotes = cursor->store->remotes;
	close_cursor(cursor);
	for (size_t i = 0; i < remotes->cursor_count; i++)
		if (remotes->cursors[i] == cursor)
			remotes->cursors[i] = remotes->cursors[--remotes->cursor_count];
	segment_columns_release(&cursor->columns);
	message_release(&cursor->arrived);
	message_release(&cursor->bytes);
	free(cursor);
}

/* ---- stores ----------------------------------------------------------------------------------------------- */

static void store_free(void *context)
{
	struct remote_store *store = context;
	arena_release(&store->texts);
	free(store);
}

static const char *keep_text(struct remote_store *store, struct byte_reader *reader)
{
	struct message_text text = read_text(reader);
	const char *copy = arena_copy(&store->texts, text.bytes, text.size);
	if (copy == NULL)
		reader->failed = true;
	return copy;
}

static bool read_info(struct remote_store *store, struct byte_reader *reader)
{
	struct histree_segment_store_info *info = &store->info;
	info->schema.provider = keep_text(store, reader);
	info->schema.provider_version = (uint32_t)read_varint(reader);
	uint64_t count = read_varint(reader);
	if (reader->failed || count > HISTREE_SEGMENT_FIELDS_MAX)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		store->fields[i].name = keep_text(store, reader);
		uint64_t type = read_varint(reader);
		store->fields[i].type = (enum histree_type)type;
		if (reader->failed || type >= HISTREE_TYPE_COUNT)
			return false;
	}
	info->schema.fields = store->fields;
	info->schema.field_count = (size_t)count;
	info->segment_count = read_varint(reader);
	info->start = read_signed(reader);
	info->end = read_signed(reader);
	info->duration_min = read_varint(reader);
	info->duration_max = read_varint(reader);
	info->identity = read_varint(reader);
	return !reader->failed;
}

/* Reads a store: its number and its info. */
static struct remote_store *read_store(struct segment_remotes *remotes, int rank, bool is_overview,
				       struct byte_reader *reader)
{
	struct remote_store *store = calloc(1, sizeof(*store));
	if (store == NULL)
		return NULL;
	store->remotes = remotes;
	store->rank = rank;
	store->is_overview = is_overview;
	store->number = read_varint(reader);
	if (read_info(store, reader))
		return store;
	store_free(store);
	return NULL;
}

static enum histree_status make_store(struct remote_store *store, const struct histree_segment_overview *overviews,
				      size_t count, struct histree_segment_store **out, struct histree_error *error)
{
	const struct histree_segment_source source = {
		.context = store,
		.cursor_create = segment_remote_cursor_create,
		.cursor_start = cursor_start,
		.cursor_next = segment_remote_cursor_next,
		.cursor_loss = cursor_loss,
		.cursor_free = segment_remote_cursor_free,
		.free = store_free,
	};
	const struct histree_segment_store_info info = store->info;
	return histree_segment_store_of_source(&source, &info, overviews, count, out, error);
}

static bool read_overview(struct segment_remotes *remotes, int rank, struct byte_reader *reader,
			  struct histree_segment_overview *overview)
{
	struct histree_error error;
	struct remote_store *store = read_store(remotes, rank, true, reader);
	overview->width_log2 = (unsigned)read_varint(reader);
	overview->parts_log2 = (unsigned)read_varint(reader);
	overview->field = (size_t)(read_varint(reader) - 1);
	if (store != NULL && !reader->failed && overview->width_log2 < 64 &&
	    make_store(store, NULL, 0, &overview->store, &error) == HISTREE_OK)
		return true;
	if (store != NULL && (reader->failed || overview->width_log2 >= 64))
		store_free(store);
	return false;
}

/* Makes the store that an answer describes. */
static enum histree_status take_store(struct segment_remotes *remotes, int rank, struct byte_reader *reader,
				      struct histree_segment_store **out, struct histree_error *error)
{
	struct histree_segment_overview overviews[HISTREE_SEGMENT_OVERVIEWS_MAX + 1];
	size_t count = 0;
	struct remote_store *store = read_store(remotes, rank, false, reader);
	uint64_t overview_count = read_varint(reader);
	bool is_well = store != NULL && !reader->failed && overview_count <= HISTREE_SEGMENT_OVERVIEWS_MAX + 1;
	while (is_well && count < overview_count) {
		is_well = read_overview(remotes, rank, reader, &overviews[count]);
		count += is_well;
	}
	if (is_well)
		return make_store(store, overviews, count, out, error);
	while (count > 0)
		histree_segment_store_close(overviews[--count].store);
	if (store != NULL)
		store_free(store);
	return segment_remotes_damaged(remotes, rank, error);
}

enum histree_status segment_remotes_open(struct segment_remotes *remotes, int rank, size_t host,
					 const char *analysis, struct histree_segment_store **out,
					 struct histree_error *error)
{
	struct byte_reader opened;
	struct histree_error why = { 0 };
	struct message *message = segment_remotes_step(remotes, rank, STEP_OPEN);
	*out = NULL;
	message_number(message, host);
	message_string(message, analysis);
	enum histree_status status = segment_remotes_send(remotes, rank, error);
	do
		if (status == HISTREE_OK)
			status = segment_remotes_take(remotes, rank, &opened, error);
	while (status == HISTREE_OK && byte_reader_left(&opened) == 0);
	if (status != HISTREE_OK)
		return status;
	int64_t found = read_signed(&opened);
	read_text_into(&opened, why.message, sizeof(why.message));
	if (opened.failed)
		return segment_remotes_damaged(remotes, rank, error);
	if (found != HISTREE_OK)
		return error_set(error, (enum histree_status)found, "%s", why.message);
	return take_store(remotes, rank, &opened, out, error);
}

/* ---- all of them ------------------------------------------------------------------------------------------ */

bool segment_remotes_begin(struct segment_remotes *remotes, struct asker *asker)
{
	*remotes = (struct segment_remotes){ .asker = asker };
	remotes->ranks = calloc((size_t)asker->link->count, sizeof(*remotes->ranks));
	return remotes->ranks != NULL;
}

void segment_remotes_drain(struct segment_remotes *remotes)
{
	struct byte_reader unused;
	struct histree_error error;
	for (int rank = 1; remotes->ranks != NULL && rank < remotes->asker->link->count; rank++) {
		/* Iterators that are closed are not kept there; ranks that were stopped keep none. */
		if (remotes->asker->is_stopped)
			message_clear(&remotes->ranks[rank].pending);
		else if (!remotes->is_lost)
			remotes->is_lost = segment_remotes_send(remotes, rank, &error) != HISTREE_OK;
		while (!remotes->is_lost && remotes->ranks[rank].outstanding > 0)
			if (take_answer(remotes, rank, &unused, &error) != HISTREE_OK)
				remotes->is_lost = true;
	}
}

void segment_remotes_release(struct segment_remotes *remotes)
{
	for (int rank = 0; remotes->ranks != NULL && rank < remotes->asker->link->count; rank++)
		message_release(&remotes->ranks[rank].pending);
	free(remotes->ranks);
	free(remotes->cursors);
	message_release(&remotes->received);
	*remotes = (struct segment_remotes){ 0 };
}

/* ---- view remote --------------------------------------------------------------------------------------------- */

struct view_asked {
	struct view_remotes *remotes;
	struct view_asked *next;
	int rank;
	uint64_t number;
	bool has_arrived;
	struct message arrived;
};

static bool view_remote_take_section(void *context, struct byte_reader section)
{
	const struct view_remotes *remotes = context;
	uint64_t number = read_varint(&section);
	for (struct view_asked *asked = remotes->asked; asked != NULL && !section.failed; asked = asked->next) {
		if (asked->number != number)
			continue;
		message_clear(&asked->arrived);
		message_bytes(&asked->arrived, section.at, byte_reader_left(&section));
		asked->has_arrived = true;
		return !asked->arrived.no_memory;
	}
	return !section.failed; /* it was dropped since */
}

void view_remotes_begin(struct view_remotes *remotes, struct segment_remotes *ranks)
{
	*remotes = (struct view_remotes){ .ranks = ranks };
	ranks->take_views = view_remote_take_section;
	ranks->views = remotes;
}

enum histree_status view_remotes_ask(struct view_remotes *remotes, int rank, uint64_t history, const void *question,
				     size_t size, struct view_asked **out, struct histree_error *error)
{
	struct view_asked *asked = *out = calloc(1, sizeof(*asked));
	if (asked == NULL)
		return error_memory(error, "a question");
	*asked = (struct view_asked){
		.remotes = remotes, .next = remotes->asked, .rank = rank, .number = ++remotes->next_number
	};
	remotes->asked = asked;
	struct message *message = segment_remotes_step(remotes->ranks, rank, STEP_VIEW);
	message_number(message, asked->number);
	message_number(message, history);
	message_text(message, question, size);
	return HISTREE_OK;
}

enum histree_status view_asked_take(struct view_asked *asked, const void **answer, size_t *size,
				    struct histree_error *error)
{
	struct segment_remotes *ranks = asked->remotes->ranks;
	struct histree_error why = { 0 };
	struct byte_reader unused;
	enum histree_status status = asked->has_arrived ? HISTREE_OK : segment_remotes_send_all(ranks, error);
	while (status == HISTREE_OK && !asked->has_arrived)
		status = segment_remotes_take(ranks, asked->rank, &unused, error);
	if (status != HISTREE_OK)
		return status;
	struct byte_reader reader = byte_reader(asked->arrived.bytes, asked->arrived.size);
	int64_t found = read_signed(&reader);
	read_text_into(&reader, why.message, sizeof(why.message));
	if (reader.failed)
		return segment_remotes_damaged(ranks, asked->rank, error);
	*answer = reader.at;
	*size = byte_reader_left(&reader);
	return found == HISTREE_OK ? HISTREE_OK : error_set(error, (enum histree_status)found, "%s", why.message);
}

void view_asked_drop(struct view_asked *asked)
{
	struct view_asked **at = &asked->remotes->asked;
	while (*at != asked)
		at = &(*at)->next;
	*at = asked->next;
	message_release(&asked->arrived);
	free(asked);
}

/* ---- event remote -------------------------------------------------------------------------------------------- */

enum {
	FIRST_RUN = 64, /* as many as are looked at to find a time */
	LONGEST_RUN = 4096,
	RUNS_BEFORE_AHEAD = 2,
	TYPES_OF_ALL = 4, /* so many types had a text wanted: all have */
};

struct remote_events {
	struct event_remotes *remotes;
	int rank;
	size_t host;
	uint64_t count;
	size_t type_count;
};

struct event_cursor {
	const struct remote_events *of;
	uint64_t number;
	uint64_t wanted;      /* the number of the next event */
	uint64_t first;       /* of the run that is here */
	struct message bytes; /* of it */
	struct event_rows rows;
	uint32_t run, runs; /* how many to ask for; how many came one after the other */
	/* What was asked for last: the answer has its serial. */
	bool is_asked, has_arrived;
	uint64_t serial, asked_first;
	struct message arrived;
	/* Earlier bytes of the run that is here, to which values that were handed out may point. */
	struct message *before;
	size_t before_count, before_capacity;
	/* What is wanted of events besides their times. */
	uint8_t texts_of_all;
	uint8_t *texts; /* of each type */
	char *paths[EVENT_VALUES_MAX];
	uint32_t path_count;
	struct histree_error error; /* of a function that cannot return it */
};

/* ---- runs ------------------------------------------------------------------------------------------------- */

static bool event_remote_take_section(void *context, struct byte_reader section)
{
	const struct event_remotes *remotes = context;
	uint64_t number = read_varint(&section), serial = read_varint(&section);
	for (size_t i = 0; !section.failed && i < remotes->cursor_count; i++) {
		struct event_cursor *cursor = remotes->cursors[i];
		if (cursor->number != number || cursor->serial != serial || !cursor->is_asked)
			continue; /* it wants something else by now */
		message_clear(&cursor->arrived);
		message_bytes(&cursor->arrived, section.at, byte_reader_left(&section));
		cursor->is_asked = false;
		cursor->has_arrived = true;
		return !cursor->arrived.no_memory;
	}
	return !section.failed;
}

static void ask(struct event_cursor *cursor, uint64_t first, uint64_t count)
{
	const struct remote_events *of = cursor->of;
	uint64_t more = 0;
	if (count > of->count - first)
		count = of->count - first;
	cursor->is_asked = true;
	cursor->has_arrived = false;
	cursor->asked_first = first;
	struct message *message = segment_remotes_step(of->remotes->ranks, of->rank, STEP_READ);
	message_number(message, cursor->number);
	message_number(message, ++cursor->serial);
	message_number(message, of->host);
	message_number(message, first);
	message_number(message, count);
	message_number(message, cursor->path_count);
	for (uint32_t i = 0; i < cursor->path_count; i++)
		message_string(message, cursor->paths[i]);
	message_byte(message, cursor->texts_of_all);
	for (size_t type = 0; type < of->type_count; type++)
		more += cursor->texts[type] != 0;
	message_number(message, more);
	for (size_t type = 0; type < of->type_count; type++)
		if (cursor->texts[type] != 0) {
			message_number(message, type);
			message_byte(message, cursor->texts[type]);
		}
}

static enum histree_status read_run(struct event_cursor *cursor, struct histree_error *error)
{
	struct histree_error why = { 0 };
	struct message empty = cursor->bytes;
	cursor->bytes = cursor->arrived;
	cursor->arrived = empty;
	cursor->has_arrived = false;
	cursor->first = cursor->asked_first;
	cursor->rows.count = 0;
	struct byte_reader reader = byte_reader(cursor->bytes.bytes, cursor->bytes.size);
	int64_t found = read_signed(&reader);
	read_text_into(&reader, why.message, sizeof(why.message));
	enum histree_status status = event_rows_read(&cursor->rows, &reader, error);
	if (status != HISTREE_OK)
		return status;
	for (uint32_t i = 0; i < cursor->rows.count; i++)
		if (cursor->rows.rows[i].type >= cursor->of->type_count)
			status = HISTREE_ERR_FORMAT;
	if (status != HISTREE_OK || (found == HISTREE_OK && cursor->rows.count == 0)) {
		cursor->rows.count = 0;
		return segment_remotes_damaged(cursor->of->remotes->ranks, cursor->of->rank, error);
	}
	/* What comes before that which failed is handed out first, and the rest asked for again. */
	if (cursor->rows.count > 0)
		return HISTREE_OK;
	return error_set(error, (enum histree_status)found, "%s", why.message);
}

/* Waits for what was asked for. */
static enum histree_status event_remote_fetch(struct event_cursor *cursor, struct histree_error *error)
{
	struct segment_remotes *ranks = cursor->of->remotes->ranks;
	struct byte_reader unused;
	enum histree_status status = cursor->has_arrived ? HISTREE_OK : segment_remotes_send_all(ranks, error);
	while (status == HISTREE_OK && !cursor->has_arrived)
		status = segment_remotes_take(ranks, cursor->of->rank, &unused, error);
	return status == HISTREE_OK ? read_run(cursor, error) : status;
}

static bool is_here(const struct event_cursor *cursor, uint64_t number)
{
	return number >= cursor->first && number - cursor->first < cursor->rows.count;
}

static void forget_before(struct event_cursor *cursor)
{
	while (cursor->before_count > 0)
		message_release(&cursor->before[--cursor->before_count]);
}

/* ---- the source -------------------------------------------------------------------------------------------- */

static void event_remote_cursor_free(void *context)
{
	struct event_cursor *cursor = context;
	struct event_remotes *remotes = cursor->of->remotes;
	if (cursor->serial > 0) /* the rank has a reader */
		message_number(segment_remotes_step(remotes->ranks, cursor->of->rank, STEP_LEAVE), cursor->number);
	for (size_t i = 0; i < remotes->cursor_count; i++)
		if (remotes->cursors[i] == cursor)
			remotes->cursors[i] = remotes->cursors[--remotes->cursor_count];
	forget_before(cursor);
	free(cursor->before);
	message_release(&cursor->bytes);
	message_release(&cursor->arrived);
	event_rows_release(&cursor->rows);
	for (uint32_t i = 0; i < cursor->path_count; i++)
		free(cursor->paths[i]);
	free(cursor->texts);
	free(cursor);
}

static enum histree_status event_remote_cursor_create(void *context, void **out, struct histree_error *error)
{
	const struct remote_events *of = context;
	struct event_remotes *remotes = of->remotes;
	struct event_cursor *cursor = calloc(1, sizeof(*cursor));
	uint8_t *texts = calloc(of->type_count + 1, 1);
	*out = NULL;
	if (cursor == NULL || texts == NULL ||
	    !array_reserve(&remotes->cursors, &remotes->cursor_capacity, remotes->cursor_count + 1)) {
		free(cursor);
		free(texts);
		return error_memory(error, "a reader of events");
	}
	cursor->of = of;
	cursor->texts = texts;
	cursor->number = ++remotes->next_number;
	cursor->run = FIRST_RUN;
	remotes->cursors[remotes->cursor_count++] = cursor;
	*out = cursor;
	return HISTREE_OK;
}

/* It is asked for at once, and sent when an event is wanted: so the ranks of all hosts look for theirs together. */
static enum histree_status cursor_seek(void *context, uint64_t number, struct histree_error *error)
{
	struct event_cursor *cursor = context;
	(void)error;
	cursor->wanted = number;
	bool comes = (cursor->is_asked || cursor->has_arrived) && cursor->asked_first == number;
	if (is_here(cursor, number) || comes)
		return HISTREE_OK;
	cursor->run = FIRST_RUN;
	cursor->runs = 0;
	ask(cursor, number, cursor->run);
	return HISTREE_OK;
}

static enum histree_status next_run(struct event_cursor *cursor, struct histree_error *error)
{
	bool comes = (cursor->is_asked || cursor->has_arrived) && cursor->asked_first == cursor->wanted;
	if (!comes)
		ask(cursor, cursor->wanted, cursor->run);
	enum histree_status status = event_remote_fetch(cursor, error);
	if (status != HISTREE_OK)
		return status;
	cursor->run = cursor->run < LONGEST_RUN ? cursor->run * 4 : LONGEST_RUN;
	uint64_t behind = cursor->first + cursor->rows.count;
	if (++cursor->runs < RUNS_BEFORE_AHEAD || behind >= cursor->of->count)
		return HISTREE_OK;
	ask(cursor, behind, cursor->run);
	return segment_remotes_send(cursor->of->remotes->ranks, cursor->of->rank, error);
}

static enum histree_status event_remote_cursor_next(void *context, struct histree_event *out,
						    struct histree_error *error)
{
	struct event_cursor *cursor = context;
	enum histree_status status = HISTREE_OK;
	forget_before(cursor);
	if (cursor->error.status < 0) {
		if (error != NULL)
			*error = cursor->error;
		return cursor->error.status;
	}
	if (!is_here(cursor, cursor->wanted))
		status = next_run(cursor, error);
	if (status != HISTREE_OK)
		return status;
	const struct event_row *row = &cursor->rows.rows[cursor->wanted - cursor->first];
	*out = (struct histree_event){
		.number = cursor->wanted++,
		.time = row->time,
		.cpu = row->cpu,
		.type = row->type,
	};
	return HISTREE_OK;
}

/* ---- texts and values -------------------------------------------------------------------------------------- */

/* Asks again for the event that was given last and those behind it, with what is wanted of them now. */
static bool fetch_again(struct event_cursor *cursor)
{
	uint64_t last = cursor->wanted - 1, left = cursor->first + cursor->rows.count - last;
	struct histree_error error = { 0 };
	enum histree_status status = HISTREE_OK;
	if (!array_reserve(&cursor->before, &cursor->before_capacity, cursor->before_count + 1))
		status = error_memory(&error, "events of a rank");
	if (status == HISTREE_OK) {
		cursor->before[cursor->before_count++] = cursor->bytes;
		cursor->bytes = (struct message){ 0 };
		ask(cursor, last, left);
		status = event_remote_fetch(cursor, &error);
	}
	if (status < 0)
		cursor->error = error;
	return status == HISTREE_OK;
}

static const struct event_row *last_row(const struct event_cursor *cursor)
{
	if (cursor->wanted == 0 || cursor->error.status < 0 || !is_here(cursor, cursor->wanted - 1))
		return NULL;
	return &cursor->rows.rows[cursor->wanted - 1 - cursor->first];
}

static void want_text(struct event_cursor *cursor, uint32_t type, uint8_t text)
{
	size_t types = 0;
	cursor->texts[type] |= text;
	for (size_t i = 0; i < cursor->of->type_count; i++)
		types += (cursor->texts[i] & text) != 0;
	if (types >= TYPES_OF_ALL)
		cursor->texts_of_all |= text;
}

static const char *cursor_text(void *context, enum histree_event_text what)
{
	struct event_cursor *cursor = context;
	const struct event_row *row = last_row(cursor);
	if (row == NULL)
		return "";
	if (row->texts[what] == NULL) {
		want_text(cursor, row->type, (uint8_t)(1U << what));
		row = fetch_again(cursor) ? last_row(cursor) : NULL;
	}
	return row != NULL && row->texts[what] != NULL ? row->texts[what] : "";
}

/* Returns the index of a path among those that are wanted, of which it is one from now on; SIZE_MAX: no memory. */
static size_t want_path(struct event_cursor *cursor, const char *path)
{
	for (uint32_t i = 0; i < cursor->path_count; i++)
		if (strcmp(cursor->paths[i], path) == 0)
			return i;
	if (cursor->path_count == EVENT_VALUES_MAX) { /* whoever asks for so many begins anew */
		while (cursor->path_count > 0)
			free(cursor->paths[--cursor->path_count]);
		cursor->rows.value_count = 0;
	}
	cursor->paths[cursor->path_count] = strdup(path);
	return cursor->paths[cursor->path_count] != NULL ? cursor->path_count++ : SIZE_MAX;
}

static enum histree_status cursor_value(void *context, const char *path, struct histree_value *out)
{
	struct event_cursor *cursor = context;
	*out = histree_null();
	if (last_row(cursor) == NULL)
		return HISTREE_NOT_FOUND;
	size_t index = want_path(cursor, path);
	if (index == SIZE_MAX) {
		error_memory(&cursor->error, "events of a rank");
		return HISTREE_NOT_FOUND;
	}
	if (index >= cursor->rows.value_count && !fetch_again(cursor))
		return HISTREE_NOT_FOUND;
	size_t at = (size_t)(cursor->wanted - 1 - cursor->first) * cursor->rows.value_count + index;
	if (index >= cursor->rows.value_count || !cursor->rows.are_there[at])
		return HISTREE_NOT_FOUND;
	*out = cursor->rows.values[at];
	return HISTREE_OK;
}

/* ---- all of them ------------------------------------------------------------------------------------------- */

void event_remotes_begin(struct event_remotes *remotes, struct segment_remotes *ranks)
{
	*remotes = (struct event_remotes){ .ranks = ranks };
	ranks->take_events = event_remote_take_section;
	ranks->events = remotes;
}

static enum histree_status take_events(struct event_remotes *remotes, int rank, size_t host,
				       struct byte_reader *reader, struct histree_events **out,
				       struct histree_error *error)
{
	struct remote_events *of = calloc(1, sizeof(*of));
	if (of == NULL)
		return error_memory(error, "the events of a host");
	*of = (struct remote_events){ .remotes = remotes, .rank = rank, .host = host };
	const struct histree_event_source source = {
		.context = of,
		.cursor_create = event_remote_cursor_create,
		.cursor_seek = cursor_seek,
		.cursor_next = event_remote_cursor_next,
		.cursor_text = cursor_text,
		.cursor_value = cursor_value,
		.cursor_free = event_remote_cursor_free,
		.free = free,
	};
	bool are_in_order = read_byte(reader) != 0;
	size_t size = byte_reader_left(reader);
	enum histree_status status =
		histree_events_of_source(&source, read_bytes(reader, size), size, are_in_order, out, error);
	if (status != HISTREE_OK)
		return status;
	of->count = histree_events_count(*out);
	histree_events_types(*out, &of->type_count);
	return HISTREE_OK;
}

enum histree_status event_remotes_open(struct event_remotes *remotes, int rank, size_t host,
				       struct histree_events **out, struct histree_error *error)
{
	struct byte_reader opened = byte_reader("", 0);
	struct histree_error why = { 0 };
	*out = NULL;
	message_number(segment_remotes_step(remotes->ranks, rank, STEP_EVENTS), host);
	enum histree_status status = segment_remotes_send(remotes->ranks, rank, error);
	do
		if (status == HISTREE_OK)
			status = segment_remotes_take(remotes->ranks, rank, &opened, error);
	while (status == HISTREE_OK && byte_reader_left(&opened) == 0);
	if (status != HISTREE_OK)
		return status;
	int64_t found = read_signed(&opened);
	read_text_into(&opened, why.message, sizeof(why.message));
	if (opened.failed)
		return segment_remotes_damaged(remotes->ranks, rank, error);
	if (found != HISTREE_OK)
		return error_set(error, (enum histree_status)found, "%s", why.message);
	return take_events(remotes, rank, host, &opened, out, error);
}

void event_remotes_release(struct event_remotes *remotes)
{
	free(remotes->cursors);
	*remotes = (struct event_remotes){ 0 };
}
