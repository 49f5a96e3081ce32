// SPDX-License-Identifier: MIT
/*
 * sql_extension.c - what histree adds to a connection of SQLite: a module for each relation, functions, and the
 * tables of a store that is attached.
 *
 * The tables of a store are created by SQL: virtual tables, and ordinary ones for small contents.
 *
 * Some table functions are statements: their arguments go into a statement, whose rows they return.  An argument
 * is a value of the statement (?1, ?2, ...), or itself a statement, "SELECT key, start, end ...", whose text
 * replaces a %s: this is what interval algebra operates on.  interval_join() sweeps over one.
 */
#include "sql/sql_extension.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "base/table.h"
#include "histree/status.h"
#include "histree/store.h"
#include "sql/sql_store.h"
#include "sql/sql_table.h"

/* ---- sql statement ------------------------------------------------------------------------------------------- */

struct sql_statement {
	struct sql_relation relation; /* the first member */
	const char *table;            /* what it is called where it is made; NULL: as its relation */
	bool is_of_hosts;             /* for histories of several hosts... */
	bool is_of_one;               /* ... and for those of one; neither: for both */
	bool takes_statements;        /* each %s of the text is an argument; else the schema, up to thrice */
	const char *text;
};

struct statement_table {
	struct sql_table base;
	sqlite3 *db;
	char *schema;
};

struct statement_cursor {
	struct sql_cursor base;
	sqlite3_stmt *statement; /* NULL: there are no rows */
};

static const struct sql_statement *statement_of(const struct sql_cursor *cursor)
{
	return (const struct sql_statement *)sql_table_of(cursor)->relation;
}

/* ---- a statement for the arguments ---------------------------------------------------------------------- */

static enum histree_status open_statement(struct sql_table *base, const struct sql_origin *origin,
					  struct histree_error *error)
{
	struct statement_table *table = (struct statement_table *)base;
	table->db = origin->db;
	table->schema = sqlite3_mprintf("%s", origin->schema);
	return table->schema == NULL ? error_memory(error, "a table") : HISTREE_OK;
}

static void close_statement(struct sql_table *base)
{
	sqlite3_free(((struct statement_table *)base)->schema);
}

/* The failure of a statement becomes that of its table. */
static enum histree_status statement_fail(struct sql_cursor *cursor, int code, struct histree_error *error)
{
	cursor->code = code;
	return error_set(error, HISTREE_ERR_ARGUMENT, "%s: %s", sql_table_of(cursor)->relation->name,
			 sqlite3_errmsg(((const struct statement_table *)sql_table_of(cursor))->db));
}

static char *text_of(const struct sql_cursor *cursor)
{
	const struct sql_statement *kind = statement_of(cursor);
	const char *schema = ((const struct statement_table *)sql_table_of(cursor))->schema;
	if (!kind->takes_statements)
		return sqlite3_mprintf(kind->text, schema, schema, schema);
	return sqlite3_mprintf(kind->text, sqlite3_value_text(cursor->arguments[0]),
			       cursor->argument_count > 1 ? sqlite3_value_text(cursor->arguments[1]) : NULL);
}

/* If an argument is NULL, there are no rows. */
static enum histree_status start_statement(struct sql_cursor *base, struct histree_error *error)
{
	struct statement_cursor *cursor = (struct statement_cursor *)base;
	sqlite3_finalize(cursor->statement);
	cursor->statement = NULL;
	for (int i = 0; i < base->argument_count; i++)
		if (sqlite3_value_type(base->arguments[i]) == SQLITE_NULL)
			return HISTREE_END;
	char *text = text_of(base);
	if (text == NULL)
		return error_memory(error, "a statement");

	/* What would write, and what is more than one statement, is refused. */
	enum histree_status status = HISTREE_OK;
	const char *rest = NULL;
	int code = sqlite3_prepare_v2(((const struct statement_table *)sql_table_of(base))->db, text, -1,
				      &cursor->statement, &rest);
	if (code == SQLITE_OK &&
	    (rest[strspn(rest, " \t\r\n;")] != '\0' || !sqlite3_stmt_readonly(cursor->statement))) {
		status = error_set(error, HISTREE_ERR_ARGUMENT, "%s: an argument is to be one SELECT statement",
				   sql_table_of(base)->relation->name);
	} else {
		for (int i = 0;
		     code == SQLITE_OK && !statement_of(base)->takes_statements && i < base->argument_count; i++)
			code = sqlite3_bind_value(cursor->statement, i + 1, base->arguments[i]);
		status = code == SQLITE_OK ? HISTREE_OK : statement_fail(base, code, error);
	}

	sqlite3_free(text);
	return status;
}

static void end_statement(struct sql_cursor *base)
{
	sqlite3_finalize(((struct statement_cursor *)base)->statement);
}

static enum histree_status next_of_statement(struct sql_cursor *base, struct histree_error *error)
{
	int code = sqlite3_step(((struct statement_cursor *)base)->statement);
	if (code == SQLITE_ROW || code == SQLITE_DONE)
		return code == SQLITE_ROW ? HISTREE_OK : HISTREE_END;
	return statement_fail(base, code, error);
}

static void statement_cell(struct sql_cursor *base, sqlite3_context *context, int column)
{
	sqlite3_result_value(context, sqlite3_column_value(((struct statement_cursor *)base)->statement, column));
}

/* ---- interval_join --------------------------------------------------------------------------------------- */

/* Columns of the statement. */
enum { SIDE, KEY, FROM, TO, VALUE };

/* Columns of the table. */
enum { OUT_KEY, OUT_START, OUT_END, OUT_FIRST, OUT_SECOND };

struct open_interval {
	sqlite3_int64 end;
	sqlite3_value *value; /* a copy */
};

struct open_side {
	struct open_interval *intervals;
	size_t count, capacity;
};

struct join_cursor {
	struct statement_cursor base; /* gives the intervals of both sides in order */
	sqlite3_value *key;           /* of what is open; NULL: nothing is */
	struct open_side sides[2];

