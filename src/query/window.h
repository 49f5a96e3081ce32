/* SPDX-License-Identifier: MIT */
/*
 * window.h - a row as states: the states that a chart resolves, and between them the unresolved ones, by pixel.
 *
 * A state that is no shorter than a pixel cannot lie strictly inside one.  So a pixel has at most one gap between
 * such states, and the sums of its cell are those of that gap.
 *
 * The states are read window by window, so memory is bounded for any range.  Those of a window are put into lists,
 * each in the order of time.  Over a long range, attributes that are in the file of names (query/thread_names.h)
 * are read from there, and the others from the history.
 *
 * 	while ((status = window_states_next(&states, &error)) == HISTREE_OK)
 * 		for each list: window_states_list(&states, list)
 */
#ifndef QUERY_WINDOW_H
#define QUERY_WINDOW_H

#include "histree/states.h"
#include "histree/status.h"
#include "query/row_group.h"

/* The default of states_max. */
enum { WINDOW_STATES_MAX = 1 << 18 };

struct window_state {
	histree_time start, end; /* of the state, which may begin before the window and end after it */
	int64_t value;           /* the result of `keep` */
	uint32_t list;
};

struct window_list {
	const struct window_state *states;
	size_t count;
};

enum window_keep { WINDOW_KEEPS, WINDOW_SKIPS, WINDOW_HAS_NO_MEMORY };

struct window_states {
	/* What is asked for; filled by the caller. */
	struct histree_history *history;
	const histree_quark *quarks; /* ascending */
	size_t quark_count;
	const uint32_t *list_of; /* by quark */
	uint32_t list_count;
	histree_time first, last;
	size_t states_max; /* in memory at a time, besides one for each attribute */
	enum window_keep (*keep)(void *context, const struct histree_interval *interval, int64_t *value);
	void *context;
	const struct histree_work *work;
	const char *what; /* it is for, as error_memory() has it */
	/* The window, and its result. */
	histree_time from, to;
	bool is_damaged; /* some nodes could not be read */
	/* Its own. */
	struct histree_cursor *query;
	struct thread_names *names; /* NULL: all is in the history */
	histree_quark *rest, *own;  /* what is asked of the history, and of the file, by its own numbers */
	size_t rest_count, own_count;
	uint64_t length; /* of the next window; 0: it is the first one */
	bool is_over;
	struct window_state *states, *sorted;
	size_t state_count, state_capacity, sorted_capacity;
	size_t *ends; /* by list: of its states in `sorted` */
};

/* Returns HISTREE_END after the last window. */
enum histree_status window_states_next(struct window_states *states, struct histree_error *error);

/* Returns the states of a list that meet the window, by their start. */
struct window_list window_states_list(const struct window_states *states, uint32_t list);
void window_states_release(struct window_states *states);

#endif
