/* SPDX-License-Identifier: MIT */
/*
 * segment_stats.h - questions about segments: filters, rows by number, statistics, densities, comparisons, and
 * joins with states.
 */
#ifndef HISTREE_SEGMENT_STATS_H
#define HISTREE_SEGMENT_STATS_H

#include "cursor.h"
#include "segments.h"
#include "states.h"
#include "status.h"

/* ==== segment filter ========================================================================================== */

/*
 * Filter expressions (filter.h) over segments.
 *
 * The fields are start and end (times), duration, and the fields of the schema; a field of the schema that is
 * called start, end or duration cannot be named.  A duration above INT64_MAX nanoseconds counts as INT64_MAX.
 *
 *	histree_segment_filter_create(&info->schema, "duration > 1ms && name == futex", info->start, info->end,
 *				      &filter, &error);
 *	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
 *	histree_segment_filter_apply(filter, &query);
 */

struct histree_segment_filter;

/*
 * Compile an expression.  Times such as +12.5ms and 17:46:23 are relative to `start` and `end`, which are those of
 * the trace or of the store.  The schema is borrowed during the call.  Returns HISTREE_ERR_ARGUMENT as
 * histree_filter_create() does.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_filter_create(const struct histree_segment_schema *schema, const char *text, histree_time start,
			      histree_time end, struct histree_segment_filter **out, struct histree_error *error);

/*
 * Where segments have a field `tid`, an expression may also say of their threads:
 *
 *	thread		the number or the name of the thread
 *	process		the number or the name of its process
 *	name		the name of the thread, unless the segments have a field of that name
 *
 * What the segments do not say themselves is in a history of the kernel.  Returns whether the expression asks for
 * it.
 */
HISTREE_API bool histree_segment_filter_lacks_threads(const struct histree_segment_filter *filter);

/*
 * Read that from a history of the kernel, if the expression asks for it.  If it has one of these words and the
 * segments no field of that name, this must be called before segments are tested.  Returns HISTREE_ERR_ARGUMENT if
 * the history is NULL or says nothing of threads.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_filter_take_threads(struct histree_segment_filter *filter, struct histree_history *kernel,
				    struct histree_work work, struct histree_error *error);

/*
 * Make the query hand out only segments that pass; the filter is borrowed as long as the query is used.  The
 * window of the query becomes narrower if the expression bounds start or end.
 */
HISTREE_API void histree_segment_filter_apply(struct histree_segment_filter *filter,
					      struct histree_segment_query *query);

/* Returns true if the segment passes.  Any number of threads may use one filter at a time. */
HISTREE_API bool histree_segment_filter_match(const struct histree_segment_filter *filter,
					      const struct histree_segment *segment);

/* Free the filter, or do nothing if it is NULL. */
HISTREE_API void histree_segment_filter_free(struct histree_segment_filter *filter);

/* ==== segment rows ============================================================================================ */

/*
 * Get the segments of a query by number: any row of a table of segments, in any order, however
 * many there are.
 *
 *	histree_segment_rows_create(store, &options, &cursor, &error);
 *	histree_segment_rows_seek(cursor, 5000000, &error);
 *	while ((status = histree_cursor_next(cursor, &error)) == HISTREE_OK)
 *		segment = histree_cursor_segment(cursor);	// rows 5000000, 5000001, ...
 *	histree_cursor_free(cursor);				// cursor.h
 *
 * Cost: the first seek to a row iterates in the order of the query and leaves a mark every few thousand rows;
 * later seeks start from the mark before their row.  In the orders of time, and by a field that has a side table,
 * a mark is a token of the iterator.  Any other field has no order on disk: all segments are sorted once, and a
 * row then costs one unsorted pass that keeps what lies between two marks.
 *
 * Segments in damaged nodes are missing from the rows, and have no numbers.  The loss is the greatest that any
 * pass has met so far.
 *
 * Memory: about 100 bytes a mark, and the memory of the iterator until histree_segment_rows_rest() is called.
 *
 * Threads: one thread at a time uses the rows.
 */

