/* SPDX-License-Identifier: MIT */
/*
 * time_in_state.h - for how long attributes had each of their values over a range.
 *
 *	histree_time_in_state_create(history, &times, &error);
 *	histree_time_in_state_start(times, &(struct histree_region){ .from = t1, .to = t2 }, &error);
 *	while ((status = histree_time_in_state_read(times, parts, room, &count, &error)) == HISTREE_OK)
 *		...;			// HISTREE_END, or the error
 *	histree_time_in_state_free(times);
 *
 * The results are parts: the caller adds up those with the same attribute and value.  The sums are exact.  For
 * statuses, whose values have names (labels.h), most of a long range comes from the overview of sums of the
 * history, if it has one (docs/design/05-pyramid.md); otherwise each state is a part.
 *
 * Threads: an iterator belongs to one thread at a time; any number of them may run on one history.
 */
#ifndef HISTREE_TIME_IN_STATE_H
#define HISTREE_TIME_IN_STATE_H

#include "query.h"

struct histree_time_in_state;

struct histree_state_time {
	histree_quark quark;
	struct histree_value value; /* null and unknown as well; its bytes are borrowed until the next call */
	uint64_t ns;                /* in the range, 1 or more; 0 stands for 2^64 */
};

HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_time_in_state_create(struct histree_history *history,
										struct histree_time_in_state **out,
										struct histree_error *error);

/*
 * Start a range, which must have no list of times.  Its attributes are borrowed until the next start, or the end.
 * After a failed call there is nothing to read.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_time_in_state_start(struct histree_time_in_state *times,
									       const struct histree_region *region,
									       struct histree_error *error);

/* Get the next parts, 1 to `room` of them, as many as are at hand, or return HISTREE_END. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_time_in_state_read(struct histree_time_in_state *times,
									      struct histree_state_time *out,
									      size_t room, size_t *count,
									      struct histree_error *error);

/* Returns whether nodes that were needed so far were damaged; their content counts as unknown. */
HISTREE_API bool histree_time_in_state_is_damaged(const struct histree_time_in_state *times);

/* Free the iterator, or do nothing if it is NULL. */
HISTREE_API void histree_time_in_state_free(struct histree_time_in_state *times);

/*
 * Add up the states of a history once more, and compare them with its overview of sums and its cube, if it was
 * opened with them.  `report` is called with a sentence for each attribute for which these differ. Returns
 * HISTREE_ERR_FORMAT if any differs.  All states of these attributes are read, in about 32 MiB of memory, and 1
 * KiB for each thread in the cube.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_sums_verify(struct histree_history *history, void (*report)(void *context, const char *fault),
		    void *context, struct histree_error *error);

#endif
