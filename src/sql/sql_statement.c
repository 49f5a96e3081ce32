// SPDX-License-Identifier: MIT
#include "sql/sql_statement.h"

#include <stdlib.h>
#include <string.h>

#include "sql/sql_table.h"

#define INTERVALS "WITH a(key, start, \"end\") AS (SELECT * FROM (%s)) "

/*
 * A number that is used again is several threads: what it ran is cut where they begin.  Those are few, if there are
 * any, and only for them each state is read.
 */
#define CPU_USAGE(host_, host_of_t, is_of_host, pattern)                                                          \
	"WITH t AS (SELECT *, count(*) OVER (PARTITION BY " host_ "tid) AS lives FROM \"%w\".threads "            \
	"WHERE tid > 0), s AS (SELECT " host_ "value AS tid, sum(ns) AS ns FROM \"%w\".state_sums('" pattern      \
	"', ?1, ?2) WHERE value > 0 GROUP BY " host_ "value) "                                                    \
	"SELECT " host_ "tid, ns, name, coalesce(life, 0) FROM s LEFT JOIN t USING (" host_ "tid) "               \
	"WHERE coalesce(lives, 1) = 1 UNION ALL SELECT " host_of_t                                                \
	"t.tid, sum(min(p.\"end\", t.\"end\", CAST(?2 AS INTEGER)) - max(p.start, t.start, CAST(?1 AS INTEGER)) " \
	"+ 1) AS ns, t.name, t.life FROM \"%w\".states_in('" pattern                                              \
	"', ?1, ?2) AS p CROSS JOIN t ON t.tid = p.value AND p.start <= t.\"end\" AND p.\"end\" >= t.start "      \
	"AND t.start <= ?2 AND t.\"end\" >= ?1" is_of_host                                                        \
	" WHERE lives > 1 AND EXISTS (SELECT 1 FROM t WHERE lives > 1) GROUP BY " host_of_t                       \
	"t.tid, t.life ORDER BY ns DESC, tid"

const struct sql_statement_kind sql_statements[] = {
	{ .name = "time_in_state",
	  .columns = "quark INTEGER, path TEXT, type TEXT, value, ns INTEGER",
	  .column_count = 5,
	  .arguments = "pattern, t1, t2",
	  .argument_count = 3,
	  .text = "SELECT quark, path, type, value, sum(ns) FROM \"%w\".state_sums(?1, ?2, ?3) "
		  "GROUP BY quark, type, value" },
	{ .name = "cpu_usage",
	  .is_of_one = true,
	  .columns = "tid INTEGER, ns INTEGER, name TEXT, life INTEGER",
	  .column_count = 4,
	  .arguments = "t1, t2",
	  .argument_count = 2,
	  .text = CPU_USAGE("", "", "", "CPUs/*/Current_thread") },
	{ .name = "cpu_usage_of_hosts",
	  .table = "cpu_usage",
	  .is_of_hosts = true,
	  .columns = "host TEXT, tid INTEGER, ns INTEGER, name TEXT, life INTEGER",
	  .column_count = 5,
	  .arguments = "t1, t2",
	  .argument_count = 2,
	  .text = CPU_USAGE("host, ", "t.host, ", " AND t.host = p.host", "*/CPUs/*/Current_thread") },
	{ .name = "interval_union",
	  .columns = "key, start INTEGER, \"end\" INTEGER",
	  .column_count = 3,
	  .arguments = "a",
	  .argument_count = 1,
	  .takes_statements = true,
	  /* An interval begins a new one if none of its key before it reaches the nanosecond before its start. */
	  .text = INTERVALS
	  "SELECT key, min(start), max(\"end\") FROM (SELECT *, sum(begins) OVER "
	  "(PARTITION BY key ORDER BY start, \"end\" ROWS UNBOUNDED PRECEDING) AS number FROM "
	  "(SELECT *, start - 1 > coalesce(max(\"end\") OVER (PARTITION BY key ORDER BY start, \"end\" "
	  "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), start - 2) AS begins FROM a)) "
	  "GROUP BY key, number" },
	{ .name = "interval_gaps",
	  .columns = "key, start INTEGER, \"end\" INTEGER",
	  .column_count = 3,
	  .arguments = "a",
	  .argument_count = 1,
	  .takes_statements = true,
	  .text = INTERVALS "SELECT key, reached + 1, start - 1 FROM (SELECT *, max(\"end\") OVER "
			    "(PARTITION BY key ORDER BY start, \"end\" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 "
			    "PRECEDING) AS reached FROM a) WHERE start - 1 > reached" },
	{ .name = "concurrency",
	  .columns = "key, start INTEGER, \"end\" INTEGER, count INTEGER",
	  .column_count = 4,
	  .arguments = "a",
	  .argument_count = 1,
	  .takes_statements = true,
	  .text = INTERVALS
	  "SELECT key, t, next - 1, count FROM (SELECT key, t, lead(t) OVER (PARTITION BY key ORDER "
	  "BY t) AS next, sum(sum(step)) OVER (PARTITION BY key ORDER BY t) AS count FROM (SELECT "
	  "key, start AS t, 1 AS step FROM a UNION ALL SELECT key, \"end\" + 1, -1 FROM a) GROUP BY "
	  "key, t) WHERE count > 0" },
	{ .name = "interval_join",
	  .columns = "key, start INTEGER, \"end\" INTEGER, a, b",
	  .column_count = 5,
	  .arguments = "first, second",
	  .argument_count = 2,
	  .takes_statements = true,
	  .is_join = true,
	  .text = "WITH a(key, start, \"end\", value) AS (SELECT * FROM (%s)), b(key, start, \"end\", value) AS "
		  "(SELECT "
		  "* FROM (%s)) SELECT 0 AS side, key, start, \"end\", value FROM a WHERE start <= \"end\" UNION "
		  "ALL "
		  "SELECT 1, key, start, \"end\", value FROM b WHERE start <= \"end\" ORDER BY key, start, side" },
	{ 0 },
};

