// SPDX-License-Identifier: MIT
#include "tree/tree_damage.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "tree/tree_bounds.h"

/* What was seen of a node. */
struct node_seen {
	struct node_child bounds; /* its own, or, if it cannot be read, those that its parent has */
	uint32_t height;          /* 0 if it cannot be read */
	uint32_t parent_height;   /* 0: no readable node has it as a child */
};

struct damage_search {
	const struct tree_reader *reader;
	struct tree_damage *damage;
	struct node_seen *seen; /* by number */
	uint8_t *block;
	uint32_t filled; /* bytes of it that may not be zero */
	size_t *waiting; /* stack of orphans that have no assumed parent so far, by index */
	size_t waiting_count, waiting_capacity;
	size_t patience; /* orphans that may still be looked at in vain */
};

enum { PATIENCE = 1 << 24 };

void tree_damage_free(struct tree_damage *damage)
{
	if (damage == NULL)
		return;
	free(damage->unreadable);
	free(damage->nodes);
	free(damage->orphans);
	free(damage);
}

const struct damaged_node *tree_damage_node(const struct tree_damage *damage, uint32_t number)
{
	size_t low = 0, high = damage->node_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (damage->nodes[middle].bounds.number < number)
			low = middle + 1;
		else
			high = middle;
	}
	bool found = low < damage->node_count && damage->nodes[low].bounds.number == number;
	assert(found == tree_damage_lists(damage, number));
	return found ? &damage->nodes[low] : NULL;
}

/* ---- reading all nodes -------------------------------------------------------------------------------- */

static void look_at_children(struct damage_search *search, const struct node_view *view)
{
	for (uint32_t i = 0; i < view->child_count; i++) {
		struct node_child child = node_view_child(view, i);
		if (child.number >= view->number)
			continue;
		search->seen[child.number].parent_height = view->height;
		if (tree_damage_lists(search->damage, child.number))
			search->seen[child.number].bounds = child;
	}
}

static void look_at_node(struct damage_search *search, uint32_t number)
{
	const struct tree_reader *reader = search->reader;
	struct node_seen *seen = &search->seen[number];
	struct node_view view;
	if (tree_damage_has(reader, number) ||
	    block_file_read_over(reader->file, number, search->block, &search->filled, NULL) != HISTREE_OK ||
	    tree_open_block(reader, search->block, number, &view, NULL) != HISTREE_OK) {
		search->damage->unreadable[number / 64] |= UINT64_C(1) << number % 64;
		seen->bounds.number = number;
		return;
	}
	seen->bounds = tree_bounds(&view);
	seen->height = view.height;
	search->damage->readable_rows += view.row_count;
	look_at_children(search, &view);
}

/* ---- assuming parents --------------------------------------------------------------------------------- */

static bool add_orphan(struct damage_search *search, uint32_t number)
{
	struct tree_damage *damage = search->damage;
	const struct node_seen *seen = &search->seen[number];
	if (!array_reserve(&damage->orphans, &damage->orphans_capacity, damage->orphan_count + 1) ||
	    !array_reserve(&search->waiting, &search->waiting_capacity, search->waiting_count + 1))
		return false;
	search->waiting[search->waiting_count++] = damage->orphan_count;
	damage->orphans[damage->orphan_count++] = (struct orphan_node){
		.bounds = seen->bounds,
		.is_readable = !tree_damage_lists(damage, number),
		.height = seen->height,
		.sibling = NO_ORPHAN,
	};
	return true;
}

/*
 * Whether a node may have been below one that cannot be read, whose bounds are those that its parent has. Which
 * keys are below a node it does not say, if it has children.
 */
static bool may_be_within(const struct orphan_node *orphan, const struct node_child *bounds)
{
	const struct node_child *own = &orphan->bounds;
	if (!orphan->is_readable)
		return true;
	bool has_keys = orphan->height == 0 && own->key_min <= own->key_max;
	return own->start >= bounds->start && own->end <= bounds->end &&
	       (!has_keys || (own->key_min >= bounds->key_min && own->key_max <= bounds->key_max));
}

/*
 * Give a damaged node, which was lower than `below`, those of the waiting orphans that are low enough and, where
 * its bounds are known, within them. It is the latest, most of the time; for the others a file that was made to
 * keep us busy has no more than our patience.
 */
