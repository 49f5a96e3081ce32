// SPDX-License-Identifier: MIT
#include "sql/sql_states.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "histree/labels.h"
#include "histree/query.h"
#include "sql/sql_hosts.h"
#include "sql/sql_ordered_states.h"
#include "sql/sql_selection.h"
#include "sql/sql_table.h"
#include "sql/sql_window.h"

enum column { QUARK, PATH, START, END, DURATION, TYPE, VALUE, LABEL, ARGUMENTS };

/* In terms of a plan; the hidden columns are called so whatever the table calls them. */
static const char *const names[] = { [QUARK] = "quark",     [PATH] = "path",         [START] = "start",
				     [END] = "end",         [ARGUMENTS] = "pattern", [ARGUMENTS + 1] = "from",
				     [ARGUMENTS + 2] = "to" };

/* The column behind all others, where there are hosts. */
static const char *const host_name = "host";

/* So many states are asked for at once; the first time a few, as a LIMIT may want no more. */
enum { BATCH_FIRST = 8, BATCH = 256 };

enum order { ANY_ORDER, UPWARDS, DOWNWARDS };

/* The key tells SQLite which rows are the same where it asks for "this or that" in two scans. */
#define COLUMNS \
	"quark INTEGER, path TEXT, start INTEGER, \"end\" INTEGER, duration INTEGER, type TEXT, value, label TEXT"
#define KEY "PRIMARY KEY(quark, start)) WITHOUT ROWID"

const struct sql_states_kind sql_states = { .declaration = "CREATE TABLE x(" COLUMNS ", " KEY };
const struct sql_states_kind sql_state_at = {
	.declaration = "CREATE TABLE x(" COLUMNS ", pattern HIDDEN, t HIDDEN, " KEY,
	.argument_count = 2,
};
const struct sql_states_kind sql_states_in = {
	.declaration = "CREATE TABLE x(" COLUMNS ", pattern HIDDEN, t1 HIDDEN, t2 HIDDEN, " KEY,
	.argument_count = 3,
};

struct states_cursor;

struct states_table {
	struct sql_table base;
	struct states_cursor *idle; /* of the statement before: the next one need not make it again; or NULL */
	const struct sql_states_kind *kind;
	struct histree_history *history;
	const struct histree_history_info *info;
	const struct histree_attributes *attributes;
	struct sql_paths *paths;
	uint64_t *rows; /* that were read, of all tables */
};

struct states_cursor {
	sqlite3_vtab_cursor base;
	struct histree_query *query;
	struct sql_ordered_states *ordered; /* NULL until an order is asked for */
	enum order order;
	struct histree_selection selection;
	struct histree_interval *batch; /* room for BATCH */
	size_t used, count, room;
	const struct histree_interval *state; /* the row: one of the batch, or... */
	struct histree_interval one;          /* ... this one, where they are not asked for in batches */
	struct histree_window starts;         /* in which states begin, as far as constraints say it */
	bool is_single;                       /* the batch is one state, and all */
	bool is_done;
};

static struct states_table *table_of(const struct states_cursor *cursor)
{
	return (struct states_table *)cursor->base.pVtab;
}

static enum histree_status open_table(struct sql_table *base, const struct sql_module *module, const char *analysis,
				      char **declaration, struct histree_error *error)
{
	struct states_table *table = (struct states_table *)base;
	table->kind = module->kind;
	enum histree_status status = sql_store_history(base->store, analysis, &table->history, error);
	if (status != HISTREE_OK)
		return status;
	table->info = histree_history_info(table->history);
	table->attributes = histree_history_attributes(table->history);
	table->paths = sql_store_paths(base->store, table->history);
	table->rows = sql_connection_row_counter(module->connection);
	if (table->paths == NULL)
		return error_memory(error, "the paths of attributes");
	*declaration = sql_hosts_declare(table->history, sqlite3_mprintf("%s", table->kind->declaration));
	return HISTREE_OK;
}

