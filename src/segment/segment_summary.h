/* SPDX-License-Identifier: MIT */
/*
 * segment_summary.h - the summary of some segments: how many, how long, in which buckets and parts of duration.
 *
 * A summary covers segments that start in one cell of time, last about equally long and have the same value; an
 * overview stores it as a segment (docs/design/05-pyramid.md).  Sums of durations stay exact: a sum that would not
 * fit starts another summary.  The summary of a single segment is that segment.
 *
 * Buckets divide all durations, equally wide on a logarithmic scale except for rounding: 0, then 1 to 2, 2 to 5, 5
 * to 10, 10 to 20, ...
 *
 * Parts divide the finest buckets.  A part is a power of two ns wide: one, where durations are short.  It is so
 * narrow that its bucket has about 2^`log2` parts, and at least 4,096 of them lie between 0 and the longest
 * duration: enough for a chart with a linear scale.
 */
#ifndef SEGMENT_SEGMENT_SUMMARY_H
#define SEGMENT_SEGMENT_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histree/segments.h"

/* 20 for each of the 20 powers of ten in an uint64, and 0. */
enum { DURATION_BUCKETS_MAX = 401 };

/* Ascending, the first is 0; a bucket reaches to the one after it. */
struct duration_buckets {
	uint64_t min[DURATION_BUCKETS_MAX];
	size_t count;
	uint16_t first[65]; /* the bucket of the least duration with this many bits */
};

/* Returns false if there is no such division; there are 1, 3, 5, 10 and 20. */
bool duration_buckets_init(struct duration_buckets *buckets, unsigned per_decade);

/* Returns the last of `count` ascending buckets that begins at a duration or before; the first one does. */
size_t duration_bucket_in(const uint64_t *min, size_t count, uint64_t duration);

/* Returns the index of the bucket that holds a duration. */
size_t duration_bucket_of(const struct duration_buckets *buckets, uint64_t duration);

/* Returns the greatest duration in a bucket. */
uint64_t duration_bucket_max(const struct duration_buckets *buckets, size_t index);

/* Of equally long segments, the shortest and the longest are the first that start. */
struct segment_summary {
	uint64_t count;
	histree_time longest_start, shortest_start;
	uint64_t longest, shortest; /* durations */
	uint64_t total;             /* of all durations */
	double squares;             /* of the distances of the durations from their mean */
	struct histree_value value; /* its bytes are borrowed; null where segments are not told apart */
};

/* As fine as the counts of segment_stats.h, so that a summary never lies in two of its buckets. */
enum { SUMMARY_BUCKETS_PER_DECADE = 20, SUMMARY_FIELD_COUNT = 6 };

/* The fields of an overview; the first one has the type of the values. */
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

enum { DURATION_PARTS_LOG2_MAX = 8 };

struct duration_parts {
	struct duration_buckets buckets;
	uint8_t shift[DURATION_BUCKETS_MAX]; /* of the width of a part */
};

void duration_parts_init(struct duration_parts *parts, unsigned log2, uint64_t longest);

/* Returns the number of the part of a duration that is in a bucket; numbers ascend, not one by one. */
uint32_t duration_part_in(const struct duration_parts *parts, size_t bucket, uint64_t duration);
uint32_t duration_part_of(const struct duration_parts *parts, uint64_t duration);

/* Returns the shortest duration in the part of a duration. */
uint64_t duration_part_min(const struct duration_parts *parts, uint64_t duration);

/* Returns how wide the part of a duration is. */
uint64_t duration_part_width(const struct duration_parts *parts, uint64_t duration);

#endif
