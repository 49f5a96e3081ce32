/* SPDX-License-Identifier: MIT */
/*
 * sql_table.h - what every virtual table of a store begins with: CREATE VIRTUAL TABLE t USING histree_KIND(store,
 * analysis).
 */
#ifndef SQL_SQL_TABLE_H
#define SQL_SQL_TABLE_H

#include "sql/sql_store.h"

struct sql_table {
	sqlite3_vtab base; /* the first member */
	struct sql_store *store;
};

/* What of a connection a module is given as its pAux, for each kind of table. */
struct sql_module {
	struct sql_connection *connection; /* a share */
	const void *kind;                  /* means something to the module only */
};

/*
 * Finds what a kind of table shows in a store.  *declaration is the CREATE TABLE of its columns, made by
 * sqlite3_mprintf(); NULL: memory is out.
 */
typedef enum histree_status (*sql_table_opener)(struct sql_table *table, const struct sql_module *module,
						const char *analysis, char **declaration,
						struct histree_error *error);

/*
 * What xConnect does: make a zeroed table of `size` bytes, which begins with a struct sql_table, open the store
 * that the arguments of CREATE VIRTUAL TABLE name, and declare the columns.
 */
int sql_table_connect(sqlite3 *db, const struct sql_module *module, int argument_count,
		      const char *const *arguments, size_t size, sql_table_opener opener, sqlite3_vtab **out,
		      char **message);

/* xDisconnect and xDestroy of such a table. */
int sql_table_disconnect(sqlite3_vtab *table);

/* Opens what a cursor asks with. */
typedef enum histree_status (*sql_cursor_opener)(sqlite3_vtab *table, sqlite3_vtab_cursor *cursor,
						 struct histree_error *error);

/* What xOpen does: make a zeroed cursor of so many bytes.  `opener` may be NULL. */
int sql_cursor_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out, size_t size, sql_cursor_opener opener);

/*
 * The calls of SQLite for tables that are only read: a file of one kind of table has them under these names.  Those
 * that a client may refer to by row have a row_id; else it is NULL.
 */
#define SQL_TABLE_MODULE(disconnect_, row_id_)                                                                  \
	{                                                                                                       \
		.iVersion = 0, .xCreate = connect, .xConnect = connect, .xBestIndex = best_index,               \
		.xDisconnect = (disconnect_), .xDestroy = (disconnect_), .xOpen = open_cursor,                  \
		.xClose = close_cursor, .xFilter = filter, .xNext = next, .xEof = is_at_end, .xColumn = column, \
		.xRowid = (row_id_),                                                                            \
	}

/* Make an error of the library that of a table.  Returns what SQLite calls it. */
int sql_table_fail(sqlite3_vtab *table, const struct histree_error *error);

/* Make a sentence the error of a table.  Returns SQLITE_ERROR. */
int sql_table_refuse(sqlite3_vtab *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Make a value of the library the result.  Null and unknown are NULL. */
void sql_result_value(sqlite3_context *context, const struct histree_value *value);

#endif
