// SPDX-License-Identifier: MIT
#include "sql/sql_extension.h"

#include <stdlib.h>

#include "histree/status.h"
#include "sql/sql_attributes.h"
#include "sql/sql_events.h"
#include "sql/sql_functions.h"
#include "sql/sql_histogram.h"
#include "sql/sql_join.h"
#include "sql/sql_numbers.h"
#include "sql/sql_rows.h"
#include "sql/sql_segments.h"
#include "sql/sql_statement.h"
#include "sql/sql_states.h"
#include "sql/sql_sums.h"
#include "sql/sql_table.h"
#include "sql/sql_threads.h"

static void forget_module(void *data)
{
	struct sql_module *module = data;
	sql_connection_leave(module->connection);
	free(module);
}

static int add_module(sqlite3 *db, struct sql_connection *connection, const char *name,
		      const sqlite3_module *functions, const void *kind)
{
	struct sql_module *module = malloc(sizeof(*module));
	if (module == NULL)
		return SQLITE_NOMEM;
	*module = (struct sql_module){ .connection = sql_connection_share(connection), .kind = kind };
	return sqlite3_create_module_v2(db, name, functions, module, forget_module);
}

static const struct {
	const char *name;
	const sqlite3_module *functions;
	const void *kind;
} modules[] = {
	{ "histree_attributes", &sql_attributes_module, NULL },
	{ "histree_states", &sql_states_module, &sql_states },
	{ "histree_state_at", &sql_states_module, &sql_state_at },
	{ "histree_states_in", &sql_states_module, &sql_states_in },
	{ "histree_state_sums", &sql_sums_module, NULL },
	{ "histree_rows", &sql_rows_module, NULL },
	{ "histree_numbers", &sql_numbers_module, NULL },
	{ "histree_threads", &sql_threads_module, NULL },
	{ "histree_histogram", &sql_histogram_module, NULL },
	{ "histree_segments", &sql_segments_module, NULL },
	{ "histree_events", &sql_events_module, NULL },
};

static int add_statements(sqlite3 *db, struct sql_connection *connection)
{
	int code = SQLITE_OK;
	for (const struct sql_statement_kind *kind = sql_statements; code == SQLITE_OK && kind->name != NULL;
	     kind++) {
		char *name = sqlite3_mprintf("histree_%s", kind->name);
		code = name == NULL ? SQLITE_NOMEM
				    : add_module(db, connection, name,
						 kind->is_join ? &sql_join_module : &sql_statement_module, kind);
		sqlite3_free(name);
	}
	return code;
}

int sql_extension_add(sqlite3 *db, struct sql_connection **out)
{
	struct sql_connection *connection = sql_connection_create();
	if (connection == NULL)
		return SQLITE_NOMEM;
	int code = SQLITE_OK;
	for (size_t i = 0; code == SQLITE_OK && i < sizeof(modules) / sizeof(*modules); i++)
		code = add_module(db, connection, modules[i].name, modules[i].functions, modules[i].kind);
	if (code == SQLITE_OK)
		code = add_statements(db, connection);
	if (code == SQLITE_OK)
		code = sql_functions_add(db, connection);
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
