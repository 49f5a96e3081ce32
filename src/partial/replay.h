/* SPDX-License-Identifier: MIT */
/*
 * replay.h - run an analysis once more between two checkpoints of a partial history.
 *
 * A replay belongs to one thread at a time; it keeps the trace open from one slice to the next.
 */
#ifndef PARTIAL_REPLAY_H
#define PARTIAL_REPLAY_H

#include "analysis/analysis.h"
#include "partial/knowledge.h"
#include "state/attribute_tree.h"
#include "state/history.h"
#include "state/history_slices.h"
#include "trace/trace.h"

/* What all replays of a history have in common; constant. */
struct replay_source {
	struct histree_history *history;
	const struct analysis *analysis; /* it can be loaded */
	struct attribute_tree names;     /* of the history */
	struct partial_origin origin;
	char **traces; /* paths */
	size_t trace_count;
	bool has_clock; /* by which the times of traces are corrected */
	struct histree_clock clock;
	bool null_empty_stacks;
};

struct replay;

/*
 * Open the trace; the source outlives the replay.  Returns HISTREE_ERR_TRACE if it is not the one of the history.
 */
enum histree_status replay_create(const struct replay_source *source, struct replay **out,
				  struct histree_error *error);

/*
 * Make the slice that a checkpoint begins.  Returns HISTREE_ERR_TRACE if it is another one than was built.
 * state_slice_release() also after failure; after one, the replay can only be freed.
 */
enum histree_status replay_run(struct replay *replay, size_t checkpoint, struct state_slice *out,
			       struct histree_error *error);

/* Free it, or do nothing if it is NULL. */
void replay_free(struct replay *replay);

#endif
