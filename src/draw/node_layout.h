/* SPDX-License-Identifier: MIT */
/*
 * node_layout.h - places for the nodes of a tree, level by level.
 *
 * Depth first, children follow one another on their level, so lines never cross.  Leaves are spread evenly and
 * parents stand above the middle of their children.  A level with more nodes than there is width for is a wall:
 * columns of several nodes, so that each of 10^5 can still be seen.
 */
#ifndef DRAW_NODE_LAYOUT_H
#define DRAW_NODE_LAYOUT_H

#include "histree/draw.h"

struct placed_node {
	struct histree_node node;
	uint32_t parent; /* index; HISTREE_NO_INDEX: it is the root */
	uint32_t first_child, last_child;
	double x, y; /* of its middle */
};

/* The nodes of one height. */
struct node_level {
	uint32_t count;
	uint32_t rows;   /* of its wall; 1: it is none */
	uint32_t placed; /* so far */
	double leftmost; /* x of the one placed last, from right to left */
	double distance; /* of neighbours, at least */
	double size;     /* of a symbol */
	double top, bottom;
	unsigned lines; /* of text below each node */
};

struct node_layout_options {
	double left, width, top;
	double height; /* 0: as much as it needs */
};

/* A zeroed one is empty. */
struct node_layout {
	struct placed_node *nodes; /* depth first */
	size_t count, capacity;
	size_t damaged_count;
	struct node_level *levels; /* by height */
	size_t level_count;
	double bottom;
};

enum histree_status node_layout_make(struct node_layout *layout, struct histree_history *history,
				     const struct node_layout_options *options, const struct histree_cancel *cancel,
				     struct histree_error *error);
void node_layout_release(struct node_layout *layout);

#endif
