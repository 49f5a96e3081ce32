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

#include "sql/sql_table.h"

struct sql_statement {
	struct sql_relation relation; /* the first member */
	const char *table;            /* what it is called where it is made; NULL: as its relation */
	bool is_of_hosts;             /* for histories of several hosts... */
	bool is_of_one;               /* ... and for those of one; neither: for both */
	bool takes_statements;        /* each %s of the text is an argument; else the schema, up to thrice */
	const char *text;
};

/* The last one has no text. */
extern const struct sql_statement sql_statements[];

#endif
