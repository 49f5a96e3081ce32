/* SPDX-License-Identifier: MIT */
/*
 * range_sums.h - how long attributes had each value in a range, exactly, by the pyramid of sums.
 *
 * Cells of a pyramid are used if they lie inside the range.  The caller reads the rest from the history: before the
 * first cell, after the last, and attributes that the pyramid lacks or has damaged (docs/design/05-pyramid.md).
 */
#ifndef QUERY_RANGE_SUMS_H
#define QUERY_RANGE_SUMS_H

#include "histree/history.h"
#include "state/pyramid_cells.h"

/* A zeroed one knows nothing. */
struct range_sums {
	histree_time from, to; /* what the cells are of, if is_any */
	bool is_any;
	uint32_t *at; /* by the index of the attribute: in `sums`, or RANGE_SUMS_NONE */
	struct state_sum *sums;
	size_t count, capacity;
};

#define RANGE_SUMS_NONE UINT32_MAX

/*
 * Read the sums of attributes of one host, ascending, from `from` to `to`.  A state counts where it begins, so
 * cells begin after `from`, except at the start of the history.  Damaged or invalid sums count as not known.
 */
enum histree_status range_sums_read(struct range_sums *sums, struct histree_history *history,
				    const histree_quark *quarks, size_t count, histree_time from, histree_time to,
				    struct histree_error *error);

/* Returns the sum of an attribute, NULL if it is to be read from the history. */
const struct state_sum *range_sums_of(const struct range_sums *sums, size_t index);
void range_sums_release(struct range_sums *sums);

#endif
