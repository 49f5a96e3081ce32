/* SPDX-License-Identifier: MIT */
/*
 * state_search.h - the states of all rows of a view that match an expression: the next one, and where they are.
 */
#ifndef SERVER_API_STATE_SEARCH_H
#define SERVER_API_STATE_SEARCH_H

#include "server/api/page_request.h"
#include "server/model/state_filter.h"

/* The rows [first, first + count) of an order. */
struct state_rows_asked {
	const struct page_rows *rows;
	const struct row_order *order;
	uint32_t first, count;
	struct state_filter *filter;
	struct histree_cancel cancel;
};

/* States are in the order of their starts, and of rows if they start at one time. */
struct state_found {
	histree_time start, end; /* both inclusive */
	uint32_t position;
};

/* A position in that order, with a state or without; row -1 is before all others, UINT32_MAX after them. */
struct search_position {
	histree_time start;
	int64_t position;
};

/*
 * Finds the first state that matches after `from`, or before it.  Returns HISTREE_NOT_FOUND if there is none, and
 * HISTREE_PARTIAL if there was none up to the position that `from` then is, from where the search can go on,
 * because ten seconds are over or `states_max` states, unless that is 0, did not match.
 */
enum histree_status state_search_next(const struct state_rows_asked *asked, struct search_position *from,
				      bool backwards, uint64_t states_max, struct state_found *out,
				      struct histree_error *error);

/*
 * Says for each row and each pixel of a range whether a state that matches meets it: `out` has room for rows
 * times pixels, and is zero.  Sets *all to false if there were too many states to look at all of them.
 */
enum histree_status state_search_pixels(const struct state_rows_asked *asked, const struct page_range *range,
					bool *out, bool *all, struct histree_error *error);

#endif
