// SPDX-License-Identifier: MIT
#include "tree/tree_heirs.h"

#include <stdlib.h>

#include "base/error.h"

/* By number of the node. */
struct heir_search {
	struct tree_heirs heirs;
	bool *is_damaged, *is_named; /* named: a readable node has it as a child */
	uint32_t *below;             /* of a damaged node that is named: the height of who names it */
	uint32_t *unnamed;           /* stack of nodes for whom no heir was met yet */
	size_t unnamed_count;
};

static enum histree_status look_at_node(struct heir_search *search, const struct tree_reader *reader,
					struct node_pin *pin, uint32_t number, struct histree_error *error)
{
	bool loaded;
	enum histree_status status = node_pin_hold(pin, number, &loaded, error);
	search->is_damaged[number] = status != HISTREE_OK;
	if (status != HISTREE_OK)
		return status == HISTREE_ERR_FORMAT ? HISTREE_OK : status;
	struct node_view view = node_view(&reader->shape.layout, node_pin_block(pin));
	search->heirs.height[number] = view.height;
	for (uint32_t i = 0; i < view.child_count; i++) {
		uint32_t child = node_view_child(&view, i).number;
		if (child >= number)
			continue;
		search->is_named[child] = true;
		search->below[child] = view.height;
	}
	node_pin_drop(pin);
	return HISTREE_OK;
}

/* A damaged node of less than `below` levels takes what lies on top of the stack, as far as it is low enough. */
static void inherit(struct heir_search *search, uint32_t number, uint32_t below)
{
	struct tree_heirs *heirs = &search->heirs;
	uint32_t first = HISTREE_NO_NODE;
	while (search->unnamed_count > 0) {
		uint32_t child = search->unnamed[search->unnamed_count - 1];
		if (heirs->height[child] + 1 >= below)
			break;
		search->unnamed_count--;
		if (first == HISTREE_NO_NODE)
			heirs->last_child[number] = child;
		else
			heirs->sibling[first] = child;
		first = child;
		if (heirs->height[child] >= heirs->height[number])
			heirs->height[number] = heirs->height[child] + 1;
	}
}

static enum histree_status search_heirs(struct heir_search *search, struct tree_reader *reader,
					struct node_pin *pin, struct histree_error *error)
{
	for (uint32_t number = 0; number < reader->shape.node_count; number++) {
		search->heirs.last_child[number] = search->heirs.sibling[number] = HISTREE_NO_NODE;
		enum histree_status status = look_at_node(search, reader, pin, number, error);
		if (status != HISTREE_OK)
			return status;
	}
	for (uint32_t number = 0; number < reader->shape.node_count; number++) {
		if (number == reader->shape.root && search->is_damaged[number])
			inherit(search, number, UINT32_MAX);
		else if (search->is_named[number] && search->is_damaged[number])
			inherit(search, number, search->below[number]);
		else if (!search->is_named[number])
			search->unnamed[search->unnamed_count++] = number;
	}
	return HISTREE_OK;
}

static bool make_search(struct heir_search *search, size_t count)
{
	*search = (struct heir_search){
		.heirs.last_child = calloc(count, sizeof(uint32_t)),
		.heirs.sibling = calloc(count, sizeof(uint32_t)),
		.heirs.height = calloc(count, sizeof(uint32_t)),
		.is_damaged = calloc(count, sizeof(bool)),
		.is_named = calloc(count, sizeof(bool)),
		.below = calloc(count, sizeof(uint32_t)),
		.unnamed = calloc(count, sizeof(uint32_t)),
	};
	return search->heirs.last_child != NULL && search->heirs.sibling != NULL && search->heirs.height != NULL &&
	       search->is_damaged != NULL && search->is_named != NULL && search->below != NULL &&
	       search->unnamed != NULL;
}

enum histree_status tree_heirs_find(struct tree_reader *reader, struct tree_heirs *out, struct histree_error *error)
{
	struct heir_search search;
	struct node_pin *pin = NULL;
	enum histree_status status = HISTREE_OK;
	*out = (struct tree_heirs){ 0 };
	if (!make_search(&search, reader->shape.node_count))
		status = error_memory(error, "a list of nodes");
	if (status == HISTREE_OK)
		status = node_pin_create(reader->cache, &pin, error);
	if (status == HISTREE_OK)
		status = search_heirs(&search, reader, pin, error);
	node_pin_free(pin);
	free(search.is_damaged);
	free(search.is_named);
	free(search.below);
	free(search.unnamed);
	if (status == HISTREE_OK)
		*out = search.heirs;
	else
		tree_heirs_release(&search.heirs);
	return status;
}

void tree_heirs_release(struct tree_heirs *heirs)
{
	free(heirs->last_child);
	free(heirs->sibling);
	free(heirs->height);
	*heirs = (struct tree_heirs){ 0 };
}
