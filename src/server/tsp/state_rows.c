// SPDX-License-Identifier: MIT
/*
 * state_rows.c - the answer to `states` of a time graph, in groups of rows with one 2D query each, so that what is
 * held does not grow with the request.
 */
#include "server/tsp/state_rows.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/search.h"
#include "base/error.h"
#include "histree/query.h"
#include "server/model/state_search.h"
#include "server/model/state_text.h"
#include "server/tsp/parameters.h"
#include "server/tsp/replies.h"

/* Rows of a group times the times that are asked for: the most states that are held, about 6 MB. */
enum { GROUP_STATES_MAX = 65536 };

/* An interval that was read, its bytes in the arena of the group. */
struct gathered {
	histree_quark quark;
	histree_time start, end;
	struct histree_value value;
};

struct state_rows {
	struct dataset *dataset; /* held */
	const void *view;
	state_row_find *find;
	const struct state_kind *kind;
	struct parameter_times times;
	struct state_tags tags;
	struct histree_cancel cancel;
	int64_t *items;
	size_t item_count;

	struct state_row *rows; /* of the group */
	size_t row_count, rows_capacity;
	size_t next_item; /* the first after the group */
	struct histree_query *query;
	struct histree_history *query_history; /* that the query is for */
	histree_quark *quarks;
	size_t quark_count, quarks_capacity;
	struct gathered *states;
	size_t state_count, states_capacity;
	struct arena bytes;

	size_t row;        /* being written */
	size_t at;         /* the next of its states */
	bool is_open;      /* its object has been begun */
	struct piece text; /* of a label */
};

static void rows_free(void *state)
{
	struct state_rows *rows = state;
	histree_query_free(rows->query);
	piece_release(&rows->text);
	arena_release(&rows->bytes);
	parameter_times_release(&rows->times);
	state_tags_release(&rows->tags);
	dataset_release(rows->dataset);
	free(rows->items);
	free(rows->rows);
	free(rows->quarks);
	free(rows->states);
	free(rows);
}

/* ---- reading a group --------------------------------------------------------------------------------- */

static bool add_quark(struct state_rows *rows, histree_quark quark)
{
	if (quark == HISTREE_ROOT)
		return true;
	if (!array_reserve(&rows->quarks, &rows->quarks_capacity, rows->quark_count + 1))
		return false;
	rows->quarks[rows->quark_count++] = quark;
	return true;
}

/* The next rows of one history, as many as may be held; unknown items are skipped. */
static enum histree_status choose_group(struct state_rows *rows, struct histree_error *error)
{
	size_t rows_max = GROUP_STATES_MAX / (rows->times.count + 1) + 1;
	rows->row_count = rows->quark_count = 0;
	for (; rows->next_item < rows->item_count && rows->row_count < rows_max; rows->next_item++) {
		struct state_row row;
		if (!rows->find(rows->view, rows->items[rows->next_item], &row))
			continue;
		if (rows->row_count > 0 && row.facts.history != rows->rows[0].facts.history)
			break;
		if (!array_reserve(&rows->rows, &rows->rows_capacity, rows->row_count + 1) ||
		    (row.facts.history != NULL &&
		     (!add_quark(rows, row.facts.quark) || !add_quark(rows, row.facts.label))))
			return error_memory(error, "rows");
		rows->rows[rows->row_count++] = row;
	}
	size_t count = 0;
	if (rows->quark_count > 0)
		qsort(rows->quarks, rows->quark_count, sizeof(*rows->quarks), compare_u32);
	for (size_t i = 0; i < rows->quark_count; i++)
		if (count == 0 || rows->quarks[i] != rows->quarks[count - 1])
			rows->quarks[count++] = rows->quarks[i];
	rows->quark_count = count;
	return rows->row_count > 0 ? HISTREE_OK : HISTREE_END;
}

static enum histree_status keep(struct state_rows *rows, const struct histree_interval *interval,
				struct histree_error *error)
{
	struct gathered state = { interval->quark, interval->start, interval->end, interval->value };
	if (!array_reserve(&rows->states, &rows->states_capacity, rows->state_count + 1))
		return error_memory(error, "states");
	if (state.value.size > 0) {
		state.value.bytes = arena_copy(&rows->bytes, state.value.bytes, state.value.size);
		if (state.value.bytes == NULL)
			return error_memory(error, "states");
	}
	rows->states[rows->state_count++] = state;
	return HISTREE_OK;
}

