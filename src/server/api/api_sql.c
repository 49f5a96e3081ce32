// SPDX-License-Identifier: MIT
/*
 * api_sql.c - a statement of SQL on a store, as `histree sql` runs it, for the page: its rows as they come, so
 * many at most, and for as long as the client waits.
 *
 * A statement may look and do nothing else (sql_extension_only_look()).  The events of a trace are read by the
 * server's rule of which traces may be.
 */
#include <stdlib.h>
#include <string.h>

#include "base/monotonic.h"
#include "base/sqlite.h"
#include "server/api/api.h"
#include "server/api/page_request.h"
#include "sql/sql_extension.h"

enum {
	SQL_ROWS_DEFAULT = 10000,
	SQL_ROWS_MAX = 100000,
	SQL_COLUMNS_MAX = 200,
	SQL_TEXT_MAX = 1 << 20,      /* bytes of a value, or of the statement */
	SQL_OPERATIONS = 100000,     /* of SQLite's machine, between two looks at whether somebody waits */
	SQL_CACHE = 32 << 20,        /* of the nodes of the store */
	SQL_HEAP_OF_ALL = 256 << 20, /* that statements take together, besides what they sort in files */
};
static const int64_t exact_max = INT64_C(1) << 53; /* of a browser's numbers */

struct sql_answer {
	sqlite3 *db;
	struct sql_connection *connection;
	sqlite3_stmt *statement;
	const struct dataset *dataset;
	struct histree_work work;
	int code; /* of the last step */
	int64_t limit, rows, began_ns;
};

static void sql_answer_release(void *state)
{
	struct sql_answer *answer = state;
	if (answer->statement != NULL)
		sqlite3_finalize(answer->statement);
	if (answer->db != NULL)
		sqlite3_close(answer->db);
}

/* SQLite asks now and then; returns 0 to go on. */
static int ends_sql(void *context)
{
	const struct histree_work *work = context;
	return work->go_on(work->context) ? 0 : 1;
}

/* Says what SQLite says, and where. */
static void refuse_sql(struct call *call, const struct sql_answer *answer)
{
	const int at = sqlite3_error_offset(answer->db);
	const char *message = sqlite3_errmsg(answer->db);
	if (sqlite3_errcode(answer->db) == SQLITE_AUTH)
		message = "A statement of the page may look at the store, and change or open nothing";
	if (at >= 0)
		reply_error(call->reply, HTTP_BAD_REQUEST, "%s, at character %d", message, at + 1);
	else
		reply_error(call->reply, HTTP_BAD_REQUEST, "%s", message);
}

static bool open_sql(struct call *call, struct sql_answer *answer)
{
	char *message = NULL;
	if (!reply_ok(call->reply, sqlite_load(&call->reply->error)))
		return false;
	/* An empty name is a temporary file: what a statement sorts need not fit into memory. */
	int code = sqlite3_open("", &answer->db);
	if (code == SQLITE_OK)
		code = sql_extension_add(answer->db, &answer->connection);
	if (code != SQLITE_OK)
		return reply_error(call->reply, HTTP_SERVER_ERROR, "out of memory");
	sqlite3_hard_heap_limit64(SQL_HEAP_OF_ALL);
	sqlite3_limit(answer->db, SQLITE_LIMIT_LENGTH, SQL_TEXT_MAX);
	sqlite3_limit(answer->db, SQLITE_LIMIT_COLUMN, SQL_COLUMNS_MAX);
	sql_connection_set_cancel(answer->connection, answer->work);
	sql_connection_set_cache(answer->connection, SQL_CACHE);
	sqlite3_progress_handler(answer->db, SQL_OPERATIONS, ends_sql, &answer->work);
	code = sql_attach(answer->db, answer->connection, answer->dataset->store_path, NULL, NULL, &message);
	if (code != SQLITE_OK)
		reply_error(call->reply, HTTP_SERVER_ERROR, "%s", message != NULL ? message : "out of memory");
	sqlite3_free(message);
	sql_extension_only_look(answer->db, answer->dataset->trace_events != NULL);
	return code == SQLITE_OK;
}

