/* SPDX-License-Identifier: MIT */
/*
 * tree_branch.h - the open branch of a tree that is being written, from the root to the latest leaf, and the nodes
 * that leave it.
 *
 * Output: sealed nodes are numbered in the order in which they are closed, counted, and written.  So a file is
 * written front to back, the number of a child is below that of its parent, and the root comes last.
 *
 * Branch: one open node for each height, from `bottom` to the top.  It grows as in the eSHT paper (III.A), thesis
 * 4.4.1 and Trace Compass.  Below the bottom hang the leaves of a source (leaf_sources.h); where the bottom is 0,
 * its node is the leaf.
 */
#ifndef TREE_TREE_BRANCH_H
#define TREE_TREE_BRANCH_H

#include "histree/status.h"
#include "histree/value.h"
#include "node/column_builder.h"
#include "node/node_builder.h"
#include "node/segment_node.h"
#include "store/block_file.h"
#include "tree/tree_shape.h"

struct tree_output {
	struct block_file *file; /* borrowed */
	struct node_layout layout;
	uint8_t *block; /* node_size bytes: the node being sealed */
	uint32_t node_count;
	struct tree_statistics statistics;
};

/* Seal the node with this end, write it, and say what its parent must know. */
enum histree_status tree_output_node(struct tree_output *output, struct node_builder *builder, histree_time end,
				     struct node_child *child, struct histree_error *error);

/* Seal and write the leaf of columns that was encoded last. */
enum histree_status tree_output_leaf(struct tree_output *output, struct column_builder *builder,
				     struct node_child *child, struct histree_error *error);

/* Write a leaf that was sealed with another number, with `used` bytes in use; the bounds get its new number. */
enum histree_status tree_output_sealed(struct tree_output *output, const uint8_t *bytes, uint32_t used,
				       struct node_child *bounds, struct histree_error *error);

/* Seal and write the leaf of segments that was encoded last. */
enum histree_status tree_output_segments(struct tree_output *output, struct segment_builder *builder,
					 struct node_child *child, struct histree_error *error);

/* It must not move: its nodes borrow the layout of its output. */
struct tree_branch {
	struct tree_output output;
	const struct tree_variant *variant;
	struct node_builder *open;        /* by height; those below bottom are unused */
	size_t open_count, open_capacity; /* the top is open_count - 1 */
	uint32_t bottom;
	histree_time start; /* of the tree */
	histree_time end;   /* the greatest of what is in the branch and below it: nodes are closed at it */
};

/* Prepare a zeroed branch, which has no node until tree_branch_open(). */
enum histree_status tree_branch_init(struct tree_branch *branch, struct block_file *file,
				     const struct tree_options *options, struct histree_error *error);

/*
 * Copy a branch into a zeroed one that writes the nodes which come after those of now to `file`.  Fails with
 * HISTREE_ERR_MEMORY only; `copy` is to be released also then.
 */
enum histree_status tree_branch_copy(const struct tree_branch *branch, struct block_file *file,
				     struct tree_branch *copy);
void tree_branch_release(struct tree_branch *branch);

/* Assert what always holds of the open nodes. */
void tree_assert_branch(const struct tree_branch *branch);

/* Open the nodes from `bottom` up: it has one node then. */
enum histree_status tree_branch_open(struct tree_branch *branch, uint32_t bottom, struct histree_error *error);

static inline uint32_t tree_branch_top(const struct tree_branch *branch)
{
	return (uint32_t)branch->open_count - 1;
}

/* Returns whether the open node of a height has room for one more child; the open node below it counts as one. */
bool tree_branch_has_room(const struct tree_branch *branch, uint32_t height);

/*
 * Try to put an interval into the lowest open node, from `height` up, that starts early enough.  If that has no
 * room, it gets a sibling instead, and HISTREE_NOT_FOUND asks the caller to begin again.
 */
enum histree_status tree_branch_try(struct tree_branch *branch, uint32_t height,
				    const struct histree_interval *interval, struct histree_error *error);

/*
 * Give the open node of a height a sibling that starts at `start`: the branch is closed below a parent that has
 * room and starts early enough, which may be higher up or have to be made, and a new one is opened.
 */
enum histree_status tree_branch_add_sibling(struct tree_branch *branch, uint32_t height, histree_time start,
					    struct histree_error *error);

/* Hang a sub-tree below the bottom node, which has room.  The end of the branch already includes it. */
enum histree_status tree_branch_add_child(struct tree_branch *branch, const struct node_child *child,
					  struct histree_error *error);

/*
 * Hang a leaf below the lowest open node that starts early enough.  Siblings are made as for intervals; those made
 * for this leaf start at `start`, which is not after the start of the leaf.
 */
enum histree_status tree_branch_attach(struct tree_branch *branch, const struct node_child *leaf,
				       histree_time start, struct histree_error *error);

/* Close the bottom node: from then on the one above it is the bottom.  There are no open nodes below it. */
enum histree_status tree_branch_raise_bottom(struct tree_branch *branch, struct histree_error *error);

/* Close the whole branch.  The top becomes the root, whose number is `*root`. */
enum histree_status tree_branch_close(struct tree_branch *branch, uint32_t *root, struct histree_error *error);

/* Like tree_branch_close(), but a tree of a single attached leaf is that leaf, without a branch above it. */
enum histree_status tree_branch_close_on_leaves(struct tree_branch *branch, uint32_t *root,
						struct histree_error *error);

#endif
