/* SPDX-License-Identifier: MIT */
/*
 * level_prints.h - whether an overview with levels says what the states of its history do.
 *
 * Of each of its attributes all states that it should have are summed up as fingerprints of 128 bits, and those
 * that it has are taken off: nothing is left.
 */
#ifndef OVERVIEW_LEVEL_PRINTS_H
#define OVERVIEW_LEVEL_PRINTS_H

#include "overview/ladder_states.h"
#include "overview/overview_window.h"

struct level_print;

struct level_prints {
	const struct leveled_overview *overview;
	struct histree_history *history; /* that it is of */
	struct overview_choice choice;   /* its attributes */
	struct level_print *prints;      /* by attribute of the overview */
};

enum histree_status level_prints_init(struct level_prints *prints, struct histree_history *history,
				      const struct leveled_overview *overview, struct histree_error *error);

/* Read the history, and hand over its windows, sorted. */
enum histree_status level_prints_walk(const struct level_prints *prints,
				      enum histree_status (*take)(void *context, struct overview_window *window,
								  struct histree_error *error),
				      void *context, struct histree_error *error);

/* Add states that it should have, and forget them. */
void level_prints_add(struct level_prints *prints, struct ladder_states *states);

/*
 * Read what it has, and report each attribute that has other states.  Returns HISTREE_ERR_FORMAT if there are some.
 * `report` may be NULL.
 */
enum histree_status level_prints_compare(struct level_prints *prints,
					 void (*report)(void *context, const char *fault), void *context,
					 struct histree_error *error);

void level_prints_release(struct level_prints *prints);

#endif
