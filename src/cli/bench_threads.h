/* SPDX-License-Identifier: MIT */
/*
 * bench_threads.h - measures whether threads that ask one history at the same time hinder each other.
 */
#ifndef CLI_BENCH_THREADS_H
#define CLI_BENCH_THREADS_H

#include "cli/bench_questions.h"

struct bench_threads {
	unsigned threads; /* 0: not measured */
	/* Single queries a second, of one thread and of all together: the best turn of each. */
	double alone, together;
	/*
	 * Processor time of one of them, in ns, in its best turn; other work on the machine does not lengthen it.
	 */
	double alone_cpu_ns, together_cpu_ns;
};

enum { BENCH_THREADS_MAX = 256 };

/* One thread and all of them take turns, BENCH_TURNS times, so that both meet the same machine. */
enum histree_status bench_threads_measure(struct histree_history *history, const struct bench_questions *questions,
					  unsigned threads, struct bench_threads *out, struct histree_error *error);

#endif
