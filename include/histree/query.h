/* SPDX-License-Identifier: MIT */
/*
 * query.h - ask a history: single, full, range and 2D queries.
 *
 * A query is a set of attributes times a set of times; its answer is every interval of those attributes
 * that covers one of those times, each once, in no promised order (thesis 6.1):
 *
 *	single	one attribute, one time		quarks = {q},   from = to = t
 *	full	all attributes, one time	quarks = NULL,  from = to = t
 *	range	one attribute, [t1, t2]		quarks = {q},   from = t1, to = t2
 *	2D	attributes x [t1, t2]		quarks = {...}, from = t1, to = t2
 *	2D	attributes x list of times	quarks = {...}, times = {...}
 *
 * What a damaged node held is missing from what can be read, and nothing else is: where no interval of the file
 * says what an attribute was, an interval of type HISTREE_UNKNOWN comes instead, clipped to the times asked for, or
 * one for each of the listed times.  These come last.  A query that met damage reads its nodes twice, and remembers
 * what it found, in 24 bytes an interval.
 *
 * It is a lazy iterator: it reads a node when it needs it, each node once, keeps one node
 * pinned, and may be stopped at any point.  Results never depend on the variant of the tree.
 *
 *	histree_query_create(history, &query, &error);
 *	histree_query_start(query, &(struct histree_region){ .from = t, .to = t }, &error);
 *	while ((status = histree_query_next(query, &interval, &error)) == HISTREE_OK)
 *		...;			// HISTREE_END, or the error
 *	histree_query_free(query);
 *
 * Threads: a query belongs to one thread; any number of queries may run on one history.
 */
#ifndef HISTREE_QUERY_H
#define HISTREE_QUERY_H

#include "history.h"

struct histree_query;

struct histree_region {
	/* Sorted ascending, each once; borrowed until the query is started again or freed.  NULL: all. */
	const histree_quark *quarks;
	size_t quark_count;
	/* Sorted ascending; borrowed likewise.  NULL: everything from `from` to `to`, both inclusive. */
	const histree_time *times;
	size_t time_count;
	histree_time from, to; /* only where `times` is NULL */
};

struct histree_query_stats {
	uint64_t nodes_visited; /* by this query, since it was started */
	uint64_t nodes_loaded;  /* of those, not found in the cache: read from the file */
	uint64_t intervals;     /* handed out */
	uint64_t nodes_damaged; /* that could not be read: what they held is unknown */
};

HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_query_create(struct histree_history *history, struct histree_query **out, struct histree_error *error);

/*
 * Begin; a query may be started any number of times, dropping what was left of the time before.
 * Times outside the history are HISTREE_ERR_TIME_RANGE, an unknown quark HISTREE_ERR_QUARK, an
 * unsorted list HISTREE_ERR_ARGUMENT.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_query_start(struct histree_query *query, const struct histree_region *region, struct histree_error *error);

/* The next interval; its bytes are borrowed until the next call on this query.  HISTREE_END: no more. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_query_next(struct histree_query *query, struct histree_interval *out, struct histree_error *error);

/*
 * The next intervals, as many as there are at hand: HISTREE_OK with 1 to `room` of them at `out`, else none.  Their
 * bytes are borrowed until the next call on this query.  Cheaper than one by one where an answer is large; the two
 * calls may be mixed.  `room` 0 is HISTREE_ERR_ARGUMENT.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_query_read(struct histree_query *query,
								      struct histree_interval *out, size_t room,
								      size_t *count, struct histree_error *error);

/* A single query in one call, start and next: no allocation.  The query can be reused at once. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_query_single(struct histree_query *query,
									histree_quark quark, histree_time t,
									struct histree_interval *out,
									struct histree_error *error);

HISTREE_API struct histree_query_stats histree_query_stats(const struct histree_query *query);

HISTREE_API void histree_query_free(struct histree_query *query);

#endif
