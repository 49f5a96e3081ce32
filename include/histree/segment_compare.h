/* SPDX-License-Identifier: MIT */
/*
 * segment_compare.h - whether the durations of segments differ between two stores, or between two windows of one.
 *
 * The durations of each group of A and of B are compared by their ranks.  The test of Mann and Whitney (1947),
 * corrected for ties, gives how often a segment of B outlasts one of A, and how likely chance alone does as much;
 * the greatest distance between both distributions (Kolmogorov, Smirnov) shows a change of shape that leaves the
 * middle as it was.  Neither test assumes a certain distribution, and latencies never have a simple one.
 *
 * Both tests assume that the segments are independent of one another.  Those of a trace are not: slow ones come
 * in bursts.  So the same measure is taken between the first and the second half in time of A, and of B: a
 * difference between A and B that is not greater than these is noise, however many segments there are.
 */
#ifndef HISTREE_SEGMENT_COMPARE_H
#define HISTREE_SEGMENT_COMPARE_H

#include "segment_stats.h"

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
 * Compare the segments of two sides, which may be the same store.  The memory is one record a group; each store
 * is read once in the order of duration, beside what histree_segment_stats_create() reads.  One thread at a time
 * uses the comparison.
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

/* Returns what is lost of A (0) or B (1); the others are compared. */
HISTREE_API struct histree_loss histree_segment_comparison_loss(const struct histree_segment_comparison *comparison,
								int side);

/* Free the comparison, or do nothing if it is NULL. */
HISTREE_API void histree_segment_comparison_free(struct histree_segment_comparison *comparison);

#endif