static int connect(sqlite3 *db, void *module, int argument_count, const char *const *arguments, sqlite3_vtab **out,
		   char **message)
{
	return sql_table_connect(db, module, argument_count, arguments, sizeof(struct states_table), open_table,
				 out, message);
}

/* ---- the plan ----------------------------------------------------------------------------------------- */

/* Which constraint picks the attributes best, in this order; one is enough, SQLite checks the others. */
static int attribute_rank(int column, enum sql_operator operator)
{
	if (operator== SQL_EQUAL)
		return column == QUARK ? 5 : column == PATH ? 4 : 0;
	if (operator== SQL_IN)
		return column == QUARK ? 3 : column == PATH ? 2 : 0;
	return operator== SQL_GLOB && column == PATH ? 1 : 0;
}

/* Returns about which part of the history a window meets, as far as its bounds are known before it is asked. */
static double share_of_time(const struct states_table *table, sqlite3_index_info *info)
{
	struct histree_window window = HISTREE_WINDOW_ALL;
	double whole = (double)table->info->end - (double)table->info->start + 1, guess = 1;
	for (int i = 0; i < info->nConstraint; i++) {
		sqlite3_value *value;
		int column = info->aConstraint[i].iColumn;
		enum sql_operator operator= sql_plan_operator(info, i);
		if ((column != START && column != END) || operator== SQL_NONE || operator> SQL_AT_LEAST ||
							  operator== SQL_IN)
			continue;
		if (sqlite3_vtab_rhs_value(info, i, &value) == SQLITE_OK)
			sql_window_narrow(&window, operator, value);
		else
			guess /= 10;
	}
	return histree_window_fit(&window, table->info->start, table->info->end)
		       ? guess * ((double)window.to - (double)window.from + 1) / whole
		       : 0;
}

/* The constraint on the host, which leaves what others leave less of; -1: there is none. */
static int host_constraint(const struct states_table *table, sqlite3_index_info *info)
{
	for (int i = 0; i < info->nConstraint && sql_has_hosts(table->history); i++) {
		enum sql_operator operator= sql_plan_operator(info, i);
		if (info->aConstraint[i].iColumn == ARGUMENTS + table->kind->argument_count &&
		    (operator== SQL_EQUAL || operator== SQL_IN))
			return i;
	}
	return -1;
}

static double share_of_attributes(const struct states_table *table, int rank)
{
	double attributes = table->info->attribute_count > 0 ? table->info->attribute_count : 1;
	double wanted = rank >= 4 ? 1 : rank >= 2 ? 10 : rank == 1 ? attributes / 8 : attributes;
	return wanted < attributes ? wanted / attributes : 1;
}

/* One that is found by its path or number is not found faster. */
static double share_of_a_host(const struct states_table *table, int rank)
{
	size_t hosts;
	histree_history_hosts(table->history, &hosts);
	return rank >= 2 || hosts == 0 ? 1 : 1 / (double)hosts;
}

static bool is_of_time(int column, enum sql_operator operator)
{
	return (column == START || column == END) && operator>= SQL_EQUAL && operator<= SQL_AT_LEAST && operator!=
	       SQL_IN;
}

