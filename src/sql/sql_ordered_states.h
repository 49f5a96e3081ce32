/* SPDX-License-Identifier: MIT */
/*
 * sql_ordered_states.h - the states that meet a range, in the order of their starts, without having read all of
 * them.
 *
 * Those that begin before the range are gathered and sorted, at most one an attribute; the others come from
 * histree_changes (lookup.h), in windows of bounded size.
 */
#ifndef SQL_SQL_ORDERED_STATES_H
#define SQL_SQL_ORDERED_STATES_H

#include "histree/lookup.h"

struct sql_ordered_states;

enum histree_status sql_ordered_create(struct histree_history *history, struct sql_ordered_states **out,
				       struct histree_error *error);

/* The region has a range, and is borrowed until the next start; what begins before it is wanted, or left out. */
enum histree_status sql_ordered_start(struct sql_ordered_states *states, const struct histree_region *region,
				      bool backwards, bool wants_earlier, struct histree_error *error);

/* Get the next state, which is borrowed until the next call, or return HISTREE_END. */
enum histree_status sql_ordered_next(struct sql_ordered_states *states, struct histree_interval *out,
				     struct histree_error *error);

void sql_ordered_free(struct sql_ordered_states *states);

#endif
