// SPDX-License-Identifier: MIT
/*
 * SHT: the State History Tree of Montplaisir et al. (2013), as eSHT paper III.A and thesis 4.4.1 describe it.
 *
 * Siblings follow one another without gap or overlap, so a parent keeps only their starts, and a query goes
 * down one branch.  With many attributes it degenerates into a comb (thesis 4.4.2): intervals that began
 * early fit only into nodes that began early.
 */
#include "tree/variant.h"

static histree_time consecutive_start(histree_time start, histree_time tree_end)
{
	(void)start;
	return tree_end + 1;
}

static const char *check_consecutive(const struct node_child *before, const struct node_child *after)
{
	return after->start >= before->start ? NULL : "siblings are not in the order of time";
}

const struct tree_variant variant_sht = {
	.name = "sht",
	.id = 1,
	.summary = "consecutive siblings (the classic tree; degenerates with many attributes)",
	.child_bounds = NODE_CHILD_START,
	.branch_start = consecutive_start,
	.check_siblings = check_consecutive,
};
