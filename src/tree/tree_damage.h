/* SPDX-License-Identifier: MIT */
/*
 * tree_damage.h - the nodes of a tree that cannot be read, and the orphans: nodes that no readable node has as a
 * child.
 *
 * All of this is found by reading all nodes, once for a reader, when damage is met that may hide other nodes. A
 * node that could not be read counts as damaged from then on even if it could be read again: else its children
 * would be met twice, and each question would pay for the damage anew.
 *
 * A node is written just after its children (tree_output.h). So an orphan is assumed to be a child of the next
 * damaged node after it that is high enough and, if a parent says what its bounds are, has room for it in them;
 * of the root at last. What was between the two may be lost as well.
 */
#ifndef TREE_TREE_DAMAGE_H
#define TREE_TREE_DAMAGE_H

#include <stdatomic.h>

#include "tree/tree_reader_inside.h"

/* No orphan, where there is the index of one. */
#define NO_ORPHAN SIZE_MAX

struct damaged_node {
	struct node_child bounds; /* those that its parent has; without a readable parent, only the number */
	uint32_t parent_height;   /* 0: no readable node has it as a child */
	uint32_t height_min; /* it must have been as high as this, for the children that it is assumed to have */
	size_t last_child;   /* index of the last orphan that is assumed to be its child */
};

struct orphan_node {
	struct node_child bounds; /* its own; only the number if it is damaged itself */
	bool is_readable;
	uint32_t height; /* 0 if it is damaged */
	size_t sibling;  /* index of the orphan before it that is assumed to be a child of the same node */
};

/* Nodes and orphans are sorted by number. */
struct tree_damage {
	uint64_t *unreadable; /* a bit a node */
	struct damaged_node *nodes;
	size_t node_count, nodes_capacity;
	struct orphan_node *orphans;
	size_t orphan_count, orphans_capacity;
	uint64_t readable_rows; /* intervals or segments in nodes that can be read */
};

/*
 * Find the damage of a tree, or return what was found before.  It is borrowed and valid as long as the reader.
 * Fails with HISTREE_ERR_MEMORY only.
 */
enum histree_status tree_damage_find(struct tree_reader *reader, const struct tree_damage **out,
				     struct histree_error *error);

/* Returns what is known of a damaged node, or NULL if the node can be read. */
const struct damaged_node *tree_damage_node(const struct tree_damage *damage, uint32_t number);

static inline bool tree_damage_lists(const struct tree_damage *damage, uint32_t number)
{
	return (damage->unreadable[number / 64] >> number % 64 & 1) != 0;
}

/* Returns whether a node is known to be damaged. */
static inline bool tree_damage_has(const struct tree_reader *reader, uint32_t number)
{
	return (atomic_load_explicit(&reader->refused[number / 64], memory_order_relaxed) >> number % 64 & 1) != 0;
}

/* Have a node that was read and is not what it should be count as damaged from here on, without another look. */
static inline void tree_damage_remember(struct tree_reader *reader, uint32_t number)
{
	atomic_fetch_or_explicit(&reader->refused[number / 64], UINT64_C(1) << number % 64, memory_order_relaxed);
}

/*
 * Remember a node that could not be read for this reason, if another try would give the same: what the disk refuses
 * now it may give the next time.
 */
static inline void tree_damage_note(struct tree_reader *reader, uint32_t number, enum histree_status status)
{
	if (status == HISTREE_ERR_FORMAT)
		tree_damage_remember(reader, number);
}

/*
 * Returns whether a node that could not be read for this reason is damaged.  What the disk refuses now it may give
 * the next time: that is for the caller to decide.
 */
static inline bool tree_damage_is_met(const struct tree_reader *reader, enum histree_status status)
{
	return status == HISTREE_ERR_FORMAT || (status == HISTREE_ERR_IO && reader->salvages);
}

void tree_damage_free(struct tree_damage *damage);

#endif
