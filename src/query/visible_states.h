/* SPDX-License-Identifier: MIT */
/*
 * visible_states.h - a row as states: those that a chart resolves, and between them what it does not, by pixel.
 *
 * A state that is no shorter than a pixel cannot lie strictly inside one.  So a pixel has at most one gap between
 * such states, and the sums of its cell are those of that gap.
 */
#ifndef QUERY_VISIBLE_STATES_H
#define QUERY_VISIBLE_STATES_H

#include "query/row_group.h"

/* A zeroed one is empty. */
struct visible_states {
	struct histree_visible_state *states;
	size_t count, capacity;
};

/*
 * Make the states of one row of a group that was read for states.  `query` is for gaps that no sample met, one
 * state each; their values are added to `values`.
 */
enum histree_status visible_states_make(struct visible_states *states, const struct row_group *group, size_t row,
					struct histree_query *query, struct value_table *values,
					struct histree_error *error);

void visible_states_release(struct visible_states *states);

#endif
