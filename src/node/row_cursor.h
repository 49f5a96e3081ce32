/* SPDX-License-Identifier: MIT */
/*
 * row_cursor.h - the intervals of a region in a node of rows, in the order of (key, start).
 */
#ifndef NODE_ROW_CURSOR_H
#define NODE_ROW_CURSOR_H

#include "node/node.h"
#include "node/node_view.h"

struct row_cursor {
	const struct node_view *view;     /* borrowed */
	const struct node_region *region; /* borrowed */
	const uint8_t *at;                /* the next row */
	size_t next_quark, quark_end;     /* of the region: those that can still be in this node */
	bool by_key;                      /* look for each key instead of reading all rows */
	bool is_sought;                   /* the key at next_quark has been looked for */
};

/* Begin before the first interval. */
void row_cursor_begin(struct row_cursor *cursor, const struct node_view *view, const struct node_region *region);

/*
 * Get the next interval, whose bytes are borrowed from the block.  Returns HISTREE_END at the end, or
 * HISTREE_ERR_FORMAT.
 */
enum histree_status row_cursor_next(struct row_cursor *cursor, struct histree_interval *out);

/*
 * Returns whether the index leads to the row that the cursor is before, if it has an entry for it.  For
 * verification.
 */
bool row_cursor_is_indexed(const struct row_cursor *cursor, uint32_t row);

#endif
