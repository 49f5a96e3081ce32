/* SPDX-License-Identifier: MIT */
/*
 * sql_window.h - what constraints on the start and the end of intervals leave: those that end at `from` or later,
 * and start at `to` or earlier.
 *
 * That are the intervals that meet [from, to], and where `from` is after `to`, those that cover [to, from].
 */
#ifndef SQL_SQL_WINDOW_H
#define SQL_SQL_WINDOW_H

#include <stdint.h>

#include "sql/sql_plan.h"

struct sql_window {
	int64_t from, to;
	bool is_empty; /* no interval meets the constraints, whatever the times are */
};

#define SQL_WINDOW_ALL                             \
	(struct sql_window)                        \
	{                                          \
		.from = INT64_MIN, .to = INT64_MAX \
	}

/*
 * Narrow it by "column operator value", where the column is the start or the end of intervals, or a number that is
 * both.  A value that is not a number narrows nothing, and NULL leaves nothing, as it is with comparisons of SQL.
 */
void sql_window_narrow(struct sql_window *window, enum sql_operator operator, sqlite3_value * value);

/*
 * Make it one that a query can be asked for, of intervals between `start` and `end`: `from` is at most `to`.  What
 * meets the new one may be more.  Returns false if there is nothing to ask for.
 */
bool sql_window_fit(struct sql_window *window, int64_t start, int64_t end);

#endif
