/* SPDX-License-Identifier: MIT */
/*
 * digest_progress.h - how far the making of digests is.
 */
#ifndef PIPELINE_DIGEST_PROGRESS_H
#define PIPELINE_DIGEST_PROGRESS_H

#include <stdbool.h>

#include "histree/status.h"

struct digest_progress {
	bool (*go_on)(void *context, double share); /* see struct digest_options; may be NULL */
	void *context;
	unsigned steps; /* that are done: counting, and digests */
};

/* `share` is that of the step at hand.  HISTREE_ERR_CANCELLED. */
enum histree_status digest_progress_show(const struct digest_progress *progress, double share,
					 struct histree_error *error);

#endif
