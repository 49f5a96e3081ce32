// SPDX-License-Identifier: MIT
#include "sql/sql_functions.h"

#include "base/time_text.h"
#include "sql/sql_attach.h"

static void attach(sqlite3_context *context, int count, sqlite3_value **values)
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

/* Put a number of nanoseconds into words. */
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
	{ "histree_attach", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, attach },
	{ "histree_attach", 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, attach },
	{ "histree_attach", 3, SQLITE_UTF8 | SQLITE_DIRECTONLY, attach },
	{ "histree_time", 1, SQLITE_UTF8, read_time },
	{ "histree_clock", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, clock_text },
	{ "histree_date", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, date_text },
	{ "histree_duration", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, duration_text },
	{ "histree_cache", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, cache },
	{ "histree_warnings", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY, warnings },
};

int sql_functions_add(sqlite3 *db, struct sql_connection *connection)
{
	int code = SQLITE_OK;
	for (size_t i = 0; code == SQLITE_OK && i < sizeof(functions) / sizeof(*functions); i++)
		code = sqlite3_create_function_v2(db, functions[i].name, functions[i].arguments, functions[i].flags,
						  sql_connection_share(connection), functions[i].call, NULL, NULL,
						  sql_connection_leave);
	return code;
}