/* Returns SQLITE_CONSTRAINT if an argument of a table function cannot be known now. */
static int take_arguments(const struct states_table *table, struct sql_plan *plan)
{
	int found = 0;
	for (int i = 0; i < plan->info->nConstraint; i++) {
		int column = plan->info->aConstraint[i].iColumn;
		if (column < ARGUMENTS || column >= ARGUMENTS + table->kind->argument_count)
			continue;
		/* Of a list, SQLite asks for one after the other. */
		enum sql_operator operator= sql_plan_operator(plan->info, i);
		if (operator!= SQL_EQUAL && operator!= SQL_IN)
			return SQLITE_CONSTRAINT;
		if (!sql_plan_take(plan, i, names[column], SQL_EQUAL))
			return SQLITE_CONSTRAINT;
		plan->info->aConstraintUsage[i].omit = 1;
		found++;
	}
	return found == table->kind->argument_count ? SQLITE_OK : SQLITE_CONSTRAINT;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct states_table *table = (const struct states_table *)base;
	struct sql_plan plan = sql_plan(info);
	int best = -1, rank = 0;
	int code = take_arguments(table, &plan);
	if (code != SQLITE_OK)
		return code;
	for (int i = 0; i < info->nConstraint && table->kind->argument_count == 0; i++) {
		int each = attribute_rank(info->aConstraint[i].iColumn, sql_plan_operator(info, i));
		if (each > rank) {
			best = i;
			rank = each;
		}
	}
	if (best >= 0 &&
	    !sql_plan_take(&plan, best, names[info->aConstraint[best].iColumn], sql_plan_operator(info, best)))
		return SQLITE_ERROR;
	int host = host_constraint(table, info);
	if (host >= 0 && !sql_plan_take(&plan, host, host_name, sql_plan_operator(info, host)))
		host = -1;
	for (int i = 0; i < info->nConstraint; i++) {
		int column = info->aConstraint[i].iColumn;
		enum sql_operator operator= sql_plan_operator(info, i);
		if (is_of_time(column, operator) && !sql_plan_take(&plan, i, names[column], operator))
			break;
	}
	if (info->nOrderBy == 1 && info->aOrderBy[0].iColumn == START) {
		bool is_down = info->aOrderBy[0].desc;
		sql_plan_order(&plan, is_down ? "start, downwards" : "start");
		info->idxNum = is_down ? DOWNWARDS : UPWARDS;
		info->orderByConsumed = 1;
	}
	/* A state that covers a time costs less than the nodes on the way to it. */
	double share = share_of_attributes(table, rank) * (host >= 0 ? share_of_a_host(table, rank) : 1);
	double attributes = table->info->attribute_count * share;
	double states = (double)table->info->interval_count * share * share_of_time(table, info);
	info->estimatedRows = (sqlite3_int64)(states + attributes + 1);
	info->estimatedCost = 10 + 2 * (states + attributes) + (rank == 1 ? table->info->attribute_count : 0);
	return sql_plan_finish(&plan);
}

/* ---- the cursor --------------------------------------------------------------------------------------- */

static enum histree_status begin_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor *base, struct histree_error *error)
{
	struct states_cursor *cursor = (struct states_cursor *)base;
	histree_selection_begin(&cursor->selection, ((struct states_table *)table)->history);
	cursor->batch = malloc(BATCH * sizeof(*cursor->batch));
	enum histree_status status = cursor->batch == NULL ? error_memory(error, "states") : HISTREE_OK;
	if (status == HISTREE_OK)
		status = histree_query_create(((struct states_table *)table)->history, &cursor->query, error);
	if (status != HISTREE_OK)
		free(cursor->batch);
	return status;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	struct states_table *table = (struct states_table *)base;
	if (table->idle == NULL)
		return sql_cursor_open(base, out, sizeof(struct states_cursor), begin_cursor);
	*out = &table->idle->base;
	table->idle = NULL;
	return SQLITE_OK;
}

static void free_cursor(struct states_cursor *cursor)
{
	if (cursor == NULL)
		return;
	sql_ordered_free(cursor->ordered);
	histree_query_free(cursor->query);
	histree_selection_release(&cursor->selection);
	free(cursor->batch);
	free(cursor);
}

/* A prepared statement opens its cursors whenever it is run. */
static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct states_cursor *cursor = (struct states_cursor *)base;
	struct states_table *table = (struct states_table *)base->pVtab;
	bool is_small = cursor->ordered == NULL && cursor->selection.capacity <= BATCH;
	if (table->idle == NULL && is_small)
		table->idle = cursor;
	else
		free_cursor(cursor);
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *base)
{
	free_cursor(((struct states_table *)base)->idle);
	return sql_table_disconnect(base);
}

