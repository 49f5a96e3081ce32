/* SPDX-License-Identifier: MIT */
/*
 * attribute_order.h - the order in which children are searched in the section ATTR (attribute_reader.h): the
 * numbers of the ranges, by parent; of one parent the oldest, then the others by name.
 */
#ifndef STATE_ATTRIBUTE_ORDER_H
#define STATE_ATTRIBUTE_ORDER_H

#include "state/attribute_tree.h"

/* The leaders of the first groups of the ranges, in the order of these. */
struct range_leaders {
	histree_quark *quarks;
	size_t count, capacity;
	struct table table;
};

/* Returns false if memory is out. */
bool range_leaders_add(struct range_leaders *leaders, histree_quark quark);
void range_leaders_release(struct range_leaders *leaders);

/* Put the order, as bits, piece by piece.  Returns false if memory is out. */
bool attribute_order_put(const struct attribute_tree *tree, const struct range_leaders *leaders,
			 void (*put)(void *context, const void *bytes, size_t size), void *context);

#endif
