// SPDX-License-Identifier: MIT
/*
 * segment_fields - an order by a field: sorting each time, and with a side table.
 *
 *	segment_fields FOLDER [COUNT]		a store that is made in FOLDER, of COUNT segments (10^7)
 *	segment_fields STORE.seg		each field of a store that is there
 *
 * The segments that are made are as those "by end" of segments.c, with one of 300 names, a few of which most have,
 * and a result that is any number of 64 bits.  Prints TSV; times are processor times.  "First 100" includes opening
 * the store.  "Open" is what algorithm 5.2 would hold if nodes kept bounds of the field as they keep bounds of
 * times: the share of all blocks that are open at once at most, and that have to be opened before the first
 * segment.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash_index.h"
#include "histree/segments.h"
#include "item/segment_batch.h"

enum { FIRST = 100, NAMES = 300, SPACING = 10000 };

static const struct histree_segment_field fields[] = { { "name", HISTREE_STRING }, { "result", HISTREE_LONG } };

static double processor_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void check(enum histree_status status, const struct histree_error *error)
{
	if (status >= 0)
		return;
	fprintf(stderr, "segment_fields: %s\n", error->message);
	exit(1);
}

static void print(const char *field, const char *what, double value)
{
	printf("%s\t%s\t%.4g\n", field, what, value);
	fflush(stdout);
}

/* ---- a store ----------------------------------------------------------------------------------------------- */

static void make_store(const char *path, uint64_t count)
{
	const struct histree_segment_store_options options = {
		.path = path, .schema = { .provider = "bench", .fields = fields, .field_count = 2 }
	};
	struct histree_segment_store *store;
	struct histree_error error;
	struct random random = { count };
	check(histree_segment_store_create(&options, &store, &error), &error);
	for (uint64_t i = 0; i < count; i++) {
		char name[32];
		size_t rank = random_below(&random, 1 + random_below(&random, NAMES));
		snprintf(name, sizeof(name), "call_%03zu", rank * 7 % NAMES);
		const struct histree_value content[] = { histree_string(name),
							 histree_long((int64_t)random_bits(&random)) };
		histree_time end = (histree_time)i * SPACING + (histree_time)random_below(&random, SPACING);
		const struct histree_segment segment = {
			.start = end -
				 (histree_time)random_below(&random, UINT64_C(100) << random_below(&random, 17)),
			.end = end,
			.content = content,
		};
		check(histree_segment_store_add(store, &segment, &error), &error);
	}
	check(histree_segment_store_finish(store, &error), &error);
	histree_segment_store_close(store);
}

/* ---- queries ----------------------------------------------------------------------------------------------- */

/* Up to `most` segments; the seconds that it took, opening the store included. */
static double ask(const char *path, enum histree_segment_tables tables, const struct histree_segment_query *query,
		  uint64_t most, uint64_t *count)
{
	const struct histree_segment_open_options options = { .tables = tables };
	struct histree_segment_store *store;
	struct histree_cursor *iter;
	struct histree_error error;
	enum histree_status status = HISTREE_OK;
	double before = processor_seconds();
	check(histree_segment_store_open(path, &options, &store, &error), &error);
	check(histree_segments_create(store, &iter, &error), &error);
	check(histree_segments_start(iter, query, NULL, &error), &error);
	for (*count = 0; *count < most && status == HISTREE_OK; *count += status == HISTREE_OK)
		check(status = histree_cursor_next(iter, &error), &error);
	double seconds = processor_seconds() - before;
	histree_cursor_free(iter);
	histree_segment_store_close(store);
	return seconds;
}

static void measure_queries(const char *path, const char *name, const char *how, enum histree_segment_tables tables,
			    const struct histree_segment_store_info *info, size_t field)
{
	char what[64];
	uint64_t count;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	query.order = HISTREE_SEGMENTS_BY_FIELD;
	query.field = field;
	snprintf(what, sizeof(what), "%s, first 100, ms", how);
	print(name, what, ask(path, tables, &query, FIRST, &count) * 1e3);
	query.limit = FIRST;
	snprintf(what, sizeof(what), "%s, limit 100, ms", how);
	print(name, what, ask(path, tables, &query, FIRST, &count) * 1e3);
	query.limit = 0;
	snprintf(what, sizeof(what), "%s, all, M/s", how);
	double seconds = ask(path, tables, &query, UINT64_MAX, &count);
	print(name, what, (double)count / seconds / 1e6);
	histree_time span = (histree_time)(((uint64_t)info->end - (uint64_t)info->start) / 100);
	query.from = info->start + 50 * span;
	query.to = query.from + span;
	snprintf(what, sizeof(what), "%s, a hundredth of the time, first 100, ms", how);
	print(name, what, ask(path, tables, &query, FIRST, &count) * 1e3);
}