/* One statement, which gives rows. */
static bool prepare_sql(struct call *call, struct sql_answer *answer)
{
	const char *text = page_text(call, "statement"), *rest = NULL;
	if (sqlite3_prepare_v2(answer->db, text, -1, &answer->statement, &rest) != SQLITE_OK) {
		refuse_sql(call, answer);
		return false;
	}
	if (answer->statement == NULL)
		return reply_error(call->reply, HTTP_BAD_REQUEST, "There is no statement");
	if (rest[strspn(rest, " \t\r\n;")] != '\0')
		return reply_error(call->reply, HTTP_BAD_REQUEST,
				   "There are several statements: ask one at a time");
	return true;
}

static void write_sql_value(const struct sql_answer *answer, int column, struct json_writer *json)
{
	sqlite3_stmt *statement = answer->statement;
	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_INTEGER: {
		char text[24];
		const int64_t number = sqlite3_column_int64(statement, column);
		if (number > -exact_max && number < exact_max) {
			json_put_int(json, number);
			break;
		}
		sqlite3_snprintf(sizeof(text), text, "%lld", (sqlite3_int64)number);
		json_put_text(json, text);
		break;
	}
	case SQLITE_FLOAT:
		json_put_known(json, sqlite3_column_double(statement, column));
		break;
	case SQLITE_TEXT: {
		const char *text = (const char *)sqlite3_column_text(statement, column);
		json_put_string(json, text, (size_t)sqlite3_column_bytes(statement, column));
		break;
	}
	default: /* NULL, and bytes that only an analysis understands */
		json_put_null(json);
		break;
	}
}

/* What there is to say after the rows: `error` where they are not all, though more were asked for. */
static void end_sql(struct sql_answer *answer, struct json_writer *json)
{
	json_end(json);
	json_bool_member(json, "more", answer->code == SQLITE_ROW);
	if (answer->code == SQLITE_INTERRUPT)
		json_text_member(json, "error", "the statement took too long: ask for less, or of a shorter time");
	else if (answer->code == SQLITE_NOMEM || answer->code == SQLITE_TOOBIG)
		json_text_member(json, "error", "the statement takes more memory than there is");
	else if (answer->code != SQLITE_ROW && answer->code != SQLITE_DONE)
		json_text_member(json, "error", sqlite3_errmsg(answer->db));
	char *warnings = sql_connection_take_warnings(answer->connection);
	if (warnings != NULL)
		json_text_member(json, "warning", warnings);
	sqlite3_free(warnings);
	json_unsigned_member(json, "read", sql_connection_rows(answer->connection));
	json_int_member(json, "ns", monotonic_ns() - answer->began_ns);
	json_end(json);
}

static enum histree_status sql_next(void *state, struct json_writer *json, struct histree_error *error)
{
	struct sql_answer *answer = state;
	(void)error;
	for (; answer->code == SQLITE_ROW && answer->rows < answer->limit && json->out->size < PIECE_SIZE;
	     answer->rows++) {
		const int count = sqlite3_column_count(answer->statement);
		json_begin_array(json);
		for (int i = 0; i < count; i++)
			write_sql_value(answer, i, json);
		json_end(json);
		answer->code = sqlite3_step(answer->statement);
	}
	if (answer->code == SQLITE_ROW && answer->rows < answer->limit)
		return HISTREE_OK;
	end_sql(answer, json);
	return HISTREE_END;
}

static void begin_sql(struct sql_answer *answer, struct json_writer *json)
{
	json_begin_object(json);
	json_begin_array_member(json, "columns");
	for (int i = 0; i < sqlite3_column_count(answer->statement); i++) {
		const char *name = sqlite3_column_name(answer->statement, i);
		json_put_text(json, name != NULL ? name : "");
	}
	json_end(json);
	json_begin_array_member(json, "rows");
}

void api_sql(struct call *call)
{
	if (!page_dataset(call))
		return;
	struct sql_answer *answer = reply_memory(call->reply, 1, sizeof(*answer));
	if (answer == NULL)
		return;
	answer->dataset = call->dataset;
	answer->work = reply_cancel(call->reply);
	answer->began_ns = monotonic_ns();
	if (!page_number(call, "limit", 1, SQL_ROWS_MAX, SQL_ROWS_DEFAULT, &answer->limit) ||
	    !open_sql(call, answer) || !prepare_sql(call, answer)) {
		sql_answer_release(answer);
		return;
	}
	answer->code = sqlite3_step(answer->statement);
	begin_sql(answer, call->json);
	reply_steps(call->reply, &(struct reply_steps){ sql_next, sql_answer_release, answer });
}
