/* SPDX-License-Identifier: MIT */
/*
 * node_view.h - read a sealed node: its bounds, its children, its intervals by key and time.
 *
 * A view borrows the block.  node_check() is for blocks that come from a file; after it a view can be made
 * and read without fear: rows are still decoded with every number checked.
 */
#ifndef NODE_NODE_VIEW_H
#define NODE_NODE_VIEW_H

#include <stdbool.h>

#include "node/column_view.h"
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

/* Checksum, address, and each size against the others.  HISTREE_ERR_FORMAT says which was wrong. */
enum histree_status node_check(const struct node_layout *layout, const uint8_t *block, uint32_t number,
			       struct histree_error *error);

/* The block must have passed node_check(). */
struct node_view node_view(const struct node_layout *layout, const uint8_t *block);

/* Bounds that the layout does not keep are the widest possible (node.h). */
struct node_child node_view_child(const struct node_view *view, uint32_t index);

/* Hands out the intervals that meet [from, to], in the order of (key, start). */
struct node_cursor {
	const struct node_view *view; /* borrowed */
	histree_time from, to;
	bool one_key; /* since a seek: only intervals of `key` */
	histree_quark key;
	const uint8_t *at;           /* of rows: the next */
	struct column_cursor column; /* of columns */
};

/* Before the first interval. */
void node_cursor_begin(struct node_cursor *cursor, const struct node_view *view, histree_time from,
		       histree_time to);

/* The same for every interval of the node. */
struct node_cursor node_cursor(const struct node_view *view);

/*
 * From here on, hand out the intervals of `key` alone, those that end at `time`, which is in the window, or later: then
 * comes HISTREE_END.  Needs what a state history has: intervals of one key do not overlap.
 */
enum histree_status node_cursor_seek(struct node_cursor *cursor, histree_quark key, histree_time time);

/* HISTREE_OK, HISTREE_END or HISTREE_ERR_FORMAT.  Bytes of values are borrowed from the block. */
enum histree_status node_cursor_next(struct node_cursor *cursor, struct histree_interval *out);

/*
 * The cursor is before this row: whether what searches go by leads here; of rows, the index if it has an entry for
 * it. For verification.
 */
bool node_cursor_is_indexed(const struct node_cursor *cursor, uint32_t row);

#endif
