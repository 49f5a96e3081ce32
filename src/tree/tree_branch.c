// SPDX-License-Identifier: MIT
/*
 * Invariants of an open branch, which tree_assert_branch() checks:
 *
 *  - no open node starts before the open node above it, and the top starts with the tree;
 *  - a node has room for its children, and the open node below it counts as one;
 *  - a closed node is written, and known to the node above it, which was open when it was closed;
 *  - `end` is the greatest end in the branch and below it, and the end of every node that is closed now.
 */
#include "tree/tree_branch.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "tree/leaf_source.h"

static void assert_open_node(const struct tree_branch *branch, uint32_t height)
{
	const struct node_builder *node = &branch->open[height];
	assert(node->height == height && node->layout == &branch->output.layout);
	assert(node->child_count + (height > branch->bottom ? 1 : 0) <= branch->output.layout.child_capacity);
	if (height == tree_branch_top(branch))
		assert(node->start == branch->start);
	else
		assert(node->start >= branch->open[height + 1].start);
	if (node->child_count > 0) {
		const struct node_child *last = &node->children[node->child_count - 1];
		(void)last;
		assert(last->number < branch->output.node_count);
		assert(last->start >= node->start && last->end <= branch->end);
	}
}

void tree_assert_branch(const struct tree_branch *branch)
{
	assert(branch->open_count > branch->bottom);
	for (uint32_t height = branch->bottom; height <= tree_branch_top(branch); height++)
		assert_open_node(branch, height);
}

enum histree_status tree_branch_init(struct tree_branch *branch, struct block_file *file,
				     const struct tree_options *options, struct histree_error *error)
{
	branch->variant = options->variant;
	branch->start = branch->end = options->start;
	const struct node_layout layout =
		tree_variant_layout(options->variant, options->node_size, options->fan_out);
	return tree_output_init(&branch->output, file, layout, error);
}

/* Open a level more: its node becomes the top. */
static enum histree_status open_top(struct tree_branch *branch, struct histree_error *error)
{
	if (branch->open_count > UINT16_MAX)
		return error_set(error, HISTREE_ERR_TOO_LARGE,
				 "the tree is more than %d levels deep; use another variant or a greater node size",
				 UINT16_MAX);
	if (!array_reserve(&branch->open, &branch->open_capacity, branch->open_count + 1))
		return error_memory(error, "a level of the tree");
	struct node_builder *builder = &branch->open[branch->open_count++];
	*builder = (struct node_builder){ 0 };
	node_builder_begin(builder, &branch->output.layout, tree_branch_top(branch), branch->start);
	return HISTREE_OK;
}

enum histree_status tree_branch_open(struct tree_branch *branch, uint32_t bottom, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	branch->bottom = bottom;
	while (status == HISTREE_OK && branch->open_count <= bottom)
		status = open_top(branch, error);
	return status;
}

enum histree_status tree_branch_copy(const struct tree_branch *branch, struct block_file *file,
				     struct tree_branch *copy)
{
	copy->variant = branch->variant;
	copy->bottom = branch->bottom;
	copy->start = branch->start;
	copy->end = branch->end;
	enum histree_status status = tree_output_copy(&branch->output, file, &copy->output);
	if (status != HISTREE_OK)
		return status;
	if (!array_reserve(&copy->open, &copy->open_capacity, branch->open_count))
		return HISTREE_ERR_MEMORY;
	for (; status == HISTREE_OK && copy->open_count < branch->open_count; copy->open_count++)
		status = node_builder_copy(&branch->open[copy->open_count], &copy->output.layout,
					   &copy->open[copy->open_count]);
	return status;
}

void tree_branch_release(struct tree_branch *branch)
{
	for (size_t height = 0; height < branch->open_count; height++)
		node_builder_release(&branch->open[height]);
	free(branch->open);
	tree_output_release(&branch->output);
}

/* ---- growing ------------------------------------------------------------------------------------------ */

enum histree_status tree_branch_add_child(struct tree_branch *branch, const struct node_child *child,
					  struct histree_error *error)
{
	if (node_builder_add_child(&branch->open[branch->bottom], child) != HISTREE_OK)
		return error_memory(error, "a node");
	return HISTREE_OK;
}

/* Close the open node of a height and tell the one above, which exists. */
static enum histree_status close_node(struct tree_branch *branch, uint32_t height, struct histree_error *error)
{
	struct node_child child;
	enum histree_status status =
		tree_output_node(&branch->output, &branch->open[height], branch->end, &child, error);
	if (status == HISTREE_OK && node_builder_add_child(&branch->open[height + 1], &child) != HISTREE_OK)
		status = error_memory(error, "a node");
	return status;
}

bool tree_branch_has_room(const struct tree_branch *branch, uint32_t height)
{
	size_t children = branch->open[height].child_count + (height > branch->bottom ? 1 : 0);
	return children < branch->output.layout.child_capacity;
}

enum histree_status tree_branch_add_sibling(struct tree_branch *branch, uint32_t height, histree_time start,
					    struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	while (height < tree_branch_top(branch) &&
	       (!tree_branch_has_room(branch, height + 1) || branch->open[height + 1].start > start))
		height++;
	if (height == tree_branch_top(branch))
		status = open_top(branch, error);
	for (uint32_t h = branch->bottom; status == HISTREE_OK && h <= height; h++)
		status = close_node(branch, h, error);
	if (status != HISTREE_OK)
		return status;
	for (uint32_t h = branch->bottom; h <= height; h++)
		node_builder_begin(&branch->open[h], &branch->output.layout, h, start);
	tree_assert_branch(branch);
	return HISTREE_OK;
}

