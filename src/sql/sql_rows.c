// SPDX-License-Identifier: MIT
#include "sql/sql_rows.h"

#include <stdlib.h>

#include "histree/rows.h"
#include "sql/sql_arguments.h"
#include "sql/sql_selection.h"
#include "sql/sql_table.h"
#include "sql/sql_window.h"

enum column { QUARK, PATH, PIXEL, START, END, TYPE, VALUE, OTHER_TYPE, OTHER, ARGUMENTS };
enum argument { PATTERN, FROM, TO, PIXELS, ARGUMENT_COUNT };

static const char *const names[] = { "pattern", "t1", "t2", "pixels" };

struct rows_table {
	struct sql_table base;
	struct histree_history *history;
};

struct rows_cursor {
	sqlite3_vtab_cursor base;
	struct histree_rows *rows;
	struct histree_selection selection;
	struct histree_row row;
	histree_time from, to;
	uint32_t pixel, pixels; /* in the row */
	bool is_done;
	sqlite3_int64 number;
};

static enum histree_status open_table(struct sql_table *base, const struct sql_module *module, const char *analysis,
				      char **declaration, struct histree_error *error)
{
	(void)module;
	*declaration = sqlite3_mprintf("CREATE TABLE x(quark INTEGER, path TEXT, pixel INTEGER, start INTEGER, "
				       "\"end\" INTEGER, type TEXT, value, other_type TEXT, other, "
				       "pattern HIDDEN, t1 HIDDEN, t2 HIDDEN, pixels HIDDEN)");
	return sql_store_history(base->store, analysis, &((struct rows_table *)base)->history, error);
}

static int connect(sqlite3 *db, void *module, int argument_count, const char *const *arguments, sqlite3_vtab **out,
		   char **message)
{
	return sql_table_connect(db, module, argument_count, arguments, sizeof(struct rows_table), open_table, out,
				 message);
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	const struct sql_arguments arguments = {
		.first_column = ARGUMENTS, .names = names, .count = ARGUMENT_COUNT, .required = ARGUMENT_COUNT
	};
	(void)table;
	return sql_arguments_take(&arguments, info, 1000);
}

static enum histree_status begin_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor *cursor,
					struct histree_error *error)
{
	struct histree_history *history = ((struct rows_table *)table)->history;
	histree_selection_begin(&((struct rows_cursor *)cursor)->selection, history);
	return histree_rows_create(history, &((struct rows_cursor *)cursor)->rows, error);
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
	return sql_cursor_open(table, out, sizeof(struct rows_cursor), begin_cursor);
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct rows_cursor *cursor = (struct rows_cursor *)base;
	histree_rows_free(cursor->rows);
	histree_selection_release(&cursor->selection);
	free(cursor);
	return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct rows_cursor *cursor = (struct rows_cursor *)base;
	struct histree_error error;
	cursor->number++;
	if (++cursor->pixel < cursor->pixels)
		return SQLITE_OK;
	enum histree_status status = histree_rows_next(cursor->rows, &cursor->row, &error);
	if (status < 0)
		return sql_table_fail(base->pVtab, &error);
	cursor->pixel = 0;
	cursor->is_done = status == HISTREE_END;
	return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argument_count,
		  sqlite3_value **arguments)
{
	struct rows_cursor *cursor = (struct rows_cursor *)base;
	const struct rows_table *table = (const struct rows_table *)base->pVtab;
	const struct histree_history_info *info = histree_history_info(table->history);
	struct histree_window window = HISTREE_WINDOW_ALL;
	struct histree_error error;
	(void)number;
	(void)plan;
	(void)argument_count;
	cursor->is_done = true;
	cursor->number = 0;
	enum histree_status status = sql_select_by_pattern(&cursor->selection, arguments[PATTERN], &error);
	if (status != HISTREE_OK)
		return sql_table_fail(base->pVtab, &error);
	histree_selection_sort(&cursor->selection);
	sql_window_narrow(&window, SQL_AT_LEAST, arguments[FROM]);
	sql_window_narrow(&window, SQL_AT_MOST, arguments[TO]);
	if (window.is_empty || cursor->selection.count == 0)
		return SQLITE_OK;
	if (window.from > window.to || !histree_window_fit(&window, info->start, info->end)) {
		sql_connection_warn_of_time(sql_store_connection(table->base.store), info->start, info->end);
		return SQLITE_OK;
	}
	sqlite3_int64 pixels = sqlite3_value_int64(arguments[PIXELS]);
	if (pixels < 1 || pixels > HISTREE_PIXELS_MAX)
		return sql_table_refuse(base->pVtab, "rows() has 1 to %d pixels, not %lld", HISTREE_PIXELS_MAX,
					(long long)pixels);
	cursor->from = window.from;
	cursor->to = window.to;
	cursor->pixels = (uint32_t)pixels;
	cursor->pixel = cursor->pixels;
	const struct histree_rows_request request = {
		.quarks = cursor->selection.quarks,
		.quark_count = cursor->selection.count,
		.from = window.from,
		.to = window.to,
		.pixels = cursor->pixels,
		.cancel = sql_connection_cancel(sql_store_connection(table->base.store)),
	};
	if (histree_rows_start(cursor->rows, &request, &error) != HISTREE_OK)
		return sql_table_fail(base->pVtab, &error);
	return next(base);
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	return ((struct rows_cursor *)base)->is_done;
}