struct histree_segment_rows_options {
	/* In any order except that of a caller's comparison, and without a limit.  Its filter is borrowed. */
	struct histree_segment_query query;
	uint32_t rows_per_mark; /* 0 means 4096 */
	/*
	 * Ends a long call.  The marks made so far stay, so that the next call gets further, except during the
	 * sort of all segments.
	 */
	struct histree_work work;
};

/*
 * Create the rows of a query.  Returns HISTREE_ERR_ARGUMENT if the query is not valid or cannot have numbered
 * rows.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_rows_create(struct histree_segment_store *store, const struct histree_segment_rows_options *options,
			    struct histree_cursor **out, struct histree_error *error);

/*
 * Count the rows.  If a window or filter leaves some segments out, all segments are visited once.  The caller must
 * seek before it reads on.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_rows_count(struct histree_cursor *rows, uint64_t *count, struct histree_error *error);

/* Make this row, counted from 0, the next one.  Returns HISTREE_END if there are fewer rows. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_rows_seek(struct histree_cursor *rows, uint64_t row, struct histree_error *error);

/*
 * Make the first row that starts at `time` or later the next one and set *row to its number; the order must be by
 * start, ascending.  Returns HISTREE_END if there is no such row, and sets *row to the number of rows.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_segment_rows_find(struct histree_cursor *rows,
									     histree_time time, uint64_t *row,
									     struct histree_error *error);

/* Release the memory of the iterator until it is needed again.  The marks stay. */
HISTREE_API void histree_segment_rows_rest(struct histree_cursor *rows);

/* ==== segment stats =========================================================================================== */

/*
 * Statistics of durations, or of a number that segments have, for all segments and for each
 * value of a field (thesis 5.4).
 *
 * All numbers are exact, including percentiles: a first pass counts, and a second one gets the segments in the
 * order of duration and so knows their ranks.  The memory is one record for each group.
 *
 * If the store has overviews (segments.h), the query has no filter and `field` is that of the overviews or none,
 * the statistics are made from summaries, and few segments are read.  The deviation is then right to within a
 * millionth; the other numbers stay exact.
 */

enum histree_percentile { HISTREE_P50, HISTREE_P90, HISTREE_P99, HISTREE_P99_9, HISTREE_PERCENTILE_COUNT };

/* Statistics of one group.  Durations are in nanoseconds; for a field, its numbers take their place. */
struct histree_segment_group {
	/* The value of the field, whose bytes belong to the statistics; null if it is null, or for all segments. */
	struct histree_value value;
	uint64_t count;
	uint64_t min, max;
	/* The shortest and the longest segment; of several equally long ones, the one that starts first. */
	histree_time min_start, min_end, max_start, max_end;
	uint64_t total;         /* UINT64_MAX if it does not fit */
	double mean, deviation; /* the deviation is that of a whole population: it divides by the count */
	/* The durations at rank ceil(p * count), counted from the shortest. */
	uint64_t percentiles[HISTREE_PERCENTILE_COUNT];
};

struct histree_segment_stats;

#define HISTREE_SEGMENTS_TOGETHER SIZE_MAX

/*
 * Compute the statistics of the segments that are in the window of the query and pass its filter; its order and
 * limit are ignored.  There is one group for each value of `field`, or no groups if it is
 * HISTREE_SEGMENTS_TOGETHER.  One thread at a time uses the statistics.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_stats_create(struct histree_segment_store *store, const struct histree_segment_query *query,
			     size_t field, struct histree_segment_stats **out, struct histree_error *error);

/*
 * The same for the numbers of a field `of` instead of durations, such as bytes: an int or a long.  Segments in
 * which it is null or negative are left out.  If several segments have the least or the greatest number, any of
 * them is named.  Returns HISTREE_ERR_ARGUMENT if the field has no whole numbers.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_stats_create_of(struct histree_segment_store *store, const struct histree_segment_query *query,
				size_t field, size_t of, struct histree_segment_stats **out,
				struct histree_error *error);

/* Returns the statistics of all segments together; they are 0 if there are no segments. */
HISTREE_API const struct histree_segment_group *
histree_segment_stats_all(const struct histree_segment_stats *stats);

