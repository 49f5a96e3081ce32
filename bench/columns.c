// SPDX-License-Identifier: MIT
/*
 * columns.c - states as Arrow batches and as Arrow IPC: rows a second on one core.
 *
 *	columns make HISTORY [ROWS]	make a history of so many states (10,000,000), of 10,000 attributes
 *	columns run HISTORY OUT [RUNS]	ask for all of it, RUNS times (5) each way, in turns
 *
 * Of the attributes of a made history seven tenths have ints, two strings of 400 texts, half a tenth each longs
 * and doubles.  Prints TSV: what was measured, rows, the median and the least of seconds of processor time,
 * millions of rows a second, and bytes.  `read` is histree_cursor_read() alone; `plain` has the columns quark,
 * start, end and value.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash_index.h"
#include "histree/histree.h"

enum { ATTRIBUTES = 10000, TEXTS = 400, ROOM = 256, RUNS_MAX = 100 };

static struct histree_error error;

static void must(enum histree_status status)
{
	if (status == HISTREE_OK)
		return;
	fprintf(stderr, "columns: %s\n", error.message);
	exit(1);
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- making ------------------------------------------------------------------------------------------- */

static struct histree_value draw(struct random *random, histree_quark quark)
{
	static char text[32];
	switch (quark % 20) {
	case 0:
		return histree_long((int64_t)random_bits(random) >> 20);
	case 1:
		return histree_double((double)random_below(random, 1000000) / 8);
	case 2:
	case 3:
	case 4:
	case 5:
		snprintf(text, sizeof(text), "state_of_%u", random_index(random, TEXTS));
		return histree_string(text);
	default:
		return histree_int((int32_t)random_below(random, 8));
	}
}

static void make(const char *path, uint64_t rows)
{
	const struct histree_history_options options = { .path = path, .start = 0 };
	struct histree_state_system *system;
	struct random random = { 1 };
	static histree_quark quarks[ATTRIBUTES];
	histree_time now_ns = 0;
	must(histree_state_create(&options, &system, &error));
	for (unsigned i = 0; i < ATTRIBUTES; i++) {
		char name[64];
		snprintf(name, sizeof(name), "Threads/%u/Status", 1000 + i);
		must(histree_state_attribute(system, HISTREE_ROOT, name, &quarks[i], &error));
	}
	for (uint64_t i = 0; i < rows; i++) {
		unsigned attribute = random_index(&random, ATTRIBUTES);
		now_ns += (histree_time)random_below(&random, 2000);
		must(histree_state_modify(system, now_ns, quarks[attribute], draw(&random, attribute), &error));
	}
	must(histree_state_close(system, now_ns, &error));
	histree_state_free(system);
}

/* ---- measuring ---------------------------------------------------------------------------------------- */

struct result {
	uint64_t rows, bytes;
	double seconds;
};

static struct histree_region all_of(struct histree_history *history)
{
	const struct histree_history_info *info = histree_history_info(history);
	return (struct histree_region){ .from = info->start, .to = info->end };
}

static struct result read_rows(struct histree_history *history, const char *out)
{
	struct histree_region region = all_of(history);
	struct histree_cursor *query;
	struct result result = { 0 };
	size_t count;
	(void)out;
	double begin = now();
	must(histree_query_create(history, &query, &error));
	must(histree_query_start(query, &region, &error));
	while (histree_cursor_read(query, ROOM, &count, &error) == HISTREE_OK)
		result.rows += count;
	histree_cursor_free(query);
	result.seconds = now() - begin;
	return result;
}

static struct result drain(struct histree_history *history, uint64_t columns)
{
	const struct histree_arrow_options options = { .columns = columns };
	struct histree_region region = all_of(history);
	struct ArrowArrayStream stream;
	struct ArrowArray batch;
	struct result result = { 0 };
	double begin = now();
	must(histree_query_arrow(history, &region, &options, &stream, &error));
	while (stream.get_next(&stream, &batch) == 0 && batch.release != NULL) {
		result.rows += (uint64_t)batch.length;
		batch.release(&batch);
	}
	stream.release(&stream);
	result.seconds = now() - begin;
	return result;
}

static struct result all_columns(struct histree_history *history, const char *out)
{
	(void)out;
	return drain(history, 0);
}

