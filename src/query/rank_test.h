/* SPDX-License-Identifier: MIT */
/*
 * rank_test.h - the test of Mann and Whitney (Annals of Mathematical Statistics 18, 1947) and the distance of
 * Kolmogorov and Smirnov, of two samples whose values come together in ascending order.
 *
 * Only two counts are kept of each sample: the smaller values, and those equal to the current one.
 */
#ifndef QUERY_RANK_TEST_H
#define QUERY_RANK_TEST_H

#include <stdint.h>

/* Zeroed: no value yet. */
struct rank_test {
	uint64_t below[2], equal[2]; /* of either sample */
	double greater; /* pairs in which the value of the second is the greater one; equal ones: a half */
	double ties;    /* the sum of t^3 - t over groups of t equal values */
};

/* Take one value of sample 0 or 1 that equals the one at hand. */
static inline void rank_test_take(struct rank_test *test, int sample)
{
	test->equal[sample]++;
}

/* All values equal to the current one were taken; the next one is greater, or there is none. */
void rank_test_fold(struct rank_test *test);

/* The share of `greater` in all pairs; 0.5 if there are no pairs. */
double rank_test_share(const struct rank_test *test);

/* How likely a share as far from 0.5 is if both samples are of one distribution: by the normal approximation. */
double rank_test_p(const struct rank_test *test);

/* The distance of the shares of both samples that are below the next value; their sizes are given. */
double rank_test_distance(const struct rank_test *test, uint64_t count_a, uint64_t count_b);

#endif
