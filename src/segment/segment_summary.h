/* SPDX-License-Identifier: MIT */
/*
 * segment_summary.h - what is known of several segments together, and how a segment of an overview says it
 * (docs/design/0028-summaries.md).
 *
 * A summary is of segments that start in one cell of time, last about as long and have the same value.  Sums of
 * durations stay exact: what does not fit becomes another summary.  The one of a single segment is that segment.
 */
#ifndef SEGMENT_SEGMENT_SUMMARY_H
#define SEGMENT_SEGMENT_SUMMARY_H

#include "histree/segment.h"
#include "segment/duration_buckets.h"

/* Of equally long segments, the shortest and the longest is the one that starts first. */
struct segment_summary {
	uint64_t count;
	histree_time longest_start, shortest_start;
	uint64_t longest, shortest; /* durations */
	uint64_t total;             /* of all durations */
	double squares;             /* of the distances of the durations from their mean */
	struct histree_value value; /* its bytes are borrowed; null where segments are not told apart */
};

/* As fine as counts are in a segment_density.h, so that a summary never lies in two of its buckets. */
enum { SUMMARY_BUCKETS_PER_DECADE = 20, SUMMARY_FIELD_COUNT = 6 };

/* The fields of an overview; the first one is of the type of the values. */
void segment_summary_fields(enum histree_type value, struct histree_segment_field fields[SUMMARY_FIELD_COUNT]);

static inline double segment_summary_mean(const struct segment_summary *summary)
{
	return (double)summary->total / (double)summary->count;
}

/* The summary of one segment. */
struct segment_summary segment_summary_of(const struct histree_segment *segment, const struct histree_value *value);

/* Returns false, and does nothing, if the sum of all durations would not fit. */
bool segment_summary_merge(struct segment_summary *into, const struct segment_summary *from);

/* Combine two sums of squares, of values whose counts are not 0 (Chan, Golub and LeVeque, 1979). */
double segment_summary_squares(double one, double one_count, double one_mean, double other, double other_count,
			       double other_mean);

/* The segment of an overview that says it: the longest, with the rest as its content. */
struct histree_segment segment_summary_put(const struct segment_summary *summary,
					   struct histree_value content[SUMMARY_FIELD_COUNT]);

/* Returns false if no summary could say that. */
bool segment_summary_get(const struct duration_buckets *buckets, const struct histree_segment *segment,
			 struct segment_summary *out);

#endif
