/* SPDX-License-Identifier: MIT */
/*
 * sql_extension.h - what histree adds to a connection of SQLite: the modules of its tables, and its functions.
 *
 * The loadable extension does so in sqlite3_histree_init(); the command calls sql_extension_add() itself.
 */
#ifndef SQL_SQL_EXTENSION_H
#define SQL_SQL_EXTENSION_H

#include "sql/sql_store.h"

/* Returns SQLITE_OK, or what SQLite calls the error.  *connection lives as long as `db`, and is not to be freed. */
int sql_extension_add(sqlite3 *db, struct sql_connection **connection);

#endif
