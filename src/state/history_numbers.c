// SPDX-License-Identifier: MIT
#include "state/history_numbers.h"

const struct leveled_kind numbers_kind = {
	.name = "numbers",
	.unit = "states",
	.version = NUMBERS_VERSION,
	.log2_max = NUMBERS_STATES_LOG2_MAX,
	.last_log2_max = NUMBERS_STATES_LOG2_MAX + LEVELED_STEP_LOG2 * LEVELED_LEVELS_MAX,
	.node_size = 8 << 10, /* a level is read for a few states */
};