	/* The interval that the statement stands at, and which open one of the other side it meets now. */
	int side;
	sqlite3_int64 start, end;
	size_t meets;
};

static void clear_side(struct open_side *side)
{
	for (size_t i = 0; i < side->count; i++)
		sqlite3_value_free(side->intervals[i].value);
	side->count = 0;
}

static void forget_open(struct join_cursor *cursor)
{
	clear_side(&cursor->sides[0]);
	clear_side(&cursor->sides[1]);
	sqlite3_value_free(cursor->key);
	cursor->key = NULL;
}

static void end_join(struct sql_cursor *base)
{
	struct join_cursor *cursor = (struct join_cursor *)base;
	forget_open(cursor);
	free(cursor->sides[0].intervals);
	free(cursor->sides[1].intervals);
	end_statement(base);
}

/* 1 and 1.0 are the same key, as they are where SQLite sorts them. */
static bool is_same_key(sqlite3_value *a, sqlite3_value *b)
{
	int type = sqlite3_value_type(a), other = sqlite3_value_type(b);
	bool are_numbers = (type == SQLITE_INTEGER || type == SQLITE_FLOAT) &&
			   (other == SQLITE_INTEGER || other == SQLITE_FLOAT);
	if (type == SQLITE_INTEGER && other == SQLITE_INTEGER)
		return sqlite3_value_int64(a) == sqlite3_value_int64(b);
	if (are_numbers)
		return sqlite3_value_double(a) == sqlite3_value_double(b);
	if (type != other)
		return false;
	const void *bytes = sqlite3_value_blob(a), *others = sqlite3_value_blob(b);
	int size = sqlite3_value_bytes(a);
	return size == sqlite3_value_bytes(b) && (size == 0 || memcmp(bytes, others, (size_t)size) == 0);
}

static void drop_ended(struct open_side *side, sqlite3_int64 before)
{
	size_t kept = 0;
	for (size_t i = 0; i < side->count; i++) {
		if (side->intervals[i].end >= before)
			side->intervals[kept++] = side->intervals[i];
		else
			sqlite3_value_free(side->intervals[i].value);
	}
	side->count = kept;
}

/* The interval that the statement stands at becomes an open one. */
static enum histree_status keep_open(struct join_cursor *cursor, struct histree_error *error)
{
	struct open_side *side = &cursor->sides[cursor->side];
	sqlite3_value *value = sqlite3_value_dup(sqlite3_column_value(cursor->base.statement, VALUE));
	if (value == NULL || !array_reserve(&side->intervals, &side->capacity, side->count + 1)) {
		sqlite3_value_free(value);
		return error_memory(error, "intervals that are open");
	}
	side->intervals[side->count++] = (struct open_interval){ .end = cursor->end, .value = value };
	return HISTREE_OK;
}

/* Takes the next interval of either side, and ends what has ended before it starts. */
static enum histree_status take_interval(struct join_cursor *cursor, struct histree_error *error)
{
	sqlite3_stmt *statement = cursor->base.statement;
	enum histree_status status = next_of_statement(&cursor->base.base, error);
	if (status != HISTREE_OK)
		return status;
	sqlite3_value *key = sqlite3_column_value(statement, KEY);
	if (cursor->key == NULL || !is_same_key(cursor->key, key)) {
		forget_open(cursor);
		cursor->key = sqlite3_value_dup(key);
		if (cursor->key == NULL)
			return error_memory(error, "the key of intervals");
	}
	cursor->side = sqlite3_column_int(statement, SIDE);
	cursor->start = sqlite3_column_int64(statement, FROM);
	cursor->end = sqlite3_column_int64(statement, TO);
	drop_ended(&cursor->sides[0], cursor->start);
	drop_ended(&cursor->sides[1], cursor->start);
	cursor->meets = 0;
	return HISTREE_OK;
}

/* The first interval meets nothing. */
static enum histree_status start_join(struct sql_cursor *base, struct histree_error *error)
{
	forget_open((struct join_cursor *)base);
	enum histree_status status = start_statement(base, error);
	return status == HISTREE_OK ? take_interval((struct join_cursor *)base, error) : status;
}

static enum histree_status next_meeting(struct sql_cursor *base, struct histree_error *error)
{
	struct join_cursor *cursor = (struct join_cursor *)base;
	enum histree_status status = HISTREE_OK;
	cursor->meets++;
	while (status == HISTREE_OK && cursor->meets >= cursor->sides[1 - cursor->side].count) {
		status = keep_open(cursor, error);
		if (status == HISTREE_OK)
			status = take_interval(cursor, error);
	}
	return status;
}

static void join_cell(struct sql_cursor *base, sqlite3_context *context, int column)
{
	const struct join_cursor *cursor = (const struct join_cursor *)base;
	const struct open_interval *other = &cursor->sides[1 - cursor->side].intervals[cursor->meets];
	if (column == OUT_KEY)
		sqlite3_result_value(context, cursor->key);
	else if (column == OUT_START) /* of the two, this is the one that starts later */
		sqlite3_result_int64(context, cursor->start);
	else if (column == OUT_END)
		sqlite3_result_int64(context, cursor->end < other->end ? cursor->end : other->end);
	else
		sqlite3_result_value(context, column - OUT_FIRST == cursor->side
						      ? sqlite3_column_value(cursor->base.statement, VALUE)
						      : other->value);
}

/* ---- the table functions ---------------------------------------------------------------------------------- */

/* clang-format off */
#define KEY_AND_TIMES { SQL_SAID("key", "") }, { SQL_SAID("start", "INTEGER") }, { SQL_SAID("end", "INTEGER") }
#define OF_A_THREAD                                                                                          \
	{ SQL_SAID("tid", "INTEGER") }, { SQL_SAID("ns", "INTEGER") }, { SQL_SAID("name", "TEXT") },          \
	{ SQL_SAID("life", "INTEGER") }
#define RANGE { SQL_GIVEN("t1", SQL_TIME) }, { SQL_GIVEN("t2", SQL_TIME) }, { 0 }
/* clang-format on */

