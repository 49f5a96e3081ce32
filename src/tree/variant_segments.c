// SPDX-License-Identifier: MIT
/*
 * segments: leaves of segments, packed in batches by duration and start (docs/design/0005-segments.md).
 */
#include "tree/variant.h"

const struct tree_variant variant_segments = {
	.name = "segments",
	.id = 7,
	.summary = "leaves of segments in batches by duration and start",
	.child_bounds = NODE_CHILD_END | NODE_CHILD_SEGMENTS,
	.branch_start = variant_overlapping_start,
	.segments = true,
	.node_size_default = 64 << 10,
	.fan_out_default = 1000,
	.memory_default = (size_t)80 << 20,
};
