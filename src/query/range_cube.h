/* SPDX-License-Identifier: MIT */
/*
 * range_cube.h - what all threads of a host together did over a range, from the cube of its history
 * (state/history_cube.h).
 */
#ifndef QUERY_RANGE_CUBE_H
#define QUERY_RANGE_CUBE_H

#include "state/history_cube.h"

/* A zeroed one is empty. */
struct range_cube {
	bool is_any;           /* else all is to be read from the history */
	histree_time from, to; /* whole cells, and the range begins with the history, or ends with it, if they do */
	struct cube_cell parts[CUBE_PARTS];
};

/*
 * Reads the cells that lie within a range of the history; those of owners if they are asked for.  A state counts
 * where it begins, and so does a call: cells begin after the start of the range, unless that is the history's.
 * Texts go to `texts`.
 */
enum histree_status range_cube_read(struct range_cube *cube, struct histree_history *history, histree_time from,
				    histree_time to, bool needs_owners, struct intern *texts,
				    struct histree_error *error);

void range_cube_release(struct range_cube *cube);

#endif