static const struct sql_column time_in_state_columns[] = {
	{ SQL_SAID("quark", "INTEGER") },  { SQL_SAID("path", "TEXT") },           { SQL_SAID("type", "TEXT") },
	{ SQL_SAID("value", "") },         { SQL_SAID("ns", "INTEGER") },          { SQL_SAID("label", "TEXT") },
	{ SQL_SAID("thread", "INTEGER") }, { SQL_GIVEN("pattern", SQL_ARGUMENT) }, RANGE,
};
static const struct sql_column cpu_usage_columns[] = { OF_A_THREAD, RANGE };
static const struct sql_column cpu_usage_of_hosts_columns[] = { { SQL_SAID("host", "TEXT") }, OF_A_THREAD, RANGE };
static const struct sql_column interval_columns[] = { KEY_AND_TIMES, { SQL_GIVEN("a", SQL_ARGUMENT) }, { 0 } };
static const struct sql_column concurrency_columns[] = {
	KEY_AND_TIMES,
	{ SQL_SAID("count", "INTEGER") },
	{ SQL_GIVEN("a", SQL_ARGUMENT) },
	{ 0 },
};
static const struct sql_column join_columns[] = {
	KEY_AND_TIMES,
	{ SQL_SAID("a", "") },
	{ SQL_SAID("b", "") },
	{ SQL_GIVEN("first", SQL_ARGUMENT) },
	{ SQL_GIVEN("second", SQL_ARGUMENT) },
	{ 0 },
};

#define RELATION(name_, columns_, required_, cursor_, start_, next_, cell_, end_)                        \
	{                                                                                                \
		.name = (name_), .is_of_no_store = true, .columns = (columns_), .required = (required_), \
		.rows = 1000, .cost = 1e6, .table_size = sizeof(struct statement_table),                 \
		.cursor_size = sizeof(cursor_), .open = open_statement, .close = close_statement,        \
		.start = (start_), .next = (next_), .cell = (cell_), .end = (end_),                      \
	}
#define STATEMENT(name, columns, required)                                                             \
	RELATION(name, columns, required, struct statement_cursor, start_statement, next_of_statement, \
		 statement_cell, end_statement)
#define JOIN(name, columns, required) \
	RELATION(name, columns, required, struct join_cursor, start_join, next_meeting, join_cell, end_join)

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

/* The last one has no text. */
static const struct sql_statement sql_statements[] = {
	{ .relation = STATEMENT("time_in_state", time_in_state_columns, 3),
	  .text = "SELECT quark, path, type, value, sum(ns), label, thread FROM \"%w\".state_sums(?1, ?2, ?3) "
		  "GROUP BY quark, type, value" },
	{ .relation = STATEMENT("cpu_usage", cpu_usage_columns, 2),
	  .is_of_one = true,
	  .text = CPU_USAGE("", "", "", "CPUs/*/Current_thread") },
	{ .relation = STATEMENT("cpu_usage_of_hosts", cpu_usage_of_hosts_columns, 2),
	  .table = "cpu_usage",
	  .is_of_hosts = true,
	  .text = CPU_USAGE("host, ", "t.host, ", " AND t.host = p.host", "*/CPUs/*/Current_thread") },
	{ .relation = STATEMENT("interval_union", interval_columns, 1),
	  .takes_statements = true,
	  /* An interval begins a new one if none of its key before it reaches the nanosecond before its start. */
	  .text = INTERVALS
	  "SELECT key, min(start), max(\"end\") FROM (SELECT *, sum(begins) OVER "
	  "(PARTITION BY key ORDER BY start, \"end\" ROWS UNBOUNDED PRECEDING) AS number FROM "
	  "(SELECT *, start - 1 > coalesce(max(\"end\") OVER (PARTITION BY key ORDER BY start, \"end\" "
	  "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), start - 2) AS begins FROM a)) "
	  "GROUP BY key, number" },
	{ .relation = STATEMENT("interval_gaps", interval_columns, 1),
	  .takes_statements = true,
	  .text = INTERVALS "SELECT key, reached + 1, start - 1 FROM (SELECT *, max(\"end\") OVER "
			    "(PARTITION BY key ORDER BY start, \"end\" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 "
			    "PRECEDING) AS reached FROM a) WHERE start - 1 > reached" },
	{ .relation = STATEMENT("concurrency", concurrency_columns, 1),
	  .takes_statements = true,
	  .text = INTERVALS
	  "SELECT key, t, next - 1, count FROM (SELECT key, t, lead(t) OVER (PARTITION BY key ORDER "
	  "BY t) AS next, sum(sum(step)) OVER (PARTITION BY key ORDER BY t) AS count FROM (SELECT "
	  "key, start AS t, 1 AS step FROM a UNION ALL SELECT key, \"end\" + 1, -1 FROM a) GROUP BY "
	  "key, t) WHERE count > 0" },
	{ .relation = JOIN("interval_join", join_columns, 2),
	  .takes_statements = true,
	  .text = "WITH a(key, start, \"end\", value) AS (SELECT * FROM (%s)), b(key, start, \"end\", value) AS "
		  "(SELECT "
		  "* FROM (%s)) SELECT 0 AS side, key, start, \"end\", value FROM a WHERE start <= \"end\" UNION "
		  "ALL "
		  "SELECT 1, key, start, \"end\", value FROM b WHERE start <= \"end\" ORDER BY key, start, side" },
	{ .text = NULL },
};

/* ---- sql attach ---------------------------------------------------------------------------------------------- */

/* A statement on its way: SQL that is made of parts, and run. */
struct attaching {
	sqlite3 *db;
	const char *path, *schema;
	const char *analysis; /* of the tables without a suffix; "": the default */
	struct sql_store *store;
	const struct histree_store_info *info;
	const struct histree_events *events; /* NULL: there is no index of them */
	char **message;
};

static int attach_run(const struct attaching *attaching, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *text = sqlite3_vmprintf(format, arguments);
	va_end(arguments);
	int code = text == NULL ? SQLITE_NOMEM : sqlite3_exec(attaching->db, text, NULL, NULL, attaching->message);
	sqlite3_free(text);
	return code;
}

