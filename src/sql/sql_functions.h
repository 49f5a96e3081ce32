/* SPDX-License-Identifier: MIT */
/*
 * sql_functions.h - the functions of SQL that histree adds, besides its tables.
 *
 *	histree_attach(path [, schema [, analysis]])
 *					make the tables of a store (sql_attach.h); returns its path
 *	histree_time(text)		a time as the command reads it, such as '+12.5ms' or '17:46:23.1', of the
 *					store that was attached first; NULL if it is none
 *	histree_clock(ns)		a time of day, '17:46:23.100000000'
 *	histree_date(ns)		date and time of day
 *	histree_duration(ns)		a length of time with a unit, '1.500 ms'
 *	histree_cache(bytes)		the node caches of each store that is opened from now on
 *	histree_warnings()		what was wrong with answers since the last call, a line each; or NULL
 */
#ifndef SQL_SQL_FUNCTIONS_H
#define SQL_SQL_FUNCTIONS_H

#include "sql/sql_store.h"

int sql_functions_add(sqlite3 *db, struct sql_connection *connection);

#endif
