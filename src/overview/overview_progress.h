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

/* Reports the share of the part at hand that is done.  Returns HISTREE_ERR_CANCELLED if nobody wants the rest. */
enum histree_status overview_progress_show(const struct overview_progress *progress, double share,
					   struct histree_error *error);

#endif
