// SPDX-License-Identifier: MIT
#include "mpi/event_remote.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "mpi/event_rows.h"

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

static bool take_section(void *context, struct byte_reader section)
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
static enum histree_status fetch(struct event_cursor *cursor, struct histree_error *error)
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

static void cursor_free(void *context)
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

static enum histree_status cursor_create(void *context, void **out, struct histree_error *error)
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
	enum histree_status status = fetch(cursor, error);
	if (status != HISTREE_OK)
		return status;
	cursor->run = cursor->run < LONGEST_RUN ? cursor->run * 4 : LONGEST_RUN;
	uint64_t behind = cursor->first + cursor->rows.count;
	if (++cursor->runs < RUNS_BEFORE_AHEAD || behind >= cursor->of->count)
		return HISTREE_OK;
	ask(cursor, behind, cursor->run);
	return segment_remotes_send(cursor->of->remotes->ranks, cursor->of->rank, error);
}

static enum histree_status cursor_next(void *context, struct histree_event *out, struct histree_error *error)
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
		status = fetch(cursor, &error);
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
	ranks->take_events = take_section;
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
		.cursor_create = cursor_create,
		.cursor_seek = cursor_seek,
		.cursor_next = cursor_next,
		.cursor_text = cursor_text,
		.cursor_value = cursor_value,
		.cursor_free = cursor_free,
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
