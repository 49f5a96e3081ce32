// SPDX-License-Identifier: MIT
#include "state/history_sums.h"

const struct leveled_kind sums_kind = {
	.name = "sums",
	.unit = "ns",
	.version = SUMS_VERSION,
	.log2_min = 1,
	.log2_max = SUMS_WIDTH_LOG2_MAX,
	.last_log2_max = SUMS_WIDTH_LOG2_MAX,
	.node_size = 8 << 10, /* a level is read for a few states */
};
