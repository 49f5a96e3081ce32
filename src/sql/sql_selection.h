/* SPDX-License-Identifier: MIT */
/*
 * sql_selection.h - constraints of SQL on attributes as those of a selection (histree/selection.h).
 */
#ifndef SQL_SQL_SELECTION_H
#define SQL_SQL_SELECTION_H

#include "histree/selection.h"
#include "sql/sql_plan.h"

/* Select, instead of what was selected, what "quark operator value" or "path operator value" leaves, or more. */
enum histree_status sql_select_by_quark(struct histree_selection *selection, enum sql_operator operator,
					sqlite3_value * value, struct histree_error *error);
enum histree_status sql_select_by_path(struct histree_selection *selection, enum sql_operator operator,
				       sqlite3_value * value, struct histree_error *error);

/* Select what matches a pattern of histree (attributes.h); a pattern that matches nothing is no error. */
enum histree_status sql_select_by_pattern(struct histree_selection *selection, sqlite3_value *value,
					  struct histree_error *error);

/* Leave, of what was selected, what is of the hosts that "host operator value" names: the shards of others rest. */
enum histree_status sql_select_by_host(struct histree_selection *selection, enum sql_operator operator,
				       sqlite3_value * value, struct histree_error *error);

/* Make the path of an attribute the result; the selection keeps it as long as the same is asked for. */
void sql_result_path(sqlite3_context *context, struct histree_selection *selection, histree_quark quark);

#endif