static void adopt(struct damage_search *search, struct damaged_node *node, uint32_t below, bool has_bounds)
{
	struct orphan_node *orphans = search->damage->orphans;
	size_t *link = &node->last_child, first = search->waiting_count, kept;
	if (below < 2) /* it was a leaf */
		return;
	for (; first > 0; first--) {
		size_t index = search->waiting[first - 1];
		bool fits = orphans[index].height + 1 < below &&
			    (!has_bounds || may_be_within(&orphans[index], &node->bounds));
		if (!fits && search->patience-- == 0) {
			search->patience = 0;
			break;
		}
		if (!fits)
			continue;
		search->waiting[first - 1] = NO_ORPHAN;
		*link = index;
		link = &orphans[index].sibling;
		if (orphans[index].height >= node->height_min)
			node->height_min = orphans[index].height + 1;
	}
	for (kept = first; first < search->waiting_count; first++)
		if (search->waiting[first] != NO_ORPHAN)
			search->waiting[kept++] = search->waiting[first];
	search->waiting_count = kept;
}

static bool add_damaged(struct damage_search *search, uint32_t number)
{
	struct tree_damage *damage = search->damage;
	const struct node_seen *seen = &search->seen[number];
	if (!array_reserve(&damage->nodes, &damage->nodes_capacity, damage->node_count + 1))
		return false;
	struct damaged_node *node = &damage->nodes[damage->node_count++];
	*node = (struct damaged_node){
		.bounds = seen->bounds,
		.parent_height = seen->parent_height,
		.last_child = NO_ORPHAN,
	};
	if (number == search->reader->shape.root)
		adopt(search, node, UINT32_MAX, false);
	else if (seen->parent_height > 0)
		adopt(search, node, seen->parent_height, true);
	return true;
}

/* ---- the search --------------------------------------------------------------------------------------- */

static enum histree_status search_all(struct damage_search *search, struct histree_error *error)
{
	const struct tree_shape *shape = &search->reader->shape;
	for (uint32_t number = 0; number < shape->node_count; number++)
		look_at_node(search, number);
	for (uint32_t number = 0; number < shape->node_count; number++) {
		bool is_orphan = search->seen[number].parent_height == 0 && number != shape->root;
		if (tree_damage_lists(search->damage, number) && !add_damaged(search, number))
			return error_memory(error, "looking for damage");
		if (is_orphan && !add_orphan(search, number))
			return error_memory(error, "looking for damage");
	}
	return HISTREE_OK;
}

static enum histree_status find(const struct tree_reader *reader, struct tree_damage **out,
				struct histree_error *error)
{
	uint32_t count = reader->shape.node_count;
	struct damage_search search = {
		.reader = reader,
		.damage = calloc(1, sizeof(*search.damage)),
		.seen = calloc(count, sizeof(*search.seen)),
		.block = calloc(1, reader->shape.layout.node_size),
		.patience = PATIENCE,
	};
	enum histree_status status = HISTREE_OK;
	if (search.damage != NULL)
		search.damage->unreadable = calloc((size_t)count / 64 + 1, sizeof(*search.damage->unreadable));
	if (search.damage == NULL || search.seen == NULL || search.block == NULL ||
	    search.damage->unreadable == NULL)
		status = error_memory(error, "looking for damage");
	else
		status = search_all(&search, error);
	free(search.block);
	free(search.seen);
	free(search.waiting);
	if (status != HISTREE_OK)
		tree_damage_free(search.damage);
	else
		*out = search.damage;
	return status;
}

enum histree_status tree_damage_find(struct tree_reader *reader, const struct tree_damage **out,
				     struct histree_error *error)
{
	struct tree_damage *damage = NULL;
	enum histree_status status = HISTREE_OK;
	pthread_mutex_lock(&reader->damage_mutex);
	if (reader->damage == NULL) {
		status = find(reader, &damage, error);
		for (size_t i = 0; status == HISTREE_OK && i < damage->node_count; i++)
			tree_damage_remember(reader, damage->nodes[i].bounds.number);
		if (status == HISTREE_OK)
			atomic_store_explicit(&reader->damage, damage, memory_order_release);
	}
	pthread_mutex_unlock(&reader->damage_mutex);
	*out = reader->damage;
	return status;
}
