/* SPDX-License-Identifier: MIT */
/*
 * node.h - what a node of a history tree is, independent of its bytes.
 *
 * A node is one block.  It holds intervals, and above the leaves the bounds of its children.  The codec is two
 * objects, and nothing else knows the bytes (histree-format(5)):
 *
 *	node_builder	takes intervals and children until they no longer fit, then seals (writing)
 *	node_view	checks a sealed block once, gives children and a cursor (reading)
 *
 * Bounds: start and end of a node enclose those of its intervals and of its children.  A variant that does not
 * keep a child's end or keys (struct node_layout) reads them back as the widest that they can be.
 */
#ifndef NODE_NODE_H
#define NODE_NODE_H

#include <stdbool.h>

#include "histree/value.h"

enum {
	NODE_INTERVAL_SIZE_MIN = 4, /* bytes of an interval in a node of rows: three varints and a null */
};

enum node_child_bounds {
	NODE_CHILD_START = 0, /* always kept */
	NODE_CHILD_END = 1,
	NODE_CHILD_KEYS = 2,
	NODE_CHILD_SEGMENTS = 4, /* of a tree of segments: the four of algorithm 5.2 */
};

/* The same for all nodes of a tree. */
struct node_layout {
	uint32_t node_size;
	uint32_t child_bounds;   /* or of enum node_child_bounds */
	uint32_t child_capacity; /* children of a core node at most */
	bool columns;            /* leaves are of columns (column_block.h), not of rows */
	bool segments;           /* leaves are of segments (segment_node.h); other nodes hold children alone */
};

/*
 * Nodes of rows are blocks of one size, as in the papers; leaves of columns and of segments are as long as they
 * are.  Returns how many bytes of one are kept; those after the used ones are zero.
 */
static inline uint32_t node_cut_size(uint32_t used)
{
	return (used + 63) / 64 * 64;
}

/* Clear these, and what readers of bits load (base/bits.h).  The rest of a block, most of it, is never read. */
void node_clear_behind(uint8_t *block, uint32_t used, uint32_t node_size);

/* A child as its parent knows it: bounds of the child's whole subtree. */
struct node_child {
	uint32_t number;
	histree_time start, end;
	histree_quark key_min, key_max; /* key_min > key_max: no interval in the subtree */
	/*
	 * In a tree of segments: start and end_min are the least, start_max and end the greatest of its segments.
	 */
	histree_time start_max, end_min;
	uint64_t duration_min, duration_max;
};

/* The bounds of nothing: including any segment in them gives the bounds of that segment. */
struct node_child node_child_of_no_segments(void);

/* Widen the bounds of segments by those of another node. */
void node_child_include(struct node_child *bounds, const struct node_child *other);

#endif
