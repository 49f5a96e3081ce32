/* SPDX-License-Identifier: MIT */
/*
 * window_walk.h - a history goes by in windows of time, each with the states of the chosen attributes that are in
 * it; nothing but a window is in memory, and with two threads the states of the next one.
 */
#ifndef OVERVIEW_WINDOW_WALK_H
#define OVERVIEW_WINDOW_WALK_H

#include "overview/overview_progress.h"
#include "overview/overview_window.h"

struct window_walk {
	struct histree_query *query;
	const char *path; /* of the history that has the overviews */
	const struct overview_choice *choice;
	const struct overview_progress *progress;
	size_t states_in_window;           /* about so many, and one of each attribute */
	uint32_t threads;                  /* 2 or more: a window is taken while the next one is read */
	struct overview_window windows[2]; /* window_walk_release() */
};

/* Calls `take` for each window, in the order of time, in the caller's thread. */
enum histree_status window_walk(struct window_walk *walk,
				enum histree_status (*take)(void *context, struct overview_window *window,
							    struct histree_error *error),
				void *context, struct histree_error *error);

void window_walk_release(struct window_walk *walk);

#endif
