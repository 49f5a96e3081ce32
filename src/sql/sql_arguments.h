/* SPDX-License-Identifier: MIT */
/*
 * sql_arguments.h - what a table function is given: SQLite hands it in as constraints of hidden columns.
 */
#ifndef SQL_SQL_ARGUMENTS_H
#define SQL_SQL_ARGUMENTS_H

#include "sql/sql_plan.h"

struct sql_arguments {
	int first_column;         /* of the hidden ones */
	const char *const *names; /* for the plan */
	int count, required;      /* the first so many must be there; the others may follow, without a gap */
};

/*
 * What xBestIndex of a table function does: take the arguments in their order, so that xFilter gets them in it.
 * Returns SQLITE_CONSTRAINT if one cannot be known now, or is missing.
 */
int sql_arguments_take(const struct sql_arguments *arguments, sqlite3_index_info *info, double rows);

#endif
