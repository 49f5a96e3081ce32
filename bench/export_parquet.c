// SPDX-License-Identifier: MIT
/*
 * export_parquet - what a history costs as a Parquet file.
 *
 *	export_parquet HISTORY OUT [stream|attribute|time [zstd|none [ROWS [plain]]]]
 *
 * HISTORY is a file such as x.histree/kernel.sht.  Prints TSV: rows, row groups, bytes, bytes of the history,
 * seconds of processor time in all, and seconds of it that the rows take to come, which is measured first.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "histree/histree.h"

/* duration is end - start, and engines compute it. */
enum {
	COLUMNS = HISTREE_ARROW_QUARK | HISTREE_ARROW_PATH | HISTREE_ARROW_START | HISTREE_ARROW_END |
		  HISTREE_ARROW_TYPE | HISTREE_ARROW_VALUE | HISTREE_ARROW_REAL | HISTREE_ARROW_TEXT |
		  HISTREE_ARROW_LABEL,
};

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void check(enum histree_status status, const struct histree_error *error)
{
	if (status == HISTREE_OK)
		return;
	fprintf(stderr, "export_parquet: %s\n", error->message);
	exit(1);
}

static struct ArrowArrayStream stream_of(struct histree_history *history)
{
	const struct histree_arrow_options options = { .columns = COLUMNS };

	struct histree_error error;
	struct ArrowArrayStream stream;
	const struct histree_history_info *info = histree_history_info(history);
	const struct histree_region region = { .from = info->start, .to = info->end };
	check(histree_query_arrow(history, &region, &options, &stream, &error), &error);
	return stream;
}

static double drain(struct ArrowArrayStream stream)
{
	struct ArrowArray batch;
	double begin = now();
	while (stream.get_next(&stream, &batch) == 0 && batch.release != NULL)
		batch.release(&batch);
	stream.release(&stream);
	return now() - begin;
}

int main(int argc, char **argv)
{
	static const char *const orders[] = { "stream", "attribute", "time" };
	struct histree_export_counts counts;
	struct histree_parquet_options options = { .counts = &counts };
	struct histree_history *history;
	struct histree_error error;
	struct stat facts;
	if (argc < 3 || stat(argv[1], &facts) != 0) {
		fprintf(stderr,
			"usage: export_parquet HISTORY OUT [stream|attribute|time [zstd|none [ROWS [plain]]]]\n");
		return 2;
	}
	for (unsigned i = 0; argc > 3 && i < 3; i++)
		if (strcmp(argv[3], orders[i]) == 0)
			options.order = (enum histree_parquet_order)i;
	if (argc > 4 && strcmp(argv[4], "none") == 0)
		options.compression = HISTREE_PARQUET_UNCOMPRESSED;
	if (argc > 5)
		options.row_group_rows = (uint32_t)strtoul(argv[5], NULL, 10);
	if (argc > 6 && strcmp(argv[6], "plain") == 0)
		options.times = HISTREE_PARQUET_TIMES_PLAIN;
	check(histree_history_open(argv[1], NULL, &history, &error), &error);
	double coming = drain(stream_of(history));
	struct ArrowArrayStream stream = stream_of(history);
	double begin = now();
	check(histree_export_parquet(&stream, argv[2], &options, &error), &error);
	printf("%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%.3f\t%.3f\n", counts.rows, counts.row_groups,
	       counts.bytes, (uint64_t)facts.st_size, now() - begin, coming);
	histree_history_close(history);
	return 0;
}
