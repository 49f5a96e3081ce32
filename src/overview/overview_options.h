/* SPDX-License-Identifier: MIT */
/*
 * overview_options.h - how many overviews a history gets, and how fine they are.
 */
#ifndef OVERVIEW_OVERVIEW_OPTIONS_H
#define OVERVIEW_OVERVIEW_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct crew;

/* Zero means the default. */
struct overview_options {
	uint64_t history_states_min;  /* a history with fewer has none; 1 Mi */
	uint32_t states_min;          /* of an attribute that goes into an overview; 1,024 */
	uint32_t states_in_cell;      /* of the first overview, on average; 64 */
	uint32_t states_in_window;    /* that are in a window, about; 128 Ki, or as many as `memory_max` lets */
	uint32_t cells_min;           /* over the lifetime of an attribute, in the first overview; 8,192 */
	uint32_t cells_least;         /* with fewer, an overview is not worth its bytes; 2,048 */
	uint32_t percent_max;         /* of the history's bytes, that all overviews have at most; 15 */
	uint32_t numbers_percent_max; /* that the number overview has at most; 4 */
	uint32_t number_states_min;   /* of an attribute that goes into it; 4,096 */
	uint32_t number_states_log2;  /* of a summary, at least; 6 */
	uint32_t sums_percent_max;    /* that the overview of sums has at most; 3 */
	uint32_t sum_states_min;      /* of an attribute that goes into it; 256 */
	uint32_t cube_percent_max;    /* that the cube has at most; 2 */
	uint32_t cost_max_share; /* of the history's states, the first overview has a tenth at most, about; 10 */
	size_t memory_max;       /* of the buffers of one, as in struct histree_tree_options */
	uint32_t threads;        /* that they have work for */
	struct crew *crew;       /* of so many, but for the caller's; NULL: with threads, one of their own */
	/* Asked now and then, with the share that is done, 0 to 1; false: HISTREE_ERR_CANCELLED.  May be NULL. */
	bool (*go_on)(void *context, double share);
	void *context;
};

/* Returns the options with defaults instead of zeros; NULL: all of them are. */
struct overview_options overview_options_complete(const struct overview_options *asked);

/*
 * Chooses fewer cells: so many that overviews of `bytes` get `bytes_max`, or half as many if 0 bytes are known.
 * Returns false if they are too few to be of use.
 */
bool overview_options_coarser(struct overview_options *options, uint64_t bytes_max, uint64_t bytes);

#endif
