// SPDX-License-Identifier: MIT
/*
 * sqlite.c - how a program that is no extension comes by SQLite's table of functions: as an extension of each new
 * connection, for as long as it takes to open one.
 */
#include "base/sqlite.h"

#include <pthread.h>

#include "base/error.h"
#include "base/library.h"

enum { OLDEST = 3038000 };

const sqlite3_api_routines *sqlite3_api;

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

/* The header has macros of these names, for the table that is not there yet. */
#undef sqlite3_auto_extension
#undef sqlite3_cancel_auto_extension
#undef sqlite3_close
#undef sqlite3_libversion_number
#undef sqlite3_open

#define SQLITE_FUNCTIONS(F)                                                                          \
	F(sqlite3_, auto_extension) F(sqlite3_, cancel_auto_extension) F(sqlite3_, close)            \
	F(sqlite3_, libversion_number) F(sqlite3_, open)

static struct {
	SQLITE_FUNCTIONS(LIBRARY_POINTER)
} lib_sqlite;

static struct library sqlite =
	LIBRARY("libsqlite3.so.0", "SQL needs SQLite (Debian: libsqlite3-0)", SQLITE_FUNCTIONS, lib_sqlite);

static int take_table(sqlite3 *db, const char **message, const sqlite3_api_routines *table)
{
	(void)db;
	(void)message;
	sqlite3_api = table;
	return SQLITE_OK;
}

static enum histree_status ask_for_table(struct histree_error *error)
{
	sqlite3 *db = NULL;
	if (lib_sqlite.libversion_number() < OLDEST)
		return error_set(error, HISTREE_NOT_FOUND, "SQL needs SQLite 3.38 or later");
	lib_sqlite.auto_extension((void (*)(void))take_table);
	lib_sqlite.open(":memory:", &db);
	lib_sqlite.cancel_auto_extension((void (*)(void))take_table);
	lib_sqlite.close(db);
	return sqlite3_api != NULL ? HISTREE_OK : error_memory(error, "SQLite");
}

enum histree_status sqlite_load(struct histree_error *error)
{
	enum histree_status status = library_load(&sqlite, error);
	if (status != HISTREE_OK)
		return status;
	pthread_mutex_lock(&loading);
	if (sqlite3_api == NULL)
		status = ask_for_table(error);
	pthread_mutex_unlock(&loading);
	return status;
}
