/* SPDX-License-Identifier: MIT */
/*
 * column_sort.h - put items into the order of (key, start), as column_builder.h wants them.
 */
#ifndef NODE_COLUMN_SORT_H
#define NODE_COLUMN_SORT_H

#include "node/column_builder.h"

/*
 * The keys are from `key_min` to `key_max`; `spare` has room for `count` items too.  Items of one key that come in
 * the order of time, as from a state system, cost no comparison.
 */
void column_sort(struct column_item *items, struct column_item *spare, size_t count, histree_quark key_min,
		 histree_quark key_max);

#endif
