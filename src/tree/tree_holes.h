/* SPDX-License-Identifier: MIT */
/*
 * tree_holes.h - what nobody can say because nodes are damaged.
 *
 * An attribute has exactly one state at each time.  So what damaged nodes held need not be guessed from their
 * bounds: it is whatever part of a region no readable node covers.
 */
#ifndef TREE_TREE_HOLES_H
#define TREE_TREE_HOLES_H

#include "tree/tree_reader.h"

/* A zeroed one is empty. */
struct tree_holes {
	struct histree_interval *holes; /* of type unknown, by attribute and time */
	size_t count, capacity;
	size_t next; /* to be handed out */
};

/* Look again at all that can be read of the region.  HISTREE_ERR_MEMORY, or what the readable nodes give. */
enum histree_status tree_holes_find(struct tree_reader *reader, const struct histree_region *region,
				    struct tree_holes *holes, struct histree_error *error);

void tree_holes_release(struct tree_holes *holes);

#endif
