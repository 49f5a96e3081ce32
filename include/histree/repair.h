/* SPDX-License-Identifier: MIT */
/*
 * repair.h - make a sound store of what can be read of a damaged one, or of one whose build was cut off.
 *
 * The damaged one stays as it is.  Of states, what is lost becomes intervals of type unknown, and only that; a
 * segment store has the segments that can be read, and side tables are made anew when they are needed.
 */
#ifndef HISTREE_REPAIR_H
#define HISTREE_REPAIR_H

#include "store.h"

struct histree_repair_options {
	const char *path; /* a store, or one file of it: a history or a segment store */
	const char *out;  /* what to make, of the same kind */
	bool force;       /* replace a store that has that name, once the new one is complete */
	/*
	 * Called for each piece of the history that is lost: an attribute from one time to another.  Not in the
	 * order of time.  May be NULL.
	 */
	void (*lost)(void *context, const char *analysis, const struct histree_attributes *attributes,
		     const struct histree_interval *interval);
	/* Called for each node of a segment store that is lost.  May be NULL. */
	void (*lost_segments)(void *context, const char *analysis, const struct histree_segment_loss *loss);
	/* Called with a sentence for what is damaged otherwise: a section, or a history that is lost as a whole. */
	void (*damage)(void *context, const char *what);
	void *context; /* of both */
};

/*
 * HISTREE_OK: nothing was damaged.  HISTREE_PARTIAL: the new one is there, and what was damaged has been said.
 * Negative: nothing new is there.  A history can be repaired as long as its header and the section TREE, or their
 * copies, can be read; a store as long as one of its histories can.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_repair(const struct histree_repair_options *options,
								  struct histree_error *error);

#endif
