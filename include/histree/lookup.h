/* SPDX-License-Identifier: MIT */
/*
 * lookup.h - common questions above queries: the top of a stack, the first value, numbers over a range, and the
 * changes of some attributes in the order of time.
 *
 * Each uses the queries of query.h, costs what these cost, and gives what a search through all intervals would.
 * Users of Trace Compass know them as querySingleStackTop(), queryUntilNonNullValue(), queryRangeMin(), Max() and
 * Average(), and as iterators over times.
 *
 * Threads: like a query, each belongs to one thread.
 */
#ifndef HISTREE_LOOKUP_H
#define HISTREE_LOOKUP_H

#include "cursor.h"
#include "query.h"

/*
 * Get the interval of the top that the stack `quark` had at `t` (histree_state_push()).  Returns
 * HISTREE_NOT_FOUND if the stack was empty, its depth being null or 0.  If the depth is unknown, so is the top,
 * and *out is the interval of the depth.  Returns HISTREE_ERR_TYPE or HISTREE_ERR_ARGUMENT if the attribute is
 * not a stack.  The query can be used again at once.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_lookup_stack_top(struct histree_cursor *query,
									    histree_quark quark, histree_time t,
									    struct histree_interval *out,
									    struct histree_error *error);

/*
 * Get the first interval that overlaps [from, to], both inclusive, and is not null; it may begin before `from`, and
 * may be unknown.  Returns HISTREE_NOT_FOUND if the attribute is null all the time.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_lookup_first_value(struct histree_cursor *query, histree_quark quark, histree_time from, histree_time to,
			   struct histree_interval *out, struct histree_error *error);

/* The numbers that an attribute had over a range.  Times are in ns and add up to the length of the range. */
struct histree_numbers {
	uint64_t states;               /* how many states with a number overlap the range */
	struct histree_value min, max; /* null if there are no numbers */
	/* Each number weighted by its time in the range; 0 if there are no numbers */
	double mean;
	uint64_t number_ns;  /* the time with a number */
	uint64_t unknown_ns; /* the time in which the value is not known; min and max may not cover it */
	uint64_t other_ns;   /* null, a boolean, a text, or a NaN */
};

/*
 * Add up the numbers of one attribute over [from, to], both inclusive.  All of it is exact, and the mean is the
 * double nearest to the true one; with infinities of both signs it is a NaN.  Of equal numbers -0 is less than 0,
 * an int less than a long and that less than a double.  Times are at most UINT64_MAX.
 *
 * If the history has a number overview (docs/design/05-pyramid.md) with this attribute, the cost grows
 * with the logarithm of the number of states, besides some states at both ends of the range; else it is that of a
 * range query.  The answer is the same.  An overview that contradicts itself, or the states at those ends, is not
 * used; histree_numbers_verify() compares all of it.  Where the history is damaged, the overview still knows what
 * its states were.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_lookup_numbers(struct histree_cursor *query, histree_quark quark, histree_time from, histree_time to,
		       struct histree_numbers *out, struct histree_error *error);

/*
 * Add up all numbers of a history once more, and compare them with its number overview, if it was opened with
 * one. `report` is called with a sentence for each attribute for which the overview differs.  Returns
 * HISTREE_ERR_FORMAT if it differs anywhere.  All states are read, in about 32 MiB of memory.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_numbers_verify(struct histree_history *history, void (*report)(void *context, const char *fault),
		       void *context, struct histree_error *error);

/* ---- changes in the order of time ----------------------------------------------------------------- */

/*
 * An iterator over the times at which any of some attributes changes.  A change at t is an interval that starts
 * at t; at the start of the history, all attributes change.  It asks 2D queries for windows of time, each with
 * about as many changes as it can keep, and hands them out sorted: it may be stopped at any point without having
 * read the rest.  It keeps 65536 intervals and 16 MiB of their bytes, or the changes of one time if these are
 * more.
 *
 *	histree_changes_create(history, &cursor, &error);
 *	histree_changes_start(cursor, &(struct histree_changes_region){ .from = t1, .to = t2 }, &error);
 *	while ((status = histree_cursor_next(cursor, &error)) == HISTREE_OK)
 *		change = histree_cursor_change(cursor);
 *	histree_cursor_free(cursor);		// cursor.h
 *
 * States that damage hides are unknown, each from the point where it is lost, as a query of the whole range says.
 */
struct histree_changes_region {
	/* Ascending and distinct; borrowed until the next start.  NULL means all attributes. */
	const histree_quark *quarks;
	size_t quark_count;
	histree_time from, to; /* both inclusive */
	bool backwards;        /* the latest change comes first */
};

/* The next time of a change. */
struct histree_change {
	histree_time time;
	/* The states that begin at that time, by ascending quark; borrowed until the next call. */
	const struct histree_interval *intervals;
	size_t count;
};

HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_changes_create(struct histree_history *history, struct histree_cursor **out, struct histree_error *error);

/* Start, or start again.  The errors are those of histree_query_start(). */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_changes_start(struct histree_cursor *changes, const struct histree_changes_region *region,
		      struct histree_error *error);

#endif
