/* SPDX-License-Identifier: MIT */
/*
 * bench_history.h - a finished history as an engine.
 */
#ifndef CLI_BENCH_HISTORY_H
#define CLI_BENCH_HISTORY_H

#include "cli/bench_engine.h"

/* It uses one query for every question, so that what is measured allocates nothing. */
struct bench_history {
	struct histree_query *query;
};

/* The history is borrowed. */
enum histree_status bench_history_init(struct bench_history *bench, struct histree_history *history,
				       struct histree_error *error);
void bench_history_release(struct bench_history *bench);

struct bench_engine bench_history_engine(struct bench_history *bench);

#endif
