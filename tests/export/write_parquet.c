// SPDX-License-Identifier: MIT
/*
 * write_parquet.c - random Arrow streams as Parquet files, and what they must hold as lines of JSON.
 *
 *	write_parquet SEED COUNT FOLDER
 *
 * FOLDER/N.parquet and N.jsonl, a line for each row (support/random_columns.h); N.sorted.parquet if rows are
 * sorted, so that their order is another.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/hash_index.h"
#include "histree/export.h"
#include "support/random_columns.h"

enum { ROWS_MAX = 6000 };

static void must(bool done, const char *what)
{
	if (done)
		return;
	fprintf(stderr, "write_parquet: %s\n", what);
	exit(1);
}

static void write_file(uint64_t seed, const char *folder, unsigned number)
{
	struct random random = { seed };
	struct ArrowArrayStream stream;
	struct histree_error error;
	const struct histree_export_note notes[] = { { "host", "a \"host\"" }, { "analysis", "kernel" } };
	struct histree_parquet_options options = {
		.order = (enum histree_parquet_order)random_below(&random, 3),
		.times = (enum histree_parquet_times)random_below(&random, 3),
		.notes = notes,
		.note_count = random_below(&random, 3),
	};
	char path[512], lines[512];
	if (random_percent(&random, 70))
		options.row_group_rows = 1 + random_index(&random, random_percent(&random, 20) ? 40 : 3000);
	if (random_percent(&random, 60))
		options.page_rows = 1 + random_index(&random, 500);
	if (!histree_export_has_zstd() || random_percent(&random, 30))
		options.compression = HISTREE_PARQUET_UNCOMPRESSED;
	else if (random_percent(&random, 30))
		options.level = 1 + (int)random_index(&random, 19);
	snprintf(lines, sizeof(lines), "%s/%u.jsonl", folder, number);
	snprintf(path, sizeof(path), "%s/%u.%sparquet", folder, number,
		 options.order == HISTREE_PARQUET_AS_THEY_COME ? "" : "sorted.");
	FILE *expected = fopen(lines, "w");
	must(expected != NULL, lines);
	must(random_columns_open(&stream, random_bits(&random), ROWS_MAX, expected), "out of memory");
	bool to_descriptor = random_percent(&random, 25);
	if (to_descriptor)
		options.descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	must(histree_export_parquet(&stream, to_descriptor ? NULL : path, &options, &error) == HISTREE_OK,
	     error.message);
	if (to_descriptor)
		close(options.descriptor);
	must(fclose(expected) == 0, lines);
}

/* Of this seed the starts are of seven days. */
static void write_parts(const char *folder)
{
	const struct histree_partition_options options = { .analysis = "kernel",
							   .slice = HISTREE_SLICE_DAY,
							   .file = { .row_group_rows = 100 } };
	struct ArrowArrayStream stream;
	struct histree_error error;
	char path[512], lines[512];
	snprintf(path, sizeof(path), "%s/parts", folder);
	snprintf(lines, sizeof(lines), "%s/parts.jsonl", folder);
	FILE *expected = fopen(lines, "w");
	must(expected != NULL, lines);
	must(random_columns_open(&stream, 10, 1500, expected), "out of memory");
	must(histree_export_partitions(&stream, path, &options, &error) == HISTREE_OK, error.message);
	must(fclose(expected) == 0, lines);
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fputs("usage: write_parquet SEED COUNT FOLDER\n", stderr);
		return 2;
	}
	uint64_t seed = strtoull(argv[1], NULL, 10);
	unsigned count = (unsigned)strtoul(argv[2], NULL, 10);
	for (unsigned i = 0; i < count; i++)
		write_file(hash_mix(seed + i), argv[3], i);
	write_parts(argv[3]);
	return 0;
}
