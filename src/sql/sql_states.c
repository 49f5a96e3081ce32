// SPDX-License-Identifier: MIT
/*
 * sql_states.c - the states of a history as rows: the table `states`, and the table functions state_at(pattern, t)
 * and states_in(pattern, t1, t2).
 *
 * Without an order, states come in batches of the query, and an attribute at one time from histree_query_single().
 * In the order of starts they come from histree_changes (states.h), in windows of bounded size; states that begin
 * before the range are then gathered and sorted, at most one for each attribute.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/attributes.h"
#include "histree/states.h"
#include "sql/sql_table.h"

/* States asked for at once; the first time only a few, as a LIMIT may want no more. */
enum { BATCH_FIRST = 8, BATCH = 256 };

/* The number of a plan. */
enum { ANY_ORDER, UPWARDS, DOWNWARDS };

/* ---- in the order of their starts ---------------------------------------------------------------------- */

struct ordered {
	struct histree_cursor *query;
	struct histree_cursor *changes;
	bool is_backwards;
	bool has_changes; /* some may be left */
	struct histree_change change;
	size_t used; /* of the change */

	/* Those that begin before the range, in order; their bytes are copies. */
	struct histree_interval *earlier;
	size_t earlier_count, earlier_capacity, earlier_used;
};

static enum histree_status ordered_create(struct histree_history *history, struct ordered **out,
					  struct histree_error *error)
{
	struct ordered *states = calloc(1, sizeof(*states));
	*out = states;
	if (states == NULL)
		return error_memory(error, "states in order");
	enum histree_status status = histree_query_create(history, &states->query, error);
	return status == HISTREE_OK ? histree_changes_create(history, &states->changes, error) : status;
}

static void forget_earlier(struct ordered *states)
{
	for (size_t i = 0; i < states->earlier_count; i++)
		if (states->earlier[i].value.size > 0) {
			void *copy;
			memcpy(&copy, &states->earlier[i].value.bytes, sizeof(copy));
			free(copy);
		}
	states->earlier_count = states->earlier_used = 0;
}

static enum histree_status keep_earlier(struct ordered *states, const struct histree_interval *interval,
					struct histree_error *error)
{
	struct histree_interval copy = *interval;
	if (!array_reserve(&states->earlier, &states->earlier_capacity, states->earlier_count + 1))
		return error_memory(error, "states in order");
	if (copy.value.size > 0) {
		void *bytes = malloc(copy.value.size);
		if (bytes == NULL)
			return error_memory(error, "states in order");
		memcpy(bytes, copy.value.bytes, copy.value.size);
		copy.value.bytes = bytes;
	}
	states->earlier[states->earlier_count++] = copy;
	return HISTREE_OK;
}

COMPARE(compare_starts, struct histree_interval, BY(start) BY(quark))

COMPARE(compare_backwards, struct histree_interval, BY_MOST(start) BY_MOST(quark))

