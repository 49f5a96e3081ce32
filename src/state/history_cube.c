// SPDX-License-Identifier: MIT
#include "state/history_cube.h"

const struct leveled_kind cube_kind = {
	.name = "cube",
	.unit = "ns",
	.version = CUBE_VERSION,
	.log2_max = CUBE_WIDTH_LOG2_MAX,
	.last_log2_max = CUBE_WIDTH_LOG2_MAX + LEVELED_STEP_LOG2 * LEVELED_LEVELS_MAX,
	.node_size = CUBE_NODE_SIZE,
};

static uint64_t length_of(const struct cube_levels *levels)
{
	return (uint64_t)levels->end - (uint64_t)levels->origin;
}

static unsigned width_of(const struct cube_levels *levels, uint32_t level)
{
	return levels->width_log2 + level * LEVELED_STEP_LOG2;
}

struct cube_levels cube_levels(const struct histree_history_info *of, unsigned width_log2)
{
	struct cube_levels levels = { of->start, of->end, width_log2, 1 };
	while (levels.count < LEVELED_LEVELS_MAX &&
	       cube_level_cells(&levels, levels.count - 1) > CUBE_TOP_CELLS_MAX)
		levels.count++;
	return levels;
}

uint64_t cube_level_cells(const struct cube_levels *levels, uint32_t level)
{
	const unsigned width = width_of(levels, level);
	return width < 64 ? (length_of(levels) >> width) + 1 : 1;
}

void cube_level_times(const struct cube_levels *levels, uint32_t level, uint64_t cell, histree_time *start,
		      histree_time *end)
{
	const unsigned width = width_of(levels, level);
	const uint64_t first = width < 64 ? cell << width : 0;
	const uint64_t ahead = width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
	const uint64_t left = length_of(levels) - first;
	*start = (histree_time)((uint64_t)levels->origin + first);
	*end = (histree_time)((uint64_t)*start + (left < ahead ? left : ahead));
}