/* Changes do not tell whether they met damage: an unknown state is asked for once more. */
static bool met_damage(struct states_cursor *cursor)
{
	struct histree_interval again;
	struct histree_error error;
	if (cursor->order != ANY_ORDER && !cursor->is_done && cursor->state->value.type == HISTREE_UNKNOWN &&
	    histree_query_single(cursor->query, cursor->state->quark, cursor->state->start, &again, &error) < 0)
		return true;
	return histree_query_stats(cursor->query).nodes_damaged > 0;
}

static enum histree_status next_of_batch(struct states_cursor *cursor, struct histree_error *error)
{
	if (cursor->used == cursor->count) {
		if (cursor->is_single && cursor->used > 0)
			return HISTREE_END;
		cursor->used = cursor->count = 0;
		enum histree_status status =
			histree_query_read(cursor->query, cursor->batch, cursor->room, &cursor->count, error);
		if (status != HISTREE_OK)
			return status;
		cursor->room = cursor->room < BATCH ? 2 * cursor->room : BATCH;
		*table_of(cursor)->rows += cursor->count;
	}
	cursor->state = &cursor->batch[cursor->used++];
	return HISTREE_OK;
}

/* Go to the next state, or to the end. */
static int next(sqlite3_vtab_cursor *base)
{
	struct states_cursor *cursor = (struct states_cursor *)base;
	struct sql_table *table = (struct sql_table *)base->pVtab;
	struct histree_error error;
	enum histree_status status = HISTREE_END;
	if (cursor->order == ANY_ORDER) {
		status = next_of_batch(cursor, &error);
	} else {
		cursor->state = &cursor->one;
		status = sql_ordered_next(cursor->ordered, &cursor->one, &error);
		*table_of(cursor)->rows += 1;
	}
	if (status < 0)
		return sql_table_fail(base->pVtab, &error);
	cursor->is_done = status == HISTREE_END;
	if ((cursor->is_done || cursor->state->value.type == HISTREE_UNKNOWN) && met_damage(cursor))
		sql_connection_warn_of_history(sql_store_connection(table->store),
					       sql_store_info(table->store)->path, table_of(cursor)->history);
	return SQLITE_OK;
}

static enum histree_status read_term(struct states_cursor *cursor, const struct sql_term *term,
				     sqlite3_value *value, struct histree_error *error)
{
	struct histree_selection *selection = &cursor->selection;
	struct histree_window *window = &selection->window;
	if (sql_term_is_of(term, names[QUARK]))
		return sql_select_by_quark(selection, term->operator, value, error);
	if (sql_term_is_of(term, names[PATH]))
		return sql_select_by_path(selection, term->operator, value, error);
	if (sql_term_is_of(term, names[ARGUMENTS]))
		return sql_select_by_pattern(selection, value, error);
	if (sql_term_is_of(term, host_name))
		return sql_select_by_host(selection, term->operator, value, error);
	/* state_at(pattern, t) has no end of its range: it is its start. */
	if (sql_term_is_of(term, names[ARGUMENTS + 1]))
		sql_window_narrow(window, table_of(cursor)->kind->argument_count == 2 ? SQL_EQUAL : SQL_AT_LEAST,
				  value);
	else if (sql_term_is_of(term, names[ARGUMENTS + 2]))
		sql_window_narrow(window, SQL_AT_MOST, value);
	else
		sql_window_narrow(window, term->operator, value);
	bool is_bound =
		sql_term_is_of(term, names[START]) && term->operator!= SQL_LESS && term->operator!= SQL_AT_MOST;
	if (is_bound)
		sql_window_narrow(&cursor->starts, term->operator, value);
	return HISTREE_OK;
}

