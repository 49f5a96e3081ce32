// SPDX-License-Identifier: MIT
#include "sql/sql_numbers.h"

#include <stdlib.h>

#include "histree/lookup.h"
#include "sql/sql_arguments.h"
#include "sql/sql_selection.h"
#include "sql/sql_table.h"
#include "sql/sql_window.h"

enum column { QUARK, PATH, STATES, MIN, MAX, MEAN, NUMBER_NS, UNKNOWN_NS, OTHER_NS, ARGUMENTS };
enum argument { PATTERN, FROM, TO, ARGUMENT_COUNT };

static const char *const names[] = { "pattern", "t1", "t2" };

struct numbers_table {
	struct sql_table base;
	struct histree_history *history;
};

struct numbers_cursor {
	sqlite3_vtab_cursor base;
	struct histree_query *query;
	struct histree_selection selection;
	struct histree_window window;
	size_t used; /* of the selection: the row is the one before */
	struct histree_numbers numbers;
	bool is_done;
};

static enum histree_status open_table(struct sql_table *base, const struct sql_module *module, const char *analysis,
				      char **declaration, struct histree_error *error)
{
	(void)module;
	*declaration = sqlite3_mprintf("CREATE TABLE x(quark INTEGER, path TEXT, states INTEGER, min, max, "
				       "mean REAL, number_ns INTEGER, unknown_ns INTEGER, other_ns INTEGER, "
				       "pattern HIDDEN, t1 HIDDEN, t2 HIDDEN)");
	return sql_store_history(base->store, analysis, &((struct numbers_table *)base)->history, error);
}

static int connect(sqlite3 *db, void *module, int argument_count, const char *const *arguments, sqlite3_vtab **out,
		   char **message)
{
	return sql_table_connect(db, module, argument_count, arguments, sizeof(struct numbers_table), open_table,
				 out, message);
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	const struct sql_arguments arguments = {
		.first_column = ARGUMENTS, .names = names, .count = ARGUMENT_COUNT, .required = ARGUMENT_COUNT
	};
	(void)table;
	return sql_arguments_take(&arguments, info, 10);
}

static enum histree_status begin_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor *cursor,
					struct histree_error *error)
{
	struct histree_history *history = ((struct numbers_table *)table)->history;
	histree_selection_begin(&((struct numbers_cursor *)cursor)->selection, history);
	return histree_query_create(history, &((struct numbers_cursor *)cursor)->query, error);
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
	return sql_cursor_open(table, out, sizeof(struct numbers_cursor), begin_cursor);
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct numbers_cursor *cursor = (struct numbers_cursor *)base;
	histree_query_free(cursor->query);
	histree_selection_release(&cursor->selection);
	free(cursor);
	return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct numbers_cursor *cursor = (struct numbers_cursor *)base;
	struct histree_error error;
	cursor->is_done = cursor->used == cursor->selection.count;
	if (cursor->is_done)
		return SQLITE_OK;
	enum histree_status status =
		histree_lookup_numbers(cursor->query, cursor->selection.quarks[cursor->used++], cursor->window.from,
				       cursor->window.to, &cursor->numbers, &error);
	return status < 0 ? sql_table_fail(base->pVtab, &error) : SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argument_count,
		  sqlite3_value **arguments)
{
	struct numbers_cursor *cursor = (struct numbers_cursor *)base;
	const struct numbers_table *table = (const struct numbers_table *)base->pVtab;
	const struct histree_history_info *info = histree_history_info(table->history);
	struct histree_error error;
	(void)number;
	(void)plan;
	(void)argument_count;
	cursor->is_done = true;
	cursor->used = 0;
	cursor->window = HISTREE_WINDOW_ALL;
	enum histree_status status = sql_select_by_pattern(&cursor->selection, arguments[PATTERN], &error);
	if (status != HISTREE_OK)
		return sql_table_fail(base->pVtab, &error);
	histree_selection_sort(&cursor->selection);
	sql_window_narrow(&cursor->window, SQL_AT_LEAST, arguments[FROM]);
	sql_window_narrow(&cursor->window, SQL_AT_MOST, arguments[TO]);
	if (cursor->window.is_empty)
		return SQLITE_OK;
	if (cursor->window.from > cursor->window.to ||
	    !histree_window_fit(&cursor->window, info->start, info->end)) {
		sql_connection_warn_of_time(sql_store_connection(table->base.store), info->start, info->end);
		return SQLITE_OK;
	}
	return next(base);
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	return ((struct numbers_cursor *)base)->is_done;
}

static void result_ns(sqlite3_context *context, uint64_t ns)
{
	sqlite3_result_int64(context, ns > INT64_MAX ? INT64_MAX : (sqlite3_int64)ns);
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	struct numbers_cursor *cursor = (struct numbers_cursor *)base;
	const struct histree_numbers *numbers = &cursor->numbers;
	histree_quark quark = cursor->selection.quarks[cursor->used - 1];
	switch (number) {
	case QUARK:
		sqlite3_result_int64(context, quark);
		break;
	case PATH:
		sql_result_path(context, &cursor->selection, quark);
		break;
	case STATES:
		result_ns(context, numbers->states);
		break;
	case MIN:
		sql_result_value(context, &numbers->min);
		break;
	case MAX:
		sql_result_value(context, &numbers->max);
		break;
	case MEAN:
		if (numbers->number_ns > 0) /* else NULL */
			sqlite3_result_double(context, numbers->mean);
		break;
	case NUMBER_NS:
		result_ns(context, numbers->number_ns);
		break;
	case UNKNOWN_NS:
		result_ns(context, numbers->unknown_ns);
		break;
	case OTHER_NS:
		result_ns(context, numbers->other_ns);
		break;
	default: /* an argument: whoever gave it knows it */
		break;
	}
	return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	*out = (sqlite3_int64)((struct numbers_cursor *)base)->used;
	return SQLITE_OK;
}

const sqlite3_module sql_numbers_module = SQL_TABLE_MODULE(sql_table_disconnect, row_id);
