/* SPDX-License-Identifier: MIT */
/*
 * node_format.h - the bytes of a node, format version 1 (histree-format(5)).  For node/ only.
 *
 *	OFFSET	SIZE
 *	0	4	CRC-32C of the bytes from 4 to `used`
 *	4	4	number of the node: its own address, so that a misplaced block is noticed
 *	8	2	height, 0 for a leaf
 *	10	2	number of children
 *	12	4	number of intervals
 *	16	8	start
 *	24	8	end
 *	32	4	smallest key of the intervals in this node (0xffffffff if none)
 *	36	4	greatest key (0 if none)
 *	40	4	used: bytes from the beginning of the node; the rest is zero
 *	44	4	offset of the rows
 *	48		children: number (4), start (8) [, end (8)] [, smallest and greatest key (4 + 4)]
 *			rows, sorted by (key, start)
 *			index: the offset (4) of every 16th row, the first included; it ends at `used`
 *
 * A row: varint start - node start, varint end - start, varint key, value (item/value_codec.h).  Rows do not
 * depend on each other, so that a search can begin at any row of the index.
 */
#ifndef NODE_NODE_FORMAT_H
#define NODE_NODE_FORMAT_H

#include "node/node.h"

enum {
	NODE_HEADER_SIZE = 48,
	NODE_ROWS_PER_INDEX = 16,
	NODE_INDEX_SIZE = 4,
	NODE_SEGMENT_BOUNDS_SIZE = 32,
};

/* What the header says; `bounds` has the keys of this node alone. */
struct node_header {
	struct node_child bounds;
	uint32_t height, child_count, item_count;
	uint32_t used, body_offset;
};

/* Write the header of a block whose other bytes are there, and its checksum. */
void node_put_header(uint8_t *block, const struct node_header *header);

static inline uint32_t node_child_size(const struct node_layout *layout)
{
	return 4 + 8 + (layout->child_bounds & NODE_CHILD_END ? 8 : 0) +
	       (layout->child_bounds & NODE_CHILD_KEYS ? 8 : 0) +
	       (layout->child_bounds & NODE_CHILD_SEGMENTS ? NODE_SEGMENT_BOUNDS_SIZE : 0);
}

/* Greatest start, smallest end, smallest and greatest duration: 8 bytes each. */
void node_put_segment_bounds(uint8_t *at, const struct node_child *child);
void node_get_segment_bounds(const uint8_t *at, struct node_child *child);

static inline uint32_t node_index_count(uint32_t row_count)
{
	return (row_count + NODE_ROWS_PER_INDEX - 1) / NODE_ROWS_PER_INDEX;
}

#endif