static enum histree_status start(struct states_cursor *cursor, const struct histree_region *region,
				 struct histree_error *error)
{
	struct histree_error again; /* what a single query cannot answer is asked once more */
	cursor->used = cursor->count = 0;
	cursor->room = BATCH_FIRST;
	if (cursor->order == ANY_ORDER && region->quark_count == 1 && region->from == region->to &&
	    histree_query_single(cursor->query, region->quarks[0], region->from, &cursor->batch[0], &again) ==
		    HISTREE_OK) {
		cursor->count = 1;
		cursor->is_single = true;
		return HISTREE_OK;
	}
	cursor->is_single = false;
	if (cursor->order == ANY_ORDER)
		return histree_query_start(cursor->query, region, error);
	enum histree_status status =
		cursor->ordered == NULL ? sql_ordered_create(table_of(cursor)->history, &cursor->ordered, error)
					: HISTREE_OK;
	if (status != HISTREE_OK)
		return status;
	/* What begins before all that is wanted need not be looked for. */
	bool has_earlier = cursor->starts.from < region->from && region->from > table_of(cursor)->info->start;
	return sql_ordered_start(cursor->ordered, region, cursor->order == DOWNWARDS, has_earlier, error);
}

static int filter(sqlite3_vtab_cursor *base, int order, const char *plan, int argument_count,
		  sqlite3_value **arguments)
{
	struct states_cursor *cursor = (struct states_cursor *)base;
	const struct histree_history_info *info = table_of(cursor)->info;
	struct histree_region region = { 0 };
	struct histree_error error;
	struct sql_term term;
	enum histree_status status = HISTREE_OK;
	cursor->order = (enum order)order;
	histree_selection_all(&cursor->selection);
	cursor->starts = HISTREE_WINDOW_ALL;
	for (int i = 0; status == HISTREE_OK && i < argument_count && sql_term_next(&plan, &term); i++)
		status = read_term(cursor, &term, arguments[i], &error);
	struct histree_window window = cursor->selection.window;
	bool is_function = table_of(cursor)->kind->argument_count > 0;
	bool is_backwards = is_function && window.from > window.to;
	bool is_in_time = !is_backwards && histree_window_fit(&window, info->start, info->end);
	if (is_function && !is_in_time && !window.is_empty)
		sql_connection_warn_of_time(sql_store_connection(table_of(cursor)->base.store), info->start,
					    info->end);
	cursor->is_done = is_backwards || !histree_selection_region(&cursor->selection, &region);
	if (status == HISTREE_OK && cursor->is_done)
		return SQLITE_OK;
	if (status == HISTREE_OK)
		status = start(cursor, &region, &error);
	return status == HISTREE_OK ? next(base) : sql_table_fail(base->pVtab, &error);
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	return ((struct states_cursor *)base)->is_done;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	struct states_cursor *cursor = (struct states_cursor *)base;
	const struct histree_interval *state = cursor->state;
	const char *path, *label;
	size_t size;
	switch (number) {
	case QUARK:
		sqlite3_result_int64(context, state->quark);
		break;
	case PATH:
		path = sql_paths_get(table_of(cursor)->paths, state->quark, &size);
		if (path != NULL)
			sqlite3_result_text64(context, path, size, SQLITE_STATIC, SQLITE_UTF8);
		else
			sql_result_path(context, &cursor->selection, state->quark);
		break;
	case START:
		sqlite3_result_int64(context, state->start);
		break;
	case END:
		sqlite3_result_int64(context, state->end);
		break;
	case DURATION:
		sqlite3_result_int64(context, (sqlite3_int64)((uint64_t)state->end - (uint64_t)state->start + 1));
		break;
	case TYPE:
		sqlite3_result_text(context, histree_type_name(state->value.type), -1, SQLITE_STATIC);
		break;
	case VALUE:
		sql_result_value(context, &state->value);
		break;
	case LABEL:
		label = histree_label_of(table_of(cursor)->history, state->quark, &state->value);
		if (label != NULL)
			sqlite3_result_text(context, label, -1, SQLITE_STATIC);
		break;
	default: /* an argument: whoever gave it knows it; or the host, which is last */
		sqlite3_result_null(context);
		if (number == ARGUMENTS + table_of(cursor)->kind->argument_count)
			sql_hosts_result(context, table_of(cursor)->history, state->quark);
		break;
	}
	return SQLITE_OK;
}

const sqlite3_module sql_states_module = SQL_TABLE_MODULE(disconnect, NULL);
