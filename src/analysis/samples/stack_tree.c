// SPDX-License-Identifier: MIT
#include "analysis/samples/stack_tree.h"

#include "base/hash.h"

struct key {
	uint32_t parent, frame;
};

static uint64_t hash_of_key(struct key key)
{
	return hash_mix((uint64_t)key.parent << 32 | key.frame);
}

static bool has_key(const void *nodes, uint32_t number, const void *key)
{
	const struct stack_node *node = &((const struct stack_node *)nodes)[number];
	const struct key *wanted = key;
	return node->parent == wanted->parent && node->frame == wanted->frame;
}

static uint64_t hash_of(const void *nodes, uint32_t number)
{
	const struct stack_node *node = &((const struct stack_node *)nodes)[number];
	return hash_of_key((struct key){ node->parent, node->frame });
}

void stack_tree_use_space(struct stack_tree *tree, struct table_space *space)
{
	tree->table.space = tree->by_frame.table.space = space;
}

uint32_t stack_tree_below(struct stack_tree *tree, uint32_t parent, uint32_t frame)
{
	const struct key key = { parent, frame };
	const uint64_t hash = hash_of_key(key);
	uint32_t number = hash_index_find(&tree->by_frame, hash, has_key, tree->nodes, &key);
	if (number != HASH_INDEX_NONE)
		return number;
	/* Numbers go into fields of 32 bits with a sign. */
	if (tree->count == INT32_MAX ||
	    !table_reserve(&tree->table, &tree->nodes, &tree->capacity, (size_t)tree->count + 1) ||
	    !hash_index_reserve(&tree->by_frame, (size_t)tree->count + 1, hash_of, tree->nodes))
		return STACK_NONE;
	number = tree->count++;
	tree->nodes[number] =
		(struct stack_node){ .parent = parent, .frame = frame, .first = INT64_MAX, .last = INT64_MIN };
	hash_index_add(&tree->by_frame, hash, number);
	return number;
}

void stack_tree_count(struct stack_tree *tree, uint32_t number, histree_time time)
{
	struct stack_node *node = &tree->nodes[number];
	node->first = time < node->first ? time : node->first;
	node->last = time > node->last ? time : node->last;
	node->samples++;
}

void stack_tree_finish(struct stack_tree *tree)
{
	for (uint32_t i = tree->count; i-- > 0;) {
		const struct stack_node *node = &tree->nodes[i];
		if (node->parent == STACK_NONE)
			continue;
		struct stack_node *parent = &tree->nodes[node->parent];
		parent->first = node->first < parent->first ? node->first : parent->first;
		parent->last = node->last > parent->last ? node->last : parent->last;
	}
}

void stack_tree_release(struct stack_tree *tree)
{
	table_release(&tree->table, tree->nodes);
	hash_index_release(&tree->by_frame);
	*tree = (struct stack_tree){ 0 };
}
