/* SPDX-License-Identifier: MIT */
/*
 * join.h - which states and which segments overlap in time: a join of the two trees (thesis 2.4.4).
 *
 * Both trees are read once in the order of time, and a line sweeps over them.  A state and a segment meet when
 * the later of them begins.  The line crosses at most one state for each attribute; the segments that it crosses
 * are kept in memory up to a limit.  So pairs come as they are found, and the join may be stopped at any point
 * without having read the rest.  If both trees are of several hosts, a state and a segment meet only if they are
 * of the same host.
 *
 *	struct histree_join_query query = { .quarks = threads, .quark_count = n, .from = t1, .to = t2 };
 *	histree_join_create(history, store, &cursor, &error);
 *	histree_join_start(cursor, &query, &error);
 *	while ((status = histree_cursor_next(cursor, &error)) == HISTREE_OK)
 *		pair = histree_cursor_pair(cursor);
 *	histree_cursor_free(cursor);		// cursor.h
 *
 * What a damaged node of segments held is missing, and told by histree_cursor_losses().
 */
#ifndef HISTREE_JOIN_H
#define HISTREE_JOIN_H

#include "cursor.h"
#include "query.h"
#include "segment_store.h"

struct histree_join_query {
	/* Ascending and distinct; borrowed until the next start.  NULL means all attributes. */
	const histree_quark *quarks;
	size_t quark_count;
	histree_time from, to; /* both inclusive, within the history: a pair overlaps in it */
	/* Returns true if a state takes part.  NULL means all states that are not null. */
	bool (*state)(void *context, const struct histree_interval *state);
	void *state_context;
	/* Returns true if a segment takes part.  NULL means all. */
	bool (*segment)(void *context, const struct histree_segment *segment);
	void *segment_context;
	/*
	 * Returns true if they belong together, such as a thread and one of its system calls.  NULL means that
	 * all do.
	 */
	bool (*pair)(void *context, const struct histree_interval *state, const struct histree_segment *segment);
	void *pair_context;
	/*
	 * Keys: a state and a segment are a pair only if the attribute of the state has the key of the segment,
	 * and if `pair` agrees unless it is NULL.  The join then does not compare others, and keeps no segment
	 * whose key no attribute has.  Keys may be any numbers, such as hashes, which `pair` then tells apart.
	 * Both functions are NULL, or neither.  The first writes the key with this index, from 0 on, or returns
	 * false if there are no more; the second returns false if the segment belongs to no attribute.
	 */
	bool (*attribute_key)(void *context, histree_quark quark, size_t index, uint64_t *key);
	bool (*segment_key)(void *context, const struct histree_segment *segment, uint64_t *key);
	void *key_context;
	size_t memory_max; /* bytes of the segments that overlap at one time; 0 means 64 MiB */
};

/* Both are whole, as they were added, and borrowed until the next call. */
struct histree_join_pair {
	const struct histree_interval *state;
	const struct histree_segment *segment;
	histree_time start, end; /* of the overlap, within the range of the query; both inclusive */
};

/* Create a join.  The store must be finished. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_join_create(struct histree_history *history,
								       struct histree_segment_store *store,
								       struct histree_cursor **out,
								       struct histree_error *error);

/*
 * Start, or start again.  The errors are those of histree_query_start().  Pairs come by the start of the overlap;
 * the order of those that begin to overlap at the same time is always the same.  The cursor returns
 * HISTREE_ERR_TOO_LARGE if the segments that overlap at one time need more than memory_max.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_join_start(struct histree_cursor *join,
								      const struct histree_join_query *query,
								      struct histree_error *error);

#endif
