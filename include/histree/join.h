/* SPDX-License-Identifier: MIT */
/*
 * join.h - which states and which segments overlap in time: a join of the two trees (thesis 2.4.4).
 *
 * Both trees are read once in the order of time, and a line sweeps over them.  A state and a segment meet when the
 * later of them begins.  The states that the line crosses are at most one for each attribute; the segments that it
 * crosses are kept in memory up to a limit.  So pairs come as they are found, and the join may be stopped at any
 * point without having read the rest.  Where both trees are of several hosts, a state and a segment meet only if
 * they are of the same one.
 *
 *	struct histree_join_query query = { .quarks = threads, .quark_count = n, .from = t1, .to = t2 };
 *	histree_join_create(history, store, &join, &error);
 *	histree_join_start(join, &query, &error);
 *	while ((status = histree_join_next(join, &pair, &error)) == HISTREE_OK)
 *		...;			// HISTREE_END, or the error
 *	histree_join_free(join);
 *
 * Threads: a join belongs to one thread; any number of them may run on one history and store.
 */
#ifndef HISTREE_JOIN_H
#define HISTREE_JOIN_H

#include "query.h"
#include "segment_store.h"

struct histree_join;

struct histree_join_query {
	/* Ascending and distinct; borrowed until the next start.  NULL means all attributes. */
	const histree_quark *quarks;
	size_t quark_count;
	histree_time from, to; /* both inclusive, within the history: a pair overlaps in it */
	/* Returns true if a state takes part.  NULL means that all do that are not null. */
	bool (*state)(void *context, const struct histree_interval *state);
	void *state_context;
	/* Returns true if a segment takes part.  NULL means that all do. */
	bool (*segment)(void *context, const struct histree_segment *segment);
	void *segment_context;
	/* Returns true if they belong together, such as a thread and a system call of it.  NULL: all do. */
	bool (*pair)(void *context, const struct histree_interval *state, const struct histree_segment *segment);
	void *pair_context;
	/*
	 * Keys: a state and a segment are a pair only if the attribute of the one has the key of the other, and
	 * `pair` says so too if there is one.  Then the join does not look at the others, and keeps no segment
	 * that no attribute has the key of.  Any numbers do, such as hashes, which `pair` then tells apart.  Both
	 * are NULL, or neither is.  The first writes the key of this index, from 0 on, or returns false if there
	 * are no more; the second returns false if the segment belongs to no attribute.
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

/* The store is finished. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_join_create(struct histree_history *history,
								       struct histree_segment_store *store,
								       struct histree_join **out,
								       struct histree_error *error);

/* Start, or start again.  The errors are those of histree_query_start(). */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_join_start(struct histree_join *join, const struct histree_join_query *query, struct histree_error *error);

/*
 * Get the next pair, by the start of the overlap; pairs that begin to overlap at one time come in an order that is
 * always the same.  Returns HISTREE_END if there is none.  Returns HISTREE_PARTIAL, without a pair, where segments
 * are missing because a node is damaged, and goes on with the next call.  Returns HISTREE_ERR_TOO_LARGE if more
 * segments overlap at one time than memory_max has room for.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_join_next(struct histree_join *join, struct histree_join_pair *out, struct histree_error *error);

/* Returns what the last HISTREE_PARTIAL was about. */
HISTREE_API struct histree_segment_loss histree_join_loss(const struct histree_join *join);

/* Free the join, or do nothing if it is NULL. */
HISTREE_API void histree_join_free(struct histree_join *join);

#endif