static enum histree_status gather_earlier(struct ordered *states, const struct histree_region *region,
					  struct histree_error *error)
{
	struct histree_region first = *region;
	struct histree_interval interval;
	assert(states->earlier_count == 0 && states->earlier_used == 0);
	first.to = first.from;
	enum histree_status status = histree_query_start(states->query, &first, error);
	while (status == HISTREE_OK) {
		status = histree_cursor_next(states->query, error);
		if (status == HISTREE_OK)
			interval = *histree_cursor_interval(states->query);
		if (status == HISTREE_OK && interval.start < region->from)
			status = keep_earlier(states, &interval, error);
	}
	if (states->earlier_count > 1)
		qsort(states->earlier, states->earlier_count, sizeof(*states->earlier),
		      states->is_backwards ? compare_backwards : compare_starts);
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status ordered_start(struct ordered *states, const struct histree_region *region,
					 bool backwards, bool wants_earlier, struct histree_error *error)
{
	const struct histree_changes_region changes = {
		.quarks = region->quarks,
		.quark_count = region->quark_count,
		.from = region->from,
		.to = region->to,
		.backwards = backwards,
	};
	forget_earlier(states);
	states->is_backwards = backwards;
	states->has_changes = true;
	states->change = (struct histree_change){ 0 };
	states->used = 0;
	enum histree_status status = histree_changes_start(states->changes, &changes, error);
	return status == HISTREE_OK && wants_earlier ? gather_earlier(states, region, error) : status;
}

static enum histree_status next_change(struct ordered *states, struct histree_interval *out,
				       struct histree_error *error)
{
	while (states->has_changes && states->used == states->change.count) {
		enum histree_status status = histree_cursor_next(states->changes, error);
		if (status == HISTREE_OK)
			states->change = *histree_cursor_change(states->changes);
		states->has_changes = status == HISTREE_OK;
		states->used = 0;
		if (status != HISTREE_OK)
			return status;
	}
	if (!states->has_changes)
		return HISTREE_END;
	assert(states->used < states->change.count);
	size_t index = states->used++;
	*out = states->change.intervals[states->is_backwards ? states->change.count - 1 - index : index];
	return HISTREE_OK;
}

static enum histree_status ordered_next(struct ordered *states, struct histree_interval *out,
					struct histree_error *error)
{
	enum histree_status status = HISTREE_END;
	if (states->is_backwards)
		status = next_change(states, out, error);
	if (status == HISTREE_END && states->earlier_used < states->earlier_count) {
		assert(states->earlier_count <= states->earlier_capacity);
		*out = states->earlier[states->earlier_used++];
		return HISTREE_OK;
	}
	return status == HISTREE_END && !states->is_backwards ? next_change(states, out, error) : status;
}

/* ---- the relation -------------------------------------------------------------------------------------- */

struct states_cursor {
	struct sql_cursor base;
	struct histree_cursor *query;
	struct ordered *ordered; /* NULL until an order is asked for */
	const struct histree_interval *batch;
	size_t used, count, room;
	struct histree_interval one; /* the row, where they are not asked for in batches */
	bool is_single;              /* the batch is one state, and all */
	bool met_damage;             /* so that each row is looked at */
};

SQL_CURSOR(states)

static double share_of_attributes(const struct sql_table *table, enum sql_rank rank)
{
	double attributes = table->info->attribute_count > 0 ? table->info->attribute_count : 1;
	double wanted = sql_attributes_left(rank, attributes);
	return wanted < attributes ? wanted / attributes : 1;
}

/* One that is found by its path or number is not found faster. */
static double share_of_a_host(const struct sql_table *table, const struct sql_taken *taken)
{
	size_t hosts;
	histree_history_hosts(table->history, &hosts);
	return !taken->has_host || taken->rank > SQL_PATH_GLOB || hosts == 0 ? 1 : 1 / (double)hosts;
}

/* A state that covers a time costs less than the nodes on the way to it. */
static void estimate_states(const struct sql_table *table, const struct sql_taken *taken, sqlite3_index_info *info)
{
	struct histree_window window = taken->window;
	double whole = (double)table->info->end - (double)table->info->start + 1, time = 0;
	if (histree_window_fit(&window, table->info->start, table->info->end))
		time = taken->guess * ((double)window.to - (double)window.from + 1) / whole;
	double share = share_of_attributes(table, taken->rank) * share_of_a_host(table, taken);
	double attributes = table->info->attribute_count * share;
	double states = (double)table->info->interval_count * share * time;
	info->estimatedRows = (sqlite3_int64)(states + attributes + 1);
	info->estimatedCost =
		10 + 2 * (states + attributes) + (taken->rank == SQL_PATH_GLOB ? table->info->attribute_count : 0);
	info->idxNum = taken->order < 0 ? ANY_ORDER : taken->is_down ? DOWNWARDS : UPWARDS;
}

static enum histree_status begin_states(struct sql_cursor *base, struct histree_error *error)
{
	struct states_cursor *cursor = states_of(base);
	return histree_query_create(sql_table_of(base)->history, &cursor->query, error);
}

static void end_states(struct sql_cursor *base)
{
	struct states_cursor *cursor = states_of(base);

	if (cursor->ordered != NULL) {
		forget_earlier(cursor->ordered);
		free(cursor->ordered->earlier);
		histree_cursor_free(cursor->ordered->changes);
		histree_cursor_free(cursor->ordered->query);
		free(cursor->ordered);
	}

	histree_cursor_free(cursor->query);
}

static bool is_small(const struct sql_cursor *base)
{
	return ((const struct states_cursor *)base)->ordered == NULL && base->selection.capacity <= BATCH;
}

static enum histree_status start_states(struct sql_cursor *base, struct histree_error *error)
{
	struct states_cursor *cursor = states_of(base);
	const struct sql_table *table = sql_table_of(base);
	struct histree_region region;
	struct histree_error again; /* what a single query cannot answer is asked once more */
	cursor->used = cursor->count = 0;
	cursor->room = BATCH_FIRST;
	cursor->is_single = cursor->met_damage = false;
	if (!sql_cursor_region(base, &region))
		return HISTREE_END;
	assert(region.from <= region.to);
	if (base->order == ANY_ORDER && region.quark_count == 1 && region.from == region.to &&
	    histree_query_single(cursor->query, region.quarks[0], region.from, &cursor->one, &again) ==
		    HISTREE_OK) {
		cursor->is_single = true;
		cursor->batch = &cursor->one;
		return HISTREE_OK;
	}
	if (base->order == ANY_ORDER)
		return histree_query_start(cursor->query, &region, error);
	enum histree_status status =
		cursor->ordered == NULL ? ordered_create(table->history, &cursor->ordered, error) : HISTREE_OK;
	if (status != HISTREE_OK)
		return status;
	/* What begins before all that is wanted need not be looked for. */
	bool has_earlier = base->starts.from < region.from && region.from > table->info->start;
	return ordered_start(cursor->ordered, &region, base->order == DOWNWARDS, has_earlier, error);
}

static void look_for_damage(const struct states_cursor *cursor)
{
	if (histree_cursor_loss(cursor->query).nodes > 0)
		sql_cursor_warn(&cursor->base);
}

/* Changes do not tell whether they met damage: an unknown state is asked for once more. */
static enum histree_status next_in_order(struct states_cursor *cursor, struct histree_error *error)
{
	struct histree_interval again, *state = &cursor->one;
	struct histree_error ignored;
	enum histree_status status = ordered_next(cursor->ordered, state, error);
	*sql_table_of(&cursor->base)->rows += 1;
	cursor->base.row = (const char *)state;
	if (status == HISTREE_OK && state->value.type != HISTREE_UNKNOWN)
		return status;
	if (status == HISTREE_OK &&
	    histree_query_single(cursor->query, state->quark, state->start, &again, &ignored) < 0)
		sql_cursor_warn(&cursor->base);
	else if (status >= 0)
		look_for_damage(cursor);
	return status;
}

static enum histree_status read_states(struct states_cursor *cursor, struct histree_error *error)
{
	enum histree_status status = histree_cursor_read(cursor->query, cursor->room, &cursor->count, error);
	if (status != HISTREE_OK)
		return status;
	cursor->batch = histree_cursor_interval(cursor->query);
	cursor->room = cursor->room < BATCH ? 2 * cursor->room : BATCH;
	*sql_table_of(&cursor->base)->rows += cursor->count;
	assert(cursor->count > 0 && cursor->count <= BATCH);
	cursor->used = 0;
	cursor->met_damage = histree_cursor_loss(cursor->query).nodes > 0;
	return HISTREE_OK;
}

/* Once damage was met, rows come one by one: a statement that ends before what is lost does not hear of it. */
static enum histree_status next_states(struct sql_cursor *base, struct histree_error *error)
{
	struct states_cursor *cursor = states_of(base);
	enum histree_status status = HISTREE_OK;
	if (base->order != ANY_ORDER)
		return next_in_order(cursor, error);
	if (cursor->is_single)
		status = cursor->used++ == 0 ? HISTREE_OK : HISTREE_END;
	else if (cursor->used == cursor->count)
		status = read_states(cursor, error);
	if (status == HISTREE_END)
		look_for_damage(cursor);
	if (status != HISTREE_OK)
		return status;
	assert(cursor->is_single || cursor->used < cursor->count);
	base->row = (const char *)&cursor->batch[cursor->is_single ? 0 : cursor->used];
	if (cursor->met_damage) {
		if (cursor->batch[cursor->used++].value.type == HISTREE_UNKNOWN)
			sql_cursor_warn(base);
	} else if (!cursor->is_single) {
		base->left = cursor->count - 1;
		cursor->used = cursor->count;
	}
	return HISTREE_OK;
}

static void states_cell(struct sql_cursor *base, sqlite3_context *context, int column)
{
	const struct histree_interval *state = (const void *)base->row;
	const char *label = histree_label_of(sql_table_of(base)->history, state->quark, &state->value);
	(void)column;
	if (label != NULL)
		sqlite3_result_text(context, label, -1, SQLITE_STATIC);
}

#define AT(member) offsetof(struct histree_interval, member)

/* clang-format off */
#define STATE_COLUMNS											\
	{ SQL_COLUMN("quark", "INTEGER", SQL_UINT32, AT(quark)), .role = SQL_BY_QUARK },		\
	{ SQL_COLUMN("path", "TEXT", SQL_PATH, AT(quark)), .role = SQL_BY_PATH },			\
	{ SQL_COLUMN("start", "INTEGER", SQL_INT64, AT(start)), .role = SQL_BY_START,			\
	  .orders = SQL_UP | SQL_DOWN },								\
	{ SQL_COLUMN("end", "INTEGER", SQL_INT64, AT(end)), .role = SQL_BY_END },			\
	{ SQL_COLUMN("duration", "INTEGER", SQL_DURATION, 0) },						\
	{ SQL_COLUMN("type", "TEXT", SQL_TYPE, AT(value)) },						\
	{ SQL_COLUMN("value", "", SQL_VALUE, AT(value)) },						\
	{ SQL_SAID("label", "TEXT") },									\
	{ SQL_COLUMN("thread", "INTEGER", SQL_THREAD, AT(quark)), .role = SQL_BY_THREAD }
#define HOST_COLUMN { SQL_COLUMN("host", "TEXT", SQL_HOST, AT(quark)), .role = SQL_BY_HOST }
/* clang-format on */

/* With "this or that", the key tells SQLite which rows of two scans are the same. */
#define STATES(name_, columns_, required_)                                                                       \
	{                                                                                                        \
		.name = (name_), .columns = (columns_), .required = (required_), .key = "quark, start",          \
		.is_of_history = true, .has_paths = true, .cursor_size = sizeof(struct states_cursor),           \
		.row_size = sizeof(struct histree_interval), .estimate = estimate_states, .begin = begin_states, \
		.end = end_states, .is_small = is_small, .start = start_states, .next = next_states,             \
		.cell = states_cell,                                                                             \
	}

static const struct sql_column states_columns[] = { STATE_COLUMNS, HOST_COLUMN, { 0 } };

static const struct sql_column state_at_columns[] = {
	STATE_COLUMNS,
	{ SQL_GIVEN("pattern", SQL_PATTERN) },
	{ SQL_GIVEN("t", SQL_AT), .term = "from" },
	HOST_COLUMN,
	{ 0 },
};

static const struct sql_column states_in_columns[] = {
	STATE_COLUMNS,
	{ SQL_GIVEN("pattern", SQL_PATTERN) },
	{ SQL_GIVEN("t1", SQL_FROM), .term = "from" },
	{ SQL_GIVEN("t2", SQL_TO), .term = "to" },
	HOST_COLUMN,
	{ 0 },
};

const struct sql_relation sql_states = STATES("states", states_columns, 0);
const struct sql_relation sql_state_at = STATES("state_at", state_at_columns, 2);
const struct sql_relation sql_states_in = STATES("states_in", states_in_columns, 3);
