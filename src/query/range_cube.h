/* SPDX-License-Identifier: MIT */
/*
 * range_cube.h - the cells of the cube that lie within a range: the caller reads the rest from the history
 * (docs/design/05-pyramid.md).
 */
#ifndef QUERY_RANGE_CUBE_H
#define QUERY_RANGE_CUBE_H

#include "base/arena.h"
#include "histree/history.h"
#include "state/pyramid_cells.h"

/* A zeroed one is empty. */
struct range_cube {
	bool is_any;           /* else all is to be read from the history */
	histree_time from, to; /* whole cells, and the range begins with the history, or ends with it, if they do */
	struct cube_cell parts[CUBE_PARTS];
};

/*
 * Reads the cells that lie within a range of the history; cells of owners if they are asked for.  A state counts
 * where it begins, and so does a call: cells begin after the start of the range, unless that is the start of the
 * history. Texts go to `texts`.
 */
enum histree_status range_cube_read(struct range_cube *cube, struct histree_history *history, histree_time from,
				    histree_time to, bool needs_owners, struct intern *texts,
				    struct histree_error *error);
void range_cube_release(struct range_cube *cube);

#endif