enum histree_status tree_branch_raise_bottom(struct tree_branch *branch, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (branch->bottom == tree_branch_top(branch))
		status = open_top(branch, error);
	if (status == HISTREE_OK)
		status = close_node(branch, branch->bottom, error);
	if (status != HISTREE_OK)
		return status;
	branch->bottom++;
	tree_assert_branch(branch);
	return HISTREE_OK;
}

enum histree_status tree_branch_attach(struct tree_branch *branch, const struct node_child *leaf,
				       histree_time start, struct histree_error *error)
{
	uint32_t height = branch->bottom;
	assert(start <= leaf->start && start >= branch->start);
	while (leaf->start < branch->open[height].start || !tree_branch_has_room(branch, height)) {
		if (leaf->start < branch->open[height].start) {
			height++;
			continue;
		}
		enum histree_status status = tree_branch_add_sibling(branch, height, start, error);
		if (status != HISTREE_OK)
			return status;
		height = branch->bottom;
	}
	if (node_builder_add_child(&branch->open[height], leaf) != HISTREE_OK)
		return error_memory(error, "a node");
	branch->end = leaf->end > branch->end ? leaf->end : branch->end;
	return HISTREE_OK;
}

/* ---- closing ------------------------------------------------------------------------------------------ */

enum histree_status tree_branch_close(struct tree_branch *branch, uint32_t *root, struct histree_error *error)
{
	tree_assert_branch(branch);
	uint32_t top = tree_branch_top(branch);
	for (uint32_t height = branch->bottom; height < top; height++) {
		enum histree_status status = close_node(branch, height, error);
		if (status != HISTREE_OK)
			return status;
	}
	struct node_child child = { 0 };
	enum histree_status status =
		tree_output_node(&branch->output, &branch->open[top], branch->end, &child, error);
	*root = child.number;
	return status;
}

enum histree_status tree_branch_close_on_leaves(struct tree_branch *branch, uint32_t *root,
						struct histree_error *error)
{
	const struct node_builder *bottom = &branch->open[branch->bottom];
	if (branch->bottom < tree_branch_top(branch) || bottom->child_count != 1)
		return tree_branch_close(branch, root, error);
	*root = bottom->children[0].number;
	return HISTREE_OK;
}

/* ---- intervals ---------------------------------------------------------------------------------------- */

/*
 * The order of the tests is that of Trace Compass: an interval that does not fit by size makes a sibling at that
 * level and begins again; one that starts before the node tries the level above.  It ends, because a new leaf is
 * empty and the top starts with the tree.
 */
static inline enum histree_status try_to_add(struct tree_branch *branch, uint32_t height,
					     const struct histree_interval *interval, struct histree_error *error)
{
	for (;; height++) {
		assert(height <= tree_branch_top(branch));
		struct node_builder *builder = &branch->open[height];
		if (!node_builder_fits(builder, interval)) {
			histree_time start = branch->variant->branch_start(interval->start, branch->end);
			enum histree_status status = tree_branch_add_sibling(branch, height, start, error);
			return status == HISTREE_OK ? HISTREE_NOT_FOUND : status;
		}
		if (interval->start >= builder->start) {
			enum histree_status status = node_builder_add(builder, interval);
			return status == HISTREE_OK ? HISTREE_OK : error_memory(error, "a node");
		}
	}
}

enum histree_status tree_branch_try(struct tree_branch *branch, uint32_t height,
				    const struct histree_interval *interval, struct histree_error *error)
{
	return try_to_add(branch, height, interval, error);
}

/* ---- as a source of leaves ---------------------------------------------------------------------------- */

static enum histree_status create_from_leaves(struct tree_branch *branch, const struct tree_options *options,
					      void **out, struct histree_error *error)
{
	(void)options;
	*out = branch;
	return tree_branch_open(branch, 0, error);
}

static enum histree_status create_above_leaves(struct tree_branch *branch, const struct tree_options *options,
					       void **out, struct histree_error *error)
{
	(void)options;
	*out = branch;
	return tree_branch_open(branch, 1, error);
}

static enum histree_status add_one(void *leaves, const struct histree_interval *interval,
				   struct histree_error *error)
{
	struct tree_branch *branch = leaves;
	enum histree_status status;
	do
		status = try_to_add(branch, 0, interval, error);
	while (status == HISTREE_NOT_FOUND);
	if (status == HISTREE_OK && interval->end > branch->end)
		branch->end = interval->end;
	return status;
}

static enum histree_status add(void *leaves, const struct histree_interval *intervals, size_t count,
			       struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		status = add_one(leaves, &intervals[i], error);
	return status;
}

/* The writer has copied the branch. */
static enum histree_status take_copy(const void *leaves, struct tree_branch *branch, void **out)
{
	(void)leaves;
	*out = branch;
	return HISTREE_OK;
}

static enum histree_status finish(void *leaves, histree_time end, struct tree_shape *shape,
				  struct histree_error *error)
{
	struct tree_branch *branch = leaves;
	branch->end = end;
	return tree_branch_close(branch, &shape->root, error);
}

static enum histree_status finish_above_leaves(void *leaves, histree_time end, struct tree_shape *shape,
					       struct histree_error *error)
{
	struct tree_branch *branch = leaves;
	branch->end = end;
	return tree_branch_close_on_leaves(branch, &shape->root, error);
}

/* The writer releases the branch. */
static void free_nothing(void *leaves)
{
	(void)leaves;
}

const struct leaf_source leaves_of_branch = {
	.key_limit = HISTREE_ROOT,
	.create = create_from_leaves,
	.add = add,
	.copy = take_copy,
	.finish = finish,
	.free = free_nothing,
};

const struct leaf_source leaves_attached = {
	.key_limit = 0,
	.create = create_above_leaves,
	.copy = take_copy,
	.finish = finish_above_leaves,
	.free = free_nothing,
};
