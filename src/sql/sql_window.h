/* SPDX-License-Identifier: MIT */
/*
 * sql_window.h - comparisons of SQL as those of a window (histree/window.h).
 */
#ifndef SQL_SQL_WINDOW_H
#define SQL_SQL_WINDOW_H

#include "histree/window.h"
#include "sql/sql_plan.h"

/*
 * Narrow a window by "column operator value", where the column is the start or the end of what a table has, or a
 * number that is both.  A value that is not a number narrows nothing, and NULL leaves nothing, as it is with
 * comparisons of SQL.
 */
void sql_window_narrow(struct histree_window *window, enum sql_operator operator, sqlite3_value * value);

#endif
