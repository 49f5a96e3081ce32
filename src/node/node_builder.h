/* SPDX-License-Identifier: MIT */
/*
 * node_builder.h - a node that is being filled, and how much fits into one: children, intervals, the longest value.
 *
 * An empty builder is small, because the memory of its rows grows: so the thousand open nodes of a degenerate SHT
 * fit into memory.
 */
#ifndef NODE_NODE_BUILDER_H
#define NODE_NODE_BUILDER_H

#include <stdbool.h>

#include "node/node.h"

/*
 * Returns the layout for a fan-out.  The table of children takes at most half of a node, so that a core node always
 * has room for intervals.  Its leaves hold rows.
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

struct node_row;

struct node_builder {
	const struct node_layout *layout;
	uint32_t height;
	histree_time start;
	histree_quark key_min, key_max;                 /* of the intervals in this node */
	histree_quark subtree_key_min, subtree_key_max; /* of these and of all children */
	struct node_child *children;
	size_t child_count, children_capacity;
	struct node_row *rows; /* in the order of their arrival */
	size_t row_count, rows_capacity;
	uint8_t *bytes; /* their encoded forms, one after the other */
	size_t bytes_used, bytes_capacity;
};

/* Begin a node, keeping the memory of the one before.  A zeroed builder is fine. */
void node_builder_begin(struct node_builder *builder, const struct node_layout *layout, uint32_t height,
			histree_time start);

/* Returns whether an interval fits, wherever it starts. */
bool node_builder_fits(const struct node_builder *builder, const struct histree_interval *interval);

/*
 * Add an interval, which fits and does not start before the node.  Returns HISTREE_ERR_MEMORY if memory runs out.
 */
enum histree_status node_builder_add(struct node_builder *builder, const struct histree_interval *interval);

/* Add a child, for which there is room.  Returns HISTREE_ERR_MEMORY if memory runs out. */
enum histree_status node_builder_add_child(struct node_builder *builder, const struct node_child *child);

/*
 * Write the node into `block`, which has node_size bytes, and the bounds of its subtree into `child`.  Returns the
 * bytes used, or 0 if memory runs out.
 */
uint32_t node_builder_seal(struct node_builder *builder, uint32_t number, histree_time end, uint8_t *block,
			   struct node_child *child);

/* Copy the node as it is now.  Returns HISTREE_ERR_MEMORY if memory runs out; `copy` is then empty. */
enum histree_status node_builder_copy(const struct node_builder *builder, const struct node_layout *layout,
				      struct node_builder *copy);
void node_builder_release(struct node_builder *builder);

#endif
