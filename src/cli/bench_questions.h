/* SPDX-License-Identifier: MIT */
/*
 * bench_questions.h - the queries of a benchmark, chosen at random from a seed.
 *
 *	single	an attribute and a time
 *	full	a time
 *	times	100 attributes and 2000 times at equal distances, from the first to the last (thesis 4.8.7)
 *	range	100 attributes and the middle half of the time
 *
 * A smaller history is asked for all the attributes, or all the times, that it has.
 */
#ifndef CLI_BENCH_QUESTIONS_H
#define CLI_BENCH_QUESTIONS_H

#include "cli/bench_engine.h"

enum {
	BENCH_KEYS = 100,
	BENCH_TIMES_ASKED = 2000,
	BENCH_LARGE_SHARE = 100, /* one full, one times and one range query for this many single ones, */
	BENCH_LARGE_MIN = 5,     /* and at least this many */
};

struct bench_questions {
	struct histree_region *of_shape[BENCH_SHAPE_COUNT];
	size_t count[BENCH_SHAPE_COUNT];
	histree_quark *quarks; /* of all questions */
	histree_time *times;   /* of each `times` question */
};

/* `start` and `end` are those of the history, `singles` is the number of single queries, at least one. */
enum histree_status bench_questions_init(struct bench_questions *questions, uint32_t attributes, histree_time start,
					 histree_time end, size_t singles, uint64_t seed,
					 struct histree_error *error);
void bench_questions_release(struct bench_questions *questions);

#endif
