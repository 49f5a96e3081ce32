/* SPDX-License-Identifier: MIT */
/*
 * sql_threads.h - the threads of a kernel's history as rows: who had which number, and when.
 *
 * A number that is used again is another thread, so that a number alone names nobody: states of the attributes of a
 * number are of the thread whose start and end they lie between (histree/view.h).
 */
#ifndef SQL_SQL_THREADS_H
#define SQL_SQL_THREADS_H

#include "base/sqlite.h"

extern const sqlite3_module sql_threads_module;

#endif
