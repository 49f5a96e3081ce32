// SPDX-License-Identifier: MIT
/*
 * segment_union - what sorted segments of several hosts cost, beside those of one.
 *
 *	segment_union FOLDER [HOSTS [SEGMENTS]]	64 hosts of 10,000 segments each, if not said; makes files in FOLDER
 *
 * Prints TSV: of each order the processor time of the first segment, of the first 1,000 and of all, by an iterator
 * that is made and freed each time, in the store of one host, in the union of all, and for the stores of all one
 * after the other; us, medians of 7.  All are asked once before, so that nodes are in memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash_index.h"
#include "histree/histree.h"

enum { HOSTS_MAX = 1024, PATH_SIZE = 4096, TIMES = 7, SOME = 1000 };

static void check(enum histree_status status, const struct histree_error *error)
{
	if (status >= HISTREE_OK)
		return;
	fprintf(stderr, "segment_union: %s\n", error->message);
	exit(1);
}

static double now_us(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void make_file(const char *path, uint32_t host, uint64_t count)
{
	static const struct histree_segment_field fields[] = { { "name", HISTREE_STRING }, { "ret", HISTREE_INT } };
	const struct histree_segment_store_options options = {
		.kind = HISTREE_SEGMENTS_DISK,
		.path = path,
		.schema = { .provider = "bench", .fields = fields, .field_count = 2 },
	};
	struct histree_segment_store *store;
	struct histree_error error;
	struct random random = { .state = host + 1 };
	if (access(path, F_OK) == 0)
		return;
	check(histree_segment_store_create(&options, &store, &error), &error);
	histree_time end = 0;
	for (uint64_t i = 0; i < count; i++) {
		end += 1 + (histree_time)random_below(&random, 20000);
		histree_time duration = (histree_time)random_below(&random, 1 << random_below(&random, 20));
		const struct histree_value content[] = { histree_string(i % 3 == 0 ? "read" : "write"),
							 histree_int((int32_t)random_below(&random, 1000)) };
		const struct histree_segment segment = { end - duration, end, content };
		check(histree_segment_store_add(store, &segment, &error), &error);
	}
	check(histree_segment_store_finish(store, &error), &error);
	histree_segment_store_close(store);
}

static void read_some(struct histree_segment_store *store, const struct histree_segment_query *query,
		      uint64_t count)
{
	struct histree_cursor *iter;
	struct histree_error error;
	check(histree_segments_create(store, &iter, &error), &error);
	check(histree_segments_start(iter, query, NULL, &error), &error);
	enum histree_status status = HISTREE_OK;
	for (uint64_t i = 0; i < count && status == HISTREE_OK; i++) {
		status = histree_cursor_next(iter, &error);
		check(status, &error);
	}
	histree_cursor_free(iter);
}

static int compare(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;
	return (one > other) - (one < other);
}

/* Of each of some stores, one after the other. */
static double measure(struct histree_segment_store **stores, size_t count,
		      const struct histree_segment_query *query, uint64_t segments)
{
	double times[TIMES];
	for (int i = -1; i < TIMES; i++) {
		double before = now_us();
		for (size_t j = 0; j < count; j++)
			read_some(stores[j], query, segments);
		if (i >= 0)
			times[i] = now_us() - before;
	}
	qsort(times, TIMES, sizeof(*times), compare);
	return times[TIMES / 2];
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		struct histree_segment_query query;
	} orders[] = {
		{ "unsorted", { .order = HISTREE_SEGMENTS_UNSORTED } },
		{ "by start", { .order = HISTREE_SEGMENTS_BY_START } },
		{ "by start, descending", { .order = HISTREE_SEGMENTS_BY_START, .descending = true } },
		{ "by end", { .order = HISTREE_SEGMENTS_BY_END } },
		{ "by end, descending", { .order = HISTREE_SEGMENTS_BY_END, .descending = true } },
		{ "by duration", { .order = HISTREE_SEGMENTS_BY_DURATION } },
		{ "by duration, descending", { .order = HISTREE_SEGMENTS_BY_DURATION, .descending = true } },
		{ "by a field", { .order = HISTREE_SEGMENTS_BY_FIELD, .field = 1 } },
	};
	static struct histree_segment_part parts[HOSTS_MAX];
	static struct histree_segment_store *alone[HOSTS_MAX];
	static char names[HOSTS_MAX][32];
	struct histree_segment_store *joined;
	struct histree_error error;
	char path[PATH_SIZE];
	uint32_t hosts = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 64;
	uint64_t segments = argc > 3 ? strtoull(argv[3], NULL, 10) : 10000;
	if (argc < 2 || hosts == 0 || hosts > HOSTS_MAX || segments < SOME) {
		fprintf(stderr,
			"usage: segment_union FOLDER [HOSTS [SEGMENTS]]; 1 to %d hosts, %d segments or more\n",
			HOSTS_MAX, SOME);
		return 2;
	}
	for (uint32_t i = 0; i < hosts; i++) {
		snprintf(path, sizeof(path), "%s/%" PRIu32 ".seg", argv[1], i);
		snprintf(names[i], sizeof(names[i]), "host-%" PRIu32, i);
		make_file(path, i, segments);
		parts[i].name = names[i];
		check(histree_segment_store_open(path, NULL, &parts[i].store, &error), &error);
		check(histree_segment_store_make_table(parts[i].store, 1, &error), &error);
		check(histree_segment_store_open(path, NULL, &alone[i], &error), &error);
	}
	check(histree_segment_store_unite(parts, hosts, &joined, &error), &error);
	printf("order\tsegments\tone host, us\tunion, us\tunion / one\teach alone, us\tunion / each alone\n");
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		for (uint64_t count = 1; count != 0; count = count == 1 ? SOME : count == SOME ? UINT64_MAX : 0) {
			struct histree_segment_query query = orders[i].query;
			query.from = INT64_MIN;
			query.to = INT64_MAX;
			double one = measure(&alone[hosts / 2], 1, &query, count);
			double all = measure(&joined, 1, &query, count);
			double each = measure(alone, hosts, &query, count);
			printf("%s\t%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.2f\n", orders[i].name,
			       count == 1      ? "the first"
			       : count == SOME ? "1,000"
					       : "all",
			       one, all, all / one, each, all / each);
		}
	histree_segment_store_close(joined);
	for (uint32_t i = 0; i < hosts; i++)
		histree_segment_store_close(alone[i]);
	return 0;
}
