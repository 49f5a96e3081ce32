/* SPDX-License-Identifier: MIT */
/*
 * sqlite.h - SQLite's interface, for code that is both in a loadable extension, which calls SQLite through a table
 * that it is handed, and in the command, which is linked with SQLite (SQLITE_CORE).
 */
#ifndef SQL_SQLITE_H
#define SQL_SQLITE_H

#include <sqlite3ext.h>

#ifndef SQLITE_CORE
extern const sqlite3_api_routines *sqlite3_api; /* defined by sql_extension.c */
#endif

#endif
