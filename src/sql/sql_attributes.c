// SPDX-License-Identifier: MIT
#include "sql/sql_attributes.h"

#include <stdlib.h>

#include "base/array.h"
#include "histree/history.h"
#include "sql/sql_hosts.h"
#include "sql/sql_selection.h"
#include "sql/sql_table.h"

enum column { QUARK, PARENT, NAME, PATH, DEPTH, FOLDER, HOST };

static const char *const names[] = { [QUARK] = "quark", [PATH] = "path", [HOST] = "host" };

struct attributes_table {
	struct sql_table base;
	struct histree_history *history;
	const struct histree_attributes *attributes;
};

struct attributes_cursor {
	sqlite3_vtab_cursor base;
	struct histree_selection selection;
	size_t row, row_count; /* of the selection, or of all */
	char *name;
	size_t name_capacity;
};

static const struct histree_attributes *attributes_of(const struct attributes_cursor *cursor)
{
	return ((const struct attributes_table *)cursor->base.pVtab)->attributes;
}

static enum histree_status open_table(struct sql_table *base, const struct sql_module *module, const char *analysis,
				      char **declaration, struct histree_error *error)
{
	struct attributes_table *table = (struct attributes_table *)base;
	enum histree_status status = sql_store_history(base->store, analysis, &table->history, error);
	(void)module;
	if (status != HISTREE_OK)
		return status;
	table->attributes = histree_history_attributes(table->history);
	*declaration = sqlite3_mprintf("CREATE TABLE x(quark INTEGER, parent INTEGER, name TEXT, path TEXT, "
				       "depth INTEGER, folder INTEGER)");
	*declaration = sql_hosts_declare(table->history, *declaration);
	return HISTREE_OK;
}

static int connect(sqlite3 *db, void *module, int argument_count, const char *const *arguments, sqlite3_vtab **out,
		   char **message)
{
	return sql_table_connect(db, module, argument_count, arguments, sizeof(struct attributes_table), open_table,
				 out, message);
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct attributes_table *table = (const struct attributes_table *)base;
	double rows = histree_attributes_count(table->attributes);
	struct sql_plan plan = sql_plan(info);
	int best = -1;
	for (int i = 0; i < info->nConstraint; i++) {
		int column = info->aConstraint[i].iColumn;
		enum sql_operator operator= sql_plan_operator(info, i);
		bool is_equal = operator== SQL_EQUAL || operator== SQL_IN;
		if ((column == QUARK && is_equal) || (column == PATH && (is_equal || operator== SQL_GLOB)))
			best = best < 0 || is_equal ? i : best;
	}
	info->estimatedCost = 10 + rows;
	if (best >= 0) {
		enum sql_operator operator= sql_plan_operator(info, best);
		if (!sql_plan_take(&plan, best, names[info->aConstraint[best].iColumn], operator))
			return SQLITE_ERROR;
		info->estimatedCost = operator== SQL_GLOB ? 10 + rows / 2 : operator== SQL_IN ? 20 : 2;
		rows = operator== SQL_GLOB ? rows / 8 : operator== SQL_IN ? 10 : 1;
	}
	for (int i = 0; i < info->nConstraint; i++) {
		enum sql_operator operator= sql_plan_operator(info, i);
		bool is_equal = operator== SQL_EQUAL || operator== SQL_IN;
		if (info->aConstraint[i].iColumn == HOST && is_equal &&
		    sql_plan_take(&plan, i, names[HOST], operator))
			break;
	}
	info->estimatedRows = (sqlite3_int64)rows + 1;
	return sql_plan_finish(&plan);
}

