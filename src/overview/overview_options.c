// SPDX-License-Identifier: MIT
#include "overview/overview_options.h"

enum {
	STATES_IN_WINDOW_MAX = 128 << 10,
	STATES_IN_WINDOW_MIN = 8 << 10,
	STATE_BYTES = 384, /* in four windows, each with its values */
};

static void complete(uint32_t *option, uint32_t by_default)
{
	if (*option == 0)
		*option = by_default;
}

/* So many that windows that are read, prepared and taken at a time have about the memory that a tree has. */
static uint32_t states_in_window(size_t memory_max)
{
	const size_t states = memory_max / STATE_BYTES;
	if (memory_max == 0 || states > STATES_IN_WINDOW_MAX)
		return STATES_IN_WINDOW_MAX;
	return states > STATES_IN_WINDOW_MIN ? (uint32_t)states : STATES_IN_WINDOW_MIN;
}

struct overview_options overview_options_complete(const struct overview_options *asked)
{
	struct overview_options options = asked != NULL ? *asked : (struct overview_options){ 0 };
	if (options.history_states_min == 0)
		options.history_states_min = 1 << 20;
	complete(&options.states_min, 1024);
	complete(&options.states_in_cell, 64);
	complete(&options.states_in_window, states_in_window(options.memory_max));
	/* A view of the whole lifetime of an attribute has no more pixels than a quarter of this. */
	complete(&options.cells_min, 8192);
	complete(&options.cells_least, 2048);
	complete(&options.cost_max_share, 10);
	complete(&options.percent_max, 15);
	complete(&options.numbers_percent_max, 4);
	complete(&options.sums_percent_max, 3);
	complete(&options.sum_states_min, 256);
	complete(&options.cube_percent_max, 2);
	complete(&options.number_states_min, 4096);
	complete(&options.number_states_log2, 6);
	return options;
}

bool overview_options_coarser(struct overview_options *options, uint64_t bytes_max, uint64_t bytes)
{
	/* A bit less than what would just fit, so that it does; and no trifle, so that there is an end. */
	double part = bytes > 0 ? 0.9 * (double)bytes_max / (double)bytes : 0.5;
	part = part < 0.25 ? 0.25 : part > 0.75 ? 0.75 : part;
	options->cells_min = (uint32_t)(options->cells_min * part);
	options->states_in_cell = (uint32_t)(options->states_in_cell / part) + 1;
	options->cost_max_share = options->cost_max_share < UINT32_MAX / 2
					  ? (uint32_t)(options->cost_max_share / (bytes > 0 ? part : 1))
					  : options->cost_max_share;
	return options->cells_min >= options->cells_least;
}
