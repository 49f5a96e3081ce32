// SPDX-License-Identifier: MIT
#include "mpi/state_remote.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "histree/history_source.h"
#include "histree/query.h"
#include "mpi/answer.h"

/* From this answer on, the next one is asked for while one is handed out: whoever takes so many takes more. */
enum { ANSWERS_BEFORE_AHEAD = 2 };

struct known_history {
	char *analysis;
	size_t host;
	int rank;
	uint64_t number; /* that the rank gave it */
	struct message description;
};

struct remote_history {
	struct state_remotes *remotes;
	int rank;
	uint64_t number;
};

struct state_cursor {
	const struct remote_history *of;
	uint32_t part;
	uint64_t number; /* of what was started last */
	bool is_active;  /* an answer was started, and is not at its end */
	bool is_open;    /* the rank has its query */
	bool is_asked, has_arrived;
	struct message arrived;
	struct message bytes; /* those that are handed out */
	struct chunk chunk;   /* of them */
	uint32_t at, answers;
	enum histree_status status; /* behind the states of the chunk */
	struct histree_error error;
	struct histree_query_stats stats;
};

static bool take_section(void *context, struct byte_reader section)
{
	const struct state_remotes *remotes = context;
	uint64_t number = read_varint(&section);
	for (size_t i = 0; !section.failed && i < remotes->cursor_count; i++) {
		struct state_cursor *cursor = remotes->cursors[i];
		if (!cursor->is_asked || cursor->number != number)
			continue; /* it was started again since */
		message_clear(&cursor->arrived);
		message_bytes(&cursor->arrived, section.at, byte_reader_left(&section));
		cursor->is_asked = false;
		cursor->has_arrived = true;
		return !cursor->arrived.no_memory;
	}
	return !section.failed;
}

static struct message *step_of(const struct state_cursor *cursor, enum rank_step step)
{
	struct message *message = segment_remotes_step(cursor->of->remotes->ranks, cursor->of->rank, step);
	message_number(message, cursor->number);
	return message;
}

/* ---- the source ------------------------------------------------------------------------------------------- */

static void cursor_stop(void *context)
{
	struct state_cursor *cursor = context;
	if (cursor->is_open)
		step_of(cursor, STEP_DROP);
	cursor->is_open = cursor->is_active = cursor->is_asked = cursor->has_arrived = false;
	cursor->chunk.row_count = cursor->at = 0;
	cursor->stats = (struct histree_query_stats){ 0 };
}

static enum histree_status cursor_create(void *context, uint32_t part, void **out, struct histree_error *error)
{
	const struct remote_history *history = context;
	struct state_remotes *remotes = history->remotes;
	struct state_cursor *cursor = calloc(1, sizeof(*cursor));
	*out = NULL;
	if (cursor == NULL ||
	    !array_reserve(&remotes->cursors, &remotes->cursor_capacity, remotes->cursor_count + 1)) {
		free(cursor);
		return error_memory(error, "a query");
	}
	cursor->of = history;
	cursor->part = part;
	remotes->cursors[remotes->cursor_count++] = cursor;
	*out = cursor;
	return HISTREE_OK;
}

static void write_region(const struct histree_region *region, struct message *out)
{
	histree_quark quark = 0;
	message_number(out, region->quarks != NULL ? (uint64_t)region->quark_count + 1 : 0);
	for (size_t i = 0; region->quarks != NULL && i < region->quark_count; i++) {
		message_number(out, region->quarks[i] - quark);
		quark = region->quarks[i];
	}
	message_number(out, region->times != NULL ? region->time_count : 0);
	for (size_t i = 0; region->times != NULL && i < region->time_count; i++)
		if (i == 0)
			message_signed(out, region->times[0]);
		else
			message_number(out, (uint64_t)region->times[i] - (uint64_t)region->times[i - 1]);
	if (region->times != NULL)
		return;
	message_signed(out, region->from);
	message_signed(out, region->to);
}

