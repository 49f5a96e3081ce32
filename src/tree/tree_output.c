// SPDX-License-Identifier: MIT
#include "tree/tree_output.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "node/node_view.h"

enum histree_status tree_output_init(struct tree_output *output, struct block_file *file, struct node_layout layout,
				     struct histree_error *error)
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
			 block_file_path(output->file), UINT32_MAX);
}

#ifndef NDEBUG
static bool is_child_within(const struct node_layout *layout, const struct node_view *node,
			    const struct node_child *child)
{
	bool has_end = (layout->child_bounds & NODE_CHILD_END) != 0;
	return child->number < node->number && child->start >= node->start && (!has_end || child->end <= node->end);
}

/*
 * Returns whether the sealed block can be read and is what its parent is told.  node_view() asserts the same of the
 * blocks that are opened.
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
#endif

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
	assert(is_sealed(output, builder->height, used, child));
	return write_block(output, builder->height, used, builder->key_min, builder->key_max, error);
}

enum histree_status tree_output_leaf(struct tree_output *output, struct column_builder *builder,
				     struct node_child *child, struct histree_error *error)
{
	enum histree_status status = check_room(output, error);
	if (status != HISTREE_OK)
		return status;
	uint32_t used = column_builder_seal(builder, &output->layout, output->node_count, output->block, child);
	assert(is_sealed(output, 0, used, child));
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
	assert(is_sealed(output, 0, used, bounds));
	return write_block(output, 0, used, bounds->key_min, bounds->key_max, error);
}

enum histree_status tree_output_segments(struct tree_output *output, struct segment_builder *builder,
					 struct node_child *child, struct histree_error *error)
{
	enum histree_status status = check_room(output, error);
	if (status != HISTREE_OK)
		return status;
	uint32_t used = segment_builder_seal(builder, &output->layout, output->node_count, output->block, child);
	assert(is_sealed(output, 0, used, child));
	return write_block(output, 0, used, child->key_min, child->key_max, error);
}

enum histree_status tree_output_copy(const struct tree_output *output, struct block_file *file,
				     struct tree_output *copy)
{
	enum histree_status status = tree_output_init(copy, file, output->layout, NULL);
	copy->node_count = output->node_count;
	return status == HISTREE_OK ? tree_statistics_copy(&output->statistics, &copy->statistics) : status;
}

void tree_output_release(struct tree_output *output)
{
	free(output->block);
	tree_statistics_release(&output->statistics);
}