/* Analyses have names such as "system-calls"; tables can be named without quotes. */
static char *table_name(const char *before, const char *analysis)
{
	char *name = sqlite3_mprintf("%s%s", before, analysis);
	for (char *at = name; at != NULL && *at != '\0'; at++)
		*at = *at == '-' ? '_' : *at;
	return name;
}

static int attach_make_table(const struct attaching *attaching, const char *before, const char *analysis,
			     const char *module, const char *argument)
{
	char *name = table_name(before, analysis);
	int code = name == NULL
			   ? SQLITE_NOMEM
			   : attach_run(attaching, "CREATE VIRTUAL TABLE \"%w\".\"%w\" USING histree_%s(%Q, %Q)",
					attaching->schema, name, module, attaching->path, argument);
	sqlite3_free(name);
	return code;
}

/*
 * A table that an analysis gives its name.  Any name will do for an analysis, but not for a table: there may be one
 * already, or SQLite keeps it for itself, as it does all that begin with "sqlite_".
 */
static int make_named(const struct attaching *attaching, const char *before, const char *analysis,
		      const char *module)
{
	char prefix[32], *ignored = NULL;
	struct attaching quiet = *attaching;
	quiet.message = &ignored;
	int code = attach_make_table(&quiet, before, analysis, module, analysis);
	sqlite3_free(ignored);
	if (code != SQLITE_ERROR)
		return code;
	snprintf(prefix, sizeof(prefix), "analysis_%s", before);
	return attach_make_table(attaching, prefix, analysis, module, analysis);
}

/* Tables of one history, without a suffix. */
static int make_tables_of_one(const struct attaching *attaching)
{
	static const char *const kinds[] = { "attributes", "states",  "state_at", "states_in", "state_sums",
					     "rows",       "numbers", "threads",  "time_use" };
	int code = SQLITE_OK;
	for (size_t i = 0; code == SQLITE_OK && i < sizeof(kinds) / sizeof(*kinds); i++)
		code = attach_make_table(attaching, "", kinds[i], kinds[i], attaching->analysis);
	return code;
}

/* After the tables that have names of ours. */
static int make_tables_by_name(const struct attaching *attaching)
{
	int code = SQLITE_OK;
	for (size_t i = 0; code == SQLITE_OK && i < attaching->info->history_count; i++) {
		const char *analysis = attaching->info->histories[i].analysis;
		code = make_named(attaching, "attributes_", analysis, "attributes");
		if (code == SQLITE_OK)
			code = make_named(attaching, "states_", analysis, "states");
	}
	for (size_t i = 0; code == SQLITE_OK && i < attaching->info->segments_count; i++)
		code = make_named(attaching, "", attaching->info->segments[i].analysis, "segments");
	return code;
}

static int make_statement_tables(const struct attaching *attaching)
{
	int code = SQLITE_OK;

	/* Whether the history of the tables without a suffix is of several hosts. */
	struct histree_history *history;
	struct histree_error error;
	size_t count;
	bool has_hosts = attaching->info->history_count > 0 &&
			 sql_store_history(attaching->store, attaching->analysis, &history, &error) == HISTREE_OK &&
			 histree_history_hosts(history, &count) != NULL;

	for (const struct sql_statement *kind = sql_statements; code == SQLITE_OK && kind->text != NULL; kind++)
		if ((kind->takes_statements || attaching->info->history_count > 0) &&
		    !(has_hosts ? kind->is_of_one : kind->is_of_hosts))
			code = attach_run(
				attaching, "CREATE VIRTUAL TABLE \"%w\".%s USING histree_%s", attaching->schema,
				kind->table != NULL ? kind->table : kind->relation.name, kind->relation.name);
	return code;
}

/* ---- what is small ------------------------------------------------------------------------------------ */

static int say(const struct attaching *attaching, const char *name, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *value = sqlite3_vmprintf(format, arguments);
	va_end(arguments);
	int code = value == NULL ? SQLITE_NOMEM
				 : attach_run(attaching, "INSERT INTO \"%w\".info VALUES(%Q, %s)",
					      attaching->schema, name, value);
	sqlite3_free(value);
	return code;
}

static int make_info(const struct attaching *attaching)
{
	const struct histree_store_info *info = attaching->info;
	int code = attach_run(attaching, "CREATE TABLE \"%w\".info(name TEXT, value)", attaching->schema);
	if (code == SQLITE_OK)
		code = say(attaching, "store", "%Q", info->path);
	if (code == SQLITE_OK)
		code = say(attaching, "made_by", "%Q", info->made_by);
	for (size_t i = 0; code == SQLITE_OK && i < info->trace_count; i++)
		code = say(attaching, "trace", "%Q", info->traces[i]);
	const struct {
		const char *name;
		long long value;
	} numbers[] = {
		{ "start", info->start },
		{ "end", info->end },
		{ "complete", info->complete },
		{ "events", (long long)info->event_count },
		{ "discarded_events", (long long)info->discarded_events },
		{ "discarded_packets", (long long)info->discarded_packets },
		{ "gaps", (long long)info->gap_count },
		{ "clock_steps_back", (long long)info->clock_steps_back },
	};
	for (size_t i = 0; code == SQLITE_OK && i < sizeof(numbers) / sizeof(*numbers); i++)
		code = say(attaching, numbers[i].name, "%lld", numbers[i].value);
	for (size_t i = 0; code == SQLITE_OK && i < info->warning_count; i++)
		code = say(attaching, "warning", "%Q", info->warnings[i]);
	return code;
}

static int make_analyses(const struct attaching *attaching)
{
	const struct histree_store_info *info = attaching->info;
	int code = attach_run(attaching,
			      "CREATE TABLE \"%w\".analyses(name TEXT, version INTEGER, kind TEXT, file TEXT)",
			      attaching->schema);
	for (size_t i = 0; code == SQLITE_OK && i < info->history_count; i++)
		code = attach_run(attaching, "INSERT INTO \"%w\".analyses VALUES(%Q, %u, 'states', %Q)",
				  attaching->schema, info->histories[i].analysis,
				  info->histories[i].analysis_version, info->histories[i].file);
	for (size_t i = 0; code == SQLITE_OK && i < info->segments_count; i++)
		code = attach_run(attaching, "INSERT INTO \"%w\".analyses VALUES(%Q, %u, 'segments', %Q)",
				  attaching->schema, info->segments[i].analysis, info->segments[i].analysis_version,
				  info->segments[i].file);
	return code;
}

