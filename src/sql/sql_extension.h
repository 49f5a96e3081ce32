/* SPDX-License-Identifier: MIT */
/*
 * sql_extension.h - what histree adds to a connection of SQLite: a module for each relation, functions, and the
 * tables of a store that is attached.
 *
 * 	histree_attach(path [, schema [, analysis]])
 * 					make the tables of a store (sql_extension.h); returns its path
 * 	histree_time(text)		a time as the command reads it, such as '+12.5ms' or '17:46:23.1', of the
 * 					store that was attached first; NULL if it is no time
 * 	histree_clock(ns)		a time of day, '17:46:23.100000000'
 * 	histree_date(ns)		date and time of day
 * 	histree_duration(ns)		a length of time with a unit, '1.500 ms'
 * 	histree_cache(bytes)		the node caches of each store that is opened from now on
 * 	histree_warnings()		what was wrong with answers since the last call, a line each; or NULL
 *
 * The loadable extension does so in sqlite3_histree_init(); the command calls sql_extension_add() itself.
 */
#ifndef SQL_SQL_EXTENSION_H
#define SQL_SQL_EXTENSION_H

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

/* Returns SQLITE_OK, or what SQLite calls the error.  *connection lives as long as `db`, and is not to be freed. */
int sql_extension_add(sqlite3 *db, struct sql_connection **connection);

/*
 * From now on a statement may read tables, call functions that open nothing, and list what there is; what would
 * write, attach or open something is not prepared, and the error is SQLITE_AUTH.  Nor are the events of the trace
 * read, unless `with_events`.
 */
void sql_extension_only_look(sqlite3 *db, bool with_events);

#endif
