// SPDX-License-Identifier: MIT
#include "segment_tree/segment_damage.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

/* ---- what is lost ------------------------------------------------------------------------------- */

static bool add_loss(struct segment_damage *met, const struct damaged_node *node)
{
	if (!array_reserve(&met->losses, &met->losses_capacity, met->loss_count + 1))
		return false;
	bool has_parent = node->parent_height > 0;
	met->losses[met->loss_count++] = (struct segment_loss){
		.loss = { .node = node->bounds.number,
			  .from = has_parent ? node->bounds.start : INT64_MIN,
			  .to = has_parent ? node->bounds.end : INT64_MAX },
		.has_parent = has_parent,
	};
	return true;
}

/*
 * Returns whether a damaged node can be a leaf: its parent's height tells its own, and the tree's that of the
 * root.
 */
static bool may_be_leaf(const struct tree_reader *reader, const struct damaged_node *node)
{
	if (node->bounds.number == reader->shape.root)
		return reader->statistics.height_count <= 1;
	return node->parent_height <= 1;
}

/* If more can be read than there should be, the number that the file has is none to go by. */
static uint64_t missing_of(const struct tree_reader *reader, uint64_t rows)
{
	uint64_t all = reader->statistics.interval_count;
	return rows <= all ? all - rows : UINT64_MAX;
}

/* Find the losses, now that there is damage. */
static enum histree_status take_damage(struct segment_damage *met, const struct tree_reader *reader,
				       const struct tree_damage *damage, struct histree_error *error)
{
	uint64_t missing = missing_of(reader, damage->readable_rows), leaves = 0;
	met->loss_count = 0;
	for (size_t i = 0; missing > 0 && i < damage->node_count; i++)
		if (may_be_leaf(reader, &damage->nodes[i])) {
			if (!add_loss(met, &damage->nodes[i]))
				return error_memory(error, "looking for damage");
			leaves += damage->nodes[i].parent_height == 1;
		}
	/* Each of the others that is a leaf held one segment at least. */
	for (size_t i = 0; i < met->loss_count; i++)
		met->losses[i].loss.count_max = missing - (leaves - met->losses[i].has_parent);
	met->damage = damage;
	return HISTREE_OK;
}

/* ---- telling of it ------------------------------------------------------------------------------ */

void segment_damage_begin(struct segment_damage *met)
{
	met->damage = NULL;
	met->met_core = false;
	met->untold = 0;
}

void segment_damage_release(struct segment_damage *met)
{
	free(met->losses);
	*met = (struct segment_damage){ 0 };
}

/* Returns the loss of a node, or NULL if it held no segments. */
static struct segment_loss *find_loss(const struct segment_damage *met, uint32_t node)
{
	size_t low = 0, high = met->loss_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (met->losses[middle].loss.node < node)
			low = middle + 1;
		else
			high = middle;
	}
	return low < met->loss_count && met->losses[low].loss.node == node ? &met->losses[low] : NULL;
}

static enum histree_status tell(struct segment_damage *met, struct segment_loss *loss)
{
	if (loss->told)
		return HISTREE_OK;
	loss->told = true;
	met->loss = loss->loss;
	return HISTREE_PARTIAL;
}

enum histree_status segment_damage_meet(struct segment_damage *met, struct tree_reader *reader, uint32_t node,
					struct histree_error *error)
{
	const struct tree_damage *damage;
	struct histree_error refusal;
	enum histree_status status = tree_damage_find(reader, &damage, &refusal);
	if (status != HISTREE_OK)
		return error_set(error, status, "%s", refusal.message);
	if (node >= reader->shape.node_count || !tree_damage_lists(damage, node))
		return HISTREE_ERR_FORMAT;
	if (met->damage == NULL)
		status = take_damage(met, reader, damage, error);
	if (status != HISTREE_OK)
		return status;
	struct segment_loss *loss = find_loss(met, node);
	if (loss != NULL && loss->has_parent)
		return tell(met, loss);
	met->met_core = true;
	return HISTREE_OK;
}

enum histree_status segment_damage_tell_next(struct segment_damage *met)
{
	while (met->untold < met->loss_count) {
		struct segment_loss *loss = &met->losses[met->untold++];
		if (!loss->has_parent)
			return tell(met, loss);
	}
	return HISTREE_OK;
}