static void bind_host(sqlite3_stmt *statement, const struct histree_store_info *info, size_t index)
{
	const struct histree_store_host *host = &info->hosts[index];
	const char *neighbour = host->neighbour != index ? info->hosts[host->neighbour].name : NULL;
	sqlite3_clear_bindings(statement); /* what is not bound is NULL */
	sqlite3_bind_text(statement, 1, host->name, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 2, host->folder, -1, SQLITE_STATIC);
	if (host->start <= host->end) {
		sqlite3_bind_int64(statement, 3, host->start);
		sqlite3_bind_int64(statement, 4, host->end);
	}
	sqlite3_bind_int64(statement, 5, (sqlite3_int64)host->event_count);
	if (host->clock != NULL) {
		sqlite3_bind_text(statement, 6, histree_clock_quality_name(host->clock->quality), -1,
				  SQLITE_STATIC);
		sqlite3_bind_double(statement, 7, histree_clock_slope(host->clock));
		sqlite3_bind_double(statement, 8, histree_clock_offset(host->clock));
		if (isfinite(host->clock->error))
			sqlite3_bind_double(statement, 9, host->clock->error);
		sqlite3_bind_text(statement, 10, neighbour, -1, SQLITE_STATIC);
	}
	sqlite3_bind_text(statement, 11, host->why, -1, SQLITE_STATIC);
}

/* For a store of one host the table is empty, so that statements work for both. */
static int make_hosts(const struct attaching *attaching)
{
	sqlite3_stmt *statement = NULL;
	int code = attach_run(
		attaching,
		"CREATE TABLE \"%w\".hosts(name TEXT, folder TEXT, start INTEGER, \"end\" INTEGER, events "
		"INTEGER, clock TEXT, slope REAL, offset REAL, error REAL, neighbour TEXT, missing TEXT)",
		attaching->schema);
	char *text = sqlite3_mprintf("INSERT INTO \"%w\".hosts VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
				     attaching->schema);
	if (code == SQLITE_OK)
		code = text == NULL ? SQLITE_NOMEM : sqlite3_prepare_v2(attaching->db, text, -1, &statement, NULL);
	sqlite3_free(text);
	for (size_t i = 0; code == SQLITE_OK && i < attaching->info->host_count; i++) {
		bind_host(statement, attaching->info, i);
		sqlite3_step(statement);
		code = sqlite3_reset(statement);
	}
	sqlite3_finalize(statement);
	return code;
}

static int make_gaps(const struct attaching *attaching)
{
	size_t count = 0, host_count = 0;
	const struct histree_gap *gaps =
		attaching->events == NULL ? NULL : histree_events_gaps(attaching->events, &count);
	const struct histree_event_host *hosts =
		attaching->events == NULL ? NULL : histree_events_hosts(attaching->events, &host_count);
	sqlite3_stmt *statement = NULL;
	int code = attach_run(
		attaching,
		"CREATE TABLE \"%w\".gaps(start INTEGER, \"end\" INTEGER, cpu INTEGER, events INTEGER%s)",
		attaching->schema, hosts != NULL ? ", host TEXT" : "");
	char *text = sqlite3_mprintf("INSERT INTO \"%w\".gaps VALUES(?, ?, nullif(?, -1), ?%s)", attaching->schema,
				     hosts != NULL ? ", ?" : "");
	if (code == SQLITE_OK)
		code = text == NULL ? SQLITE_NOMEM : sqlite3_prepare_v2(attaching->db, text, -1, &statement, NULL);
	sqlite3_free(text);
	for (size_t i = 0; code == SQLITE_OK && i < count; i++) {
		sqlite3_bind_int64(statement, 1, gaps[i].from);
		sqlite3_bind_int64(statement, 2, gaps[i].to);
		sqlite3_bind_int(statement, 3, gaps[i].cpu);
		sqlite3_bind_int64(statement, 4, (sqlite3_int64)gaps[i].events);
		if (hosts != NULL)
			sqlite3_bind_text(statement, 5, hosts[gaps[i].host].name, -1, SQLITE_STATIC);
		sqlite3_step(statement);
		code = sqlite3_reset(statement);
	}
	sqlite3_finalize(statement);
	return code;
}

/* ---- views ------------------------------------------------------------------------------------------- */

/*
 * What people know from Perfetto, of a store of one host: a view is what its parts say together whose analysis the
 * store has.  A thread is its row and which thread of that row it is; a track is the number of a thread, and for
 * spans of its process.  A number that was used again has the track of its last thread.  What is small and joined
 * by its number is MATERIALIZED, which SQLite makes an index for.
 */
