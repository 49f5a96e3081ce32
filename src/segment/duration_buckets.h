/* SPDX-License-Identifier: MIT */
/*
 * duration_buckets.h - all durations, cut into buckets that are equally wide on a logarithmic scale, but for
 * rounding: 0, then 1 to 2, 2 to 5, 5 to 10, 10 to 20, ...
 */
#ifndef SEGMENT_DURATION_BUCKETS_H
#define SEGMENT_DURATION_BUCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 20 for each of the 20 powers of ten in an uint64, and 0. */
enum { DURATION_BUCKETS_MAX = 401 };

/* Ascending, the first is 0; a bucket reaches to the one after it. */
struct duration_buckets {
	uint64_t min[DURATION_BUCKETS_MAX];
	size_t count;
	uint16_t first[65]; /* the bucket of the least duration that has so many bits */
};

/* Returns false if there is no such division; there are 1, 3, 5, 10 and 20. */
bool duration_buckets_init(struct duration_buckets *buckets, unsigned per_decade);

/* Returns the last of `count` ascending buckets that begins at a duration or before; the first one does. */
size_t duration_bucket_in(const uint64_t *min, size_t count, uint64_t duration);

/* Returns the index of the bucket that holds a duration. */
size_t duration_bucket_of(const struct duration_buckets *buckets, uint64_t duration);

/* Returns the greatest duration in a bucket. */
uint64_t duration_bucket_max(const struct duration_buckets *buckets, size_t index);

#endif
