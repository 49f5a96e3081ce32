/* SPDX-License-Identifier: MIT */
/*
 * sql_selection.h - the attributes that a constraint leaves, by ascending quark.
 */
#ifndef SQL_SQL_SELECTION_H
#define SQL_SQL_SELECTION_H

#include "histree/attributes.h"
#include "sql/sql_plan.h"

struct sql_selection {
	bool is_all; /* of the history, whatever is in the list */
	histree_quark *quarks;
	size_t count, capacity;
};

/* A zeroed selection has nothing in it; the memory of one is used again. */
void sql_selection_release(struct sql_selection *selection);

/* Select what "quark operator value", "path operator value" leaves, or more. */
enum histree_status sql_select_by_quark(struct sql_selection *selection,
					const struct histree_attributes *attributes, enum sql_operator operator,
					sqlite3_value * value, struct histree_error *error);
enum histree_status sql_select_by_path(struct sql_selection *selection, const struct histree_attributes *attributes,
				       enum sql_operator operator, sqlite3_value * value,
				       struct histree_error *error);

/* Select what matches a pattern of histree (attributes.h); a pattern that matches nothing is no error. */
enum histree_status sql_select_by_pattern(struct sql_selection *selection,
					  const struct histree_attributes *attributes, sqlite3_value *value,
					  struct histree_error *error);

/* The path of an attribute, kept for as long as the same is asked for.  Zeroed, it has none. */
struct sql_path {
	bool is_known;
	histree_quark quark;
	char *text;
	size_t size, capacity;
};

/* Make a path the result. */
void sql_result_path(sqlite3_context *context, struct sql_path *path, const struct histree_attributes *attributes,
		     histree_quark quark);

/* Find the path of a quark.  Returns false if memory is out. */
bool sql_path_find(struct sql_path *path, const struct histree_attributes *attributes, histree_quark quark);

#endif
