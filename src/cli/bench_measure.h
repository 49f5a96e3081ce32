/* SPDX-License-Identifier: MIT */
/*
 * bench_measure.h - asks an engine the questions of a benchmark, one at a time, and keeps times and answers.
 */
#ifndef CLI_BENCH_MEASURE_H
#define CLI_BENCH_MEASURE_H

#include "cli/bench_questions.h"

/* After this time no further question of a shape is asked, once BENCH_LARGE_MIN were. */
#define BENCH_SHAPE_NS (INT64_C(10) * 1000 * 1000 * 1000)

struct bench_result {
	size_t asked;
	int64_t median_ns, p99_ns;
	/*
	 * Median by processor time, which other work on the machine does not lengthen; a single query is over
	 * before anything else gets to run, and its time is taken for that.
	 */
	int64_t cpu_median_ns;
	double intervals, nodes_visited, nodes_loaded; /* means */
	struct bench_answer *answers;                  /* of the questions asked, in their order */
};

/* In ns: a clock that only goes forward, and the processor time of all threads of this process. */
int64_t bench_now(void);
int64_t bench_processor_time(void);

/* Time that passed between its starts and stops, by the clock and of the processor.  Zeroed, it has none. */
struct bench_stopwatch {
	int64_t ns, cpu_ns;
};

static inline void bench_stopwatch_start(struct bench_stopwatch *watch)
{
	watch->ns -= bench_now();
	watch->cpu_ns -= bench_processor_time();
}

static inline void bench_stopwatch_stop(struct bench_stopwatch *watch)
{
	watch->ns += bench_now();
	watch->cpu_ns += bench_processor_time();
}

/* Asks the questions, the first one twice and counted once.  After a failure there is nothing to release. */
enum histree_status bench_measure(const struct bench_engine *engine, const struct bench_questions *questions,
				  enum bench_shape shape, struct bench_result *result, struct histree_error *error);

/* Asks `judge` the same questions.  *wrong counts those to which it gives another answer. */
enum histree_status bench_compare(const struct bench_engine *judge, const struct bench_questions *questions,
				  enum bench_shape shape, const struct bench_result *result, size_t *wrong,
				  struct histree_error *error);

void bench_result_release(struct bench_result *result);

#endif
