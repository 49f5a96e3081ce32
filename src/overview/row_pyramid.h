/* SPDX-License-Identifier: MIT */
/*
 * row_pyramid.h - the cells of rows: the states of one attribute, made fewer.
 *
 * A state that is at least as long as a cell stays what it is.  Between such states time is cut at multiples of
 * the width of a cell, and each cell has each of its values once, for as long as it lasted in it: where in the
 * cell is forgotten.  So a sum over a range is right except for the cells at its two ends.
 *
 * A cell keeps the values that lasted longest, and those that are to be told apart; the rest of its time is one
 * state, OVERVIEW_REST.
 */
#ifndef OVERVIEW_ROW_PYRAMID_H
#define OVERVIEW_ROW_PYRAMID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histree/status.h"
#include "histree/value.h"
#include "query/value_table.h"

enum { OVERVIEW_VALUES_KEPT = 3, OVERVIEW_VALUES_APART = 3 };

/* Instead of the index of a value: several others, not told apart. */
#define OVERVIEW_REST UINT32_MAX

struct overview_state {
	histree_time start, end; /* both inclusive */
	uint32_t value;          /* an index */
	uint32_t attribute;      /* whose it is */
};

struct overview_share {
	uint64_t ns;
	uint32_t value;
};

/* A zeroed one has no states.  What is added stays in `states` until overview_cells_clear(). */
struct overview_cells {
	struct overview_state *states;
	size_t count, capacity;

	/* The cell that is being filled.  Where a value is in `shares`, if it is there, `slots` says. */
	struct overview_share *shares;
	uint32_t *slots; /* by value; what it says of one that is not there means nothing */
	size_t share_count, shares_capacity, slots_capacity;
	struct table of_slots;
	uint64_t rest;
	bool can_go_on; /* the last state is part of a cell, and the next one may continue it */
};

struct overview_scale {
	histree_time origin;   /* cells are counted from here */
	histree_time from, to; /* what lies outside is left to others */
	unsigned width_log2;   /* of a cell, in ns; 0 to 62 */
	uint32_t value_count;  /* values are less than that, or OVERVIEW_REST */
	/* Values that are never put to the rest; OVERVIEW_REST: none. */
	uint32_t apart[OVERVIEW_VALUES_APART];
};

/* Have int 0, null and unknown be kept apart: by them the usage of CPUs is exact. */
void overview_scale_keep_idle_apart(struct overview_scale *scale, struct value_table *values);

/*
 * Adds the states of one attribute that meet the range of the scale, in the order of time and without gaps.
 * A long state belongs to the range in which it ends.  If the ranges of several calls follow one another, and all
 * but the last end with a cell, the calls add what one call for all of it would.
 */
enum histree_status overview_cells_add(struct overview_cells *cells, const struct overview_scale *scale,
				       const struct overview_state *states, size_t count,
				       struct histree_error *error);

/* Drops the first `count` states; the last one, to which the next cell may add, stays. */
void overview_cells_drop(struct overview_cells *cells, size_t count);
void overview_cells_clear(struct overview_cells *cells);
void overview_cells_release(struct overview_cells *cells);

#endif
