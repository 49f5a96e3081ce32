/* SPDX-License-Identifier: MIT */
/*
 * query_numbers.h - the query by which a query reads the number overview of its history.
 */
#ifndef QUERY_QUERY_NUMBERS_H
#define QUERY_QUERY_NUMBERS_H

#include "histree/query.h"

/*
 * Get the query of the number overview, which the history has.  It belongs to `query`, which makes it when it is
 * first asked.
 */
enum histree_status query_numbers(struct histree_query *query, struct histree_query **out,
				  struct histree_error *error);

#endif
