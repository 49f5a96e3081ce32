// SPDX-License-Identifier: MIT
#include "mpi/segment_remote.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "histree/segment_source.h"
#include "mpi/segment_columns.h"

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
static bool take_section(struct segment_remotes *remotes, uint8_t letter, struct byte_reader section,
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
		if (bytes == NULL || !take_section(remotes, letter, byte_reader(bytes, size), opened))
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

static enum histree_status cursor_create(void *context, void **out, struct histree_error *error)
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
static enum histree_status fetch(struct remote_cursor *cursor, struct histree_error *error)
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

static enum histree_status cursor_next(void *context, struct histree_segment *out, struct histree_error *error)
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
		enum histree_status status = fetch(cursor, error);
		if (status != HISTREE_OK)
			return status;
	}
}

static struct histree_segment_loss cursor_loss(const void *context)
{
	return ((const struct remote_cursor *)context)->loss;
}

static void cursor_free(void *context)
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
		.cursor_create = cursor_create,
		.cursor_start = cursor_start,
		.cursor_next = cursor_next,
		.cursor_loss = cursor_loss,
		.cursor_free = cursor_free,
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
