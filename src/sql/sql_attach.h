/* SPDX-License-Identifier: MIT */
/*
 * sql_attach.h - the tables of a store in a schema of a connection.
 */
#ifndef SQL_SQL_ATTACH_H
#define SQL_SQL_ATTACH_H

#include "sql/sql_store.h"

/*
 * Make the tables of the store at `path`: in the schema `temp`, where they need no prefix, if `schema` is NULL,
 * else in a new one of that name, kept in memory.  `analysis` is the history whose tables have no suffix; NULL: the
 * default.
 *
 * In the schema `temp`, each history of a store that has several gets a schema of its own besides, named after its
 * analysis, if there is room for it: SQLite has ten.  Returns what SQLite calls the error; *message is to be freed
 * with sqlite3_free().
 */
int sql_attach(sqlite3 *db, struct sql_connection *connection, const char *path, const char *schema,
	       const char *analysis, char **message);

#endif