/* Returns the groups in the order of their totals, greatest first, or NULL after the last one. */
HISTREE_API const struct histree_segment_group *
histree_segment_stats_group(const struct histree_segment_stats *stats, size_t index);

/* Returns what is lost of the segments; the statistics are those of the remaining ones. */
HISTREE_API struct histree_loss histree_segment_stats_loss(const struct histree_segment_stats *stats);

/* Free the statistics, or do nothing if they are NULL. */
HISTREE_API void histree_segment_stats_free(struct histree_segment_stats *stats);

/* ==== segment density ========================================================================================= */

/*
 * How many segments have which duration: counts in buckets of duration that are as fine for nanoseconds as for
 * seconds.
 *
 * Buckets have nearly the same width on a logarithmic scale.  Their bounds are round numbers: 1 2 5, or the
 * preferred numbers of ISO 3 (Renard's).  A density takes one pass over the segments and one count for each
 * bucket, at most 128 MB; if the store has overviews (segments.h), it is made from these and equally exact.
 */

struct histree_density_options {
	unsigned per_decade; /* buckets for each power of ten: 1, 3 (1 2 5), 5, 10 or 20; 0 means 3 */
	size_t field;        /* each of its values gets counts of its own; or HISTREE_SEGMENTS_TOGETHER */
	size_t group_max;    /* how many values, those met first, get counts of their own; 0 means 1000 */
	/*
	 * The number of equal columns of [from, to], both inclusive, each with counts of its own.  A segment
	 * counts in the column in which it starts, or in the nearest one.  0 means one column for all times.
	 */
	uint32_t column_count;
	histree_time from, to;
};

/* In nanoseconds, both inclusive. */
struct histree_duration_bucket {
	uint64_t min, max;
};

struct histree_density_group {
	struct histree_value value; /* null also for all segments together; bytes belong to the density */
	bool is_rest;               /* all segments whose values came too late to have counts of their own */
	uint64_t count;
};

struct histree_segment_density;

/*
 * Count the segments in the window of the query that pass its filter; order and limit are ignored.  Returns
 * HISTREE_ERR_ARGUMENT if an option is out of range.  One thread at a time may use the store.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_density_create(struct histree_segment_store *store, const struct histree_segment_query *query,
			       const struct histree_density_options *options, struct histree_segment_density **out,
			       struct histree_error *error);

/* Returns the buckets from the first to the last that holds a segment, without gaps. */
HISTREE_API const struct histree_duration_bucket *
histree_segment_density_buckets(const struct histree_segment_density *density, size_t *count);

/*
 * Returns the groups that have segments, by decreasing count, then by value, the rest last; NULL after the last
 * one.
 */
HISTREE_API const struct histree_density_group *
histree_segment_density_group(const struct histree_segment_density *density, size_t index);

/* Returns how many segments of a group are in a bucket and a column; without columns, column 0 has all. */
HISTREE_API uint64_t histree_segment_density_count(const struct histree_segment_density *density, size_t group,
						   uint32_t column, size_t bucket);

/* Returns what is lost of the segments; the others are counted. */
HISTREE_API struct histree_loss histree_segment_density_loss(const struct histree_segment_density *density);

/* Free the density, or do nothing if it is NULL. */
HISTREE_API void histree_segment_density_free(struct histree_segment_density *density);

/* ==== segment compare ========================================================================================= */

/*
 * Whether the durations of segments differ between two stores, or between two windows of one.
 *
 * The durations of each group of A and of B are compared by their ranks.  The test of Mann and Whitney (1947),
 * corrected for ties, gives how often a segment of B outlasts one of A, and how likely it is that chance alone
 * does as much; the greatest distance between both distributions (Kolmogorov, Smirnov) shows a change of shape
 * that leaves the middle as it was.  Neither test assumes a certain distribution, and latencies never have a
 * simple one.
 *
 * Both tests assume that the segments are independent of one another.  Those of a trace are not: slow ones come
 * in bursts.  So the same measure is taken between the first and the second half in time of A, and of B: a
 * difference between A and B that is not greater than these is noise, however many segments there are.
 */

