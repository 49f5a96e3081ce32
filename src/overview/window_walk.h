/* SPDX-License-Identifier: MIT */
/*
 * window_walk.h - a history goes by in windows of time, each with the states of the chosen attributes that are in
 * it.  Nothing but a few windows is in memory: one for each thread, and one more.
 *
 * Where windows begin follows from the history and the choice alone, so that what is made of them is the same with
 * any number of threads.
 */
#ifndef OVERVIEW_WINDOW_WALK_H
#define OVERVIEW_WINDOW_WALK_H

#include "base/crew.h"
#include "overview/overview_progress.h"
#include "overview/overview_window.h"

struct window_walk {
	struct histree_history *history;
	const char *path; /* of the history that has the overviews */
	const struct overview_choice *choice;
	const struct overview_progress *progress;
	size_t states_in_window; /* about so many, and one of each attribute */
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
