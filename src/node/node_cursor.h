/* SPDX-License-Identifier: MIT */
/*
 * node_cursor.h - the intervals of a region in a node, in the order of (key, start), for every format of leaf.
 *
 * It relies on a property of state histories: intervals of one key do not overlap.
 */
#ifndef NODE_NODE_CURSOR_H
#define NODE_NODE_CURSOR_H

#include "node/column_cursor.h"
#include "node/node_view.h"

struct node_cursor {
	bool is_columns;
	uint64_t times_met; /* of rows, as that of columns */
	union {
		struct row_cursor row;
		struct column_cursor column;
	};
};

/* Begin before the first interval of a region.  `view` and `region` are borrowed as long as the cursor is used. */
void node_cursor_begin(struct node_cursor *cursor, const struct node_view *view, const struct node_region *region);

/* Begin before the first interval of the node, whatever its key and time. */
void node_cursor_begin_all(struct node_cursor *cursor, const struct node_view *view);

/*
 * Read up to `room` intervals.  Returns HISTREE_OK with at least one, else HISTREE_END or HISTREE_ERR_FORMAT, as
 * often as it is called.  Bytes of values are borrowed from the block.
 */
enum histree_status node_cursor_read(struct node_cursor *cursor, struct histree_interval *out, size_t room,
				     size_t *count);

/* Returns region_count_times() of all intervals that were read.  If the region has no list, it means nothing. */
static inline uint64_t node_cursor_times_met(const struct node_cursor *cursor)
{
	return cursor->is_columns ? cursor->column.times_met : cursor->times_met;
}

static inline enum histree_status node_cursor_next(struct node_cursor *cursor, struct histree_interval *out)
{
	size_t count;
	return node_cursor_read(cursor, out, 1, &count);
}

/*
 * Returns whether a search finds the row that the cursor is before; for rows, whether the index leads there, if it
 * has an entry for it.  For verification.
 */
bool node_cursor_is_indexed(const struct node_cursor *cursor, uint32_t row);

#endif
