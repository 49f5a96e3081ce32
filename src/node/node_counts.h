/* SPDX-License-Identifier: MIT */
/*
 * node_counts.h - how many intervals of each key a node has, and of which classes their values are: what a series
 * says of itself, without making its intervals.
 */
#ifndef NODE_NODE_COUNTS_H
#define NODE_NODE_COUNTS_H

#include "node/node_view.h"

struct node_counter {
	/* Returns bits: what a value is; that of an integer and that of null depend on their type alone. */
	unsigned (*class_of)(const struct histree_value *value);
	/* Some intervals of a key, and the bits of all their values together. */
	void (*count)(void *context, histree_quark key, uint32_t intervals, unsigned classes);
	void *context;
};

/* Count all intervals of a node, each once.  Returns HISTREE_ERR_FORMAT if it is malformed. */
enum histree_status node_count(const struct node_view *view, const struct node_counter *counter);

#endif
