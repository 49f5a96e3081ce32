// SPDX-License-Identifier: MIT
/*
 * segment_views - what the views of segments cost: rows by number in each order, charts, statistics.
 *
 *	segment_views FOLDER [SEGMENTS]
 *
 * Makes a store of SEGMENTS, 10^7, in FOLDER, as an analysis makes them: by end, 10 us apart, durations of five
 * orders of magnitude, 40 names.  Prints TSV: processor time in ms of the first rows, of the way to the last row,
 * which makes the marks, and from then on the mean and the greatest of pages of 128 rows anywhere; of charts and
 * statistics, of one.  At the end the most memory that was in use.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/hash_index.h"
#include "histree/histree.h"
#include "view/view.h"

enum { SPACING = 10000, NAMES = 40, PAGE = 128, PAGES = 200, PAGES_SORTED = 5, WIDTH = 1500, HEIGHT = 800 };

/* As the server opens them. */
static const struct histree_segment_open_options open_options = { .cache_bytes = 16 << 20, .queue_bytes = 8 << 20 };

static double now_ms(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void check(enum histree_status status, const struct histree_error *error)
{
	if (status == HISTREE_OK)
		return;
	fprintf(stderr, "segment_views: %s\n", status < 0 ? error->message : "an end where there should be none");
	exit(1);
}

static void fill(struct histree_segment_store *store, uint64_t count)
{
	struct random random = { 1 };
	struct histree_error error;
	char names[NAMES][16];
	for (int i = 0; i < NAMES; i++)
		snprintf(names[i], sizeof(names[i]), "call_%d", i);
	for (uint64_t i = 0; i < count; i++) {
		const struct histree_value content[] = { histree_string(names[random_below(&random, NAMES)]),
							 histree_int((int32_t)random_below(&random, 1000)) };
		int64_t end = (int64_t)(i * SPACING + random_below(&random, SPACING / 2));
		int64_t duration = (int64_t)random_below(&random, UINT64_C(100) << random_below(&random, 17));
		const struct histree_segment segment = { end - duration, end, content };
		check(histree_segment_store_add(store, &segment, &error), &error);
	}
	check(histree_segment_store_finish(store, &error), &error);
}

static struct histree_segment_store *make_store(const char *path, uint64_t count)
{
	static const struct histree_segment_field fields[] = { { "name", HISTREE_STRING }, { "tid", HISTREE_INT } };
	const struct histree_segment_store_options options = {
		.path = path,
		.schema = { .provider = "bench", .provider_version = 1, .fields = fields, .field_count = 2 },
	};
	struct histree_segment_store *store;
	struct histree_error error;
	check(histree_segment_store_create(&options, &store, &error), &error);
	fill(store, count);
	histree_segment_store_close(store);
	check(histree_segment_store_open(path, &open_options, &store, &error), &error);
	return store;
}

/* ---- rows ------------------------------------------------------------------------------------------------ */

struct order {
	const char *name;
	enum histree_segment_order order;
	bool descending, filtered;
};

static bool is_long(void *context, const struct histree_segment *segment)
{
	(void)context;
	return histree_segment_duration(segment) > 1000;
}

static void read_page(struct histree_cursor *rows, uint64_t first)
{
	struct histree_error error;
	check(histree_segment_rows_seek(rows, first, &error), &error);
	for (unsigned i = 0; i < PAGE; i++)
		check(histree_cursor_next(rows, &error), &error);
}

static void measure_order(struct histree_segment_store *store, const struct order *order)
{
	struct histree_segment_rows_options options = { .query = HISTREE_SEGMENTS_ALL };
	struct histree_cursor *rows;
	struct histree_error error;
	struct random random = { 2 };
	uint64_t count;
	unsigned pages = order->order == HISTREE_SEGMENTS_BY_FIELD ? PAGES_SORTED : PAGES;
	double mean = 0, most = 0;
	options.query.order = order->order;
	options.query.descending = order->descending;
	options.query.filter = order->filtered ? is_long : NULL;
	check(histree_segment_rows_create(store, &options, &rows, &error), &error);
	double before = now_ms();
	read_page(rows, 0);
	double first = now_ms() - before;
	before = now_ms();
	check(histree_segment_rows_count(rows, &count, &error), &error);
	read_page(rows, count - PAGE);
	double way = now_ms() - before;
	for (unsigned i = 0; i < pages; i++) {
		histree_segment_rows_rest(rows);
		before = now_ms();
		read_page(rows, random_below(&random, count - PAGE));
		double page = now_ms() - before;
		mean += page / pages;
		most = page > most ? page : most;
	}
	printf("%s\t%" PRIu64 "\t%.2f\t%.0f\t%.2f\t%.2f\n", order->name, count, first, way, mean, most);
	histree_cursor_free(rows);
}

/* ---- charts ---------------------------------------------------------------------------------------------- */

static void measure_charts(struct histree_segment_store *store)
{
	const struct histree_segment_store_info *info = histree_segment_store_info(store);
	struct histree_segment_scatter_request request = { .query = HISTREE_SEGMENTS_ALL,
							   .columns = WIDTH,
							   .rows = HEIGHT,
							   .scale = HISTREE_DURATIONS_LOGARITHMIC,
							   .points_max = 20000 };
	struct histree_segment_scatter *scatter;
	struct histree_segment_stats *stats;
	struct histree_error error;
	uint64_t edges[WIDTH / 8 + 1], counts[WIDTH / 8];
	request.query.from = info->start;
	request.query.to = info->end;
	double before = now_ms();
	check(histree_segment_scatter_create(store, &request, &scatter, &error), &error);
	printf("scatter\t\t%.0f\n", now_ms() - before);
	histree_segment_scatter_free(scatter);
	before = now_ms();
	check(histree_segment_histogram(store, &request.query, HISTREE_DURATIONS_LOGARITHMIC, WIDTH / 8,
					request.work, edges, counts, &error),
	      &error);
	printf("histogram\t\t%.0f\n", now_ms() - before);
	before = now_ms();
	check(histree_segment_stats_create(store, &request.query, 0, &stats, &error), &error);
	printf("statistics\t\t%.0f\n", now_ms() - before);
	histree_segment_stats_free(stats);
}

int main(int argc, char **argv)
{
	static const struct order orders[] = {
		{ "by start", HISTREE_SEGMENTS_BY_START, false, false },
		{ "by end", HISTREE_SEGMENTS_BY_END, false, false },
		{ "by duration, longest first", HISTREE_SEGMENTS_BY_DURATION, true, false },
		{ "by start, longer than 1 us", HISTREE_SEGMENTS_BY_START, false, true },
		{ "by name", HISTREE_SEGMENTS_BY_FIELD, false, false },
	};
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000000;
	char path[4096];
	struct rusage usage;
	if (argc < 2 || count < 10 * PAGE) {
		fprintf(stderr, "usage: segment_views FOLDER [SEGMENTS]\n");
		return 2;
	}
	snprintf(path, sizeof(path), "%s/segment_views.seg", argv[1]);
	unlink(path);
	struct histree_segment_store *store = make_store(path, count);
	printf("what\trows\tfirst\tway\tpage\tpage at most\n");
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		measure_order(store, &orders[i]);
	measure_charts(store);
	histree_segment_store_close(store);
	unlink(path);
	getrusage(RUSAGE_SELF, &usage);
	printf("memory, MB\t\t%ld\n", usage.ru_maxrss / 1024);
	return 0;
}
