/* SPDX-License-Identifier: MIT */
/*
 * repair.h - make a sound store from the readable part of a damaged one, or from one whose build was cut off.
 *
 * The damaged store stays as it is.  In the new one, lost states are intervals of type unknown, and all others
 * are as they were.  A segment store keeps the segments that can be read, and gets new overviews; its side tables
 * are made when a query needs them.
 */
#ifndef HISTREE_REPAIR_H
#define HISTREE_REPAIR_H

#include "store.h"

struct histree_repair_options {
	/* a store, whose build may have been cut off, or one file of it: a history or a segment store */
	const char *path;
	const char *out; /* what to make, of the same kind */
	bool force;      /* replace a store of that name once the new one is complete */
	/* Called for each lost interval of an attribute, in no particular order; may be NULL. */
	void (*lost)(void *context, const char *analysis, const struct histree_attributes *attributes,
		     const struct histree_interval *interval);
	/* Called for each lost node of a segment store; may be NULL. */
	void (*lost_segments)(void *context, const char *analysis, const struct histree_loss *loss);
	/* Called with a sentence for other damage, such as a lost section or a whole lost history; may be NULL. */
	void (*damage)(void *context, const char *what);
	/*
	 * Called before the store of each of several hosts is repaired, to which the other calls then refer; may
	 * be NULL.
	 */
	void (*host)(void *context, const char *host);
	/* Called now and then with the share that is done, 0 to 1; may be NULL. */
	void (*progress)(void *context, double share);
	void *context;                /* passed to all five */
	struct histree_cancel cancel; /* asked before each slice of a history, and between files */
};

/*
 * Repair a store.  Returns HISTREE_OK if nothing was damaged, HISTREE_PARTIAL if something was and the callbacks
 * were called for it, HISTREE_NOT_FOUND if the store is complete, with sound histories, segments and overviews,
 * so that nothing was made, and a negative status if nothing could be made or the call was cancelled.  A history
 * can be repaired if its header and the section TREE, or their copies, can be read; a store can be repaired if
 * one of its histories can.  In a store of several hosts each is repaired, and a host of which nothing can be
 * read is left out, with a sentence to `damage` and in the warnings of the new store.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_repair(const struct histree_repair_options *options,
								  struct histree_error *error);

#endif
