/* SPDX-License-Identifier: MIT */
/*
 * node_view.h - a sealed node as a reader sees it: its bounds and children, its intervals if it has rows, and how
 * many it has.
 *
 * A view borrows the block. node_check() is for blocks that come from a file; a block that passed it can be viewed
 * and read safely.  Numbers in rows are still checked as they are decoded.  Intervals are counted by key and class
 * of value, from the properties of each series, without decoding them.
 */
#ifndef NODE_NODE_VIEW_H
#define NODE_NODE_VIEW_H

#include <stdbool.h>

#include "node/column_block.h"
#include "node/node.h"

struct node_view {
	const struct node_layout *layout;
	const uint8_t *block;
	uint32_t number;
	uint32_t height;
	uint32_t child_count;
	uint32_t row_count;
	uint32_t used;
	histree_time start, end;
	histree_quark key_min, key_max; /* of the intervals in this node; key_min > key_max: none */
	const uint8_t *rows, *rows_end; /* of rows: the index is from rows_end to used */
	bool is_columns;
	struct column_view columns; /* of columns */
};

/* Returns the number of used bytes that a node states. */
uint32_t node_used(const uint8_t *block);

/* Give a sealed node another number, and the checksum that goes with it. */
void node_set_number(uint8_t *block, uint32_t number);

/* Check checksum, address, and each size against the others.  Returns HISTREE_ERR_FORMAT if one is wrong. */
enum histree_status node_check(const struct node_layout *layout, const uint8_t *block, uint32_t number,
			       struct histree_error *error);

/* The block must have passed node_check(). */
struct node_view node_view(const struct node_layout *layout, const uint8_t *block);

/* Bounds that the layout does not keep are the widest possible (node.h). */
struct node_child node_view_child(const struct node_view *view, uint32_t index);

/*
 * Put the numbers of the children from `first` up to `end` whose bounds meet the region at `out`, the last one
 * first.  Returns how many there are.
 */
uint32_t node_view_children(const struct node_view *view, uint32_t first, uint32_t end,
			    const struct node_region *region, uint32_t *out);

struct row_cursor {
	const struct node_view *view;     /* borrowed */
	const struct node_region *region; /* borrowed */
	const uint8_t *at;                /* the next row */
	size_t next_quark, quark_end;     /* of the region: those that can still be in this node */
	bool by_key;                      /* search for each key instead of reading all rows */
	bool is_sought;                   /* the key at next_quark has been searched for */
};

/* Begin before the first interval. */
void row_cursor_begin(struct row_cursor *cursor, const struct node_view *view, const struct node_region *region);

/*
 * Get the next interval, whose bytes are borrowed from the block.  Returns HISTREE_END at the end, or
 * HISTREE_ERR_FORMAT.
 */
enum histree_status row_cursor_next(struct row_cursor *cursor, struct histree_interval *out);

/*
 * Returns whether the index leads to the row at which the cursor stands, if it has an entry for it.  For
 * verification.
 */
bool row_cursor_is_indexed(const struct row_cursor *cursor, uint32_t row);

#endif
