// SPDX-License-Identifier: MIT
/*
 * sql_extension.c - what histree adds to a connection of SQLite: a module for each relation, and functions.
 */
#include "sql/sql_extension.h"

#include <stdlib.h>

#include "base/number_text.h"
#include "histree/status.h"
#include "sql/sql_attach.h"
#include "sql/sql_statement.h"

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
	&sql_attributes, &sql_states,  &sql_state_at,  &sql_states_in, &sql_state_sums, &sql_rows,
	&sql_numbers,    &sql_threads, &sql_histogram, &sql_segments,  &sql_events,
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
