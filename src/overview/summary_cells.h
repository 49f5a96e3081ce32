/* SPDX-License-Identifier: MIT */
/*
 * summary_cells.h - summaries that are open: one for each cell of time, value and bucket of duration.
 */
#ifndef OVERVIEW_SUMMARY_CELLS_H
#define OVERVIEW_SUMMARY_CELLS_H

#include "base/hash_index.h"
#include "segment/segment_summary.h"

/* So many at most are open in any case: 7 MB. */
enum { SUMMARY_CELLS_MAX = 1 << 16 };

struct summary_cell {
	struct segment_summary summary;
	uint64_t time;  /* the number of the cell */
	uint32_t value; /* its number */
	uint32_t bucket;
};

/* A zeroed one is empty. */
struct summary_cells {
	struct summary_cell *cells; /* in the order of their first segments */
	size_t count, capacity;
	struct hash_index index; /* of cells */
};

enum summary_added { SUMMARY_ADDED, SUMMARY_NO_ROOM, SUMMARY_NO_MEMORY };

/*
 * SUMMARY_NO_ROOM: what is open has to be taken out first, for there are `max` of them or the sum would not fit.
 * What comes later is a second summary of its kind then.
 */
enum summary_added summary_cells_add(struct summary_cells *cells, const struct summary_cell *cell, size_t max);
void summary_cells_clear(struct summary_cells *cells);
void summary_cells_release(struct summary_cells *cells);

#endif
