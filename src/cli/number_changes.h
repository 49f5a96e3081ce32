/* SPDX-License-Identifier: MIT */
/*
 * number_changes.h - by how much numbers grew over a window: the values of attributes at its two ends.
 *
 * The count of a running sum in a window is that difference, so two queries suffice for a window of any length.
 */
#ifndef CLI_NUMBER_CHANGES_H
#define CLI_NUMBER_CHANGES_H

#include "histree/states.h"
#include "view/view.h"

struct number_change {
	histree_quark quark;
	const struct histree_thread *life;  /* in which part of the window it is asked for; NULL: in all of it */
	struct histree_value before, after; /* null or unknown where there is no number */
};

/*
 * Reads the values of these attributes at the ends of a window of the history, or of its part that is a thread's.
 * *is_damaged says whether some are unknown because the file is damaged.
 */
enum histree_status number_changes_read(struct histree_history *history, struct number_change *changes,
					size_t count, histree_time from, histree_time to, bool *is_damaged,
					struct histree_error *error);

/* Cuts a window to the life of a thread: from just before it began, as what was so far is that of others. */
void number_change_cut(const struct histree_thread *life, histree_time *from, histree_time *to);

/*
 * Returns the change: an int, a long or a double.  Null if there is no number at the end, or if one of both is
 * unknown; what was null before counts from 0.
 */
struct histree_value number_change_value(const struct number_change *change);

/* Orders by changes, the greatest first; those without a change come last. */
int number_change_compare(const struct number_change *one, const struct number_change *other);

#endif
