// SPDX-License-Identifier: MIT
/*
 * sql_time_use.c - time_use(t1, t2, by, expression): where the time of threads went, the rows of `histree top`
 * (histree/time_use.h), in its order.
 */
#include <string.h>

#include "base/error.h"
#include "histree/time_use.h"
#include "sql/sql_table.h"

enum { T1, T2, BY, EXPRESSION };

struct time_use_cursor {
	struct sql_cursor base;
	struct histree_time_use *use;
	size_t count;
};

SQL_CURSOR(time_use)

static void end_time_use(struct sql_cursor *base)
{
	histree_time_use_free(time_use_of(base)->use);
	time_use_of(base)->use = NULL;
}

static const char *text_argument(const struct sql_cursor *base, int number)
{
	return base->argument_count > number ? (const char *)sqlite3_value_text(base->arguments[number]) : NULL;
}

static enum histree_status start_time_use(struct sql_cursor *base, struct histree_error *error)
{
	struct time_use_cursor *cursor = time_use_of(base);
	const char *by = text_argument(base, BY);
	struct histree_time_use_request request = {
		.from = sqlite3_value_int64(base->arguments[T1]),
		.to = sqlite3_value_int64(base->arguments[T2]),
		.by = HISTREE_BY(THREAD),
		.where = text_argument(base, EXPRESSION),
		.work = sql_cursor_cancel(base),
	};
	end_time_use(base);
	base->row = NULL;
	if (sqlite3_value_type(base->arguments[T1]) == SQLITE_NULL ||
	    sqlite3_value_type(base->arguments[T2]) == SQLITE_NULL)
		return HISTREE_END;
	enum histree_status status = by != NULL ? histree_use_keys_read(by, &request.by, error) : HISTREE_OK;
	if (status == HISTREE_OK)
		status = histree_time_use_create(sql_table_of(base)->history, &request, &cursor->use, error);
	if (status != HISTREE_OK)
		return status;
	if (histree_time_use_loss(cursor->use).nodes > 0)
		sql_cursor_warn(base);
	return HISTREE_OK;
}

/* All rows are there at once. */
static enum histree_status next_time_use(struct sql_cursor *base, struct histree_error *error)
{
	struct time_use_cursor *cursor = time_use_of(base);
	(void)error;
	if (base->row != NULL)
		return HISTREE_END;
	base->row = (const char *)histree_time_use_rows(cursor->use, &cursor->count);
	base->left = cursor->count > 0 ? cursor->count - 1 : 0;
	return cursor->count > 0 ? HISTREE_OK : HISTREE_END;
}

static uint64_t time_of_row(const struct histree_use_row *row)
{
	uint64_t ns = 0;
	for (size_t i = 0; i < HISTREE_USE_COUNT; i++)
		ns += row->ns[i];
	return ns;
}

enum { HOST, NAME = 3, STATE = 5, ALL_NS = 16 }; /* of time_use_columns */

/* A cell that does not apply stays NULL. */

static void time_use_cell(struct sql_cursor *base, sqlite3_context *context, int column)
{
	const struct histree_use_row *row = (const void *)base->row;
	const struct histree_value *name = &row->keys[HISTREE_USE_BY_NAME],
				   *state = &row->keys[HISTREE_USE_BY_STATE];
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(sql_table_of(base)->history, &count);
	if (column == HOST && hosts != NULL)
		sqlite3_result_text(context, hosts[row->host].name, -1, SQLITE_TRANSIENT);
	else if (column == NAME && name->type != HISTREE_NULL)
		sql_result_value(context, name);
	else if (column == NAME && *row->name != '\0')
		sqlite3_result_text(context, row->name, -1, SQLITE_TRANSIENT);
	else if (column == STATE && state->type == HISTREE_INT)
		sqlite3_result_text(context, histree_use_name((enum histree_use)state->int32), -1, SQLITE_STATIC);
	else if (column == ALL_NS)
		sql_result_uint64(context, time_of_row(row));
}

#define AT(member) offsetof(struct histree_use_row, member)
#define KEY(name, type, key)                                                      \
	{                                                                         \
		SQL_COLUMN(name, type, SQL_VALUE, AT(keys[HISTREE_USE_BY_##key])) \
	}
#define NS(name, state)                                                              \
	{                                                                            \
		SQL_COLUMN(name, "INTEGER", SQL_UINT64, AT(ns[HISTREE_USE_##state])) \
	}

static const struct sql_column time_use_columns[] = {
	{ SQL_SAID("host", "TEXT") },
	KEY("thread", "INTEGER", THREAD),
	KEY("process", "INTEGER", PROCESS),
	{ SQL_SAID("name", "TEXT") },
	KEY("cpu", "INTEGER", CPU),
	{ SQL_SAID("state", "TEXT") },
	KEY("system_call", "TEXT", SYSTEM_CALL),
	KEY("had_by", "INTEGER", HAD_BY),
	NS("user", USER),
	NS("system", SYSTEM),
	NS("interrupted", INTERRUPTED),
	NS("idle", IDLE),
	NS("waiting", WAITING),
	NS("blocked", BLOCKED),
	NS("other", OTHER),
	NS("unknown", UNKNOWN),
	{ SQL_SAID("ns", "INTEGER") },
	{ SQL_COLUMN("count", "INTEGER", SQL_UINT64, AT(count)) },
	{ SQL_GIVEN("t1", SQL_TIME) },
	{ SQL_GIVEN("t2", SQL_TIME) },
	{ SQL_GIVEN("by", SQL_ARGUMENT) },
	{ SQL_GIVEN("expression", SQL_ARGUMENT) },
	{ 0 },
};

#undef AT
#undef KEY
#undef NS

const struct sql_relation sql_time_use = {
	.name = "time_use",
	.is_of_history = true,
	.columns = time_use_columns,
	.required = 2,
	.rows = 100,
	.cost = 1e5,
	.cursor_size = sizeof(struct time_use_cursor),
	.row_size = sizeof(struct histree_use_row),
	.end = end_time_use,
	.start = start_time_use,
	.next = next_time_use,
	.cell = time_use_cell,
};
