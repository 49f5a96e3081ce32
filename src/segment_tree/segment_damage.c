// SPDX-License-Identifier: MIT
#include "segment_tree/segment_damage.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

/* ---- what is lost ------------------------------------------------------------------------------- */

static bool keep_loss(struct tree_damage *damage, uint32_t number, const struct damaged_node *node)
{
	if (!array_reserve(&damage->losses, &damage->losses_capacity, damage->loss_count + 1))
		return false;
	bool has_parent = node->parent_height > 0;
	damage->losses[damage->loss_count++] = (struct segment_loss){
		.loss = { .node = number,
			  .from = has_parent ? node->bounds.start : INT64_MIN,
			  .to = has_parent ? node->bounds.end : INT64_MAX },
		.has_parent = has_parent,
	};
	return true;
}

/* Whether a damaged node can be a leaf: its height is known by its parent's, or, of the root, by the tree's. */
static bool may_be_leaf(const struct tree_reader *reader, uint32_t number, const struct damaged_node *node)
{
	if (number == reader->shape.root)
		return reader->statistics.height_count <= 1;
	return node->parent_height <= 1;
}

/* More than there should be: then the number that the file has is none to go by. */
static uint64_t missing_of(const struct tree_reader *reader, uint64_t rows)
{
	uint64_t all = reader->statistics.interval_count;
	return rows <= all ? all - rows : UINT64_MAX;
}

enum histree_status segment_damage_find(const struct tree_reader *reader, const struct damaged_node *nodes,
					uint64_t rows, struct tree_damage *damage, struct histree_error *error)
{
	uint64_t missing = missing_of(reader, rows), leaves = 0;
	if (missing == 0)
		return HISTREE_OK;
	for (uint32_t number = 0; number < reader->shape.node_count; number++)
		if (tree_damage_lists(damage, number) && may_be_leaf(reader, number, &nodes[number])) {
			if (!keep_loss(damage, number, &nodes[number]))
				return error_memory(error, "looking for damage");
			leaves += nodes[number].parent_height == 1;
		}
	/* Each of the others that is a leaf held one at least. */
	for (size_t i = 0; i < damage->loss_count; i++)
		damage->losses[i].loss.count_max = missing - (leaves - damage->losses[i].has_parent);
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
	free(met->told);
	*met = (struct segment_damage){ 0 };
}

/* The loss of a node; NULL: it held no segments. */
static const struct segment_loss *find_loss(const struct tree_damage *damage, uint32_t node)
{
	size_t low = 0, high = damage->loss_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (damage->losses[middle].loss.node < node)
			low = middle + 1;
		else
			high = middle;
	}
	return low < damage->loss_count && damage->losses[low].loss.node == node ? &damage->losses[low] : NULL;
}

static enum histree_status tell(struct segment_damage *met, const struct segment_loss *loss)
{
	uint8_t *told = &met->told[loss - met->damage->losses];
	if (*told != 0)
		return HISTREE_OK;
	*told = 1;
	met->loss = loss->loss;
	return HISTREE_PARTIAL;
}

static enum histree_status take_damage(struct segment_damage *met, const struct tree_damage *damage,
				       struct histree_error *error)
{
	if (!array_reserve(&met->told, &met->told_capacity, damage->loss_count + 1))
		return error_memory(error, "an iterator");
	memset(met->told, 0, damage->loss_count);
	met->damage = damage;
	return HISTREE_OK;
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
		status = take_damage(met, damage, error);
	if (status != HISTREE_OK)
		return status;
	const struct segment_loss *loss = find_loss(damage, node);
	if (loss != NULL && loss->has_parent)
		return tell(met, loss);
	met->met_core = true;
	return HISTREE_OK;
}

enum histree_status segment_damage_tell_next(struct segment_damage *met)
{
	while (met->untold < met->damage->loss_count) {
		const struct segment_loss *loss = &met->damage->losses[met->untold++];
		if (!loss->has_parent)
			return tell(met, loss);
	}
	return HISTREE_OK;
}
