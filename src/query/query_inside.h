/* SPDX-License-Identifier: MIT */
/*
 * query_inside.h - what the files of query/ do with a query beside what others may.
 */
#ifndef QUERY_QUERY_INSIDE_H
#define QUERY_QUERY_INSIDE_H

#include "histree/query.h"

struct union_query;

/*
 * Get the query of the number overview, which the history has.  It belongs to `query`, which makes it when it is
 * first asked.
 */
enum histree_status query_numbers(struct histree_query *query, struct histree_query **out,
				  struct histree_error *error);

/* Drop what is left of an answer, and the node that is held. */
void query_stop(struct histree_query *query);

/* Returns what asks the hosts (union_query.h), or NULL: it asks a history of one host. */
struct union_query *query_union(const struct histree_query *query);

#endif
