// SPDX-License-Identifier: MIT
/*
 * checksums.c - what checksums cost: their share of a build and of single queries, by processor time.
 *
 *	checksums TRACE FOLDER [RUNS]
 *
 * TRACE is built in FOLDER, and what is in its history is summed up once more, RUNS (7) times each; medians.  The
 * share of a build is that of the bytes of the file, which are summed up once on their way to it.  A node is
 * checked when it is read from the file: so of queries whose nodes are in memory the share is that of no bytes,
 * which is shown by counting the nodes that they read.  Then the same queries with room for one node, so that each
 * reads its nodes from the page cache.
 *
 * Instructions instead of time: bench/README.md.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/hash_index.h"
#include "histree/build.h"
#include "histree/histree.h"

enum { RUNS_MAX = 99, PASSES = 20, QUERIES_WARM = 20000, QUERIES_COLD = 400 };

struct bench {
	const char *trace;
	char store[4096], file[4200];
	int runs;
	uint8_t *bytes; /* of the history's file */
	size_t size;
	double byte_ns; /* to sum up */
};

/* Not inlined away, and not optimised out. */
static volatile uint32_t sum;

static void check(enum histree_status status, const struct histree_error *error)
{
	if (status == HISTREE_OK)
		return;
	fprintf(stderr, "checksums: %s\n", error->message);
	exit(1);
}

/* Of all threads. */
static double now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int by_size(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;
	return (a > b) - (a < b);
}

static double median(struct bench *bench, double (*run)(struct bench *bench))
{
	double times[RUNS_MAX];
	for (int i = 0; i < bench->runs; i++)
		times[i] = run(bench);
	qsort(times, (size_t)bench->runs, sizeof(*times), by_size);
	return times[bench->runs / 2];
}

static double build(struct bench *bench)
{
	struct histree_error error;
	const char *const traces[] = { bench->trace };
	const struct histree_build_options options = {
		.traces = traces, .trace_count = 1, .store = bench->store, .force = true
	};
	double begun = now_ns();
	check(histree_build(&options, &error), &error);
	return now_ns() - begun;
}

static void load(struct bench *bench)
{
	FILE *file = fopen(bench->file, "rb");
	if (file == NULL || fseek(file, 0, SEEK_END) != 0)
		exit(1);
	bench->size = (size_t)ftell(file);
	bench->bytes = malloc(bench->size);
	rewind(file);
	if (bench->bytes == NULL || fread(bench->bytes, 1, bench->size, file) != bench->size)
		exit(1);
	fclose(file);
}

static double sum_up(struct bench *bench)
{
	double begun = now_ns();
	for (int i = 0; i < PASSES; i++)
		sum = crc32c(sum, bench->bytes, bench->size);
	return (now_ns() - begun) / PASSES;
}

/* Ask `count` single queries; the time of one, and how many nodes it reads. */
static double ask(struct histree_history *history, int count, double *nodes_read)
{
	const struct histree_history_info *info = histree_history_info(history);
	struct histree_cursor *query;
	struct histree_error error;
	uint64_t loaded = 0;
	check(histree_query_create(history, &query, &error), &error);
	double begun = now_ns();
	for (int i = 0; i < count; i++) {
		struct histree_interval interval;
		uint64_t bits = hash_mix((uint64_t)i + 1);
		histree_quark quark = (histree_quark)(bits % info->attribute_count);
		histree_time time =
			info->start + (histree_time)(hash_mix(bits) % (uint64_t)(info->end - info->start));
		check(histree_query_single(query, quark, time, &interval, &error), &error);
		loaded += histree_cursor_statistics(query).nodes_loaded;
	}
	double each = (now_ns() - begun) / count;
	*nodes_read = (double)loaded / count;
	histree_cursor_free(query);
	return each;
}

static void report_queries(const struct bench *bench, const char *name, size_t cache_bytes, int count)
{
	struct histree_history *history;
	struct histree_error error;
	double times[RUNS_MAX], nodes_read;
	const struct histree_open_options options = { .cache_bytes = cache_bytes };
	check(histree_history_open(bench->file, &options, &history, &error), &error);
	const struct histree_history_info *info = histree_history_info(history);
	double node_bytes = (double)info->node_bytes_used / (double)info->node_count;
	ask(history, count, &nodes_read);
	for (int i = 0; i < bench->runs; i++)
		times[i] = ask(history, count, &nodes_read);
	qsort(times, (size_t)bench->runs, sizeof(*times), by_size);
	double each = times[bench->runs / 2], checks = nodes_read * node_bytes * bench->byte_ns;
	printf("%-34s %12.3f %12.3f %8.2f   (%.2f nodes read)\n", name, each / 1000, checks / 1000,
	       100 * checks / each, nodes_read);
	histree_history_close(history);
}

int main(int count, char **arguments)
{
	if (count < 3) {
		fputs("usage: checksums TRACE FOLDER [RUNS]\n", stderr);
		return 2;
	}
	struct bench bench = { .trace = arguments[1], .runs = count > 3 ? atoi(arguments[3]) : 7 };
	if (bench.runs < 1 || bench.runs > RUNS_MAX)
		bench.runs = RUNS_MAX;
	snprintf(bench.store, sizeof(bench.store), "%s/checksums.histree", arguments[2]);
	snprintf(bench.file, sizeof(bench.file), "%s/kernel.sht", bench.store);
	double build_ns = median(&bench, build);
	load(&bench);
	double sum_ns = median(&bench, sum_up);
	bench.byte_ns = sum_ns / (double)bench.size;
	printf("%s, medians of %d, processor time\n%-34s %12s %12s %8s\n", bench.trace, bench.runs, "", "all, us",
	       "sums, us", "share, %");
	printf("%-34s %12.0f %12.3f %8.2f   (%zu bytes)\n", "build", build_ns / 1000, sum_ns / 1000,
	       100 * sum_ns / build_ns, bench.size);
	report_queries(&bench, "single query, nodes in memory", 0, QUERIES_WARM);
	report_queries(&bench, "single query, nodes read each time", 1, QUERIES_COLD);
	free(bench.bytes);
	return 0;
}
