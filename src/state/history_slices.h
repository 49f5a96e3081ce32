/* SPDX-License-Identifier: MIT */
/*
 * history_slices.h - who makes again what a partial history has left out.
 *
 * A history knows from its file which slices there are (partial_section.h).  Somebody above, who can read the
 * trace, gives it these functions; without them it answers nothing.  They are called by any number of threads.
 */
#ifndef STATE_HISTORY_SLICES_H
#define STATE_HISTORY_SLICES_H

#include "state/partial_section.h"
#include "state/state_slice.h"

struct history_slices {
	/* Hold the slice that a checkpoint begins.  It is released before the history is closed. */
	enum histree_status (*hold)(void *context, size_t checkpoint, const struct state_slice **out,
				    struct histree_error *error);
	void (*release)(void *context, const struct state_slice *slice);
	void (*free)(void *context);
	void *context;
};

struct histree_history;

/* Returns what the file says of the slices; NULL: the history is not partial. */
const struct partial_section *history_partial(const struct histree_history *history);

/* Give the history the functions, which are copied; it calls `free` when it is closed. */
void history_attach_slices(struct histree_history *history, const struct history_slices *slices);

/* Returns the slices, or NULL if there are none. */
const struct history_slices *history_slices(const struct histree_history *history);

#endif
