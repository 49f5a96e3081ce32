/* SPDX-License-Identifier: MIT */
/*
 * group_cells.h - one row for many: what the threads of a process did, pixel by pixel.
 */
#ifndef SERVER_MODEL_GROUP_CELLS_H
#define SERVER_MODEL_GROUP_CELLS_H

#include "server/model/row_model.h"

struct group_cell {
	const struct histree_style *style; /* NULL: nothing */
	const struct histree_style *other; /* what is worth more, but was there for moments only; NULL: nothing */
};

struct group_cells_request {
	const struct row_facts *members; /* rows of one history */
	uint32_t count;
	histree_time from, to; /* both inclusive, within the history */
	uint32_t pixels;
	struct histree_work work;
};

/*
 * Who runs hides who waits, and they who sleep: a pixel has the state of greatest worth, of equals the longest,
 * that members were in, added up, for half of it or more.  A style is worth as much as it is high.  Returns
 * HISTREE_NOT_FOUND where there are so many states that nobody would wait for them, or more styles than a kernel
 * has, and then there are no cells.
 */
enum histree_status group_cells_make(const struct group_cells_request *request, struct group_cell *out,
				     struct histree_error *error);

#endif
