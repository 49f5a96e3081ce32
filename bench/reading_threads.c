// SPDX-License-Identifier: MIT
/*
 * reading_threads.c - one query on several threads: where it pays, and what it costs
 * (docs/design/04-queries.md).
 *
 *	reading_threads HISTORY [MOST [RUNS]]
 *
 * Asks a full query in the middle, and every state of a twentieth of the history, with 1 to MOST threads (2) in
 * turns, RUNS times (20).  Prints TSV: the best wall time, for all else on the machine only lengthens it, and the
 * least processor time, of all threads and of the caller's alone.  On a machine with a core for each thread an
 * answer takes as long as the caller, or as the others divided by their number, whichever is more.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "histree/histree.h"

enum { ROOM = 256, SHAPES = 2, MOST_MAX = 16 };

static const char *const shape_names[SHAPES] = { "full", "2D range" };

struct cost {
	double wall, processor, caller; /* the least */
	uint64_t intervals;
};

static double seconds(const struct timespec *time)
{
	return (double)time->tv_sec + 1e-9 * (double)time->tv_nsec;
}

static double now(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return seconds(&time);
}

static void keep_least(double *least, double value)
{
	if (*least == 0 || value < *least)
		*least = value;
}

static enum histree_status ask(struct histree_cursor *query, const struct histree_region *region, struct cost *cost,
			       struct histree_error *error)
{
	size_t count;
	double wall = now(CLOCK_MONOTONIC), processor = now(CLOCK_PROCESS_CPUTIME_ID);
	double caller = now(CLOCK_THREAD_CPUTIME_ID);
	enum histree_status status = histree_query_start(query, region, error);
	cost->intervals = 0;
	while (status == HISTREE_OK) {
		status = histree_cursor_read(query, ROOM, &count, error);
		cost->intervals += count;
	}
	keep_least(&cost->wall, now(CLOCK_MONOTONIC) - wall);
	keep_least(&cost->processor, now(CLOCK_PROCESS_CPUTIME_ID) - processor);
	keep_least(&cost->caller, now(CLOCK_THREAD_CPUTIME_ID) - caller);
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status measure(struct histree_history *history, unsigned most, unsigned runs,
				   struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(history);
	histree_time middle = info->start + (info->end - info->start) / 2;
	const struct histree_region regions[SHAPES] = {
		{ .from = middle, .to = middle },
		{ .from = middle, .to = middle + (info->end - info->start) / 20 },
	};
	struct cost costs[SHAPES][MOST_MAX + 1] = { 0 };
	enum histree_status status = HISTREE_OK;
	for (unsigned run = 0; run < runs; run++)
		for (unsigned threads = 1; threads <= most && status == HISTREE_OK; threads++) {
			struct histree_cursor *query;
			status = histree_query_create(history, &query, error);
			if (status == HISTREE_OK)
				status = histree_query_set_threads(query, threads, error);
			for (unsigned shape = 0; shape < SHAPES && status == HISTREE_OK; shape++)
				status = ask(query, &regions[shape], &costs[shape][threads], error);
			histree_cursor_free(query);
		}
	puts("query\tthreads\tintervals\tbest ms\tprocessor ms\tof the caller ms");
	for (unsigned shape = 0; shape < SHAPES; shape++)
		for (unsigned threads = 1; threads <= most; threads++) {
			const struct cost *cost = &costs[shape][threads];
			printf("%s\t%u\t%" PRIu64 "\t%.2f\t%.2f\t%.2f\n", shape_names[shape], threads,
			       cost->intervals, cost->wall * 1e3, cost->processor * 1e3, cost->caller * 1e3);
		}
	return status;
}

int main(int argc, char **argv)
{
	struct histree_error error;
	struct histree_history *history;
	unsigned most = argc > 2 ? (unsigned)atoi(argv[2]) : 2, runs = argc > 3 ? (unsigned)atoi(argv[3]) : 20;
	if (argc < 2 || most < 1 || most > MOST_MAX || runs < 1) {
		fputs("usage: reading_threads HISTORY [MOST [RUNS]]\n", stderr);
		return 2;
	}
	enum histree_status status = histree_history_open(argv[1], NULL, &history, &error);
	if (status == HISTREE_OK) {
		status = measure(history, most, runs, &error);
		histree_history_close(history);
	}
	if (status != HISTREE_OK)
		fprintf(stderr, "reading_threads: %s\n", error.message);
	return status == HISTREE_OK ? 0 : 3;
}
