/* SPDX-License-Identifier: MIT */
/*
 * sql_numbers.h - numbers(pattern, t1, t2): the least, the greatest and the mean number of each attribute over a
 * range, exact, and from the overview of numbers where the history has one (lookup.h).
 */
#ifndef SQL_SQL_NUMBERS_H
#define SQL_SQL_NUMBERS_H

#include "base/sqlite.h"

extern const sqlite3_module sql_numbers_module;

#endif
