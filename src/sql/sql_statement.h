/* SPDX-License-Identifier: MIT */
/*
 * sql_statement.h - table functions that are statements: their arguments go into a statement, whose rows are
 * theirs.
 *
 * An argument is a value of the statement (?1, ?2, ...), or itself a statement, "SELECT key, start, end ...", whose
 * text takes the place of a %s: what interval algebra works on.
 */
#ifndef SQL_SQL_STATEMENT_H
#define SQL_SQL_STATEMENT_H

#include <stdbool.h>

#include "base/sqlite.h"

struct sql_statement_kind {
	const char *name;
	const char *table;               /* what it is called where it is made; NULL: as its name */
	bool is_of_hosts;                /* for histories of several hosts... */
	bool is_of_one;                  /* ... and for those of one; neither: for both */
	const char *columns, *arguments; /* as a CREATE TABLE lists them */
	int column_count, argument_count;
	bool takes_statements; /* each %s of the text is an argument; else the schema of the table, up to thrice */
	const char *text;
	/* Of interval_join() only: the text gives the intervals of both sides in order, and they are joined. */
	bool is_join;
};

/* The last one has no name.  Each is the `kind` of a struct sql_module. */
extern const struct sql_statement_kind sql_statements[];

/* For kinds that are no join, and for those that are (sql_join.h). */
extern const sqlite3_module sql_statement_module;

/* ---- for both ----------------------------------------------------------------------------------------- */

struct sql_statement_table {
	sqlite3_vtab base;
	sqlite3 *db;
	const struct sql_statement_kind *kind;
	char *schema;
};

int sql_statement_connect(sqlite3 *db, void *module, int argument_count, const char *const *arguments,
			  sqlite3_vtab **out, char **message);
int sql_statement_best_index(sqlite3_vtab *table, sqlite3_index_info *info);
int sql_statement_disconnect(sqlite3_vtab *table);

/*
 * Prepare the statement of a table for these arguments.  *out is NULL if one of them is NULL: the table is then
 * empty. What would write, and what is more than one statement, is refused.
 */
int sql_statement_prepare(struct sql_statement_table *table, int argument_count, sqlite3_value **arguments,
			  sqlite3_stmt **out);

/* Make the error of a statement that of its table.  Returns `code`. */
int sql_statement_fail(struct sql_statement_table *table, int code);

#endif
