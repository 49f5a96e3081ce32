// SPDX-License-Identifier: MIT
/*
 * segment_overviews - what statistics, densities and charts of segments cost without overviews and with them.
 *
 *	segment_overviews FOLDER [SEGMENTS [NAMES [with]]]
 *
 * Makes a store of SEGMENTS, 10^7, in FOLDER, as an analysis makes them: by end, 10 us apart, durations of five
 * orders of magnitude, 40 names.  Prints TSV: of the store and of its overviews bytes and the processor time of
 * making them, s; then of each answer, over all of the time and over windows of it, its processor time without
 * overviews and with them, ms, the mean of several windows.  The word "with" leaves out those without.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash_index.h"
#include "histree/histree.h"
#include "view/view.h"

enum { SPACING = 10000, WIDTH = 1500, HEIGHT = 800, BUCKETS = WIDTH / 8, COLUMNS = 60, WINDOWS = 5 };

/* As the server opens them. */
static const struct histree_segment_open_options with = { .cache_bytes = 16 << 20, .queue_bytes = 8 << 20 };
static const struct histree_segment_open_options without = { .cache_bytes = 16 << 20,
							     .queue_bytes = 8 << 20,
							     .no_overviews = true };

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
	fprintf(stderr, "segment_overviews: %s\n",
		status < 0 ? error->message : "damage where there should be none");
	exit(1);
}

/* ---- a store --------------------------------------------------------------------------------------------- */

static void fill(struct histree_segment_store *store, uint64_t count, uint64_t names)
{
	struct random random = { 1 };
	struct histree_error error;
	char name[32];
	for (uint64_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "call_%" PRIu64, random_below(&random, names));
		const struct histree_value content[] = { histree_string(name),
							 histree_int((int32_t)random_below(&random, 1000)) };
		int64_t end = (int64_t)(i * SPACING + random_below(&random, SPACING / 2));
		int64_t duration = (int64_t)random_below(&random, UINT64_C(100) << random_below(&random, 17));
		const struct histree_segment segment = { end - duration, end, content };
		check(histree_segment_store_add(store, &segment, &error), &error);
	}
	check(histree_segment_store_finish(store, &error), &error);
}

static void make_store(const char *path, uint64_t count, uint64_t names)
{
	static const struct histree_segment_field fields[] = { { "name", HISTREE_STRING }, { "tid", HISTREE_INT } };
	const struct histree_segment_store_options options = {
		.path = path,
		.schema = { .provider = "bench", .provider_version = 1, .fields = fields, .field_count = 2 },
	};
	struct histree_segment_store *store;
	struct histree_error error;
	double before = now_ms();
	check(histree_segment_store_create(&options, &store, &error), &error);
	fill(store, count, names);
	double filled = now_ms();
	check(histree_segment_store_make_overviews(store, (struct histree_work){ 0 }, &error), &error);
	double made = now_ms();
	const struct histree_segment_store_info *info = histree_segment_store_info(store);
	const struct histree_segment_overviews_info overviews = histree_segment_store_overviews(store);
	printf("what\tsegments\tbytes\ts\n");
	printf("store\t%" PRIu64 "\t%" PRIu64 "\t%.2f\n", info->segment_count, info->file_bytes,
	       (filled - before) / 1e3);
	printf("%u overviews\t%" PRIu64 "\t%" PRIu64 "\t%.2f\n", overviews.count, overviews.summary_count,
	       overviews.file_bytes, (made - filled) / 1e3);
	histree_segment_store_close(store);
}

/* ---- answers --------------------------------------------------------------------------------------------- */

static void ask_stats(struct histree_segment_store *store, const struct histree_segment_query *query, size_t field)
{
	struct histree_segment_stats *stats;
	struct histree_error error;
	check(histree_segment_stats_create(store, query, field, &stats, &error), &error);
	histree_segment_stats_free(stats);
}

static void stats_of_all(struct histree_segment_store *store, const struct histree_segment_query *query)
{
	ask_stats(store, query, HISTREE_SEGMENTS_TOGETHER);
}

static void stats_by_name(struct histree_segment_store *store, const struct histree_segment_query *query)
{
	ask_stats(store, query, 0);
}

static void ask_density(struct histree_segment_store *store, const struct histree_segment_query *query,
			uint32_t columns)
{
	const struct histree_density_options options = {
		.field = 0, .column_count = columns, .from = query->from, .to = query->to
	};
	struct histree_segment_density *density;
	struct histree_error error;
	check(histree_segment_density_create(store, query, &options, &density, &error), &error);
	histree_segment_density_free(density);
}

