/* SPDX-License-Identifier: MIT */
/*
 * sql_statement.h - table functions that are statements: their arguments go into a statement, whose rows they
 * return.
 *
 * An argument is a value of the statement (?1, ?2, ...), or itself a statement, "SELECT key, start, end ...", whose
 * text replaces a %s: this is what interval algebra operates on.
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
