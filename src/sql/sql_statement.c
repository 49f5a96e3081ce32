// SPDX-License-Identifier: MIT
/*
 * sql_statement.c - table functions that are statements (sql_statement.h), and interval_join(), which sweeps over
 * one.
 */
#include "sql/sql_statement.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"

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

const struct sql_statement sql_statements[] = {
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
