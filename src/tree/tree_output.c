// SPDX-License-Identifier: MIT
#include "tree/tree_output.h"

#include <stdlib.h>

#include "base/error.h"

enum histree_status tree_output_init(struct tree_output *output, struct block_file *file, struct node_layout layout,
				     struct histree_error *error)
{
	*output = (struct tree_output){ .file = file, .layout = layout };
	output->block = malloc(layout.node_size);
	return output->block != NULL ? HISTREE_OK : error_memory(error, "a node");
}

enum histree_status tree_output_node(struct tree_output *output, struct node_builder *builder, histree_time end,
				     struct node_child *child, struct histree_error *error)
{
	if (output->node_count == UINT32_MAX)
		return error_set(error, HISTREE_ERR_TOO_LARGE, "'%s': more than %u nodes; use a greater node size",
				 block_file_path(output->file), UINT32_MAX);
	uint32_t used = node_builder_seal(builder, output->node_count, end, output->block, child);
	if (used == 0 || tree_statistics_count_node(&output->statistics, builder->height, used, builder->key_min,
						    builder->key_max) != HISTREE_OK)
		return error_memory(error, "a node");
	return block_file_write(output->file, output->node_count++, output->block, error);
}

void tree_output_release(struct tree_output *output)
{
	free(output->block);
	tree_statistics_release(&output->statistics);
}
