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

/* A damaged node that may have been a leaf. */
struct segment_loss {
	struct histree_segment_loss loss;
	/* Its parent can be read, so whoever visits that meets it.  Otherwise its bounds are all of time. */
	bool has_parent;
	bool told;
};

/* What one query has met of the damage.  A zeroed struct has met nothing. */
struct segment_damage {
	const struct tree_damage *damage; /* NULL: none was met so far */
	struct segment_loss *losses;      /* sorted by node */
	size_t loss_count, losses_capacity;
	bool met_core;                    /* so the orphans take part, and losses without a parent are told */
	size_t untold;                    /* the next of those to look at */
	struct histree_segment_loss loss; /* the one told last */
};

/* A new query begins. */
void segment_damage_begin(struct segment_damage *met);
void segment_damage_release(struct segment_damage *met);

/*
 * Take note of a node whose visit gave HISTREE_ERR_FORMAT.  Returns HISTREE_PARTIAL if there is a loss to tell of;
 * HISTREE_OK if the query goes on, with the orphans if met_core has just become true; HISTREE_ERR_FORMAT if it is
 * not damage, so that the error stands.
 */
enum histree_status segment_damage_meet(struct segment_damage *met, struct tree_reader *reader, uint32_t node,
					struct histree_error *error);

/* Returns HISTREE_PARTIAL while there is one more loss without a parent to tell of, once a core node was met. */
enum histree_status segment_damage_tell_next(struct segment_damage *met);

/* As segment_damage_tell_next(), with what each segment of a sound tree pays inline. */
static inline enum histree_status segment_damage_next(struct segment_damage *met)
{
	return met->met_core ? segment_damage_tell_next(met) : HISTREE_OK;
}

#endif
