// SPDX-License-Identifier: MIT
/*
 * eSHT: the enhanced State History Tree (eSHT paper IV; thesis 4.5.2): an oSHT whose parents also keep
 * the smallest and greatest key of each child's sub-tree, so that a query for some keys passes others by.
 */
#include "tree/variant.h"

const struct tree_variant variant_esht = {
	.name = "esht",
	.id = 3,
	.summary = "overlapping siblings with key bounds",
	.child_bounds = NODE_CHILD_END | NODE_CHILD_KEYS,
	.branch_start = variant_overlapping_start,
};
