// SPDX-License-Identifier: MIT
#include "sql/sql_table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* SQLite hands out arguments as they are written: 'it''s' or "it" or it. */
static char *without_quotes(const char *argument)
{
	char quote = argument[0];
	if (quote != '\'' && quote != '"')
		return sqlite3_mprintf("%s", argument);
	char *text = sqlite3_mprintf("%s", argument + 1);
	if (text == NULL)
		return NULL;
	char *to = text;
	for (const char *from = text; *from != '\0'; from++) {
		if (*from == quote && *++from != quote)
			break;
		*to++ = *from;
	}
	*to = '\0';
	return text;
}

static int fail(const struct histree_error *error, char **message)
{
	sqlite3_free(*message);
	*message = sqlite3_mprintf("%s", error->message);
	if (error->status == HISTREE_ERR_CANCELLED)
		return SQLITE_INTERRUPT;
	return error->status == HISTREE_ERR_MEMORY ? SQLITE_NOMEM : SQLITE_ERROR;
}

int sql_table_fail(sqlite3_vtab *table, const struct histree_error *error)
{
	return fail(error, &table->zErrMsg);
}

int sql_table_refuse(sqlite3_vtab *table, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	sqlite3_free(table->zErrMsg);
	table->zErrMsg = sqlite3_vmprintf(format, arguments);
	va_end(arguments);
	return SQLITE_ERROR;
}

/* After the names of the module, the schema and the table. */
enum { STORE = 3, ANALYSIS = 4 };

static enum histree_status open_table(struct sql_table *table, const struct sql_module *module, const char *path,
				      const char *analysis, sql_table_opener opener, char **declaration,
				      struct histree_error *error)
{
	enum histree_status status = sql_store_share(module->connection, path, &table->store, error);
	return status == HISTREE_OK ? opener(table, module, analysis, declaration, error) : status;
}

int sql_table_connect(sqlite3 *db, const struct sql_module *module, int argument_count,
		      const char *const *arguments, size_t size, sql_table_opener opener, sqlite3_vtab **out,
		      char **message)
{
	struct histree_error error;
	if (argument_count <= STORE) {
		*message = sqlite3_mprintf(
			"%s needs the path of a store; histree_attach(PATH) makes all tables of one", arguments[0]);
		return SQLITE_ERROR;
	}
	struct sql_table *table = calloc(1, size);
	char *path = without_quotes(arguments[STORE]), *declaration = NULL;
	char *analysis = without_quotes(argument_count > ANALYSIS ? arguments[ANALYSIS] : "");
	int code = table == NULL || path == NULL || analysis == NULL ? SQLITE_NOMEM : SQLITE_OK;
	if (code == SQLITE_OK &&
	    open_table(table, module, path, analysis, opener, &declaration, &error) != HISTREE_OK)
		code = fail(&error, message);
	if (code == SQLITE_OK)
		code = declaration == NULL ? SQLITE_NOMEM : sqlite3_declare_vtab(db, declaration);
	sqlite3_free(path);
	sqlite3_free(analysis);
	sqlite3_free(declaration);
	if (code == SQLITE_OK)
		*out = &table->base;
	else if (table != NULL)
		sql_table_disconnect(&table->base);
	return code;
}

int sql_table_disconnect(sqlite3_vtab *base)
{
	struct sql_table *table = (struct sql_table *)base;
	sql_store_leave(table->store);
	free(table);
	return SQLITE_OK;
}

int sql_cursor_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out, size_t size, sql_cursor_opener opener)
{
	struct histree_error error;
	sqlite3_vtab_cursor *cursor = calloc(1, size);
	if (cursor == NULL)
		return SQLITE_NOMEM;
	if (opener != NULL && opener(table, cursor, &error) != HISTREE_OK) {
		free(cursor);
		return sql_table_fail(table, &error);
	}
	*out = cursor;
	return SQLITE_OK;
}

void sql_result_value(sqlite3_context *context, const struct histree_value *value)
{
	switch (value->type) {
	case HISTREE_INT:
		sqlite3_result_int(context, value->int32);
		break;
	case HISTREE_LONG:
		sqlite3_result_int64(context, value->int64);
		break;
	case HISTREE_DOUBLE:
		sqlite3_result_double(context, value->real);
		break;
	case HISTREE_BOOL:
		sqlite3_result_int(context, value->boolean);
		break;
	case HISTREE_STRING:
		sqlite3_result_text64(context, value->bytes, value->size, SQLITE_TRANSIENT, SQLITE_UTF8);
		break;
	case HISTREE_CUSTOM:
		sqlite3_result_blob64(context, value->bytes, value->size, SQLITE_TRANSIENT);
		break;
	default: /* null, and what nobody knows */
		sqlite3_result_null(context);
		break;
	}
}
