// SPDX-License-Identifier: MIT
/*
 * oSHT: the Overlapping State History Tree (thesis 4.5.1).
 *
 * A new branch starts where the interval that asked for it starts.  Siblings overlap in time, so a parent
 * keeps their ends too and a query searches a sub-tree (algorithm 4.1).
 */
#include "tree/variant.h"

histree_time variant_overlapping_start(histree_time start, histree_time tree_end)
{
	(void)tree_end;
	return start;
}

const struct tree_variant variant_osht = {
	.name = "osht",
	.id = 2,
	.summary = "siblings may overlap in time",
	.child_bounds = NODE_CHILD_END,
	.branch_start = variant_overlapping_start,
};
