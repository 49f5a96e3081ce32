/* SPDX-License-Identifier: MIT */
/*
 * history_copy.h - makes a new history from what can be read of another: a sound one from a damaged or incomplete
 * one, one with another kind of tree, or one of a part of its time and attributes.
 */
#ifndef STATE_HISTORY_COPY_H
#define STATE_HISTORY_COPY_H

#include <stdbool.h>

#include "base/io.h"
#include "histree/history.h"

/* What a copy reports to the caller. */
struct copy_watch {
	/* What is lost: an interval of type unknown, which the other history did not have. */
	void (*lost)(void *context, const struct histree_interval *interval);
	/* Told the share that is copied.  Returns false to end it: HISTREE_ERR_CANCELLED.  May be NULL. */
	bool (*go_on)(void *context, double share);
	void *context;
};

/* A part of a history.  What goes on at its ends is cut there. */
struct copy_part {
	histree_time from, to; /* within the history */
	/* By quark: whether its states are copied.  Those above it are then there as folders.  NULL: of all. */
	const bool *rows;
};

/*
 * Write the new history to `path`, which must not exist, with a tree as `tree` says, or with the old kind of tree
 * if that is NULL, of a part of the history, or all if that is NULL. A damaged history must have been opened for
 * salvage.  Memory is bounded; the time is that of reading the history several times.
 */
enum histree_status history_copy(const struct io *io, struct histree_history *from, const char *path,
				 const struct histree_tree_options *tree, const struct copy_part *part,
				 const struct copy_watch *watch, struct histree_error *error);

#endif
