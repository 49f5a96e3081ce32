// SPDX-License-Identifier: MIT
#include "sql/sql_join.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sql/sql_statement.h"
#include "sql/sql_table.h"

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
	sqlite3_vtab_cursor base;
	sqlite3_stmt *statement;
	sqlite3_value *key; /* of what is open; NULL: nothing is */
	struct open_side sides[2];

	/* The interval that the statement stands at, and which open one of the other side it meets now. */
	int side;
	sqlite3_int64 start, end;
	size_t meets;
	bool is_done;
	sqlite3_int64 row;
};

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
	return sql_cursor_open(table, out, sizeof(struct join_cursor), NULL);
}

static void clear(struct open_side *side)
{
	for (size_t i = 0; i < side->count; i++)
		sqlite3_value_free(side->intervals[i].value);
	side->count = 0;
}

static void forget(struct join_cursor *cursor)
{
	clear(&cursor->sides[0]);
	clear(&cursor->sides[1]);
	sqlite3_value_free(cursor->key);
	cursor->key = NULL;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct join_cursor *cursor = (struct join_cursor *)base;
	forget(cursor);
	free(cursor->sides[0].intervals);
	free(cursor->sides[1].intervals);
	sqlite3_finalize(cursor->statement);
	free(cursor);
	return SQLITE_OK;
}

/* 1 and 1.0 are the same key, as they are where SQLite sorts them. */
static bool is_same(sqlite3_value *a, sqlite3_value *b)
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
static int keep(struct join_cursor *cursor)
{
	struct open_side *side = &cursor->sides[cursor->side];
	sqlite3_value *value = sqlite3_value_dup(sqlite3_column_value(cursor->statement, VALUE));
	if (value == NULL || !array_reserve(&side->intervals, &side->capacity, side->count + 1)) {
		sqlite3_value_free(value);
		return SQLITE_NOMEM;
	}
	side->intervals[side->count++] = (struct open_interval){ .end = cursor->end, .value = value };
	return SQLITE_OK;
}

/* Take the next interval of either side, and end what has ended before it starts. */
static int take(struct join_cursor *cursor)
{
	int code = sqlite3_step(cursor->statement);
	if (code != SQLITE_ROW)
		return code;
	sqlite3_value *key = sqlite3_column_value(cursor->statement, KEY);
	if (cursor->key == NULL || !is_same(cursor->key, key)) {
		forget(cursor);
		cursor->key = sqlite3_value_dup(key);
		if (cursor->key == NULL)
			return SQLITE_NOMEM;
	}
	cursor->side = sqlite3_column_int(cursor->statement, SIDE);
	cursor->start = sqlite3_column_int64(cursor->statement, FROM);
	cursor->end = sqlite3_column_int64(cursor->statement, TO);
	drop_ended(&cursor->sides[0], cursor->start);
	drop_ended(&cursor->sides[1], cursor->start);
	cursor->meets = 0;
	return SQLITE_ROW;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct join_cursor *cursor = (struct join_cursor *)base;
	struct sql_statement_table *table = (struct sql_statement_table *)base->pVtab;
	cursor->row++;
	cursor->meets++;
	while (cursor->meets >= cursor->sides[1 - cursor->side].count) {
		int code = keep(cursor);
		if (code == SQLITE_OK)
			code = take(cursor);
		cursor->is_done = code == SQLITE_DONE;
		if (code != SQLITE_ROW)
			return cursor->is_done ? SQLITE_OK : sql_statement_fail(table, code);
	}
	return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argument_count,
		  sqlite3_value **arguments)
{
	struct join_cursor *cursor = (struct join_cursor *)base;
	struct sql_statement_table *table = (struct sql_statement_table *)base->pVtab;
	(void)number;
	(void)plan;
	forget(cursor);
	sqlite3_finalize(cursor->statement);
	int code = sql_statement_prepare(table, argument_count, arguments, &cursor->statement);
	cursor->is_done = cursor->statement == NULL;
	if (code != SQLITE_OK || cursor->is_done)
		return code;
	code = take(cursor);
	cursor->is_done = code == SQLITE_DONE;
	if (code != SQLITE_ROW)
		return cursor->is_done ? SQLITE_OK : sql_statement_fail(table, code);
	return next(base); /* the first interval meets nothing */
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	return ((struct join_cursor *)base)->is_done;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	const struct join_cursor *cursor = (const struct join_cursor *)base;
	const struct open_interval *other = &cursor->sides[1 - cursor->side].intervals[cursor->meets];
	switch (number) {
	case OUT_KEY:
		sqlite3_result_value(context, cursor->key);
		break;
	case OUT_START: /* of the two, this is the one that starts later */
		sqlite3_result_int64(context, cursor->start);
		break;
	case OUT_END:
		sqlite3_result_int64(context, cursor->end < other->end ? cursor->end : other->end);
		break;
	case OUT_FIRST:
	case OUT_SECOND:
		sqlite3_result_value(context, number - OUT_FIRST == cursor->side
						      ? sqlite3_column_value(cursor->statement, VALUE)
						      : other->value);
		break;
	default:
		break;
	}
	return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	*out = ((struct join_cursor *)base)->row;
	return SQLITE_OK;
}

const sqlite3_module sql_join_module = {
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
