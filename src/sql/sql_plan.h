/* SPDX-License-Identifier: MIT */
/*
 * sql_plan.h - what a table takes over from SQLite, in words: "quark = ? and start <= ?, in order of start".
 *
 * xBestIndex writes the plan, EXPLAIN QUERY PLAN shows it, and xFilter reads it: its terms are those of the
 * arguments, in their order, and narrow a selection (histree/selection.h) or a window (histree/window.h).  SQLite
 * checks every row against the constraints again, so that a term may be taken as far as it goes.
 */
#ifndef SQL_SQL_PLAN_H
#define SQL_SQL_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/sqlite.h"
#include "histree/selection.h"

enum sql_operator { SQL_NONE, SQL_EQUAL, SQL_IN, SQL_LESS, SQL_AT_MOST, SQL_GREATER, SQL_AT_LEAST, SQL_GLOB };

static inline bool sql_is_comparison(enum sql_operator operator)
{
	return operator== SQL_EQUAL ||(operator>= SQL_LESS && operator<= SQL_AT_LEAST);
}

/* ---- written ------------------------------------------------------------------------------------------ */

struct sql_plan {
	sqlite3_index_info *info;
	char text[512];
	size_t used;
	int arguments;
};

static inline struct sql_plan sql_plan(sqlite3_index_info *info)
{
	return (struct sql_plan){ .info = info };
}

/*
 * Returns what a constraint says of its column: an operator of those above, SQL_NONE for any other and for those
 * that cannot be used now.  Text is compared byte by byte, or the constraint is none of these.
 */
enum sql_operator sql_plan_operator(sqlite3_index_info *info, int constraint);

/* Take a constraint over.  Returns false if the plan has no room for it: it is not taken. */
bool sql_plan_take(struct sql_plan *plan, int constraint, const char *column, enum sql_operator operator);

/* Say in which order rows come, "start" or "start, downwards". */
void sql_plan_order(struct sql_plan *plan, const char *order);

/* Make the plan the one of SQLite.  Returns SQLITE_OK or SQLITE_NOMEM. */
int sql_plan_finish(const struct sql_plan *plan);

/* ---- read --------------------------------------------------------------------------------------------- */

struct sql_term {
	const char *column;
	size_t column_size;
	enum sql_operator operator;
};

/* Read the next term, and go behind it.  Returns false if there is none. */
bool sql_term_next(const char **plan, struct sql_term *out);

bool sql_term_is_of(const struct sql_term *term, const char *column);

/* ---- what it narrows ---------------------------------------------------------------------------------- */

/*
 * Narrow a window by "column operator value", where the column is the start or the end of what a table has, or a
 * number that is both.  A value that is not a number narrows nothing, and NULL leaves nothing, as it is with
 * comparisons of SQL.
 */
void sql_window_narrow(struct histree_window *window, enum sql_operator operator, sqlite3_value * value);

/* Select, instead of what was selected, what "quark operator value" or "path operator value" leaves, or more. */
enum histree_status sql_select_by_quark(struct histree_selection *selection, enum sql_operator operator,
					sqlite3_value * value, struct histree_error *error);
enum histree_status sql_select_by_path(struct histree_selection *selection, enum sql_operator operator,
				       sqlite3_value * value, struct histree_error *error);

/* Select what matches a pattern of histree (attributes.h); a pattern that matches nothing is no error. */
enum histree_status sql_select_by_pattern(struct histree_selection *selection, sqlite3_value *value,
					  struct histree_error *error);

/* Leave, of what was selected, what is of the hosts that "host operator value" names: the shards of others rest. */
enum histree_status sql_select_by_host(struct histree_selection *selection, enum sql_operator operator,
				       sqlite3_value * value, struct histree_error *error);

#endif