static enum histree_status cursor_start(void *context, const struct histree_region *region,
					struct histree_error *error)
{
	struct state_cursor *cursor = context;
	cursor_stop(cursor);
	cursor->number = ++cursor->of->remotes->next_number;
	cursor->is_active = cursor->is_open = cursor->is_asked = true;
	cursor->answers = 0;
	cursor->status = HISTREE_OK;
	struct message *message = step_of(cursor, STEP_STATES);
	message_number(message, cursor->of->number);
	message_number(message, cursor->part);
	write_region(region, message);
	return message->no_memory ? error_memory(error, "a question") : HISTREE_OK;
}

static enum histree_status read_arrived(struct state_cursor *cursor, struct histree_error *error)
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
	cursor->is_open = cursor->status == HISTREE_OK;
	cursor->stats.nodes_visited = read_varint(&reader);
	cursor->stats.nodes_loaded = read_varint(&reader);
	cursor->stats.nodes_damaged = read_varint(&reader);
	if (reader.failed)
		return segment_remotes_damaged(cursor->of->remotes->ranks, cursor->of->rank, error);
	return chunk_read(&cursor->chunk, reader.at, byte_reader_left(&reader), error);
}

static enum histree_status fetch(struct state_cursor *cursor, struct histree_error *error)
{
	struct segment_remotes *ranks = cursor->of->remotes->ranks;
	struct byte_reader unused;
	if (!cursor->is_asked && !cursor->has_arrived) {
		step_of(cursor, STEP_MORE);
		cursor->is_asked = true;
	}
	enum histree_status status = cursor->has_arrived ? HISTREE_OK : segment_remotes_send_all(ranks, error);
	while (status == HISTREE_OK && !cursor->has_arrived)
		status = segment_remotes_take(ranks, cursor->of->rank, &unused, error);
	if (status == HISTREE_OK)
		status = read_arrived(cursor, error);
	if (status == HISTREE_OK && cursor->is_open && ++cursor->answers >= ANSWERS_BEFORE_AHEAD) {
		step_of(cursor, STEP_MORE);
		cursor->is_asked = true;
		status = segment_remotes_send(ranks, cursor->of->rank, error);
	}
	return status;
}

static enum histree_status cursor_read(void *context, struct histree_interval *out, size_t room, size_t *count,
				       struct histree_error *error)
{
	struct state_cursor *cursor = context;
	*count = 0;
	if (room == 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "room for no interval");
	while (cursor->is_active && cursor->at == cursor->chunk.row_count) {
		enum histree_status status = cursor->status == HISTREE_OK ? fetch(cursor, error) : cursor->status;
		if (status == HISTREE_OK)
			continue;
		cursor->is_active = false;
		if (status == cursor->status && status < 0 && error != NULL)
			*error = cursor->error;
		return status;
	}
	for (; cursor->at < cursor->chunk.row_count && *count < room; cursor->at++) {
		const struct chunk_row *row = &cursor->chunk.rows[cursor->at];
		out[(*count)++] = (struct histree_interval){ .start = row->start,
							     .end = row->end,
							     .quark = cursor->chunk.attributes[row->attribute].host,
							     .value = row->value };
	}
	cursor->stats.intervals += *count;
	return *count > 0 ? HISTREE_OK : HISTREE_END;
}

static struct histree_query_stats cursor_stats(const void *context)
{
	return ((const struct state_cursor *)context)->stats;
}

static void cursor_free(void *context)
{
	struct state_cursor *cursor = context;
	struct state_remotes *remotes = cursor->of->remotes;
	cursor_stop(cursor);
	for (size_t i = 0; i < remotes->cursor_count; i++)
		if (remotes->cursors[i] == cursor)
			remotes->cursors[i] = remotes->cursors[--remotes->cursor_count];
	chunk_release(&cursor->chunk);
	message_release(&cursor->arrived);
	message_release(&cursor->bytes);
	free(cursor);
}

/* ---- what ranks add up ------------------------------------------------------------------------------------ */

static enum histree_status view_ask(void *context, const void *question, size_t size, void **out,
				    struct histree_error *error)
{
	const struct remote_history *history = context;
	struct view_asked *asked;
	enum histree_status status = view_remotes_ask(&history->remotes->views, history->rank, history->number,
						      question, size, &asked, error);
	*out = asked;
	return status;
}

static enum histree_status view_send(void *context, struct histree_error *error)
{
	const struct remote_history *history = context;
	return segment_remotes_send_all(history->remotes->ranks, error);
}

