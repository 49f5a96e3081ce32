/* SPDX-License-Identifier: MIT */
/*
 * overview_progress.h - how far the making of overviews is.
 */
#ifndef OVERVIEW_OVERVIEW_PROGRESS_H
#define OVERVIEW_OVERVIEW_PROGRESS_H

#include <stdbool.h>

#include "histree/status.h"

struct overview_progress {
	bool (*go_on)(void *context, double share); /* see struct overview_options; may be NULL */
	void *context;
	unsigned steps; /* that are done: counting, and overviews */
};

/* `share` is that of the step at hand.  HISTREE_ERR_CANCELLED. */
enum histree_status overview_progress_show(const struct overview_progress *progress, double share,
					   struct histree_error *error);

#endif
