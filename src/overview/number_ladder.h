/* SPDX-License-Identifier: MIT */
/*
 * number_ladder.h - the states of some attributes, each in the order of time, become summaries of 2^B states, of
 * eight of these summaries, and so on (docs/design/0031-number-overviews.md).
 */
#ifndef OVERVIEW_NUMBER_LADDER_H
#define OVERVIEW_NUMBER_LADDER_H

#include "overview/ladder_states.h"
#include "overview/overview_window.h"
#include "state/history_numbers.h"
#include "state/number_summary.h"

/* All attributes together have so many at most: 14 MiB. */
enum { NUMBER_RUNGS_MAX = 1 << 15 };

/* A summary that is being filled. */
struct number_rung {
	histree_time start;
	uint32_t filled; /* states, or summaries of the rung below; 0: `start` is not known */
	struct number_summary summary;
};

/* A zeroed one is empty.  What is full stays in `states` until these are cleared. */
struct number_ladder {
	unsigned states_log2;            /* B */
	struct ladder_rungs *attributes; /* `own` is the caller's */
	size_t attribute_count, attributes_capacity;
	struct number_rung *rungs;
	size_t rung_count, rungs_capacity;
	struct ladder_states states;
};

/* Returns how many levels an attribute with so many states has; 0 if it is not worth any. */
unsigned number_ladder_levels(uint64_t states, unsigned states_log2);

/* Forgets all that was added, and its attributes. */
void number_ladder_reset(struct number_ladder *ladder, unsigned states_log2);

/* Adds an attribute, whose number is the next one. */
enum histree_status number_ladder_attribute(struct number_ladder *ladder, unsigned levels,
					    struct histree_error *error);

/* Adds the next state of an attribute. */
enum histree_status number_ladder_add(struct number_ladder *ladder, uint32_t attribute, histree_time start,
				      histree_time end, const struct histree_value *value,
				      struct histree_error *error);

/* Closes what is not full; `end` is that of the history. */
enum histree_status number_ladder_finish(struct number_ladder *ladder, histree_time end,
					 struct histree_error *error);

/*
 * Adds the states that end in a window, which are sorted.  `attributes` says which attribute of the ladder one of
 * the window is, OVERVIEW_NOT_OF_OTHER if none; NULL: they are the same.  All is closed with the window that ends
 * with the history, at `end`.
 */
enum histree_status number_ladder_add_window(struct number_ladder *ladder, const uint32_t *attributes,
					     const struct overview_window *window, histree_time end,
					     struct histree_error *error);

void number_ladder_release(struct number_ladder *ladder);

#endif
