/* SPDX-License-Identifier: MIT */
/*
 * layout_twins.h - the analyses `kernel` and `kernel-compact` on the same events, in memory, to compare their
 * states.
 */
#ifndef LAYOUT_TWINS_H
#define LAYOUT_TWINS_H

#include "support/analysis_feed.h"
#include "support/recorded_history.h"

struct layout_twin {
	const struct analysis *analysis;
	struct recorded_history history;
	struct histree_state_system *system;
	struct analysis_inputs inputs;
	void *instance;
};

struct layout_twins {
	struct layout_twin plain, compact;
};

void layout_twins_begin(struct layout_twins *twins, histree_time start);

/* An event, or a gap. */
void layout_twins_take(struct layout_twins *twins, const struct event *event);

/*
 * End both and compare.  Whatever `kernel-compact` says of a thread or a CPU at a time, `kernel` says too, but
 * that a half of a pair may still be known where it is unknown in `kernel` (docs/design/09-kernel-analyses.md).
 */
void layout_twins_end(struct layout_twins *twins, histree_time end);

#endif