#define UTID "quark + (life << 32) AS utid"
static const struct {
	const char *view, *analysis; /* NULL: any */
	const char *select;
} view_parts[] = {
	{ "thread", NULL,
	  "WITH few AS MATERIALIZED (SELECT " UTID ", tid, name, first AS start_ts, last AS end_ts, pid AS upid, "
	  "tid = pid AS is_main_thread FROM threads) SELECT * FROM few" },
	{ "process", NULL,
	  "WITH few AS MATERIALIZED (SELECT pid AS upid, pid, coalesce(max(name) FILTER (WHERE tid = pid), "
	  "min(name)) AS name, min(first) AS start_ts, max(last) AS end_ts, max(ppid) FILTER (WHERE tid = pid) "
	  "AS parent_upid FROM threads WHERE pid IS NOT NULL GROUP BY pid) SELECT * FROM few" },
	{ "thread_track", NULL,
	  "WITH few AS MATERIALIZED (SELECT tid AS id, max(quark + (life << 32)) AS utid FROM threads GROUP BY tid "
	  "UNION ALL SELECT tid + (pid << 32), max(quark + (life << 32)) FROM threads WHERE pid > 0 GROUP BY tid, "
	  "pid) SELECT * FROM few" },
	{ "thread_state", "kernel",
	  "SELECT s.start AS ts, s.duration AS dur, CASE WHEN s.value IN (2, 3, 4) THEN (SELECT c.value FROM "
	  "states_kernel c WHERE c.path = t.path || '/Current_cpu_rq' AND c.start <= s.start AND c.\"end\" >= "
	  "s.start) "
	  "END AS cpu, t." UTID ", CASE s.value WHEN 1 THEN 'S' WHEN 5 THEN 'R' WHEN 2 THEN 'Running' "
	  "WHEN 3 THEN 'Running' WHEN 4 THEN 'Running' END AS state FROM threads t JOIN states_kernel s "
	  "ON s.quark = t.quark AND s.start BETWEEN t.start AND t.\"end\" WHERE t.tid > 0 AND s.type = 'int'" },
	{ "sched", "kernel",
	  "WITH t AS MATERIALIZED (SELECT tid, start, \"end\", " UTID " FROM threads) "
	  "SELECT s.start AS ts, s.duration AS dur, CAST(substr(s.path, 6) AS INTEGER) AS cpu, t.utid "
	  "FROM states_kernel s JOIN t ON t.tid = s.value AND s.start BETWEEN t.start AND t.\"end\" "
	  "WHERE s.path GLOB 'CPUs/*/Current_thread' AND s.value > 0" },
	{ "sched_slice", "kernel", "SELECT * FROM sched" },
	{ "slice", "system-calls",
	  "SELECT start AS ts, duration AS dur, +tid AS track_id, 'syscall' AS category, 'sys_' || name AS name, "
	  "0 AS depth FROM system_calls" },
	{ "slice", "track-spans",
	  "SELECT start AS ts, duration AS dur, tid + (coalesce(pid, 0) << 32) AS track_id, category, name, "
	  "depth - 1 AS depth FROM track_spans" },
	{ "counter", "kernel",
	  "SELECT start AS ts, value, quark AS track_id FROM states_kernel WHERE path GLOB 'CPUs/*/Frequency' AND "
	  "value IS NOT NULL" },
	{ "counter", "counters",
	  "SELECT start AS ts, value, quark + (1 << 32) AS track_id FROM states_counters WHERE value IS NOT NULL" },
	{ "counter", "tracks",
	  "SELECT start AS ts, value, quark + (2 << 32) AS track_id FROM states_tracks WHERE path GLOB "
	  "'*Counters/*' "
	  "AND value IS NOT NULL" },
	{ "counter_track", "kernel",
	  "SELECT quark AS id, 'cpufreq' AS name, path, CAST(substr(path, 6) AS INTEGER) AS cpu FROM "
	  "attributes_kernel WHERE path GLOB 'CPUs/*/Frequency'" },
	{ "counter_track", "counters",
	  "SELECT quark + (1 << 32) AS id, name, path, NULL AS cpu FROM attributes_counters" },
	{ "counter_track", "tracks",
	  "SELECT quark + (2 << 32) AS id, name, path, NULL AS cpu FROM attributes_tracks WHERE path GLOB "
	  "'*Counters/*'" },
	{ "cpu_counter_track", "kernel", "SELECT * FROM counter_track WHERE cpu IS NOT NULL" },
};
#undef UTID

static bool has_analysis(const struct histree_store_info *info, const char *name)
{
	bool found = name == NULL;
	for (size_t i = 0; i < info->history_count; i++)
		found = found || strcmp(info->histories[i].analysis, name) == 0;
	for (size_t i = 0; i < info->segments_count; i++)
		found = found || strcmp(info->segments[i].analysis, name) == 0;
	return found;
}

/* A view whose name an analysis has taken is left out. */
static int make_views(const struct attaching *attaching)
{
	const size_t count = attaching->info->history_count > 0 && attaching->info->host_count == 0
				     ? sizeof(view_parts) / sizeof(*view_parts)
				     : 0;
	char *ignored = NULL;
	struct attaching quiet = *attaching;
	quiet.message = &ignored;
	int code = SQLITE_OK;
	for (size_t i = 0, next; i < count && code == SQLITE_OK; i = next) {
		char *text = NULL;
		for (next = i; next < count && strcmp(view_parts[next].view, view_parts[i].view) == 0; next++)
			if (code == SQLITE_OK && has_analysis(attaching->info, view_parts[next].analysis)) {
				char *longer =
					sqlite3_mprintf("%s%s%s", text != NULL ? text : "",
							text != NULL ? " UNION ALL " : "", view_parts[next].select);
				sqlite3_free(text);
				text = longer;
				code = text != NULL ? SQLITE_OK : SQLITE_NOMEM;
			}
		if (text != NULL)
			code = attach_run(&quiet, "CREATE VIEW \"%w\".%s AS %s", attaching->schema,
					  view_parts[i].view, text);
		code = code == SQLITE_ERROR ? SQLITE_OK : code;
		sqlite3_free(ignored);
		ignored = NULL;
		sqlite3_free(text);
	}
	return code;
}

/* ---- all of it ---------------------------------------------------------------------------------------- */

static int make_tables(const struct attaching *attaching)
{
	const struct histree_store_info *info = attaching->info;
	int code = info->history_count > 0 ? make_tables_of_one(attaching) : SQLITE_OK;
	if (code == SQLITE_OK && attaching->events != NULL)
		code = attach_make_table(attaching, "", "events", "events", "");
	if (code == SQLITE_OK && (attaching->events != NULL || info->segments_count > 0))
		code = attach_make_table(attaching, "", "histogram", "histogram", "");
	if (code == SQLITE_OK)
		code = make_statement_tables(attaching);
	if (code == SQLITE_OK)
		code = make_info(attaching);
	if (code == SQLITE_OK)
		code = make_analyses(attaching);
	if (code == SQLITE_OK)
		code = make_hosts(attaching);
	if (code == SQLITE_OK)
		code = make_gaps(attaching);
	if (code == SQLITE_OK)
		code = make_tables_by_name(attaching);
	return code == SQLITE_OK ? make_views(attaching) : code;
}