enum histree_difference {
	HISTREE_DIFFERENCE_NONE,   /* noise */
	HISTREE_DIFFERENCE_LONGER, /* those of B last longer */
	HISTREE_DIFFERENCE_SHORTER,
	HISTREE_DIFFERENCE_UNSURE, /* A or B has fewer than HISTREE_DIFFERENCE_COUNT_MIN segments */
};

enum { HISTREE_DIFFERENCE_COUNT_MIN = 8 };

/* The level of significance of a difference, over all groups together (Bonferroni). */
#define HISTREE_DIFFERENCE_P 0.01

struct histree_segment_difference {
	struct histree_segment_group a, b; /* zeros for a side without segments */
	/*
	 * The share of all pairs of a segment of A and one of B in which that of B lasts longer; pairs of equal
	 * duration count as halves.  0.5: no difference; 0.5 also if A or B has no segments.
	 */
	double longer;
	double noise; /* the greater distance of `longer` from 0.5 between the halves of A and between those of B */
	/* The likelihood that chance alone makes `longer` differ from 0.5 as much; 1 if A or B has no segments */
	double p;
	double distance; /* the greatest between both cumulative distributions, 0 to 1 */
	enum histree_difference verdict;
};

/* One side: the segments in the window of the query that pass its filter; order and limit are ignored. */
struct histree_segment_side {
	struct histree_segment_store *store;
	struct histree_segment_query query;
	size_t field; /* whose values are the groups; HISTREE_SEGMENTS_TOGETHER on both sides, or on neither */
};

struct histree_segment_comparison;

/*
 * Compare the segments of two sides, which may be the same store.  The memory is one record for each group; each
 * store is read once in the order of duration, in addition to what histree_segment_stats_create() reads.  One
 * thread at a time uses the comparison.
 *
 * Returns HISTREE_ERR_TYPE if the types of the fields differ.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_comparison_create(const struct histree_segment_side *a, const struct histree_segment_side *b,
				  struct histree_segment_comparison **out, struct histree_error *error);

/* Returns the comparison of all segments together. */
HISTREE_API const struct histree_segment_difference *
histree_segment_comparison_all(const struct histree_segment_comparison *comparison);

/*
 * Returns the groups by how much their total duration, as a share of the window, differs, greatest first; NULL
 * after the last one.  The bytes of values belong to the comparison.
 */
HISTREE_API const struct histree_segment_difference *
histree_segment_comparison_group(const struct histree_segment_comparison *comparison, size_t index);

/* Returns "longer", "shorter", "noise" or "too few"; with `says_why`, also why it is noise: words for people. */
HISTREE_API const char *histree_segment_difference_verdict(const struct histree_segment_difference *difference,
							   bool says_why);

/* Returns what is lost of A (0) or B (1); the others are compared. */
HISTREE_API struct histree_loss histree_segment_comparison_loss(const struct histree_segment_comparison *comparison,
								int side);

/* Free the comparison, or do nothing if it is NULL. */
HISTREE_API void histree_segment_comparison_free(struct histree_segment_comparison *comparison);

/* ==== join ==================================================================================================== */

/*
 * Which states and which segments overlap in time: a join of the two trees (thesis 2.4.4).
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
 * The segments of damaged nodes are missing; histree_cursor_losses() reports them.
 */

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
	 * Returns true if a state and a segment belong together, such as a thread and one of its system calls.
	 * NULL means that all do.
	 */
	bool (*pair)(void *context, const struct histree_interval *state, const struct histree_segment *segment);
	void *pair_context;
	/*
	 * Keys: a state and a segment are a pair only if the attribute of the state has the key of the segment,
	 * and if `pair` is NULL or returns true.  The join then does not compare others, and keeps no segment
	 * whose key no attribute has.  Keys may be any numbers, such as hashes, whose collisions `pair` then
	 * tells apart.  Either both functions are NULL or neither is.  `attribute_key` writes the key with this
	 * index, from 0 on, or returns false if the attribute has no more; `segment_key` returns false if the
	 * segment belongs to no attribute.
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
