/* SPDX-License-Identifier: MIT */
/*
 * overview_replay.h - reads a complete history once, and feeds its states in the order of their ends
 * (docs/design/05-pyramid.md).
 */
#ifndef OVERVIEW_OVERVIEW_REPLAY_H
#define OVERVIEW_OVERVIEW_REPLAY_H

#include "base/table.h"
#include "histree/history.h"
#include "overview/overview_choice.h"
#include "overview/overview_feed.h"

/*
 * Give the feed all states that it takes, in the order of their ends, and close it: from then on it is as if it had
 * been fed while the history was made. `tables` holds tables that grow with the attributes.  Returns
 * HISTREE_ERR_FORMAT if a node cannot be read, or the history has two states of an attribute at one time.
 */
enum histree_status overview_replay(struct overview_feed *feed, struct histree_history *history,
				    struct table_space *tables, const struct overview_progress *progress,
				    struct histree_error *error);

#endif
