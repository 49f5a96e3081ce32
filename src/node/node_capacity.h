/* SPDX-License-Identifier: MIT */
/*
 * node_capacity.h - how much fits in a node: children, intervals, the longest value.
 */
#ifndef NODE_NODE_CAPACITY_H
#define NODE_NODE_CAPACITY_H

#include "node/node.h"

/*
 * Returns the layout for a fan-out.  At most half of a node goes to its table of children, so that a core node
 * always has room for intervals.  Leaves are of rows.
 */
struct node_layout node_layout(uint32_t node_size, uint32_t child_bounds, uint32_t fan_out);

/* Returns how many bytes intervals may take in a node of this height, which is 0 for a leaf. */
size_t node_capacity(const struct node_layout *layout, uint32_t height);

/* Returns the size of the longest string or custom value that any empty node has room for. */
size_t node_value_size_max(const struct node_layout *layout);

/* Returns how many bytes an interval takes at most in a node that starts at or after `start`. */
size_t node_row_size(const struct histree_interval *interval, histree_time start);

/* Returns the size of the index over this many rows of one node. */
size_t node_index_size(size_t row_count);

#endif
