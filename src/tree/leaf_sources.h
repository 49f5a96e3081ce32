/* SPDX-License-Identifier: MIT */
/*
 * leaf_sources.h - the sources of the leaves of a tree that is being written: a table of functions for each source.
 *
 * The writer gives every interval to the source of its variant.  The source makes leaves of them and hangs these
 * below the open branch (tree_branch.h); what it buffers in between is private to it.  A source may use the branch
 * in a task of the crew until wait() or finish() returns, so the writer does not touch the branch in between.
 */
#ifndef TREE_LEAF_SOURCES_H
#define TREE_LEAF_SOURCES_H

#include "tree/leaf_pack.h"
#include "tree/tree_branch.h"
#include "tree/tree_shape.h"

struct leaf_source {
	uint32_t key_limit; /* keys of intervals are below it; 0: no intervals are added */

	/* Open the branch, and make what the source keeps: `*out`, which is NULL after an error. */
	enum histree_status (*create)(struct tree_branch *branch, const struct tree_options *options, void **out,
				      struct histree_error *error);

	/* Take intervals that the tree accepts.  The bytes of their values are copied. */
	enum histree_status (*add)(void *leaves, const struct histree_interval *intervals, size_t count,
				   struct histree_error *error);

	/*
	 * Learn of an interval that is in no leaf, but counts for lifetimes.  NULL: the source has no lifetimes.
	 * Fails with HISTREE_ERR_MEMORY only.
	 */
	enum histree_status (*count)(void *leaves, const struct histree_interval *interval);

	/* Hint that intervals which end at `end` are the last of their keys.  NULL: it makes no difference. */
	void (*close_at)(void *leaves, histree_time end);

	/* Wait until no task of the source is running, and return its error.  NULL: the source has no tasks. */
	enum histree_status (*wait)(void *leaves, struct histree_error *error);

	/*
	 * Copy what a source that was waited for keeps, for a copy of its branch.  It may lend the copy what it
	 * buffers: until the copy is freed, nothing may be added to it.  Fails with HISTREE_ERR_MEMORY only.
	 */
	enum histree_status (*copy)(const void *leaves, struct tree_branch *branch, void **out);

	/* Hang the leaves of a pack (leaf_pack.h) below the branch.  NULL: the source has no packs. */
	enum histree_status (*take_pack)(void *leaves, const struct leaf_pack *pack, struct histree_error *error);

	/* Write all that is left and close the branch at `end`.  Fills in the root and the depth of R-trees. */
	enum histree_status (*finish)(void *leaves, histree_time end, struct tree_shape *shape,
				      struct histree_error *error);

	/* Write a section of the source's own, after the tree was finished.  NULL: the source has no section. */
	enum histree_status (*write_section)(void *leaves, const struct tree_shape *shape, struct block_file *file,
					     struct histree_error *error);

	/* `leaves` may be NULL. */
	void (*free)(void *leaves);
};

/* Returns the table of a source. */
const struct leaf_source *leaf_source_of(enum tree_leaf_source source);

#endif
