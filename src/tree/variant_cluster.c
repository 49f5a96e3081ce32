// SPDX-License-Identifier: MIT
/*
 * cluster: leaves of columns, in batches clustered by time and key (docs/design/0002-columns.md), below an eSHT.
 */
#include "tree/variant.h"

const struct tree_variant variant_cluster = {
	.name = "cluster",
	.id = 6,
	.summary = "leaves of columns in batches by time and attribute, nulls left out",
	.child_bounds = NODE_CHILD_END | NODE_CHILD_KEYS,
	.branch_start = variant_overlapping_start,
	.clusters = true,
	.node_size_default = 256 << 10,
	.fan_out_default = 1000,
	.memory_default = (size_t)256 << 20,
};
