/* SPDX-License-Identifier: MIT */
/*
 * tree_output.h - where sealed nodes go: numbered in the order in which they are closed, counted, written.
 *
 * So a file is written front to back, a child's number is below its parent's, and the root is the last.
 */
#ifndef TREE_TREE_OUTPUT_H
#define TREE_TREE_OUTPUT_H

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

enum histree_status tree_output_init(struct tree_output *output, struct block_file *file, struct node_layout layout,
				     struct histree_error *error);

/* Seal the node with this end, write it, and say what its parent must know. */
enum histree_status tree_output_node(struct tree_output *output, struct node_builder *builder, histree_time end,
				     struct node_child *child, struct histree_error *error);

/* Seal and write the leaf of columns that was encoded last. */
enum histree_status tree_output_leaf(struct tree_output *output, struct column_builder *builder,
				     struct node_child *child, struct histree_error *error);

/* Write a leaf that was sealed with another number, of which so many bytes are used; the bounds get its new one. */
enum histree_status tree_output_sealed(struct tree_output *output, const uint8_t *bytes, uint32_t used,
				       struct node_child *bounds, struct histree_error *error);

/* Seal and write the leaf of segments that was encoded last. */
enum histree_status tree_output_segments(struct tree_output *output, struct segment_builder *builder,
					 struct node_child *child, struct histree_error *error);

/*
 * Copy an output for the nodes that come after those of now.  If memory is out, `copy` is to be released all the
 * same.
 */
enum histree_status tree_output_copy(const struct tree_output *output, struct block_file *file,
				     struct tree_output *copy);

void tree_output_release(struct tree_output *output);

#endif
