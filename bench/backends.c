// SPDX-License-Identifier: MIT
/*
 * backends.c - what the backends of a history cost, side by side: one trace, the kernel analysis.
 *
 *	backends TRACE [FOLDER]		tsv on stdout; stores are made in FOLDER, by default /tmp
 *
 * Each build and each set of questions is a process of its own.  Times are of the processor; of questions the
 * median is told, `cold` with a cache of a byte, so that a partial history makes each slice again, `warm` with the
 * default one, after the same questions were asked before.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/hash_index.h"
#include "histree/build.h"
#include "histree/states.h"

enum { QUESTIONS = 101, FULL_QUESTIONS = 21, QUARKS_2D = 50, FIRST_PERMILLE = 10 };

struct backend {
	const char *name;
	enum histree_backend_kind kind;
	uint64_t checkpoint_events;
};

static const struct backend backends[] = {
	{ "disk", HISTREE_BACKEND_DISK, 0 },
	{ "memory", HISTREE_BACKEND_MEMORY, 0 },
	{ "partial, every 10000", HISTREE_BACKEND_PARTIAL, 10000 },
	{ "partial, every 50000", HISTREE_BACKEND_PARTIAL, 50000 },
	{ "partial, every 250000", HISTREE_BACKEND_PARTIAL, 250000 },
	{ "null", HISTREE_BACKEND_NULL, 0 },
};

struct measured {
	uint64_t bytes, intervals;
	double build_s, single_us[2], full_us[2], range_us[2]; /* cold, warm */
	double single_mean_us;                                 /* cold */
	long build_kib, query_kib;
};

static void die(const char *what, const struct histree_error *error)
{
	fprintf(stderr, "backends: %s: %s\n", what, error->message);
	exit(1);
}

static double processor_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;
	return (one > other) - (one < other);
}

static double mean(const double *times, size_t count)
{
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += times[i];
	return sum / (double)count;
}

static double median(double *times, size_t count)
{
	qsort(times, count, sizeof(*times), by_size);
	return times[count / 2];
}

/* ---- questions ----------------------------------------------------------------------------------------------- */

static double ask(struct histree_cursor *query, const struct histree_region *region)
{
	struct histree_error error;
	size_t count;
	double begun = processor_seconds();
	enum histree_status status = histree_query_start(query, region, &error);
	while (status == HISTREE_OK)
		status = histree_cursor_read(query, 256, &count, &error);
	if (status != HISTREE_END)
		die("a query", &error);
	return 1e6 * (processor_seconds() - begun);
}

/* Returns one of the attributes of a share of all of them. */
static histree_quark quark_of_share(struct random *random, uint32_t count, size_t share, size_t shares)
{
	uint64_t first = share * count / shares, end = (share + 1) * count / shares;
	return (histree_quark)(first + random_below(random, end > first ? end - first : 1));
}

static double ask_many(struct histree_cursor *query, const struct histree_history_info *info, size_t count,
		       size_t quark_count, unsigned permille, double *mean_us)
{
	static double times[QUESTIONS];
	struct random random = { 7 };
	uint64_t length = (uint64_t)(info->end - info->start);
	for (size_t i = 0; i < count; i++) {
		histree_quark quarks[QUARKS_2D];
		histree_time from = info->start + (histree_time)random_below(&random, length);
		histree_time to = from + (histree_time)(length / 1000 * permille);
		struct histree_region region = { .from = from, .to = to < info->end ? to : info->end };
		for (size_t k = 0; k < quark_count; k++)
			quarks[k] = quark_of_share(&random, info->attribute_count, k, quark_count);
		if (quark_count > 0) {
			region.quarks = quarks;
			region.quark_count = quark_count;
		}
		times[i] = ask(query, &region);
	}
	*mean_us = mean(times, count);
	return median(times, count);
}

static void ask_all(struct histree_history *history, int warmth, struct measured *out)
{
	const struct histree_history_info *info = histree_history_info(history);
	struct histree_cursor *query;
	struct histree_error error;
	double mean_us, others_us;
	if (histree_query_create(history, &query, &error) != HISTREE_OK)
		die("a query", &error);
	for (int round = 0; round <= warmth; round++) {
		out->single_us[warmth] = ask_many(query, info, QUESTIONS, 1, 0, &mean_us);
		out->full_us[warmth] = ask_many(query, info, FULL_QUESTIONS, 0, 0, &others_us);
		out->range_us[warmth] =
			ask_many(query, info, FULL_QUESTIONS, QUARKS_2D, FIRST_PERMILLE, &others_us);
		if (warmth == 0)
			out->single_mean_us = mean_us;
	}
	histree_cursor_free(query);
}

