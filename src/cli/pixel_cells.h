/* SPDX-License-Identifier: MIT */
/*
 * pixel_cells.h - what a chart of a range shows (states.h), cell by cell: of each attribute, what it was for the
 * longest part of each pixel.
 */
#ifndef CLI_PIXEL_CELLS_H
#define CLI_PIXEL_CELLS_H

#include "cli/attribute_list.h"
#include "histree/states.h"

struct pixel_question {
	struct histree_history *history;
	const struct attribute_list *attributes;
	histree_time from, to;
	uint32_t pixels;
	struct histree_work work; /* asked before each row: HISTREE_ERR_CANCELLED */
};

/* All of it is borrowed until it was taken. */
struct pixel_cell {
	uint32_t pixel;          /* 0, 1, 2, ... */
	histree_time start, end; /* of it */
	struct histree_value value;
	const char *label; /* what the value means; NULL: nothing is known */
	bool has_other;    /* it was something else too: mostly this, or unknown if that cannot be told */
	struct histree_value other;
	const char *other_label;
};

typedef void pixel_taker(void *context, const struct listed_attribute *attribute, const struct pixel_cell *cell);

/*
 * Hands all cells to `take`: the attributes in their order, the cells of each in the order of time.  *is_damaged
 * says whether damage made some of them unknown.
 *
 * The rows of a host are made without those of others, so that they are what they would be if it were alone.
 */
enum histree_status pixel_cells(const struct pixel_question *question, pixel_taker *take, void *context,
				bool *is_damaged, struct histree_error *error);

#endif
