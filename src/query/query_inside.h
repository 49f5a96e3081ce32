/* SPDX-License-Identifier: MIT */
/*
 * query_inside.h - what the files of query/ do with a query beside what others may.
 */
#ifndef QUERY_QUERY_INSIDE_H
#define QUERY_QUERY_INSIDE_H

#include "histree/states.h"

struct union_query;

/*
 * Get the query of the number overview, which the history has.  It belongs to `query`, which makes it when it is
 * first asked.
 */
enum histree_status query_numbers(struct histree_cursor *query, struct histree_cursor **out,
				  struct histree_error *error);

/* The same as histree_cursor_read(), into an array of the caller. */
enum histree_status query_read(struct histree_cursor *query, struct histree_interval *out, size_t room,
			       size_t *count, struct histree_error *error);

/* Drop what is left of an answer, and the node that is held. */
void query_stop(struct histree_cursor *query);

/* Returns what asks the hosts (union_query.h), or NULL: it asks a history of one host. */
struct union_query *query_union(const struct histree_cursor *query);

#endif
