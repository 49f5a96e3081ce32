/* SPDX-License-Identifier: MIT */
/*
 * query.h - ask a history by single, full, range and 2D queries.
 *
 * A query names a set of attributes and a set of times.  Its answer is every interval of those attributes that
 * covers one of those times, each once, in no particular order (thesis 6.1):
 *
 *	single	one attribute, one time		quarks = {q},   from = to = t
 *	full	all attributes, one time	quarks = NULL,  from = to = t
 *	range	one attribute, [t1, t2]		quarks = {q},   from = t1, to = t2
 *	2D	attributes x [t1, t2]		quarks = {...}, from = t1, to = t2
 *	2D	attributes x list of times	quarks = {...}, times = {...}
 *
 * Damage costs the intervals of the damaged nodes and no others.  Where no readable interval says what an
 * attribute was, the answer ends with intervals of type HISTREE_UNKNOWN, clipped to the range or one for each of
 * the listed times.  A query that meets damage reads its nodes twice and remembers what it found, in 24 bytes for
 * intervals of an attribute that follow one another.  If nodes contradict each other so that an attribute has two
 * states at one time, the answer ends with HISTREE_ERR_FORMAT.
 *
 * A query is a lazy cursor: it reads each node once, when it needs it, keeps one node pinned, and may be stopped
 * at any point.  Answers never depend on the variant of the tree.
 *
 *	histree_query_create(history, &query, &error);
 *	histree_query_start(query, &(struct histree_region){ .from = t, .to = t }, &error);
 *	while ((status = histree_cursor_next(query, &error)) == HISTREE_OK)
 *		state = histree_cursor_interval(query);
 *	histree_cursor_free(query);			// cursor.h
 *
 * Threads: a query belongs to one thread at a time; any number of queries may run on one history.  One query can
 * use several threads of its own: histree_query_set_threads().
 */
#ifndef HISTREE_QUERY_H
#define HISTREE_QUERY_H

#include "cursor.h"
#include "history.h"

struct histree_region {
	/*
	 * Ascending and distinct; borrowed until the query is started again or freed.  NULL means all attributes.
	 */
	const histree_quark *quarks;
	size_t quark_count;
	/* Ascending; borrowed likewise.  NULL means the range from `from` to `to`, both inclusive. */
	const histree_time *times;
	size_t time_count;
	histree_time from, to; /* used only if `times` is NULL */
};

HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_query_create(struct histree_history *history, struct histree_cursor **out, struct histree_error *error);

/*
 * Start a query.  It may be started any number of times, which drops what was left of the answer before.  Returns
 * HISTREE_ERR_TIME_RANGE if a time is outside the history, HISTREE_ERR_QUARK if there is no such attribute,
 * HISTREE_ERR_ARGUMENT if a list is not sorted.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_query_start(struct histree_cursor *query, const struct histree_region *region, struct histree_error *error);

/* Ask a single query in one call, without allocating memory.  The query can be used again at once. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_query_single(struct histree_cursor *query,
									histree_quark quark, histree_time t,
									struct histree_interval *out,
									struct histree_error *error);

#define HISTREE_QUERY_THREADS_MAX 64

/*
 * Have `threads` threads read nodes ahead of this query, from its next start on; 1, the default, means that the
 * caller's thread reads them (eSHT paper, algorithm 1).  The answer is the same, in the same order, with the same
 * statistics.  What was left of an answer is dropped even if the call fails: with HISTREE_ERR_ARGUMENT if
 * `threads` is 0 or more than 64, with HISTREE_ERR_MEMORY if no thread can be started, in which case the caller's
 * thread reads.
 *
 * The threads wait where nothing is to be read and end with the query.  Each holds two nodes and at most 65,536
 * intervals of each, 2.5 MiB.  They pay for answers of 10^5 intervals or more, and where nodes have to be read
 * from a slow disk; a single query has nothing to share.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_query_set_threads(struct histree_cursor *query, unsigned threads, struct histree_error *error);

HISTREE_API struct histree_history *histree_query_history(const struct histree_cursor *query);

#endif
