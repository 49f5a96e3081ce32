/* SPDX-License-Identifier: MIT */
/*
 * snapshot.h - all states of a history at one time, kept in memory, and given to a new history as its first states.
 *
 * Threads: a snapshot never changes; any number of threads may read it.
 */
#ifndef HISTREE_SNAPSHOT_H
#define HISTREE_SNAPSHOT_H

#include "query.h"
#include "state_system.h"

struct histree_snapshot;

/*
 * Take the states at `t` with one full query.  The memory is 40 bytes an attribute and the bytes of distinct
 * values.  The history must outlive the snapshot.  Returns HISTREE_ERR_TIME_RANGE if `t` is outside the history.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_snapshot_take(struct histree_history *history,
									 histree_time t,
									 struct histree_snapshot **out,
									 struct histree_error *error);

HISTREE_API histree_time histree_snapshot_time(const struct histree_snapshot *snapshot);

/*
 * Returns an attribute's interval at that time, borrowed from the snapshot, or NULL if there is no such
 * attribute.
 */
HISTREE_API const struct histree_interval *histree_snapshot_interval(const struct histree_snapshot *snapshot,
								     histree_quark quark);

/*
 * Give a new state system, which must have no attributes yet, those of the snapshot with the same quarks, each
 * with its value from the system's start on.  Changes then follow as always: a history cut in two at `t` has the
 * same states as the whole one.  Returns HISTREE_ERR_ARGUMENT if the system has attributes.  After another error,
 * some of them may be there, and the caller can only call histree_state_free().
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_snapshot_restore(const struct histree_snapshot *snapshot,
									    struct histree_state_system *system,
									    struct histree_error *error);

/* Free the snapshot, or do nothing if it is NULL. */
HISTREE_API void histree_snapshot_free(struct histree_snapshot *snapshot);

#endif
