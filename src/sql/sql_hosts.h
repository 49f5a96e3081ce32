/* SPDX-License-Identifier: MIT */
/*
 * sql_hosts.h - the column `host` of what a history of several hosts shows.  One of a single host has none.
 */
#ifndef SQL_SQL_HOSTS_H
#define SQL_SQL_HOSTS_H

#include "base/sqlite.h"
#include "histree/history.h"

static inline bool sql_has_hosts(const struct histree_history *history)
{
	size_t count;
	return histree_history_hosts(history, &count) != NULL;
}

/*
 * Put the column last: before the key that ends a CREATE TABLE, or else before its last parenthesis.  Takes the
 * declaration, which is one of sqlite3_mprintf(), and returns another; NULL: memory is out.
 */
char *sql_hosts_declare(const struct histree_history *history, char *declaration);

/* Make the name of the host of an attribute the result; NULL where there is one. */
void sql_hosts_result(sqlite3_context *context, const struct histree_history *history, histree_quark quark);

#endif
