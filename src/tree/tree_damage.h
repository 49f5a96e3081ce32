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

struct tree_damage {
	uint64_t *unreadable;       /* a bit a node */
	struct node_child *orphans; /* nodes that no readable node has as a child, by their own bounds */
	size_t orphan_count, orphans_capacity;
};

/* Borrowed; lives as long as the reader.  HISTREE_ERR_MEMORY only. */
enum histree_status tree_damage_find(struct tree_reader *reader, const struct tree_damage **out,
				     struct histree_error *error);

/* Whether a node is known to be damaged. */
static inline bool tree_damage_has(struct tree_reader *reader, uint32_t number)
{
	const struct tree_damage *damage = atomic_load_explicit(&reader->damage, memory_order_acquire);
	return damage != NULL && (damage->unreadable[number / 64] >> number % 64 & 1) != 0;
}

void tree_damage_free(struct tree_damage *damage);

#endif
