/* SPDX-License-Identifier: MIT */
/*
 * tree_damage.h - which nodes of a tree cannot be read, and which others only they knew.
 *
 * Found by reading all nodes, once for a reader, when a node that may have children is met and cannot be read. From
 * then on a node that could not be read counts as damaged even if it could be read again: else its children would
 * be met twice.
 */
#ifndef TREE_TREE_DAMAGE_H
#define TREE_TREE_DAMAGE_H

#include <stdatomic.h>

#include "tree/tree_reader_inside.h"

/* What was seen of a node. */
struct damaged_node {
	struct node_child bounds; /* its own, or, if it cannot be read, those that its parent has */
	uint32_t parent_height;   /* 0: no readable node has it as a child */
};

struct tree_damage {
	uint64_t *unreadable;       /* a bit a node */
	struct node_child *orphans; /* nodes that no readable node has as a child, by their own bounds */
	size_t orphan_count, orphans_capacity;

	/* Of a tree of segments: nodes that held some, by number. */
	struct segment_loss *losses;
	size_t loss_count, losses_capacity;
};

/* The damage is borrowed and valid as long as the reader.  Fails with HISTREE_ERR_MEMORY only. */
enum histree_status tree_damage_find(struct tree_reader *reader, const struct tree_damage **out,
				     struct histree_error *error);

static inline bool tree_damage_lists(const struct tree_damage *damage, uint32_t number)
{
	return (damage->unreadable[number / 64] >> number % 64 & 1) != 0;
}

/* Whether a node is known to be damaged. */
static inline bool tree_damage_has(struct tree_reader *reader, uint32_t number)
{
	const struct tree_damage *damage = atomic_load_explicit(&reader->damage, memory_order_acquire);
	return damage != NULL && tree_damage_lists(damage, number);
}

void tree_damage_free(struct tree_damage *damage);

#endif
