// SPDX-License-Identifier: MIT
/*
 * R-SHT(r) and vR-SHT (thesis 4.6 and 4.7.4): the upper levels are an eSHT; below them hang R-trees of r
 * levels, each made at once from a full buffer (r_buffer.h).
 *
 * vR-SHT chooses r by the number of attributes A and of intervals in a node n: r = ceil(log_c(A / n)), one
 * step at a time, whenever a parent of R-trees is full.
 */
#include "tree/variant.h"

#include <stdbool.h>

static uint32_t asked_depth(const struct variant_shape *shape)
{
	return shape->r_depth_asked;
}

static uint32_t grown_depth(const struct variant_shape *shape)
{
	uint64_t nodes = shape->key_count / (shape->node_intervals > 0 ? shape->node_intervals : 1);
	uint32_t wanted = 0;
	for (uint64_t reach = 1; reach < nodes; reach *= shape->fan_out)
		wanted++;
	bool deeper = wanted > shape->r_depth && shape->r_depth < shape->r_depth_asked;
	return deeper ? shape->r_depth + 1 : shape->r_depth;
}

const struct tree_variant variant_rsht = {
	.name = "rsht",
	.id = 4,
	.summary = "R-trees of r levels below an eSHT, clustered by attribute",
	.child_bounds = NODE_CHILD_END | NODE_CHILD_KEYS,
	.branch_start = variant_overlapping_start,
	.r_depth = asked_depth,
	.r_depth_default = 2,
};

const struct tree_variant variant_vrsht = {
	.name = "vrsht",
	.id = 5,
	.summary = "R-SHT whose r grows with the number of attributes",
	.child_bounds = NODE_CHILD_END | NODE_CHILD_KEYS,
	.branch_start = variant_overlapping_start,
	.r_depth = grown_depth,
	.r_depth_default = 4,
};