static void density_by_name(struct histree_segment_store *store, const struct histree_segment_query *query)
{
	ask_density(store, query, 0);
}

static void density_over_time(struct histree_segment_store *store, const struct histree_segment_query *query)
{
	ask_density(store, query, COLUMNS);
}

static void ask_histogram(struct histree_segment_store *store, const struct histree_segment_query *query,
			  enum histree_duration_scale scale)
{
	uint64_t edges[BUCKETS + 1], counts[BUCKETS];
	struct histree_error error;
	check(histree_segment_histogram(store, query, scale, BUCKETS, query->work, edges, counts, &error), &error);
}

static void histogram_linear(struct histree_segment_store *store, const struct histree_segment_query *query)
{
	ask_histogram(store, query, HISTREE_DURATIONS_LINEAR);
}

static void histogram_logarithmic(struct histree_segment_store *store, const struct histree_segment_query *query)
{
	ask_histogram(store, query, HISTREE_DURATIONS_LOGARITHMIC);
}

static void scatter(struct histree_segment_store *store, const struct histree_segment_query *query)
{
	const struct histree_segment_scatter_request request = { .query = *query,
								 .columns = WIDTH,
								 .rows = HEIGHT,
								 .scale = HISTREE_DURATIONS_LOGARITHMIC,
								 .points_max = 20000 };
	struct histree_segment_scatter *points;
	struct histree_error error;
	check(histree_segment_scatter_create(store, &request, &points, &error), &error);
	histree_segment_scatter_free(points);
}

typedef void question(struct histree_segment_store *store, const struct histree_segment_query *query);

/* The mean of windows of a part of the time, the same for each answer; of all of it where the part is 1. */
static double measure(struct histree_segment_store *store, uint64_t part, question *ask)
{
	const struct histree_segment_store_info *info = histree_segment_store_info(store);
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	struct random random = { 2 };
	uint64_t span = (uint64_t)info->end - (uint64_t)info->start, width = span / part;
	unsigned windows = part > 1 ? WINDOWS : 1;
	double before = now_ms();
	for (unsigned i = 0; i < windows; i++) {
		uint64_t offset = part > 1 ? random_below(&random, span - width) : 0;
		query.from = (histree_time)((uint64_t)info->start + offset);
		query.to = part > 1 ? (histree_time)((uint64_t)query.from + width) : info->end;
		ask(store, &query);
	}
	return (now_ms() - before) / windows;
}

static void compare(const char *path, bool with_alone)
{
	static const struct {
		const char *name;
		question *ask;
	} answers[] = {
		{ "statistics of all", stats_of_all },
		{ "statistics by name", stats_by_name },
		{ "density by name", density_by_name },
		{ "density by name over time", density_over_time },
		{ "histogram, linear", histogram_linear },
		{ "histogram, logarithmic", histogram_logarithmic },
		{ "scatter chart", scatter },
	};
	static const uint64_t parts[] = { 1, 3, 30, 300 };
	struct histree_segment_store *plain, *store;
	struct histree_error error;
	check(histree_segment_store_open(path, &without, &plain, &error), &error);
	check(histree_segment_store_open(path, &with, &store, &error), &error);
	printf("answer\tof the time\twithout, ms\twith, ms\n");
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++) {
			double alone = with_alone ? 0 : measure(plain, parts[k], answers[i].ask);
			printf("%s\t1/%" PRIu64 "\t%.2f\t%.2f\n", answers[i].name, parts[k], alone,
			       measure(store, parts[k], answers[i].ask));
			fflush(stdout);
		}
	histree_segment_store_close(plain);
	histree_segment_store_close(store);
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000000;
	uint64_t names = argc > 3 ? strtoull(argv[3], NULL, 10) : 40;
	char path[4096], overview[4096 + 32];
	if (argc < 2 || count < 1000 || names < 1) {
		fprintf(stderr, "usage: segment_overviews FOLDER [SEGMENTS [NAMES [with]]]\n");
		return 2;
	}
	snprintf(path, sizeof(path), "%s/segment_overviews.seg", argv[1]);
	unlink(path);
	make_store(path, count, names);
	compare(path, argc > 4);
	unlink(path);
	for (unsigned i = 1; i <= 16; i++) {
		snprintf(overview, sizeof(overview), "%s.overview%u", path, i);
		unlink(overview);
	}
	return 0;
}