/*
 * Each history in a schema of its own, where its tables need no suffix either.  What has no room, or a name that is
 * taken, has its tables with a suffix as always: that is no error.
 */
static int make_schemas(const struct attaching *attaching)
{
	int code = SQLITE_OK;
	for (size_t i = 0;
	     code == SQLITE_OK && attaching->info->history_count > 1 && i < attaching->info->history_count; i++) {
		char *ignored = NULL, *name = table_name("", attaching->info->histories[i].analysis);
		struct attaching one = *attaching;
		one.schema = name;
		one.analysis = attaching->info->histories[i].analysis;
		one.message = &ignored;
		code = name == NULL ? SQLITE_NOMEM : SQLITE_OK;
		if (code == SQLITE_OK && attach_run(&one, "ATTACH ':memory:' AS \"%w\"", name) == SQLITE_OK) {
			one.message = attaching->message;
			code = make_tables_of_one(&one);
			if (code == SQLITE_OK)
				code = make_statement_tables(&one);
		}
		sqlite3_free(ignored);
		sqlite3_free(name);
	}
	return code;
}

/* What was made for nothing.  The message of the failure stays. */
static void forget_schema(const struct attaching *attaching)
{
	char *ignored = NULL;
	struct attaching quiet = *attaching;
	quiet.message = &ignored;
	attach_run(&quiet, "DETACH \"%w\"", attaching->schema);
	sqlite3_free(ignored);
}

int sql_attach(sqlite3 *db, struct sql_connection *connection, const char *path, const char *schema,
	       const char *analysis, char **message)
{
	struct histree_error error;
	struct histree_events *events = NULL;
	struct sql_store *store;
	*message = NULL;
	if (sql_store_share(connection, path, &store, &error) != HISTREE_OK) {
		*message = sqlite3_mprintf("%s", error.message);
		return SQLITE_ERROR;
	}
	/*
	 * A store may have no index of events, and one that cannot be read must not hinder questions about the
	 * rest.
	 */
	enum histree_status status = sql_store_events(store, &events, &error);
	if (status == HISTREE_ERR_MEMORY) {
		sql_store_leave(store);
		return SQLITE_NOMEM;
	}
	if (status != HISTREE_OK) {
		events = NULL;
		if (status != HISTREE_NOT_FOUND)
			sql_connection_warn(connection, "there is no table of events: %s", error.message);
	}
	const struct attaching attaching = {
		.db = db,
		.path = path,
		.schema = schema == NULL ? "temp" : schema,
		.analysis = analysis == NULL ? "" : analysis,
		.store = store,
		.info = sql_store_info(store),
		.events = events,
		.message = message,
	};
	int code = schema == NULL ? SQLITE_OK : attach_run(&attaching, "ATTACH ':memory:' AS \"%w\"", schema);
	bool has_schema = code == SQLITE_OK;
	if (code == SQLITE_OK)
		code = make_tables(&attaching);
	if (code == SQLITE_OK && schema == NULL)
		code = make_schemas(&attaching);
	if (code != SQLITE_OK && schema != NULL && has_schema)
		forget_schema(&attaching);
	if (code != SQLITE_OK && schema == NULL && *message != NULL && strstr(*message, "already exists") != NULL) {
		char *longer = sqlite3_mprintf(
			"%s: a store that was attached before has it; histree_attach(PATH, 'NAME') makes "
			"the tables of another one in a schema of that name",
			*message);
		if (longer != NULL) {
			sqlite3_free(*message);
			*message = longer;
		}
	}
	sql_store_leave(store);
	return code;
}

/* ---- functions ----------------------------------------------------------------------------------------- */

static void attach_store(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct sql_connection *connection = sqlite3_user_data(context);
	const char *path = (const char *)sqlite3_value_text(values[0]);
	const char *schema = count > 1 ? (const char *)sqlite3_value_text(values[1]) : NULL;
	const char *analysis = count > 2 ? (const char *)sqlite3_value_text(values[2]) : NULL;
	char *message = NULL;
	if (path == NULL) {
		sqlite3_result_error(context, "histree_attach() needs the path of a store", -1);
		return;
	}
	int code = sql_attach(sqlite3_context_db_handle(context), connection, path, schema, analysis, &message);
	if (code == SQLITE_OK)
		sqlite3_result_value(context, values[0]);
	else if (message != NULL)
		sqlite3_result_error(context, message, -1);
	else
		sqlite3_result_error_code(context, code);
	sqlite3_free(message);
}

static void read_time(sqlite3_context *context, int count, sqlite3_value **values)
{
	const struct sql_store *store = sql_connection_first(sqlite3_user_data(context));
	const char *text = (const char *)sqlite3_value_text(values[0]);
	int64_t time;
	(void)count;
	if (store == NULL) {
		sqlite3_result_error(context, "no store is attached; histree_attach(PATH) does it", -1);
		return;
	}
	const struct histree_store_info *info = sql_store_info(store);
	if (text != NULL && time_parse(text, info->start, info->end, &time))
		sqlite3_result_int64(context, time);
}

/* Puts a number of nanoseconds into words. */
static void result_words(sqlite3_context *context, sqlite3_value *value, size_t (*format)(int64_t ns, char *text))
{
	char text[TIME_TEXT_SIZE];
	if (sqlite3_value_numeric_type(value) == SQLITE_INTEGER)
		sqlite3_result_text(context, text, (int)format(sqlite3_value_int64(value), text), SQLITE_TRANSIENT);
}

static size_t format_duration(int64_t ns, char *text)
{
	return ns < 0 ? 0 : time_format_duration((uint64_t)ns, text);
}

static void clock_text(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count;
	result_words(context, values[0], time_format_clock);
}

static void date_text(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count;
	result_words(context, values[0], time_format_date);
}

