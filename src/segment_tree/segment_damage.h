/* SPDX-License-Identifier: MIT */
/*
 * segment_damage.h - what a query on a tree of segments does at a node that cannot be read.
 *
 * A core node holds nothing but the way to others, and those are found by reading all nodes once (tree_damage.h):
 * they take its place in the query.  A leaf is lost.  What it held is known by its bounds, which are in its parent,
 * and by the number of segments of the tree, less those that can still be read.
 */
#ifndef SEGMENT_TREE_SEGMENT_DAMAGE_H
#define SEGMENT_TREE_SEGMENT_DAMAGE_H

#include "histree/segment_store.h"
#include "tree/tree_damage.h"

struct segment_loss {
	struct histree_segment_loss loss;
	/* Its parent can be read: so whoever visits that meets it.  Otherwise its bounds are all of time. */
	bool has_parent;
};

/* Fill in the losses.  `rows`: segments in leaves that can be read.  HISTREE_ERR_MEMORY only. */
enum histree_status segment_damage_find(const struct tree_reader *reader, const struct damaged_node *nodes,
					uint64_t rows, struct tree_damage *damage, struct histree_error *error);

/* What one query has met of it.  A zeroed one has met nothing. */
struct segment_damage {
	const struct tree_damage *damage; /* NULL: none so far */
	uint8_t *told;                    /* by index of the loss */
	size_t told_capacity;
	bool met_core;                    /* so the orphans take part, and losses without a parent are told */
	size_t untold;                    /* of those, the next to look at */
	struct histree_segment_loss loss; /* told last */
};

/* A new query begins. */
void segment_damage_begin(struct segment_damage *met);
void segment_damage_release(struct segment_damage *met);

/*
 * Visiting this node gave HISTREE_ERR_FORMAT.  HISTREE_PARTIAL: a loss to tell of; HISTREE_OK: go on, with the
 * orphans if met_core has just become true; HISTREE_ERR_FORMAT: it is not damage, the error stands.
 */
enum histree_status segment_damage_meet(struct segment_damage *met, struct tree_reader *reader, uint32_t node,
					struct histree_error *error);

/* HISTREE_PARTIAL while there is one more loss without a parent to tell of, once a core node was met. */
enum histree_status segment_damage_tell_next(struct segment_damage *met);

/* The same; inline what each segment of a sound tree pays. */
static inline enum histree_status segment_damage_next(struct segment_damage *met)
{
	return met->met_core ? segment_damage_tell_next(met) : HISTREE_OK;
}

#endif
