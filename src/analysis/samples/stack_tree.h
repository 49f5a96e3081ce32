/* SPDX-License-Identifier: MIT */
/*
 * stack_tree.h - all stacks that were sampled, as a tree: each node is a frame below its caller's node.
 */
#ifndef ANALYSIS_SAMPLES_STACK_TREE_H
#define ANALYSIS_SAMPLES_STACK_TREE_H

#include "base/hash_index.h"
#include "histree/value.h"

#define STACK_NONE UINT32_MAX

struct stack_node {
	uint32_t parent; /* a smaller number, or STACK_NONE */
	uint32_t frame;
	histree_time first, last; /* of the samples that end here; of all below it after stack_tree_finish() */
	uint64_t samples;         /* that end here */
};

/* A zeroed one is empty. */
struct stack_tree {
	struct stack_node *nodes; /* by number */
	uint32_t count;
	size_t capacity;
	struct table table; /* of the nodes */
	struct hash_index by_frame;
};

/* Have its memory from this space.  It is empty yet. */
void stack_tree_use_space(struct stack_tree *tree, struct table_space *space);

/* Returns the node of a frame below that of its caller, or STACK_NONE: of none.  STACK_NONE: memory is out. */
uint32_t stack_tree_below(struct stack_tree *tree, uint32_t parent, uint32_t frame);

/* A sample ends in a node. */
void stack_tree_count(struct stack_tree *tree, uint32_t node, histree_time time);

/* Callers have the times of what they called. */
void stack_tree_finish(struct stack_tree *tree);

void stack_tree_release(struct stack_tree *tree);

#endif