static void duration_text(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count;
	result_words(context, values[0], format_duration);
}

static void cache(sqlite3_context *context, int count, sqlite3_value **values)
{
	sqlite3_int64 bytes = sqlite3_value_int64(values[0]);
	(void)count;
	if (bytes < 0)
		sqlite3_result_error(context, "a cache has a number of bytes", -1);
	else
		sql_connection_set_cache(sqlite3_user_data(context), (size_t)bytes);
}

static void warnings(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count;
	(void)values;
	char *text = sql_connection_take_warnings(sqlite3_user_data(context));
	if (text != NULL)
		sqlite3_result_text(context, text, -1, sqlite3_free);
}

/*
 * What changes the connection, or opens files, is for statements only, not for the triggers and views of a
 * database.
 */
static const struct {
	const char *name;
	int arguments, flags;
	void (*call)(sqlite3_context *context, int count, sqlite3_value **values);
} functions[] = {
	{ "histree_attach", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, attach_store },
	{ "histree_attach", 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, attach_store },
	{ "histree_attach", 3, SQLITE_UTF8 | SQLITE_DIRECTONLY, attach_store },
	{ "histree_time", 1, SQLITE_UTF8, read_time },
	{ "histree_clock", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, clock_text },
	{ "histree_date", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, date_text },
	{ "histree_duration", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, duration_text },
	{ "histree_cache", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, cache },
	{ "histree_warnings", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY, warnings },
};

static int add_functions(sqlite3 *db, struct sql_connection *connection)
{
	int code = SQLITE_OK;
	for (size_t i = 0; code == SQLITE_OK && i < sizeof(functions) / sizeof(*functions); i++)
		code = sqlite3_create_function_v2(db, functions[i].name, functions[i].arguments, functions[i].flags,
						  sql_connection_share(connection), functions[i].call, NULL, NULL,
						  sql_connection_leave);
	return code;
}

/* ---- modules ------------------------------------------------------------------------------------------- */

static void forget_module(void *data)
{
	struct sql_module *module = data;
	sql_connection_leave(module->connection);
	free(module);
}

static int add_module(sqlite3 *db, struct sql_connection *connection, const struct sql_relation *relation)
{
	struct sql_module *module = malloc(sizeof(*module));
	char *name = sqlite3_mprintf("histree_%s", relation->name);
	int code = SQLITE_NOMEM;
	if (module != NULL && name != NULL) {
		*module =
			(struct sql_module){ .connection = sql_connection_share(connection), .relation = relation };
		code = sqlite3_create_module_v2(db, name, &sql_module, module, forget_module);
	} else {
		free(module);
	}
	sqlite3_free(name);
	return code;
}

static const struct sql_relation *const relations[] = {
	&sql_attributes, &sql_states,  &sql_state_at, &sql_states_in, &sql_state_sums, &sql_rows,
	&sql_numbers,    &sql_threads, &sql_time_use, &sql_histogram, &sql_segments,   &sql_events,
};

int sql_extension_add(sqlite3 *db, struct sql_connection **out)
{
	struct sql_connection *connection = sql_connection_create();
	if (connection == NULL)
		return SQLITE_NOMEM;
	int code = SQLITE_OK;
	for (size_t i = 0; code == SQLITE_OK && i < sizeof(relations) / sizeof(*relations); i++)
		code = add_module(db, connection, relations[i]);
	for (const struct sql_statement *each = sql_statements; code == SQLITE_OK && each->text != NULL; each++)
		code = add_module(db, connection, &each->relation);
	if (code == SQLITE_OK)
		code = add_functions(db, connection);
	*out = code == SQLITE_OK ? connection : NULL;
	sql_connection_leave(connection);
	return code;
}

static bool is_one_of(const char *name, const char *const *names)
{
	for (; name != NULL && *names != NULL; names++)
		if (sqlite3_stricmp(name, *names) == 0)
			return true;
	return false;
}

/* Tables that are read from the trace, which the store names. */
static const char *of_events[] = { "events", "event_fields", NULL };

/* What SQLite lists, as pragmas and as tables that are called pragma_NAME. */
static const char *const listing[] = { "table_list",    "table_info",  "table_xinfo", "function_list",
				       "database_list", "module_list", NULL };

/* Whether a statement may do something; `denied` are tables that it may not read. */
static int may_look(void *denied, int action, const char *first, const char *second, const char *schema,
		    const char *trigger)
{
	static const char *const opening[] = { "histree_attach", "histree_cache", "load_extension", NULL };
	(void)schema;
	(void)trigger;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_READ:
		return denied != NULL && is_one_of(first, denied) ? SQLITE_DENY : SQLITE_OK;
	case SQLITE_FUNCTION:
		return is_one_of(second, opening) ? SQLITE_DENY : SQLITE_OK;
	case SQLITE_PRAGMA:
		return is_one_of(first, listing) ? SQLITE_OK : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

void sql_extension_only_look(sqlite3 *db, bool with_events)
{
	/* SQLite declares these tables when they are first read, as if it created them. */
	for (const char *const *name = listing; *name != NULL; name++) {
		char text[64];
		sqlite3_snprintf(sizeof(text), text, "SELECT 1 FROM pragma_%s LIMIT 0", *name);
		sqlite3_exec(db, text, NULL, NULL, NULL);
	}
	sqlite3_set_authorizer(db, may_look, with_events ? NULL : (void *)of_events);
}

/* The entry point; SQLite looks for the second name where none is given. */
HISTREE_API int sqlite3_histree_init(sqlite3 *db, char **message, const sqlite3_api_routines *api);

HISTREE_API int sqlite3_extension_init(sqlite3 *db, char **message, const sqlite3_api_routines *api);

int sqlite3_histree_init(sqlite3 *db, char **message, const sqlite3_api_routines *api)
{
	struct sql_connection *connection;
	(void)message;
	sqlite3_api = api;
	return sql_extension_add(db, &connection);
}

int sqlite3_extension_init(sqlite3 *db, char **message, const sqlite3_api_routines *api)
{
	return sqlite3_histree_init(db, message, api);
}
