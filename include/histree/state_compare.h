/* SPDX-License-Identifier: MIT */
/*
 * state_compare.h - how long attributes were in which states, in two histories or in two windows of one.
 *
 * States are counted by what they mean: the time in "waits for a CPU" is that of all chosen attributes together,
 * since another trace has other tids and paths.  A share is that time over the length of the window: how many of
 * the attributes were in the state on average.
 *
 * A difference of both shares that is not greater than that between the first and the second half of A, or of B,
 * is noise: A alone varies as much.
 */
#ifndef HISTREE_STATE_COMPARE_H
#define HISTREE_STATE_COMPARE_H

#include "cancel.h"
#include "cursor.h"
#include "history.h"
#include "selection.h"

struct histree_state_difference {
	const char *kind;           /* what the states are: "thread status"; "" for values without labels */
	const char *label;          /* "waits for a CPU"; NULL if the value speaks for itself */
	struct histree_value value; /* the least with that label; HISTREE_UNKNOWN: damage or a gap; never null */
	uint64_t a_ns, b_ns;        /* of all attributes; UINT64_MAX if it does not fit */
	double a_share, b_share;
	double noise; /* the greater difference of shares between halves of A and between halves of B */
};

struct histree_state_comparison;

/*
 * Compare the attributes of two selections in their windows, which are cut to the histories.  A selection of all
 * attributes stands for the states with names, except those of idle loops and those of interrupts on all CPUs,
 * which each CPU has, too.  Every interval of both sides is read once, except where an overview of sums answers
 * for a long window (time_in_state.h); the memory is one record a state, and for all attributes a list of those
 * with names.  One thread at a time uses the comparison.  Its texts are borrowed from it and from the histories,
 * which must stay open as long.  Returns HISTREE_ERR_TIME_RANGE if a window has no time of its history,
 * HISTREE_ERR_CANCELLED if `cancel` says so.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_state_comparison_create(struct histree_selection *a, struct histree_selection *b,
				struct histree_cancel cancel, struct histree_state_comparison **out,
				struct histree_error *error);

/* Returns the states, the greatest difference of shares first, or NULL after the last one. */
HISTREE_API const struct histree_state_difference *
histree_state_comparison_state(const struct histree_state_comparison *comparison, size_t index);

/* Returns what is lost of the states of A (0) or B (1), which count as unknown. */
HISTREE_API struct histree_loss histree_state_comparison_loss(const struct histree_state_comparison *comparison,
							      int side);

/* Free the comparison, or do nothing if it is NULL. */
HISTREE_API void histree_state_comparison_free(struct histree_state_comparison *comparison);

#endif
