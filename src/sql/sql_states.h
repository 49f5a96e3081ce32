/* SPDX-License-Identifier: MIT */
/*
 * sql_states.h - the states of a history as rows: the table `states`, and the table functions state_at(pattern, t)
 * and states_in(pattern, t1, t2), whose arguments are hidden columns.
 */
#ifndef SQL_SQL_STATES_H
#define SQL_SQL_STATES_H

#include "base/sqlite.h"

/* A kind of table is one of these; each is the `kind` of a struct sql_module. */
struct sql_states_kind {
	const char *declaration;
	int argument_count; /* hidden columns: none, a pattern and a time, or a pattern and two */
};

extern const struct sql_states_kind sql_states, sql_state_at, sql_states_in;
extern const sqlite3_module sql_states_module;

#endif