static void measure_making(const char *path, const char *name, size_t field)
{
	char table[4096];
	struct histree_segment_store *store;
	struct histree_error error;
	check(histree_segment_store_open(path, NULL, &store, &error), &error);
	double before = processor_seconds();
	check(histree_segment_store_make_table(store, field, &error), &error);
	double count = (double)histree_segment_store_info(store)->segment_count;
	print(name, "making the table, M/s", count / (processor_seconds() - before) / 1e6);
	snprintf(table, sizeof(table), "%s.%zu.order", path, field);
	FILE *file = fopen(table, "rb");
	if (file != NULL && fseek(file, 0, SEEK_END) == 0)
		print(name, "the table, bytes a segment", (double)ftell(file) / count);
	if (file != NULL)
		fclose(file);
	measure_queries(path, name, "side table", HISTREE_TABLES_AS_THEY_ARE, histree_segment_store_info(store),
			field);
	histree_segment_store_close(store);
}

/* ---- bounds of the field, as an alternative ---------------------------------------------------------------- */

/* Where a block begins and ends in the order; a value is told by its first 8 bytes, or its code. */
struct block_end {
	uint64_t value;
	int change; /* 1: it begins, -1: it ends, after what begins there */
};

static uint64_t number_of(const struct histree_value *value)
{
	uint64_t number = 0;
	if (value->type == HISTREE_NULL)
		return 0;
	if (value->type != HISTREE_STRING)
		return segment_code(value);
	for (uint32_t i = 0; i < 8; i++)
		number = number << 8 | (i < value->size ? ((const uint8_t *)value->bytes)[i] : 0);
	return number;
}

static int compare_ends(const void *a, const void *b)
{
	const struct block_end *one = a, *other = b;
	if (one->value != other->value)
		return one->value < other->value ? -1 : 1;
	return other->change - one->change;
}

static void measure_bounds(const char *path, const char *name, size_t field, uint64_t segments)
{
	struct histree_segment_store *store;
	struct histree_cursor *iter;
	struct histree_segment segment;
	struct histree_error error;
	const struct histree_segment_query all = HISTREE_SEGMENTS_ALL;
	struct block_end *ends = calloc(2 * segments + 2, sizeof(*ends));
	size_t blocks = 0;
	uint64_t last[2] = { UINT64_MAX, UINT64_MAX }, least = UINT64_MAX;
	if (ends == NULL)
		return;
	check(histree_segment_store_open(path, NULL, &store, &error), &error);
	check(histree_segments_create(store, &iter, &error), &error);
	check(histree_segments_start(iter, &all, NULL, &error), &error);
	while (histree_cursor_next(iter, &error) == HISTREE_OK) {
		segment = *histree_cursor_segment(iter);
		/* An unsorted token says node and place; a block has 128 places. */
		struct histree_segment_token token = histree_segments_token(iter);
		uint64_t value = number_of(&segment.content[field]), block = token.key[1] / 128;
		if (token.key[0] != last[0] || block != last[1]) {
			ends[2 * blocks] = (struct block_end){ value, 1 };
			ends[2 * blocks++ + 1] = (struct block_end){ value, -1 };
		}
		struct block_end *own = &ends[2 * blocks - 2];
		own[0].value = value < own[0].value ? value : own[0].value;
		own[1].value = value > own[1].value ? value : own[1].value;
		least = value < least ? value : least;
		last[0] = token.key[0];
		last[1] = block;
	}
	histree_cursor_free(iter);
	histree_segment_store_close(store);
	qsort(ends, 2 * blocks, sizeof(*ends), compare_ends);
	size_t first = 0;
	long open = 0, most = 0;
	for (size_t i = 0; i < 2 * blocks; i++) {
		open += ends[i].change;
		most = open > most ? open : most;
		first += ends[i].change > 0 && ends[i].value == least;
	}
	print(name, "bounds of the field, open at most, %", 100 * (double)most / (double)blocks);
	print(name, "bounds of the field, open before the first, %", 100 * (double)first / (double)blocks);
	free(ends);
}

static void measure(const char *path)
{
	struct histree_segment_store *store;
	struct histree_error error;
	check(histree_segment_store_open(path, NULL, &store, &error), &error);
	const struct histree_segment_store_info *info = histree_segment_store_info(store);
	for (size_t field = 0; field < info->schema.field_count; field++) {
		const char *name = info->schema.fields[field].name;
		measure_bounds(path, name, field, info->segment_count);
		measure_queries(path, name, "sorting", HISTREE_TABLES_NEVER, info, field);
		measure_making(path, name, field);
	}
	histree_segment_store_close(store);
}

static bool is_store(const char *path)
{
	size_t length = strlen(path);
	return length > 4 && strcmp(path + length - 4, ".seg") == 0;
}

int main(int argument_count, char **arguments)
{
	const char *where = argument_count > 1 ? arguments[1] : ".";
	uint64_t count = argument_count > 2 ? strtoull(arguments[2], NULL, 10) : 10000000;
	char path[4096];
	puts("field\twhat\tvalue");
	if (is_store(where)) {
		measure(where);
		return 0;
	}
	snprintf(path, sizeof(path), "%s/fields.%ld", where, (long)getpid());
	make_store(path, count);
	measure(path);
	for (size_t field = 0; field < 2; field++) {
		char table[5000];
		snprintf(table, sizeof(table), "%s.%zu.order", path, field);
		unlink(table);
	}
	unlink(path);
	return 0;
}
