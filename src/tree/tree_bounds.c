// SPDX-License-Identifier: MIT
#include "tree/tree_bounds.h"

#include "node/segment_node.h"

struct node_child tree_segment_bounds(const struct node_view *view)
{
	if (view->height == 0)
		return segment_leaf_bounds(view->block);
	struct node_child bounds = node_child_of_no_segments();
	for (uint32_t i = 0; i < view->child_count; i++) {
		struct node_child child = node_view_child(view, i);
		node_child_include(&bounds, &child);
	}
	bounds.number = view->number;
	return bounds;
}

struct node_child tree_bounds(const struct node_view *view)
{
	if (view->layout->segments)
		return tree_segment_bounds(view);
	bool has_children = view->child_count > 0;
	return (struct node_child){
		.number = view->number,
		.start = view->start,
		.end = view->end,
		.key_min = has_children ? 0 : view->key_min,
		.key_max = has_children ? UINT32_MAX : view->key_max,
	};
}
