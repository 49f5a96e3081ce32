/* SPDX-License-Identifier: MIT */
/*
 * sql_progress.h - how far a long statement is: rows that were read of the store.  Nobody knows how many there will
 * be.
 */
#ifndef CLI_SQL_PROGRESS_H
#define CLI_SQL_PROGRESS_H

#include "cli/progress.h"
#include "sql/sql_store.h"

struct sql_progress {
	struct progress style;
	const struct sql_connection *connection;
	uint64_t rows_before; /* that earlier statements read */
	int64_t began_ns, shown_ns;
	bool is_shown; /* a line is on the terminal */
};

/* A statement begins. */
void sql_progress_begin(struct sql_progress *progress);

/* SQLite asks now and then (sqlite3_progress_handler); returns 0 to go on. */
int sql_progress_show(void *progress);

/* Rows are printed, or the statement ends: the line goes. */
void sql_progress_clear(struct sql_progress *progress);

#endif
