/* SPDX-License-Identifier: MIT */
/*
 * tree_unknown.h - what nobody can say because nodes are damaged.
 *
 * An attribute has exactly one state at each time.  So what damaged nodes held need not be guessed from their
 * bounds: it is whatever part of a region no readable node covers.
 */
#ifndef TREE_TREE_UNKNOWN_H
#define TREE_TREE_UNKNOWN_H

#include "tree/tree_reader.h"

/* The unknown intervals of a region.  A zeroed struct has none. */
struct tree_unknown {
	struct histree_interval *intervals; /* of type unknown, by attribute and time */
	size_t count, capacity;
	size_t next; /* to be handed out */
};

/* Look again at all that can be read of the region.  Fails with HISTREE_ERR_MEMORY, or as the readable nodes do. */
enum histree_status tree_unknown_find(struct tree_reader *reader, const struct histree_region *region,
				      struct tree_unknown *unknown, struct histree_error *error);

void tree_unknown_release(struct tree_unknown *unknown);

#endif