struct statement_cursor {
	sqlite3_vtab_cursor base;
	sqlite3_stmt *statement; /* NULL: there are no rows */
	bool is_done;
	sqlite3_int64 row;
};

/* ---- for both ----------------------------------------------------------------------------------------- */

int sql_statement_connect(sqlite3 *db, void *module, int argument_count, const char *const *arguments,
			  sqlite3_vtab **out, char **message)
{
	const struct sql_statement_kind *kind = ((const struct sql_module *)module)->kind;
	struct sql_statement_table *table = calloc(1, sizeof(*table));
	(void)argument_count;
	(void)message;
	/* SQLite's own form, "a HIDDEN, b HIDDEN", of a list of names. */
	char *declaration = sqlite3_mprintf("CREATE TABLE x(%s", kind->columns);
	for (const char *at = kind->arguments; declaration != NULL && *at != '\0';) {
		int size = (int)strcspn(at, ",");
		char *longer = sqlite3_mprintf("%s, %.*s HIDDEN", declaration, size, at);
		sqlite3_free(declaration);
		declaration = longer;
		at += size;
		at += strspn(at, ", ");
	}
	char *whole = declaration == NULL ? NULL : sqlite3_mprintf("%s)", declaration);
	sqlite3_free(declaration);
	int code = table == NULL || whole == NULL ? SQLITE_NOMEM : sqlite3_declare_vtab(db, whole);
	sqlite3_free(whole);
	if (code == SQLITE_OK && (table->schema = sqlite3_mprintf("%s", arguments[1])) == NULL)
		code = SQLITE_NOMEM;
	if (code != SQLITE_OK) {
		free(table);
		return code;
	}
	table->db = db;
	table->kind = kind;
	*out = &table->base;
	return SQLITE_OK;
}

int sql_statement_disconnect(sqlite3_vtab *base)
{
	struct sql_statement_table *table = (struct sql_statement_table *)base;
	sqlite3_free(table->schema);
	free(table);
	return SQLITE_OK;
}

int sql_statement_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct sql_statement_kind *kind = ((const struct sql_statement_table *)base)->kind;
	int found = 0;
	for (int i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *asked = &info->aConstraint[i];
		int argument = asked->iColumn - kind->column_count;
		if (argument < 0)
			continue;
		if (!asked->usable || asked->op != SQLITE_INDEX_CONSTRAINT_EQ)
			return SQLITE_CONSTRAINT;
		info->aConstraintUsage[i].argvIndex = argument + 1;
		info->aConstraintUsage[i].omit = 1;
		found++;
	}
	if (found != kind->argument_count)
		return SQLITE_CONSTRAINT;
	info->estimatedCost = 1e6;
	info->estimatedRows = 1000;
	return SQLITE_OK;
}