static enum histree_status begin_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor *cursor,
					struct histree_error *error)
{
	(void)error;
	histree_selection_begin(&((struct attributes_cursor *)cursor)->selection,
				((struct attributes_table *)table)->history);
	return HISTREE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
	return sql_cursor_open(table, out, sizeof(struct attributes_cursor), begin_cursor);
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct attributes_cursor *cursor = (struct attributes_cursor *)base;
	histree_selection_release(&cursor->selection);
	free(cursor->name);
	free(cursor);
	return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argument_count,
		  sqlite3_value **arguments)
{
	struct attributes_cursor *cursor = (struct attributes_cursor *)base;
	const struct histree_attributes *attributes = attributes_of(cursor);
	struct histree_error error;
	struct sql_term term;
	enum histree_status status = HISTREE_OK;
	(void)number;
	histree_selection_all(&cursor->selection);
	for (int i = 0; i < argument_count && status == HISTREE_OK && sql_term_next(&plan, &term); i++) {
		if (sql_term_is_of(&term, names[QUARK]))
			status = sql_select_by_quark(&cursor->selection, term.operator, arguments[i], &error);
		else if (sql_term_is_of(&term, names[PATH]))
			status = sql_select_by_path(&cursor->selection, term.operator, arguments[i], &error);
		else
			status = sql_select_by_host(&cursor->selection, term.operator, arguments[i], &error);
	}
	cursor->row = 0;
	histree_selection_sort(&cursor->selection);
	cursor->row_count =
		cursor->selection.has_all ? histree_attributes_count(attributes) : cursor->selection.count;
	return status == HISTREE_OK ? SQLITE_OK : sql_table_fail(base->pVtab, &error);
}

static int next(sqlite3_vtab_cursor *base)
{
	((struct attributes_cursor *)base)->row++;
	return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	const struct attributes_cursor *cursor = (const struct attributes_cursor *)base;
	return cursor->row >= cursor->row_count;
}

static void result_name(struct attributes_cursor *cursor, sqlite3_context *context, histree_quark quark)
{
	const struct histree_attributes *attributes = attributes_of(cursor);
	size_t size = histree_attributes_name(attributes, quark, cursor->name, cursor->name_capacity);
	if (size >= cursor->name_capacity) {
		if (!array_reserve(&cursor->name, &cursor->name_capacity, size + 1)) {
			sqlite3_result_error_nomem(context);
			return;
		}
		histree_attributes_name(attributes, quark, cursor->name, cursor->name_capacity);
	}
	sqlite3_result_text64(context, cursor->name, size, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* Attributes at the top have depth 1, as their paths have one name. */
static int depth_of(const struct histree_attributes *attributes, histree_quark quark)
{
	int depth = 0;
	for (; quark != HISTREE_ROOT; quark = histree_attributes_parent(attributes, quark))
		depth++;
	return depth;
}

static histree_quark quark_of(const struct attributes_cursor *cursor)
{
	return cursor->selection.has_all ? (histree_quark)cursor->row : cursor->selection.quarks[cursor->row];
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	struct attributes_cursor *cursor = (struct attributes_cursor *)base;
	const struct histree_attributes *attributes = attributes_of(cursor);
	histree_quark quark = quark_of(cursor), parent;
	switch (number) {
	case QUARK:
		sqlite3_result_int64(context, quark);
		break;
	case PARENT:
		parent = histree_attributes_parent(attributes, quark);
		if (parent != HISTREE_ROOT) /* else NULL */
			sqlite3_result_int64(context, parent);
		break;
	case NAME:
		result_name(cursor, context, quark);
		break;
	case PATH:
		sql_result_path(context, &cursor->selection, quark);
		break;
	case DEPTH:
		sqlite3_result_int(context, depth_of(attributes, quark));
		break;
	case FOLDER:
		sqlite3_result_int(context, histree_attributes_is_folder(attributes, quark));
		break;
	case HOST:
		sql_hosts_result(context, ((const struct attributes_table *)base->pVtab)->history, quark);
		break;
	default:
		break;
	}
	return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	*out = quark_of((struct attributes_cursor *)base);
	return SQLITE_OK;
}

const sqlite3_module sql_attributes_module = SQL_TABLE_MODULE(sql_table_disconnect, row_id);
