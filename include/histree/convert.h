/* SPDX-License-Identifier: MIT */
/*
 * convert.h - make a store with another kind of tree from a complete one, without its trace.
 *
 * Every state, the number of states and the names stay the same; only the trees of the histories change.  Segment
 * stores and the index of events are copied byte by byte, without side tables, which queries make when they need
 * them.  Histories get new overviews.
 */
#ifndef HISTREE_CONVERT_H
#define HISTREE_CONVERT_H

#include "cancel.h"
#include "state_system.h"
#include "store.h"

struct histree_convert_options {
	const char *path; /* a store, or one history file */
	const char *out;  /* what to make, of the same kind; may be a store's own path, with `force` */
	bool force;       /* replace a store of that name once the new one is complete */
	bool no_overviews;
	struct histree_tree_options tree; /* of all histories */
	/* Called now and then with the share that is done, 0 to 1; may be NULL. */
	void (*progress)(void *context, double share);
	void *progress_context;
	struct histree_cancel cancel; /* asked before each slice of a history, and between files */
};

/*
 * Convert a store.  Memory is bounded; the time is that of reading each history several times.  Returns
 * HISTREE_ERR_INCOMPLETE if the build of the store was cut off or is running, and HISTREE_ERR_FORMAT if something
 * in it is damaged: histree_repair() (repair.h) comes first then.  If the call fails, nothing is made.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_convert(const struct histree_convert_options *options,
								   struct histree_error *error);

#endif
