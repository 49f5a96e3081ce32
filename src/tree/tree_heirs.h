/* SPDX-License-Identifier: MIT */
/*
 * tree_heirs.h - a tree whose damaged nodes cannot say what their children were, made whole for whoever lists
 * nodes.
 *
 * A node is written just after its children (tree_output.h).  So a node that no readable one has as a child is
 * taken to be a child of the next damaged node behind it that is high enough, the root at last: its heir.  What was
 * between the two may be lost as well.
 */
#ifndef TREE_TREE_HEIRS_H
#define TREE_TREE_HEIRS_H

#include "tree/tree_reader_inside.h"

/* By number of the node; HISTREE_NO_NODE: there is none. */
struct tree_heirs {
	uint32_t *last_child; /* of a damaged node */
	uint32_t *sibling;    /* of a child of an heir: the one before it */
	uint32_t *height;     /* of a damaged node: the least that it may have had */
};

/* Reads all nodes.  On failure there is nothing to release. */
enum histree_status tree_heirs_find(struct tree_reader *reader, struct tree_heirs *out,
				    struct histree_error *error);
void tree_heirs_release(struct tree_heirs *heirs);

#endif