int sql_statement_fail(struct sql_statement_table *table, int code)
{
	sqlite3_free(table->base.zErrMsg);
	table->base.zErrMsg = sqlite3_mprintf("%s: %s", table->kind->name, sqlite3_errmsg(table->db));
	return code;
}

static int refuse(struct sql_statement_table *table, const char *why)
{
	sqlite3_free(table->base.zErrMsg);
	table->base.zErrMsg = sqlite3_mprintf("%s: %s", table->kind->name, why);
	return SQLITE_ERROR;
}

static char *text_of(const struct sql_statement_table *table, sqlite3_value **arguments)
{
	const struct sql_statement_kind *kind = table->kind;
	if (!kind->takes_statements)
		return sqlite3_mprintf(kind->text, table->schema, table->schema, table->schema);
	return sqlite3_mprintf(kind->text, sqlite3_value_text(arguments[0]),
			       kind->argument_count > 1 ? sqlite3_value_text(arguments[1]) : NULL);
}

int sql_statement_prepare(struct sql_statement_table *table, int argument_count, sqlite3_value **arguments,
			  sqlite3_stmt **out)
{
	const char *rest = NULL;
	*out = NULL;
	for (int i = 0; i < argument_count; i++)
		if (sqlite3_value_type(arguments[i]) == SQLITE_NULL)
			return SQLITE_OK;
	char *text = text_of(table, arguments);
	if (text == NULL)
		return SQLITE_NOMEM;
	int code = sqlite3_prepare_v2(table->db, text, -1, out, &rest);
	if (code != SQLITE_OK) {
		code = sql_statement_fail(table, code);
	} else if (rest[strspn(rest, " \t\r\n;")] != '\0' || !sqlite3_stmt_readonly(*out)) {
		code = refuse(table, "an argument is to be one SELECT statement");
	}
	sqlite3_free(text);
	for (int i = 0; code == SQLITE_OK && !table->kind->takes_statements && i < argument_count; i++)
		code = sqlite3_bind_value(*out, i + 1, arguments[i]);
	return code;
}

/* ---- a statement's rows ------------------------------------------------------------------------------- */

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
	return sql_cursor_open(table, out, sizeof(struct statement_cursor), NULL);
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct statement_cursor *cursor = (struct statement_cursor *)base;
	sqlite3_finalize(cursor->statement);
	free(cursor);
	return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct statement_cursor *cursor = (struct statement_cursor *)base;
	int code = sqlite3_step(cursor->statement);
	cursor->is_done = code == SQLITE_DONE;
	cursor->row++;
	if (code != SQLITE_DONE && code != SQLITE_ROW)
		return sql_statement_fail((struct sql_statement_table *)base->pVtab, code);
	return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argument_count,
		  sqlite3_value **arguments)
{
	struct statement_cursor *cursor = (struct statement_cursor *)base;
	(void)number;
	(void)plan;
	sqlite3_finalize(cursor->statement);
	int code = sql_statement_prepare((struct sql_statement_table *)base->pVtab, argument_count, arguments,
					 &cursor->statement);
	cursor->is_done = cursor->statement == NULL;
	return code != SQLITE_OK || cursor->is_done ? code : next(base);
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	return ((struct statement_cursor *)base)->is_done;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	const struct statement_cursor *cursor = (const struct statement_cursor *)base;
	const struct sql_statement_table *table = (const struct sql_statement_table *)base->pVtab;
	if (number < table->kind->column_count) /* else it is an argument */
		sqlite3_result_value(context, sqlite3_column_value(cursor->statement, number));
	return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	*out = ((struct statement_cursor *)base)->row;
	return SQLITE_OK;
}

const sqlite3_module sql_statement_module = {
	.iVersion = 0,
	.xCreate = sql_statement_connect,
	.xConnect = sql_statement_connect,
	.xBestIndex = sql_statement_best_index,
	.xDisconnect = sql_statement_disconnect,
	.xDestroy = sql_statement_disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next,
	.xEof = is_at_end,
	.xColumn = column,
	.xRowid = row_id,
};