static int compare_states(const void *a, const void *b)
{
	const struct gathered *first = a, *second = b;
	if (first->quark != second->quark)
		return first->quark < second->quark ? -1 : 1;
	return (first->start > second->start) - (first->start < second->start);
}

/* Once sorted: states of an attribute do not overlap; a label may have been read for several states. */
static void states_assert(const struct state_rows *rows)
{
	for (size_t i = 0; i < rows->state_count; i++) {
		const struct gathered *state = &rows->states[i], *before = i > 0 ? state - 1 : NULL;
		assert(state->start <= state->end);
		assert(before == NULL || before->quark != state->quark || before->end < state->start ||
		       (before->start == state->start && before->end == state->end));
	}
}

static enum histree_status open_query(struct state_rows *rows, struct histree_history *history,
				      struct histree_error *error)
{
	if (rows->query_history == history)
		return HISTREE_OK;
	histree_query_free(rows->query);
	rows->query = NULL;
	rows->query_history = NULL;
	enum histree_status status = histree_query_create(history, &rows->query, error);
	if (status == HISTREE_OK)
		rows->query_history = history;
	return status;
}

/* A state between two samples, and what names it. */
static enum histree_status keep_deep(void *context, const struct row_facts *facts,
				     const struct histree_interval *state, struct histree_error *error)
{
	struct state_rows *rows = context;
	struct histree_interval label;
	enum histree_status status = keep(rows, state, error);
	if (status == HISTREE_OK && facts->label != HISTREE_ROOT)
		status = histree_query_single(rows->query, facts->label, state->start, &label, error);
	return status == HISTREE_OK && facts->label != HISTREE_ROOT ? keep(rows, &label, error) : status;
}

static void facts_of_group(const void *context, uint32_t position, struct row_facts *out)
{
	const struct state_rows *rows = context;
	*out = rows->rows[position].facts;
}

static enum histree_status read_deep(struct state_rows *rows, const struct parameter_times *times,
				     struct histree_error *error)
{
	const struct searched_rows asked = {
		.facts = facts_of_group,
		.context = rows,
		.count = (uint32_t)rows->row_count,
		.kind = rows->kind,
		.filter = rows->tags.both,
		.cancel = rows->cancel,
	};
	return state_search_between(&asked, times->times, times->count, keep_deep, rows, error);
}

static enum histree_status read_group(struct state_rows *rows, struct histree_error *error)
{
	struct histree_history *history = rows->rows[0].facts.history;
	rows->state_count = 0;
	arena_release(&rows->bytes);
	if (history == NULL)
		return HISTREE_OK;
	const struct histree_history_info *info = histree_history_info(history);
	struct parameter_times times = parameter_times_within(&rows->times, info->start, info->end);
	struct histree_region region = {
		.quarks = rows->quarks,
		.quark_count = rows->quark_count,
		.times = times.times,
		.time_count = times.count,
	};
	struct histree_interval interval;
	enum histree_status status = open_query(rows, history, error);
	if (status == HISTREE_OK)
		status = histree_query_start(rows->query, &region, error);
	while (status == HISTREE_OK && (status = histree_query_next(rows->query, &interval, error)) == HISTREE_OK)
		status = keep(rows, &interval, error);
	if (status == HISTREE_END)
		status = rows->tags.both != NULL ? read_deep(rows, &times, error) : HISTREE_OK;
	if (status != HISTREE_OK)
		return status;
	if (rows->state_count > 0)
		qsort(rows->states, rows->state_count, sizeof(*rows->states), compare_states);
	states_assert(rows);
	return HISTREE_OK;
}

/* ---- writing it -------------------------------------------------------------------------------------- */

struct sought_state {
	const struct gathered *states;
	histree_quark quark;
	histree_time time;
};

static bool is_before(const void *context, size_t index)
{
	const struct sought_state *sought = context;
	const struct gathered *state = &sought->states[index];
	return state->quark < sought->quark || (state->quark == sought->quark && state->end < sought->time);
}

/* The first state of an attribute, or after it, that ends at `time` or later. */
static size_t find_state(const struct state_rows *rows, histree_quark quark, histree_time time)
{
	const struct sought_state sought = { rows->states, quark, time };
	return search_first(0, rows->state_count, rows->state_count / 2, is_before, &sought);
}

