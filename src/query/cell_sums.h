/* SPDX-License-Identifier: MIT */
/*
 * cell_sums.h - how much of each cell every value had; states may arrive in any order.
 *
 * A state that fills a cell decides it.  Of the others a cell keeps a list: each value once, with its share.
 */
#ifndef QUERY_CELL_SUMS_H
#define QUERY_CELL_SUMS_H

#include "histree/rows.h"
#include "query/value_table.h"

struct cell_share {
	uint64_t weight; /* ns, or samples */
	uint32_t value;
	uint32_t next; /* of the same cell: index + 1, 0: no more */
};

/* A zeroed one is empty. */
struct cell_sums {
	struct histree_cell *cells; /* decided ones; value HISTREE_NO_VALUE: nothing fills it */
	uint32_t *first;            /* by cell: index + 1 of its first share, 0: none */
	size_t cell_count, cells_capacity, first_capacity;
	struct cell_share *shares;
	size_t share_count, shares_capacity;
};

/* Forget everything and begin with so many empty cells. */
enum histree_status cell_sums_begin(struct cell_sums *sums, size_t cell_count, struct histree_error *error);

static inline void cell_sums_fill(struct cell_sums *sums, size_t cell, uint32_t value)
{
	sums->cells[cell] = (struct histree_cell){ .value = value, .other = HISTREE_NO_VALUE };
}

enum histree_status cell_sums_add(struct cell_sums *sums, size_t cell, uint32_t value, uint64_t weight,
				  struct histree_error *error);

/*
 * Returns the two values with the greatest shares; equal shares go by the order of values.  `value` is
 * HISTREE_NO_VALUE if nothing was added.
 */
struct histree_cell cell_sums_get(const struct cell_sums *sums, size_t cell, const struct value_table *values);

void cell_sums_release(struct cell_sums *sums);

#endif