static void ask_store(const char *path, struct measured *out)
{
	for (int warmth = 0; warmth < 2; warmth++) {
		const struct histree_open_options options = { .cache_bytes = warmth == 0 ? 1 : 0 };
		struct histree_store *store;
		struct histree_history *history;
		struct histree_error error;
		if (histree_store_open(path, &store, &error) != HISTREE_OK ||
		    histree_store_history(store, NULL, false, &options, &history, &error) != HISTREE_OK)
			die(path, &error);
		out->bytes = histree_history_info(history)->file_bytes;
		out->intervals = histree_history_info(history)->interval_count;
		ask_all(history, warmth, out);
		histree_history_close(history);
		histree_store_close(store);
	}
}

/* ---- processes ----------------------------------------------------------------------------------------------- */

struct job {
	const struct backend *backend;
	const char *trace, *store;
	bool asks;
};

static void do_job(const struct job *job, struct measured *out)
{
	static const char *const analyses[] = { "kernel" };
	struct histree_build_result result = { 0 };
	struct histree_error error;
	const struct histree_build_options options = {
		.traces = &job->trace,
		.trace_count = 1,
		.store = job->store,
		.analyses = analyses,
		.analysis_count = 1,
		.force = true,
		.no_overviews = true,
		.backend = job->backend->kind,
		.checkpoint_events = job->backend->checkpoint_events,
		.result = &result,
	};
	bool has_store =
		job->backend->kind == HISTREE_BACKEND_DISK || job->backend->kind == HISTREE_BACKEND_PARTIAL;
	if (job->asks && has_store) {
		ask_store(job->store, out);
		return;
	}
	double begun = processor_seconds();
	if (histree_build(&options, &error) < 0)
		die(job->trace, &error);
	out->build_s = processor_seconds() - begun;
	if (has_store)
		return;
	out->bytes = result.bytes;
	out->intervals = result.intervals;
	if (job->asks && result.history != NULL) {
		ask_all(result.history, 0, out);
		ask_all(result.history, 1, out);
	}
}

/* Do a job in a process, whose greatest memory is told. */
static long run(const struct job *job, struct measured *measured)
{
	int ends[2], status;
	struct rusage usage;
	if (pipe(ends) != 0)
		exit(1);
	pid_t child = fork();
	if (child == 0) {
		do_job(job, measured);
		_exit(write(ends[1], measured, sizeof(*measured)) == sizeof(*measured) ? 0 : 1);
	}
	close(ends[1]);
	ssize_t got = read(ends[0], measured, sizeof(*measured));
	close(ends[0]);
	if (wait4(child, &status, 0, &usage) != child || status != 0 || got != sizeof(*measured))
		exit(1);
	return usage.ru_maxrss;
}

int main(int argc, char **argv)
{
	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: backends TRACE [FOLDER]\n");
		return 2;
	}
	char store[512];
	snprintf(store, sizeof(store), "%s/backends.%ld.histree", argc > 2 ? argv[2] : "/tmp", (long)getpid());
	printf("backend\tintervals\tbytes\tbuild s\tbuild MiB\tquery MiB\tsingle cold us\tits mean us\tsingle warm "
	       "us\t"
	       "full cold us\tfull warm us\t2D cold us\t2D warm us\n");
	for (size_t i = 0; i < sizeof(backends) / sizeof(backends[0]); i++) {
		struct measured measured = { 0 };
		struct job job = { .backend = &backends[i], .trace = argv[1], .store = store };
		measured.build_kib = run(&job, &measured);
		double build_s = measured.build_s;
		long build_kib = measured.build_kib;
		job.asks = true;
		long query_kib = run(&job, &measured);
		printf("%s\t%" PRIu64 "\t%" PRIu64 "\t%.3f\t%ld\t%ld\t%.1f\t%.1f\t%.1f\t%.0f\t%.0f\t%.0f\t%.0f\n",
		       backends[i].name, measured.intervals, measured.bytes, build_s, build_kib / 1024,
		       query_kib / 1024, measured.single_us[0], measured.single_mean_us, measured.single_us[1],
		       measured.full_us[0], measured.full_us[1], measured.range_us[0], measured.range_us[1]);
		fflush(stdout);
	}
	char command[600];
	snprintf(command, sizeof(command), "rm -rf '%s'", store);
	return system(command) == 0 ? 0 : 1;
}
