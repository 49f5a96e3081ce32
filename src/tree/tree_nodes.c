// SPDX-License-Identifier: MIT
/*
 * tree_nodes.c - visits every node of a tree, depth first, a parent before its children; damaged nodes take their
 * place with what their parents know of them, and orphans go to the damaged node that may have had them.
 */
#include <stdlib.h>

#include "base/table.h"
#include "base/error.h"
#include "tree/tree_reader.h"

/* A node that is still to be visited, as its parent knows it. */
struct pending_node {
	uint32_t number, parent;
	histree_time start, end;
};

struct node_walk {
	struct tree_reader *reader;
	struct node_pin *pin;
	struct pending_node *pending; /* stack */
	size_t count, capacity;
	uint64_t visited;
};

static enum histree_status push(struct node_walk *walk, struct pending_node node, struct histree_error *error)
{
	if (!array_reserve(&walk->pending, &walk->capacity, walk->count + 1))
		return error_memory(error, "a list of nodes");
	walk->pending[walk->count++] = node;
	return HISTREE_OK;
}

static enum histree_status push_children(struct node_walk *walk, const struct node_view *view,
					 struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = view->child_count; i-- > 0 && status == HISTREE_OK;) {
		struct node_child child = node_view_child(view, i);
		if (child.number >= view->number)
			return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u has node %u as a child",
					 block_file_path(walk->reader->file), view->number, child.number);
		/* What a variant does not keep of a child is as wide as can be. */
		const struct pending_node node = {
			.number = child.number,
			.parent = view->number,
			.start = child.start > view->start ? child.start : view->start,
			.end = child.end < view->end ? child.end : view->end,
		};
		status = push(walk, node, error);
	}
	return status;
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

/* Take a damaged node; the orphans that are assumed to be its children take its place. */
static enum histree_status take_damaged(struct node_walk *walk, const struct pending_node *pending,
					struct histree_node *node, struct histree_error *error)
{
	const struct tree_damage *damage;
	enum histree_status status = tree_damage_find(walk->reader, &damage, error);
	if (status != HISTREE_OK)
		return status;
	const struct damaged_node *damaged = tree_damage_node(damage, pending->number);
	if (damaged == NULL)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u could not be read, and then it could",
				 block_file_path(walk->reader->file), pending->number);
	*node = (struct histree_node){
		.number = pending->number,
		.parent = pending->parent,
		.height = damaged->height_min,
		.start = pending->start,
		.end = pending->end,
		.key_min = 1, /* to 0: none */
		.bytes = walk->reader->shape.layout.node_size,
		.is_damaged = true,
	};
	for (size_t index = damaged->last_child; index != NO_ORPHAN && status == HISTREE_OK;
	     index = damage->orphans[index].sibling) {
		uint32_t child = damage->orphans[index].bounds.number;
		status = push(walk, (struct pending_node){ child, pending->number, pending->start, pending->end },
			      error);
		node->child_count++;
	}
	return status;
}

/* Take the node on top of the stack; its children take its place. */
static enum histree_status take_node(struct node_walk *walk, struct histree_node *node, struct histree_error *error)
{
	const struct pending_node next = walk->pending[--walk->count];
	bool loaded;
	/* A file that lies about its children must not keep us for ever. */
	if (walk->visited++ == walk->reader->shape.node_count)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u is a child of several nodes",
				 block_file_path(walk->reader->file), next.number);
	if (tree_damage_has(walk->reader, next.number))
		return take_damaged(walk, &next, node, error);
	enum histree_status status = node_pin_hold(walk->pin, next.number, &loaded, error);
	if (status != HISTREE_OK)
		return tree_damage_is_met(walk->reader, status) ? take_damaged(walk, &next, node, error) : status;
	struct node_view view = node_view(&walk->reader->shape.layout, node_pin_block(walk->pin));
	*node = describe(walk->reader, &view, next.parent);
	status = push_children(walk, &view, error);
	node_pin_drop(walk->pin);
	return status;
}

enum histree_status tree_nodes(struct tree_reader *reader,
			       bool (*visit)(void *context, const struct histree_node *node), void *context,
			       struct histree_error *error)
{
	struct node_walk walk = { .reader = reader };
	const struct pending_node root = {
		.number = reader->shape.root,
		.parent = HISTREE_NO_NODE,
		.start = reader->shape.start,
		.end = reader->shape.end,
	};
	enum histree_status status = node_pin_create(reader->cache, &walk.pin, error);
	if (status == HISTREE_OK)
		status = push(&walk, root, error);
	while (status == HISTREE_OK && walk.count > 0) {
		struct histree_node node;
		status = take_node(&walk, &node, error);
		if (status == HISTREE_OK && !visit(context, &node))
			break;
	}
	node_pin_free(walk.pin);
	free(walk.pending);
	return status;
}