static struct result plain_columns(struct histree_history *history, const char *out)
{
	(void)out;
	return drain(history, HISTREE_ARROW_QUARK | HISTREE_ARROW_START | HISTREE_ARROW_END | HISTREE_ARROW_VALUE);
}

static struct result write_file(struct histree_history *history, const char *out, bool is_stream,
				bool is_compressed)
{
	struct histree_export_counts counts;
	const struct histree_ipc_options options = { .is_stream = is_stream,
						     .is_compressed = is_compressed,
						     .counts = &counts };
	struct histree_region region = all_of(history);
	struct ArrowArrayStream stream;
	double begin = now();
	must(histree_query_arrow(history, &region, NULL, &stream, &error));
	must(histree_export_arrow(&stream, out, &options, &error));
	struct result result = { .rows = counts.rows, .bytes = counts.bytes, .seconds = now() - begin };
	unlink(out);
	return result;
}

static struct result ipc_file(struct histree_history *history, const char *out)
{
	return write_file(history, out, false, false);
}

static struct result ipc_stream(struct histree_history *history, const char *out)
{
	return write_file(history, out, true, false);
}

/* What making the bytes costs, without keeping them. */
static struct result ipc_nowhere(struct histree_history *history, const char *out)
{
	(void)out;
	struct histree_export_counts counts;
	const struct histree_ipc_options options = { .is_stream = true,
						     .counts = &counts,
						     .descriptor = open("/dev/null", O_WRONLY) };
	struct histree_region region = all_of(history);
	struct ArrowArrayStream stream;
	double begin = now();
	must(histree_query_arrow(history, &region, NULL, &stream, &error));
	must(histree_export_arrow(&stream, NULL, &options, &error));
	close(options.descriptor);
	return (struct result){ .rows = counts.rows, .bytes = counts.bytes, .seconds = now() - begin };
}

static struct result ipc_zstd(struct histree_history *history, const char *out)
{
	return write_file(history, out, false, true);
}

static int by_size(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;
	return (a > b) - (a < b);
}

static void run(const char *path, const char *out, unsigned runs)
{
	static const struct {
		const char *name;
		struct result (*measure)(struct histree_history *history, const char *out);
	} ways[] = {
		{ "read", read_rows },           { "batches, plain", plain_columns },
		{ "batches, all", all_columns }, { "ipc file", ipc_file },
		{ "ipc stream", ipc_stream },    { "ipc to /dev/null", ipc_nowhere },
		{ "ipc file, zstd", ipc_zstd },
	};
	enum { WAYS = sizeof(ways) / sizeof(ways[0]) };
	static double seconds[WAYS][RUNS_MAX];
	struct result last[WAYS];
	struct histree_history *history;
	must(histree_history_open(path, &(struct histree_open_options){ .cache_bytes = (size_t)1 << 30 }, &history,
				  &error));
	for (unsigned i = 0; i < runs; i++)
		for (size_t way = 0; way < WAYS; way++) {
			last[way] = ways[way].measure(history, out);
			seconds[way][i] = last[way].seconds;
		}
	printf("what\trows\tmedian_s\tleast_s\tmillion_rows_per_s\tbytes\n");
	for (size_t way = 0; way < WAYS; way++) {
		qsort(seconds[way], runs, sizeof(double), by_size);
		double least = seconds[way][0];
		printf("%s\t%" PRIu64 "\t%.3f\t%.3f\t%.1f\t%" PRIu64 "\n", ways[way].name, last[way].rows,
		       seconds[way][runs / 2], least, (double)last[way].rows / least / 1e6, last[way].bytes);
	}
	histree_history_close(history);
}

int main(int argc, char **argv)
{
	if (argc >= 3 && strcmp(argv[1], "make") == 0) {
		make(argv[2], argc > 3 ? strtoull(argv[3], NULL, 10) : 10000000);
		return 0;
	}
	unsigned runs = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 5;
	if (argc < 4 || strcmp(argv[1], "run") != 0 || runs < 1 || runs > RUNS_MAX) {
		fputs("usage: columns make HISTORY [ROWS] | columns run HISTORY OUT [RUNS]\n", stderr);
		return 2;
	}
	run(argv[2], argv[3], runs);
	return 0;
}