static struct histree_value label_of(const struct state_rows *rows, histree_quark label,
				     const struct gathered *state)
{
	if (label == HISTREE_ROOT)
		return histree_null();
	/* The first that was read and meets the state: mostly there is one, as long as the state. */
	size_t at = find_state(rows, label, state->start);
	bool meets =
		at < rows->state_count && rows->states[at].quark == label && rows->states[at].start <= state->end;
	return meets ? rows->states[at].value : histree_null();
}

/* What stands in a state: the name of a system call, or what its kind says. */
static void put_label(struct state_rows *rows, const struct row_facts *facts, const struct gathered *state)
{
	if (facts->why != NULL) {
		piece_put_text(&rows->text, facts->why);
	} else if (state_is_named(facts->label, &state->value)) {
		const struct histree_value label = label_of(rows, facts->label, state);
		state_value_text(&label, &rows->text);
	} else if (rows->kind->text != NULL) {
		rows->kind->text(facts->view, facts->table, &state->value, state->start, &rows->text);
	}
}

static void write_state(struct state_rows *rows, const struct row_facts *facts, const struct gathered *state,
			struct json_writer *json)
{
	const struct state_owner owner = row_owner(rows->kind, facts);
	const struct histree_interval interval = {
		.quark = state->quark, .start = state->start, .end = state->end, .value = state->value
	};
	unsigned tags = state_tags_of(&rows->tags, &owner, &interval);
	/* What is excluded is sent as if nothing was there. */
	const bool is_others = (facts->life.from != 0 || facts->life.to != 0) &&
			       (state->end < facts->life.from || state->start > facts->life.to);
	const struct histree_style *style =
		is_others || (tags & STATE_EXCLUDED) != 0 ? NULL : histree_style_of(facts->table, &state->value);
	rows->text.size = 0;
	if (style != NULL)
		put_label(rows, facts, state);
	states_put(json, state->start, state->end + 1, style, rows->text.size > 0 ? rows->text.bytes : NULL,
		   rows->text.size, tags);
}

/* States of the row that is being written, until it is done or the piece is full; true: done. */
static bool write_row(struct state_rows *rows, struct json_writer *json)
{
	const struct state_row *row = &rows->rows[rows->row];
	if (!rows->is_open) {
		rows->is_open = true;
		rows->at = row->facts.history != NULL ? find_state(rows, row->facts.quark, INT64_MIN)
						      : rows->state_count;
		states_begin_row(json, row->id);
	}
	while (rows->at < rows->state_count && rows->states[rows->at].quark == row->facts.quark) {
		if (json->piece->size >= PIECE_SIZE)
			return false;
		write_state(rows, &row->facts, &rows->states[rows->at++], json);
	}
	json_end(json);
	json_end(json);
	rows->is_open = false;
	return true;
}

static enum histree_status rows_next(void *state, struct json_writer *json, struct histree_error *error)
{
	struct state_rows *rows = state;
	if (rows->row == rows->row_count) {
		rows->row = 0;
		enum histree_status status = choose_group(rows, error);
		if (status == HISTREE_OK)
			status = read_group(rows, error);
		if (status != HISTREE_OK)
			return status;
	}
	while (rows->row < rows->row_count && json->piece->size < PIECE_SIZE)
		if (write_row(rows, json))
			rows->row++;
	return rows->text.failed ? error_memory(error, "a label") : HISTREE_OK;
}

void state_rows_reply(const struct output_call *output, state_row_find *find, const struct state_kind *kind)
{
	struct call *call = output->call;
	struct state_rows *rows = reply_memory(call->reply, 1, sizeof(*rows));
	if (rows == NULL)
		return;
	rows->dataset = dataset_hold(output->dataset);
	rows->view = output->view;
	rows->find = find;
	rows->kind = kind;
	rows->cancel = reply_cancel(call->reply);
	const struct histree_store_info *info = histree_store_info(output->dataset->store);
	if (!parameters_times(call, &rows->times) || !parameters_items(call, &rows->items, &rows->item_count) ||
	    !state_tags_read(call, kind, info->start, info->end, &rows->tags)) {
		rows_free(rows);
		return;
	}
	states_reply(call->reply, &(struct reply_steps){ rows_next, rows_free, rows });
}
