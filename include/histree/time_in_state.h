/* SPDX-License-Identifier: MIT */
/*
 * time_in_state.h - for how long attributes had each of their values over a range.
 *
 *	histree_time_in_state_create(history, &cursor, &error);
 *	histree_time_in_state_start(cursor, &(struct histree_region){ .from = t1, .to = t2 }, &error);
 *	while ((status = histree_cursor_next(cursor, &error)) == HISTREE_OK)
 *		part = histree_cursor_state_time(cursor);
 *	histree_cursor_free(cursor);		// cursor.h
 *
 * The results are parts: the caller adds up those with the same attribute and value.  The sums are exact.  For
 * statuses, whose values have names (labels.h), most of a long range comes from the overview of sums of the
 * history, if it has one (docs/design/05-pyramid.md); otherwise each state is a part.
 * What damage hides counts as unknown.
 */
#ifndef HISTREE_TIME_IN_STATE_H
#define HISTREE_TIME_IN_STATE_H

#include "cursor.h"
#include "query.h"

struct histree_state_time {
	histree_quark quark;
	struct histree_value value; /* null and unknown as well; its bytes are borrowed until the next call */
	uint64_t ns;                /* in the range, 1 or more; 0 stands for 2^64 */
};

HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_time_in_state_create(struct histree_history *history,
										struct histree_cursor **out,
										struct histree_error *error);

/*
 * Start a range, which must have no list of times.  Its attributes are borrowed until the next start, or the end.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_time_in_state_start(struct histree_cursor *times,
									       const struct histree_region *region,
									       struct histree_error *error);

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
