/* SPDX-License-Identifier: MIT */
/*
 * lifetimes_view.h - the section LIFE of a finished tree, read where it lies (its bytes are described in
 * lifetimes.h).
 */
#ifndef TREE_LIFETIMES_VIEW_H
#define TREE_LIFETIMES_VIEW_H

#include "base/block_directory.h"
#include "node/node_region.h"
#include "tree/lifetimes.h"

/* A zeroed struct has no attributes. */
struct lifetimes_view {
	uint8_t *bytes;
	struct block_directory blocks;
	histree_time start, end;
	uint32_t count;
};

/* Read the section into memory and check its size.  What is in it is checked when a lifetime is asked for. */
enum histree_status lifetimes_view_open(struct lifetimes_view *view, uint32_t key_count, histree_time start,
					histree_time end, const struct block_file *file,
					struct histree_error *error);

/* Returns the lifetime of a key below `count`.  It lies inside the history; one that makes no sense is none. */
struct lifetime lifetimes_view_get(const struct lifetimes_view *view, histree_quark key);

/*
 * Get the lifetimes of the keys of a block, from `key` on, a multiple of LIFETIMES_IN_BLOCK: cheaper than one by
 * one.
 */
void lifetimes_view_get_block(const struct lifetimes_view *view, histree_quark key,
			      struct lifetime lifetimes[LIFETIMES_IN_BLOCK]);

/*
 * Narrow a region to the lifetimes of its keys: nodes have nothing outside.  Lifetimes of a few attributes are
 * often short, as threads are, while the bounds of nodes, which hold the young and the old, keep no key out.
 * Returns false if nothing is left.
 */
bool lifetimes_view_narrow(const struct lifetimes_view *lifetimes, struct node_region *region);

void lifetimes_view_release(struct lifetimes_view *view);

#endif
