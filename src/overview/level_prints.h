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

/* How what it should have is made again, of windows of its attributes. */
struct level_check {
	enum histree_status (*begin)(void *context, const struct level_prints *prints, struct histree_error *error);
	enum histree_status (*take)(void *context, struct overview_window *window, struct histree_error *error);
	void *context;
};

/*
 * Read the history and the overview, and report each attribute that has other states; NULL: nobody hears it.
 * Returns HISTREE_ERR_FORMAT if there are some.  Nothing is done if there is no overview.
 */
enum histree_status level_prints_check(struct level_prints *prints, struct histree_history *history,
				       const struct leveled_overview *overview, const struct level_check *check,
				       void (*report)(void *context, const char *fault), void *context,
				       struct histree_error *error);

/* For `take`: add states that it should have, and forget them. */
void level_prints_add(struct level_prints *prints, struct ladder_states *states);

#endif
