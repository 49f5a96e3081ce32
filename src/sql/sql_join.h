/* SPDX-License-Identifier: MIT */
/*
 * sql_join.h - interval_join(first, second): where an interval of each holds, with both values.
 *
 * Each statement gives key, start, end and a value.  The intervals of both come sorted by key and start; each
 * meets those of the other side that are open when it starts.  So a pair is found once, and what is kept is what
 * is open at one time.  Pieces of a key come in the order of their starts.
 */
#ifndef SQL_SQL_JOIN_H
#define SQL_SQL_JOIN_H

#include "base/sqlite.h"

extern const sqlite3_module sql_join_module; /* its kind is the struct sql_statement_kind that is a join */

#endif
