/* SPDX-License-Identifier: MIT */
/*
 * tree_verify.h - every node of a tree, depth first, a parent before its children; and whether what they have is
 * right.
 *
 * How many intervals of each key a tree has, and whether all that must hold of a tree holds: the
 * file is read once from front to back.
 */
#ifndef TREE_TREE_VERIFY_H
#define TREE_TREE_VERIFY_H

#include "base/crew.h"
#include "node/node_view.h"
#include "tree/tree_reader.h"

/*
 * Count what a query of everything would hand out, the nulls outside of lifetimes as well.  The tree must be
 * whole: HISTREE_ERR_FORMAT or HISTREE_ERR_IO says that a node cannot be read.  Now and then the caller's thread
 * calls `go_on` with the share of the nodes that are done; if it does not return HISTREE_OK, that status ends the
 * count.  With a crew, its threads count together with the caller's, and several call `counter` at a time.
 */
enum histree_status
tree_count(struct tree_reader *reader, const struct node_counter *counter, struct crew *crew, unsigned threads,
	   enum histree_status (*go_on)(void *context, double share, struct histree_error *error),
	   struct histree_error *error);

#endif
