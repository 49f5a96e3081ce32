/* SPDX-License-Identifier: MIT */
/*
 * overview_window.h - a history window by window of time: the states of the chosen attributes are read, sorted by
 * attribute, and made fewer for rows.
 *
 * Nothing but a few windows is in memory: one for each thread, and one more.  Where windows begin follows from the
 * history and the choice alone, so that what is made of them is the same with any number of threads.
 */
#ifndef OVERVIEW_OVERVIEW_WINDOW_H
#define OVERVIEW_OVERVIEW_WINDOW_H

#include "base/crew.h"
#include "base/search.h"
#include "overview/overview_choice.h"
#include "overview/row_pyramid.h"
#include "query/range_sums.h"

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
enum histree_status overview_window_read(struct overview_window *window, struct histree_cursor *query,
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

struct window_walk {
	struct histree_history *history;
	const char *path; /* of the history that has the overviews */
	const struct overview_choice *choice;
	const struct overview_progress *progress;
	size_t states_in_window; /* about this many, and one of each attribute */
	struct crew *crew;       /* that reads and prepares windows besides the caller; NULL: none does */
	uint32_t threads;        /* that do so, the caller's among them, at most */

	/* What becomes of a window that was read: in any thread, several at a time.  NULL: it is sorted. */
	enum histree_status (*prepare)(void *context, struct overview_window *window, struct histree_error *error);
	/* In the caller's thread, in the order of time. */
	enum histree_status (*take)(void *context, struct overview_window *window, struct histree_error *error);
	void *context;
};

enum histree_status window_walk(const struct window_walk *walk, struct histree_error *error);

#endif