static enum histree_status view_take(void *asked, const void **answer, size_t *size, struct histree_error *error)
{
	return view_asked_take(asked, answer, size, error);
}

static void view_drop(void *asked)
{
	view_asked_drop(asked);
}

/* ---- histories -------------------------------------------------------------------------------------------- */

/* Reads what a rank says of a history, and keeps it. */
static enum histree_status keep(struct state_remotes *remotes, int rank, size_t host, const char *analysis,
				struct byte_reader *opened, struct histree_error *error)
{
	struct known_history known = { .host = host, .rank = rank };
	struct histree_error why = { 0 };
	int64_t found = read_signed(opened);
	read_text_into(opened, why.message, sizeof(why.message));
	if (opened->failed)
		return segment_remotes_damaged(remotes->ranks, rank, error);
	if (found != HISTREE_OK)
		return error_set(error, (enum histree_status)found, "%s", why.message);
	known.number = read_varint(opened);
	message_bytes(&known.description, opened->at, byte_reader_left(opened));
	known.analysis = strdup(analysis);
	if (known.analysis == NULL || known.description.no_memory ||
	    !array_reserve(&remotes->known, &remotes->known_capacity, remotes->known_count + 1)) {
		message_release(&known.description);
		free(known.analysis);
		return error_memory(error, "a history");
	}
	remotes->known[remotes->known_count++] = known;
	return HISTREE_OK;
}

static enum histree_status ask_for(struct state_remotes *remotes, int rank, size_t host, const char *analysis,
				   struct histree_error *error)
{
	struct byte_reader opened;
	struct message *message = segment_remotes_step(remotes->ranks, rank, STEP_HISTORY);
	message_number(message, host);
	message_string(message, analysis);
	enum histree_status status = segment_remotes_send(remotes->ranks, rank, error);
	do
		if (status == HISTREE_OK)
			status = segment_remotes_take(remotes->ranks, rank, &opened, error);
	while (status == HISTREE_OK && byte_reader_left(&opened) == 0);
	return status == HISTREE_OK ? keep(remotes, rank, host, analysis, &opened, error) : status;
}

static const struct known_history *find_known(const struct state_remotes *remotes, int rank, size_t host,
					      const char *analysis)
{
	for (size_t i = 0; i < remotes->known_count; i++) {
		const struct known_history *known = &remotes->known[i];
		if (known->rank == rank && known->host == host && strcmp(known->analysis, analysis) == 0)
			return known;
	}
	return NULL;
}

void state_remotes_begin(struct state_remotes *remotes, struct segment_remotes *ranks)
{
	*remotes = (struct state_remotes){ .ranks = ranks };
	ranks->take_states = take_section;
	ranks->states = remotes;
	view_remotes_begin(&remotes->views, ranks);
}

enum histree_status state_remotes_open(struct state_remotes *remotes, int rank, size_t host, const char *analysis,
				       struct histree_history **out, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	*out = NULL;
	if (find_known(remotes, rank, host, analysis) == NULL)
		status = ask_for(remotes, rank, host, analysis, error);
	if (status != HISTREE_OK)
		return status;
	const struct known_history *known = find_known(remotes, rank, host, analysis);
	struct remote_history *history = malloc(sizeof(*history));
	if (history == NULL)
		return error_memory(error, "a history");
	*history = (struct remote_history){ .remotes = remotes, .rank = rank, .number = known->number };
	const struct histree_history_source source = { .context = history,
						       .cursor_create = cursor_create,
						       .cursor_start = cursor_start,
						       .cursor_read = cursor_read,
						       .cursor_stats = cursor_stats,
						       .cursor_stop = cursor_stop,
						       .cursor_free = cursor_free,
						       .view_ask = view_ask,
						       .view_send = view_send,
						       .view_take = view_take,
						       .view_drop = view_drop,
						       .free = free };
	return histree_history_of_source(&source, known->description.bytes, known->description.size, out, error);
}

void state_remotes_release(struct state_remotes *remotes)
{
	for (size_t i = 0; i < remotes->known_count; i++) {
		message_release(&remotes->known[i].description);
		free(remotes->known[i].analysis);
	}
	free(remotes->known);
	free(remotes->cursors);
	*remotes = (struct state_remotes){ 0 };
}
