/* SPDX-License-Identifier: MIT */
/*
 * thread_place.h - the pairs of the layout `kernel-compact` (histree-states(7)), by the names of their halves.
 */
#ifndef VIEW_THREAD_PLACE_H
#define VIEW_THREAD_PLACE_H

#include "histree/view.h"

struct thread_pair {
	const char *name, *first, *second;
};

enum { THREAD_PAIR_COUNT = 2 };
extern const struct thread_pair thread_pairs[THREAD_PAIR_COUNT];

#endif
