/* SPDX-License-Identifier: MIT */
/*
 * tree_links.h - what the nodes of a tree say of each other: which is whose child, and with which bounds.
 *
 * Always holds between the nodes that were opened: a node is a child of one node at most, its number and its height
 * are below those of its parent, it lies within its parent in time, and its bounds are those that its parent has of
 * it.  So a query enters each node once at most, and passes by none whose content it was asked for.
 *
 * A node is compared when it is opened, with those that were opened before.  Of two that contradict each other the
 * one that comes second is refused; which of them lies, nobody can say.  What is refused leaves no trace.
 */
#ifndef TREE_TREE_LINKS_H
#define TREE_TREE_LINKS_H

#include "node/node_view.h"

struct tree_links;

/* Fails with HISTREE_ERR_MEMORY only. */
enum histree_status tree_links_create(uint32_t node_count, struct tree_links **out, struct histree_error *error);

/* Free links, or do nothing if it is NULL. */
void tree_links_free(struct tree_links *links);

/* Compare a node that passed node_check().  Returns HISTREE_ERR_FORMAT if it contradicts itself or another one. */
enum histree_status tree_links_check(struct tree_links *links, const struct node_view *view,
				     struct histree_error *error);

#endif
