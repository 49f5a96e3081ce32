// SPDX-License-Identifier: MIT
/*
 * tree_branch.c - the open branch of a tree that is being written, and the nodes that leave it: a full node is
 * sealed, numbered, counted and written.
 */
#include "tree/tree_branch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/costly.h"
#include "base/error.h"
#include "base/table.h"
#include "node/node_view.h"

/* ---- tree output --------------------------------------------------------------------------------------------- */

static enum histree_status tree_output_init(struct tree_output *output, struct block_file *file,
					    struct node_layout layout, struct histree_error *error)
{
	*output = (struct tree_output){ .file = file, .layout = layout };
	output->block = malloc(layout.node_size);
	return output->block != NULL ? HISTREE_OK : error_memory(error, "a node");
}

static enum histree_status check_room(const struct tree_output *output, struct histree_error *error)
{
	if (output->node_count < UINT32_MAX)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_TOO_LARGE, "'%s': more than %u nodes; use a greater node size",
			 output->file->path, UINT32_MAX);
}

static bool is_child_within(const struct node_layout *layout, const struct node_view *node,
			    const struct node_child *child)
{
	bool has_end = (layout->child_bounds & NODE_CHILD_END) != 0;
	return child->number < node->number && child->start >= node->start && (!has_end || child->end <= node->end);
}

/*
 * Returns whether the sealed block can be read and has the bounds that its parent gets.  node_view() asserts the
 * same of the blocks that are opened.
 */
static bool is_sealed(const struct tree_output *output, uint32_t height, uint32_t used,
		      const struct node_child *bounds)
{
	if (node_check(&output->layout, output->block, output->node_count, NULL) != HISTREE_OK)
		return false;
	const struct node_view node = node_view(&output->layout, output->block);
	for (uint32_t i = 0; i < node.child_count; i++) {
		const struct node_child child = node_view_child(&node, i);
		if (!is_child_within(&output->layout, &node, &child))
			return false;
	}
	return bounds->number == node.number && node.height == height && node.used == used &&
	       node.start == bounds->start && node.end == bounds->end;
}

/* Count and write the block that was sealed. */
static enum histree_status write_block(struct tree_output *output, uint32_t height, uint32_t used,
				       histree_quark key_min, histree_quark key_max, struct histree_error *error)
{
	if (tree_statistics_count_node(&output->statistics, height, used, key_min, key_max) != HISTREE_OK)
		return error_memory(error, "a node");
	bool cut = output->layout.columns || output->layout.segments;
	uint32_t size = cut ? node_cut_size(used) : output->layout.node_size;
	return block_file_write_part(output->file, output->node_count++, output->block, size, error);
}

enum histree_status tree_output_node(struct tree_output *output, struct node_builder *builder, histree_time end,
				     struct node_child *child, struct histree_error *error)
{
	enum histree_status status = check_room(output, error);
	if (status != HISTREE_OK)
		return status;
	uint32_t used = node_builder_seal(builder, output->node_count, end, output->block, child);
	if (used == 0)
		return error_memory(error, "a node");
	costly_assert(is_sealed(output, builder->height, used, child));
	return write_block(output, builder->height, used, builder->key_min, builder->key_max, error);
}

enum histree_status tree_output_leaf(struct tree_output *output, struct column_builder *builder,
				     struct node_child *child, struct histree_error *error)
{
	enum histree_status status = check_room(output, error);
	if (status != HISTREE_OK)
		return status;
	uint32_t used = column_builder_seal(builder, &output->layout, output->node_count, output->block, child);
	costly_assert(is_sealed(output, 0, used, child));
	return write_block(output, 0, used, child->key_min, child->key_max, error);
}

enum histree_status tree_output_sealed(struct tree_output *output, const uint8_t *bytes, uint32_t used,
				       struct node_child *bounds, struct histree_error *error)
{
	enum histree_status status = check_room(output, error);
	if (status != HISTREE_OK)
		return status;
	assert(used <= output->layout.node_size);
	memcpy(output->block, bytes, used);
	node_clear_behind(output->block, used, output->layout.node_size);
	bounds->number = output->node_count;
	node_set_number(output->block, bounds->number);
	costly_assert(is_sealed(output, 0, used, bounds));
	return write_block(output, 0, used, bounds->key_min, bounds->key_max, error);
}

enum histree_status tree_output_segments(struct tree_output *output, struct segment_builder *builder,
					 struct node_child *child, struct histree_error *error)
{
	enum histree_status status = check_room(output, error);
	if (status != HISTREE_OK)
		return status;
	uint32_t used = segment_builder_seal(builder, &output->layout, output->node_count, output->block, child);
	costly_assert(is_sealed(output, 0, used, child));
	return write_block(output, 0, used, child->key_min, child->key_max, error);
}

/* ---- tree branch --------------------------------------------------------------------------------------------- */

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
		assert(last->number < branch->output.node_count);
		assert(last->start >= node->start && last->end <= branch->end);
	}
}

/* Assert the invariants that tree_writer.h lists. */
void tree_assert_branch(const struct tree_branch *branch)
{
	assert(branch->open_count > branch->bottom);
	for (uint32_t height = branch->bottom; height <= tree_branch_top(branch); height++)
		assert_open_node(branch, height);
}

/* Prepare a zeroed branch, which has no node until tree_branch_open(). */
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

/*
 * Copy a branch into a zeroed one that writes the nodes which come after those of now to `file`.  Fails with
 * HISTREE_ERR_MEMORY only; `copy` is to be released also then.
 */
enum histree_status tree_branch_copy(const struct tree_branch *branch, struct block_file *file,
				     struct tree_branch *copy)
{
	copy->variant = branch->variant;
	copy->bottom = branch->bottom;
	copy->start = branch->start;
	copy->end = branch->end;
	/*
	 * Copy an output for the nodes that come after those of now.  If memory runs out, `copy` is to be released
	 * all the same.
	 */
	enum histree_status status = tree_output_init(&copy->output, file, branch->output.layout, NULL);
	copy->output.node_count = branch->output.node_count;
	status = status == HISTREE_OK ? tree_statistics_copy(&branch->output.statistics, &copy->output.statistics)
				      : status;
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
	free(branch->output.block);
	tree_statistics_release(&branch->output.statistics);
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
 * level and begins again; one that starts before the node tries the level above.  The loop ends, because a new leaf
 * is empty and the top starts with the tree.
 */
enum histree_status tree_branch_try(struct tree_branch *branch, uint32_t height,
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
