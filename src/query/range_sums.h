/* SPDX-License-Identifier: MIT */
/*
 * range_sums.h - for how long attributes had each of their values over a range: of most of it from the overview of
 * sums of the history, exactly (docs/design/0078-sums.md).
 *
 * Cells lie inside of a range.  What is before the first and behind the last, and attributes that the overview does
 * not have, or not soundly, are the caller's to read from the history.
 */
#ifndef QUERY_RANGE_SUMS_H
#define QUERY_RANGE_SUMS_H

#include "histree/history.h"
#include "state/state_sum.h"

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
 * cells begin after `from`, but for that of the start of the history.  What is damaged, or makes no sense, is not
 * known.
 */
enum histree_status range_sums_read(struct range_sums *sums, struct histree_history *history,
				    const histree_quark *quarks, size_t count, histree_time from, histree_time to,
				    struct histree_error *error);

/* Returns the sum of an attribute, NULL if it is to be read from the history. */
const struct state_sum *range_sums_of(const struct range_sums *sums, size_t index);

void range_sums_release(struct range_sums *sums);

#endif
