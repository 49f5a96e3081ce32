/* SPDX-License-Identifier: MIT */
/*
 * state_search.h - the states of some rows that match an expression: the next one, how many there are, in which
 * pixels of a picture they are, and those that no sample meets.
 */
#ifndef SERVER_MODEL_STATE_SEARCH_H
#define SERVER_MODEL_STATE_SEARCH_H

#include "server/model/state_filter.h"

/* The rows whose states are searched; those without states may be among them. */
struct searched_rows {
	void (*facts)(const void *context, uint32_t position, struct row_facts *out);
	const void *context;
	uint32_t count;
	struct state_filter *filter;
	struct histree_work work;
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
 * Finds the first state that matches after `from`, or before it, of a store with these bounds.  Returns
 * HISTREE_NOT_FOUND if no state matches, and HISTREE_PARTIAL if none did up to the position that `from` then is,
 * from where the search can go on, because ten seconds are over or `states_max` states, unless that is 0, did not
 * match.
 */
enum histree_status state_search_next(const struct searched_rows *rows, const struct histree_store_info *info,
				      struct search_position *from, bool backwards, uint64_t states_max,
				      struct state_found *out, struct histree_error *error);

/* All that match, counted: those before a place in their order, and the first ones, as far as there is room. */
struct state_hits {
	uint64_t count, before;
	struct state_found *first; /* room for them, of the caller's; sorted */
	size_t room, listed;
	bool are_all; /* false: there was no time to look at every state */
};

/* Counts the states of a store with these bounds that match, for ten seconds at most. */
enum histree_status state_search_count(const struct searched_rows *rows, const struct histree_store_info *info,
				       const struct search_position *place, struct state_hits *hits,
				       struct histree_error *error);

/*
 * Says for each row and each pixel of a range whether a state that matches meets it: `out` has room for rows times
 * pixels, and is zero.  Sets *all to false if there were too many states to look at all of them.
 */
enum histree_status state_search_pixels(const struct searched_rows *rows, histree_time from, histree_time to,
					uint32_t pixels, bool *out, bool *all, struct histree_error *error);

/* What is visited is borrowed until it returns. */
typedef enum histree_status state_visit(void *context, const struct row_facts *facts,
					const struct histree_interval *state, struct histree_error *error);

/*
 * Visits, for each row and each two neighbouring samples, one state between them that matches, if there is one: so
 * a search does not overlook what is shorter than a pixel.  Samples are ascending and inside the history, which is
 * one.  Reads every state of the rows from the first sample to the last.
 */
enum histree_status state_search_between(const struct searched_rows *rows, const histree_time *times,
					 size_t time_count, state_visit *visit, void *context,
					 struct histree_error *error);

#endif
