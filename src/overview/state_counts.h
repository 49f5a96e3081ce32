/* SPDX-License-Identifier: MIT */
/*
 * state_counts.h - how many states each attribute of a history has, and of what kind.
 */
#ifndef OVERVIEW_STATE_COUNTS_H
#define OVERVIEW_STATE_COUNTS_H

#include "histree/history.h"
#include "overview/overview_progress.h"

enum { HAS_NUMBER = 1, HAS_CUSTOM = 2 };

/* A zeroed one is empty; five bytes an attribute. */
struct state_counts {
	uint32_t *states; /* by quark; UINT32_MAX: so many or more */
	uint8_t *kinds;   /* what is among them */
	uint32_t attribute_count;
};

/* Reads all nodes of a history once. */
enum histree_status state_counts_make(struct state_counts *counts, struct histree_history *history,
				      const struct overview_progress *progress, struct histree_error *error);

void state_counts_release(struct state_counts *counts);

#endif
