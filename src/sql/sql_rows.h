/* SPDX-License-Identifier: MIT */
/*
 * sql_rows.h - rows(pattern, t1, t2, pixels): what a chart shows (rows.h), one row a pixel of an attribute.
 */
#ifndef SQL_SQL_ROWS_H
#define SQL_SQL_ROWS_H

#include "base/sqlite.h"

extern const sqlite3_module sql_rows_module;

#endif
