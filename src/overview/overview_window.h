/* SPDX-License-Identifier: MIT */
/*
 * overview_window.h - what happens in a window of time, in memory: the states of the chosen attributes, made fewer.
 */
#ifndef OVERVIEW_OVERVIEW_WINDOW_H
#define OVERVIEW_OVERVIEW_WINDOW_H

#include "base/radix_sort.h"
#include "overview/overview_cells.h"
#include "overview/overview_choice.h"
#include "query/value_table.h"

/* A zeroed one is empty.  60 bytes a state, and 4 an attribute. */
struct overview_window {
	histree_time from, to; /* both inclusive */
	struct value_table values;
	struct overview_state *states, *sorted;
	size_t state_count, states_capacity, sorted_capacity;
	uint32_t *ends; /* by attribute: where its states end in `sorted` */
	size_t ends_capacity;
	struct keyed_index *order, *spare;
	size_t order_capacity, spare_capacity;
	struct overview_cells cells; /* what comes of it */
};

/*
 * Reads the states of the chosen attributes, `quarks`, from `from` to `to`.  Returns HISTREE_PARTIAL if they are
 * more than `states_max`.
 */
enum histree_status overview_window_read(struct overview_window *window, struct histree_query *query,
					 const struct overview_choice *choice, const histree_quark *quarks,
					 size_t states_max, struct histree_error *error);

/* Makes `sorted`: the states by attribute, and those of one by time. */
enum histree_status overview_window_sort(struct overview_window *window, const struct overview_choice *choice,
					 struct histree_error *error);

/*
 * Makes the states fewer, which are sorted and stay as they are; cells are counted from `origin`.  `order` is then
 * the order of the new states by their ends.
 */
enum histree_status overview_window_condense(struct overview_window *window, const struct overview_choice *choice,
					     histree_time origin, struct histree_error *error);

void overview_window_release(struct overview_window *window);

#endif