/* The first and the last ns of a pixel; pixels of a range that has fewer ns may share one. */
static void result_time(const struct rows_cursor *cursor, sqlite3_context *context, bool is_end)
{
	histree_time start = histree_pixel_start(cursor->from, cursor->to, cursor->pixels, cursor->pixel);
	if (is_end && cursor->pixel + 1 == cursor->pixels) {
		sqlite3_result_int64(context, cursor->to);
	} else if (is_end) {
		histree_time behind =
			histree_pixel_start(cursor->from, cursor->to, cursor->pixels, cursor->pixel + 1);
		sqlite3_result_int64(context, behind > start ? behind - 1 : start);
	} else {
		sqlite3_result_int64(context, start);
	}
}

/* A value, or its type.  Where there is no other, both are NULL. */
static void result_state(const struct rows_cursor *cursor, sqlite3_context *context, uint32_t index, bool is_type)
{
	if (index == HISTREE_NO_VALUE)
		return;
	struct histree_value value = { .type = HISTREE_UNKNOWN };
	if (index != HISTREE_UNKNOWN_VALUE)
		value = histree_rows_value(cursor->rows, index);
	if (is_type)
		sqlite3_result_text(context, histree_type_name(value.type), -1, SQLITE_STATIC);
	else
		sql_result_value(context, &value);
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	struct rows_cursor *cursor = (struct rows_cursor *)base;
	const struct histree_cell *cell = &cursor->row.cells[cursor->pixel];
	switch (number) {
	case QUARK:
		sqlite3_result_int64(context, cursor->row.quark);
		break;
	case PATH:
		sql_result_path(context, &cursor->selection, cursor->row.quark);
		break;
	case PIXEL:
		sqlite3_result_int64(context, cursor->pixel);
		break;
	case START:
	case END:
		result_time(cursor, context, number == END);
		break;
	case TYPE:
	case VALUE:
		result_state(cursor, context, cell->value, number == TYPE);
		break;
	case OTHER_TYPE:
	case OTHER:
		result_state(cursor, context, cell->other, number == OTHER_TYPE);
		break;
	default: /* an argument: whoever gave it knows it */
		break;
	}
	return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	*out = ((struct rows_cursor *)base)->number;
	return SQLITE_OK;
}

const sqlite3_module sql_rows_module = SQL_TABLE_MODULE(sql_table_disconnect, row_id);
