// SPDX-License-Identifier: MIT
#include "tree/tree_damage.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "node/segment_view.h"
#include "segment_tree/segment_damage.h"

struct damage_search {
	const struct tree_reader *reader;
	struct tree_damage *damage;
	struct damaged_node *nodes; /* by number */
	uint64_t rows;              /* of the nodes that can be read */
	uint8_t *block;
};

void tree_damage_free(struct tree_damage *damage)
{
	if (damage == NULL)
		return;
	free(damage->unreadable);
	free(damage->orphans);
	free(damage->losses);
	free(damage);
}

/* Of a tree of segments, whose nodes above the leaves have the bounds of their children alone. */
static struct node_child segment_bounds(const struct node_view *view)
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

/* The keys of a node above the leaves are those of its own intervals: its sub-tree may have any. */
static struct node_child own_bounds(const struct node_view *view)
{
	struct node_child bounds = { .number = view->number,
				     .start = view->start,
				     .end = view->end,
				     .key_min = view->key_min,
				     .key_max = view->key_max };
	if (view->child_count > 0) {
		bounds.key_min = 0;
		bounds.key_max = UINT32_MAX;
	}
	return bounds;
}

static void look_at_node(struct damage_search *search, uint32_t number)
{
	const struct tree_reader *reader = search->reader;
	if (block_file_read(reader->file, number, search->block, NULL) != HISTREE_OK ||
	    node_check(&reader->shape.layout, search->block, number, NULL) != HISTREE_OK) {
		search->damage->unreadable[number / 64] |= UINT64_C(1) << number % 64;
		return;
	}
	struct node_view view = node_view(&reader->shape.layout, search->block);
	bool segments = reader->shape.layout.segments;
	search->nodes[number].bounds = segments ? segment_bounds(&view) : own_bounds(&view);
	search->rows += view.row_count;
	for (uint32_t i = 0; i < view.child_count; i++) {
		struct node_child child = node_view_child(&view, i);
		if (child.number >= number)
			continue;
		search->nodes[child.number].parent_height = view.height;
		if (tree_damage_lists(search->damage, child.number))
			search->nodes[child.number].bounds = child;
	}
}

static bool keep_orphan(struct tree_damage *damage, const struct node_child *node)
{
	if (!array_reserve(&damage->orphans, &damage->orphans_capacity, damage->orphan_count + 1))
		return false;
	damage->orphans[damage->orphan_count++] = *node;
	return true;
}

static enum histree_status search(const struct tree_reader *reader, struct tree_damage **out,
				  struct histree_error *error)
{
	uint32_t count = reader->shape.node_count;
	struct damage_search search = {
		.reader = reader,
		.damage = calloc(1, sizeof(*search.damage)),
		.nodes = calloc(count, sizeof(*search.nodes)),
		.block = malloc(reader->shape.layout.node_size),
	};
	enum histree_status status = HISTREE_OK;
	if (search.damage != NULL)
		search.damage->unreadable = calloc((size_t)count / 64 + 1, sizeof(*search.damage->unreadable));
	if (search.damage == NULL || search.nodes == NULL || search.block == NULL ||
	    search.damage->unreadable == NULL) {
		status = error_memory(error, "looking for damage");
		goto out;
	}
	for (uint32_t number = 0; number < count; number++)
		look_at_node(&search, number);
	for (uint32_t number = 0; status == HISTREE_OK && number < count; number++) {
		const struct damaged_node *node = &search.nodes[number];
		if (!tree_damage_lists(search.damage, number) && node->parent_height == 0 &&
		    number != reader->shape.root && !keep_orphan(search.damage, &node->bounds))
			status = error_memory(error, "looking for damage");
	}
	if (status == HISTREE_OK && reader->shape.layout.segments)
		status = segment_damage_find(reader, search.nodes, search.rows, search.damage, error);
out:
	free(search.block);
	free(search.nodes);
	if (status != HISTREE_OK) {
		tree_damage_free(search.damage);
		return status;
	}
	*out = search.damage;
	return HISTREE_OK;
}

enum histree_status tree_damage_find(struct tree_reader *reader, const struct tree_damage **out,
				     struct histree_error *error)
{
	struct tree_damage *damage = NULL;
	enum histree_status status = HISTREE_OK;
	pthread_mutex_lock(&reader->damage_mutex);
	if (reader->damage == NULL) {
		status = search(reader, &damage, error);
		if (status == HISTREE_OK)
			atomic_store_explicit(&reader->damage, damage, memory_order_release);
	}
	pthread_mutex_unlock(&reader->damage_mutex);
	*out = reader->damage;
	return status;
}
