/* SPDX-License-Identifier: MIT */
/*
 * tree_nulls.h - the nulls of a region outside the lifetimes of its keys, which no node has (lifetimes.h).
 */
#ifndef TREE_TREE_NULLS_H
#define TREE_TREE_NULLS_H

#include "node/node_region.h"
#include "tree/tree_reader_inside.h"

struct tree_nulls {
	size_t at, end; /* the region's keys whose nulls were not given yet, by index */
	/* Where all keys are asked for, they are unpacked block by block. */
	size_t block;
	struct lifetime lifetimes[LIFETIMES_IN_BLOCK];
};

/* Begin with the first of `keys` keys.  A tree without lifetimes has no such nulls. */
void tree_nulls_begin(struct tree_nulls *nulls, const struct tree_reader *reader, size_t keys);

/* Read the next nulls of the region, as long as there is room.  Returns how many; 0: that was all. */
size_t tree_nulls_read(struct tree_nulls *nulls, const struct tree_reader *reader, const struct node_region *region,
		       struct histree_interval *out, size_t room);

#endif
