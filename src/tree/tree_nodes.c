// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "tree/tree_reader_inside.h"

struct pending_node {
	uint32_t number, parent;
};

struct pending_nodes {
	struct pending_node *nodes;
	size_t count, capacity;
};

static enum histree_status push_children(struct pending_nodes *pending, const struct tree_reader *reader,
					 const struct node_view *view, struct histree_error *error)
{
	if (!array_reserve(&pending->nodes, &pending->capacity, pending->count + view->child_count))
		return error_memory(error, "a list of nodes");
	for (uint32_t i = view->child_count; i-- > 0;) {
		struct node_child child = node_view_child(view, i);
		if (child.number >= view->number)
			return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u has node %u as a child",
					 block_file_path(reader->file), view->number, child.number);
		pending->nodes[pending->count++] = (struct pending_node){ child.number, view->number };
	}
	return HISTREE_OK;
}

static struct histree_node describe(const struct tree_reader *reader, const struct node_view *view, uint32_t parent)
{
	return (struct histree_node){
		.number = view->number,
		.parent = parent,
		.height = view->height,
		.child_count = view->child_count,
		.start = view->start,
		.end = view->end,
		.key_min = view->key_min,
		.key_max = view->key_max,
		.interval_count = view->row_count,
		.bytes_used = view->used,
		.bytes = reader->shape.layout.node_size,
	};
}

enum histree_status tree_nodes(struct tree_reader *reader,
			       bool (*visit)(void *context, const struct histree_node *node), void *context,
			       struct histree_error *error)
{
	struct pending_nodes pending = { 0 };
	uint64_t visited = 0;
	enum histree_status status = HISTREE_OK;
	if (!array_reserve(&pending.nodes, &pending.capacity, 1))
		return error_memory(error, "a list of nodes");
	pending.nodes[pending.count++] = (struct pending_node){ reader->shape.root, HISTREE_NO_NODE };
	while (status == HISTREE_OK && pending.count > 0) {
		struct pending_node next = pending.nodes[--pending.count];
		struct node_frame *frame;
		bool loaded;
		/* A file that lies about its children must not keep us for ever. */
		if (visited++ == reader->shape.node_count) {
			status = error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u is a child of several nodes",
					   block_file_path(reader->file), next.number);
			break;
		}
		status = node_cache_pin(reader->cache, next.number, &frame, &loaded, error);
		if (status != HISTREE_OK)
			break;
		struct node_view view = node_view(&reader->shape.layout, node_frame_block(frame));
		status = push_children(&pending, reader, &view, error);
		struct histree_node node = describe(reader, &view, next.parent);
		node_cache_unpin(reader->cache, frame);
		if (status == HISTREE_OK && !visit(context, &node))
			break;
	}
	free(pending.nodes);
	return status;
}
