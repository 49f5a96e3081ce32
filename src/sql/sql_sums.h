/* SPDX-License-Identifier: MIT */
/*
 * sql_sums.h - state_sums(pattern, t1, t2): how long each attribute had each value in a range, in parts: the rows
 * of an attribute and value are to be added up.
 *
 * What is added up here need not be sorted by SQLite.  Sums are kept in bounded memory: when there are too many,
 * all of them become rows, and others begin.  So the rows are few for states that have few values, and exact for
 * any.
 */
#ifndef SQL_SQL_SUMS_H
#define SQL_SQL_SUMS_H

#include "base/sqlite.h"

extern const sqlite3_module sql_sums_module;

#endif
