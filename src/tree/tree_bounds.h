/* SPDX-License-Identifier: MIT */
/*
 * tree_bounds.h - the bounds of a sub-tree, as far as its top node says them.
 */
#ifndef TREE_TREE_BOUNDS_H
#define TREE_TREE_BOUNDS_H

#include "node/node_view.h"

/* Returns the bounds of a node of a tree of segments: above the leaves, they are those of its children alone. */
struct node_child tree_segment_bounds(const struct node_view *view);

/*
 * Returns bounds of the sub-tree of any node.  In a tree of states, the keys of a node above the leaves are those
 * of its own intervals, so its sub-tree is taken to have any.
 */
struct node_child tree_bounds(const struct node_view *view);

#endif
