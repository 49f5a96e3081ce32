// SPDX-License-Identifier: MIT
#include "segment_tree/segment_visit.h"

#include "base/error.h"
#include "tree/tree_damage.h"

static enum histree_status malformed(const struct segment_visit *visit, const char *what, uint32_t which,
				     struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u: %s %u contradicts its bounds",
			 block_file_path(visit->reader->file), visit->view.number, what, which);
}

void segment_visit_leave(struct segment_visit *visit)
{
	if (visit->pin != NULL)
		node_pin_drop(visit->pin);
	visit->holds = false;
}

void segment_visit_release(struct segment_visit *visit)
{
	node_pin_free(visit->pin);
	visit->pin = NULL;
	visit->holds = false;
}

enum histree_status segment_visit_node(struct segment_visit *visit, uint32_t number, struct histree_error *error)
{
	if (visit->holds && visit->view.number == number)
		return HISTREE_OK;
	enum histree_status status = HISTREE_OK;
	bool loaded;
	visit->holds = false;
	if (tree_damage_has(visit->reader, number))
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u is damaged",
				 block_file_path(visit->reader->file), number);
	if (visit->pin == NULL)
		status = node_pin_create(visit->reader->cache, &visit->pin, error);
	if (status == HISTREE_OK)
		status = node_pin_hold(visit->pin, number, &loaded, error);
	if (status != HISTREE_OK)
		return tree_damage_is_met(visit->reader, status) ? HISTREE_ERR_FORMAT : status;
	visit->holds = true;
	visit->view = node_view(&visit->reader->shape.layout, node_pin_block(visit->pin));
	visit->visited++;
	visit->loaded += loaded;
	return HISTREE_OK;
}

enum histree_status segment_visit_child(const struct segment_visit *visit, uint32_t index, struct node_child *out,
					struct histree_error *error)
{
	*out = node_view_child(&visit->view, index);
	if (out->number < visit->view.number)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u has node %u as a child",
			 block_file_path(visit->reader->file), visit->view.number, out->number);
}

enum histree_status segment_visit_times(const struct segment_visit *visit, uint32_t index,
					struct segment_block *block, struct segment_times times[SEGMENT_BLOCK_MAX],
					struct histree_error *error)
{
	if (index >= segment_leaf_block_count(visit->view.block))
		return malformed(visit, "block", index, error);
	*block = segment_block(visit->view.block, index);
	if (segment_block_times(block, times) != HISTREE_OK)
		return malformed(visit, "block", index, error);
	return HISTREE_OK;
}

enum histree_status segment_visit_content(const struct segment_visit *visit, const struct segment_block *block,
					  uint32_t index, const struct segment_source *source, size_t wanted,
					  struct histree_value *content, struct histree_error *error)
{
	if (segment_block_content(block, index, source->fields, source->field_count, wanted, content) == HISTREE_OK)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u: segment %u of block %u has malformed content",
			 block_file_path(visit->reader->file), visit->view.number, index, block->bounds.number);
}
