// SPDX-License-Identifier: MIT
/*
 * property_segment_overviews.c - what is made of the overviews of a segment store is what an array that is searched
 * linearly says.
 *
 * For each kind of segments, on disk with small nodes and overviews of every width: random windows, statistics and
 * densities of all segments and by name, histograms, scatter charts.
 */
#include <math.h>

#include "driver.h"
#include "histree/segment_stats.h"
#include "overview/segment_pyramid.h"
#include "query/row_group.h"
#include "segment/segment_memory.h"
#include "support/effort.h"
#include "support/segments.h"
#include "support/test.h"
#include "view/view.h"

enum { QUESTIONS = 12, COLUMNS_MAX = 20, BUCKETS_MAX = 100, SIDE_MAX = 12 };

struct test {
	const struct segments *segments;
	struct histree_segment_store *store;
	struct random random;
	struct histree_segment_query query;
	size_t field;
};

/* ---- an array -------------------------------------------------------------------------------------------- */

static bool is_asked_for(const struct test *test, const struct histree_segment *segment)
{
	return segment->start <= test->query.to && segment->end >= test->query.from;
}

static bool is_of(const struct test *test, const struct histree_segment *segment, const struct histree_value *value)
{
	return is_asked_for(test, segment) &&
	       (value == NULL || histree_value_equal(&segment->content[test->field], value));
}

static int compare_durations(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

/* The durations of those, ascending, for the caller to free. */
static uint64_t *durations_of(const struct test *test, const struct histree_value *value, size_t *count)
{
	uint64_t *durations = calloc(test->segments->count + 1, sizeof(*durations));
	assert_non_null(durations);
	*count = 0;
	for (size_t i = 0; i < test->segments->count; i++)
		if (is_of(test, &test->segments->segments[i], value))
			durations[(*count)++] = histree_segment_duration(&test->segments->segments[i]);
	qsort(durations, *count, sizeof(*durations), compare_durations);
	return durations;
}

/* ---- statistics ------------------------------------------------------------------------------------------ */

/* A summary knows how far its durations spread within a millionth. */
static void check_spread(const struct histree_segment_group *group, const uint64_t *durations, size_t count)
{
	long double sum = 0, squares = 0;
	for (size_t i = 0; i < count; i++)
		sum += (long double)durations[i];
	long double mean = sum / (long double)count;
	for (size_t i = 0; i < count; i++)
		squares += ((long double)durations[i] - mean) * ((long double)durations[i] - mean);
	long double deviation = sqrtl(squares / (long double)count), longest = (long double)durations[count - 1];
	assert_true(fabsl(group->mean - mean) <= 1e-12L * longest);
	assert_true(fabsl(group->deviation - deviation) <= 1e-6L * deviation + 1e-9L * longest);
}

/* Where the shortest and the longest are: of several, those that start first. */
static void check_extremes(const struct test *test, const struct histree_segment_group *group,
			   const struct histree_value *value)
{
	histree_time shortest = INT64_MAX, longest = INT64_MAX;
	for (size_t i = 0; i < test->segments->count; i++) {
		const struct histree_segment *segment = &test->segments->segments[i];
		uint64_t duration = histree_segment_duration(segment);
		if (is_of(test, segment, value) && duration == group->min && segment->start < shortest)
			shortest = segment->start;
		if (is_of(test, segment, value) && duration == group->max && segment->start < longest)
			longest = segment->start;
	}
	assert_int_equal(group->min_start, shortest);
	assert_int_equal(group->max_start, longest);
	assert_true((uint64_t)group->min_end - (uint64_t)group->min_start == group->min);
	assert_true((uint64_t)group->max_end - (uint64_t)group->max_start == group->max);
}

static void check_group(const struct test *test, const struct histree_segment_group *group,
			const struct histree_value *value)
{
	static const size_t per_mille[HISTREE_PERCENTILE_COUNT] = { 500, 900, 990, 999 };
	size_t count;
	uint64_t *durations = durations_of(test, value, &count), total = 0;
	assert_int_equal(group->count, count);
	for (size_t i = 0; i < count; i++)
		total = durations[i] > UINT64_MAX - total ? UINT64_MAX : total + durations[i];
	assert_true(group->total == total);
	if (count > 0) {
		assert_true(group->min == durations[0] && group->max == durations[count - 1]);
		check_spread(group, durations, count);
		check_extremes(test, group, value);
		for (size_t i = 0; i < HISTREE_PERCENTILE_COUNT; i++)
			assert_true(group->percentiles[i] == durations[(per_mille[i] * count + 999) / 1000 - 1]);
	}
	free(durations);
}

static void check_statistics(const struct test *test)
{
	struct histree_segment_stats *stats;
	struct histree_error error = { 0 };
	const struct histree_segment_group *group;
	uint64_t grouped = 0;
	if (histree_segment_stats_create(test->store, &test->query, test->field, &stats, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	check_group(test, histree_segment_stats_all(stats), NULL);
	for (size_t i = 0; (group = histree_segment_stats_group(stats, i)) != NULL; i++) {
		check_group(test, group, &group->value);
		grouped += group->count;
	}
	assert_true(test->field == HISTREE_SEGMENTS_TOGETHER || grouped == histree_segment_stats_all(stats)->count);
	histree_segment_stats_free(stats);
}

/* ---- densities ------------------------------------------------------------------------------------------- */

static uint32_t column_of(const struct pixel_scale *columns, histree_time start)
{
	if (columns->pixels == 1 || start < columns->from)
		return 0;
	return start > columns->to ? columns->pixels - 1 : pixel_to(columns, start);
}

static void check_density(struct test *test)
{
	static const unsigned divisions[] = { 1, 3, 5, 10, 20 };
	const struct histree_density_options options = {
		.per_decade = divisions[random_below(&test->random, 5)],
		.field = test->field,
		.column_count = (uint32_t)random_below(&test->random, COLUMNS_MAX),
		.from = test->query.from,
		.to = test->query.to,
	};
	struct histree_segment_density *density;
	const struct histree_density_group *group;
	struct histree_error error = { 0 };
	size_t bucket_count;
	uint64_t counted = 0, expected = 0;
	uint32_t column_count = options.column_count > 0 ? options.column_count : 1;
	const struct pixel_scale columns = pixel_scale(options.from, options.to, column_count);
	if (histree_segment_density_create(test->store, &test->query, &options, &density, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	const struct histree_duration_bucket *buckets = histree_segment_density_buckets(density, &bucket_count);
	for (size_t g = 0; (group = histree_segment_density_group(density, g)) != NULL; g++) {
		const struct histree_value *value = test->field == HISTREE_SEGMENTS_TOGETHER ? NULL : &group->value;
		uint64_t *counts = calloc(column_count * (bucket_count + 1), sizeof(*counts));
		assert_non_null(counts);
		for (size_t i = 0; i < test->segments->count; i++) {
			const struct histree_segment *segment = &test->segments->segments[i];
			uint64_t duration = histree_segment_duration(segment);
			size_t bucket = 0;
			while (bucket < bucket_count && buckets[bucket].max < duration)
				bucket++;
			if (is_of(test, segment, value))
				counts[column_of(&columns, segment->start) * (bucket_count + 1) + bucket]++;
		}
		for (uint32_t column = 0; column < column_count; column++)
			for (size_t bucket = 0; bucket <= bucket_count; bucket++)
				assert_true(histree_segment_density_count(density, g, column, bucket) ==
					    counts[column * (bucket_count + 1) + bucket]);
		counted += group->count;
		free(counts);
	}
	for (size_t i = 0; i < test->segments->count; i++)
		expected += is_asked_for(test, &test->segments->segments[i]);
	assert_true(counted == expected);
	histree_segment_density_free(density);
}

/* ---- charts ---------------------------------------------------------------------------------------------- */

static void check_histogram(struct test *test)
{
	uint32_t buckets = 1 + (uint32_t)random_below(&test->random, BUCKETS_MAX);
	uint64_t edges[BUCKETS_MAX + 1], counts[BUCKETS_MAX], counted = 0;
	struct histree_error error = { 0 };
	size_t count, at = 0;
	uint64_t *durations = durations_of(test, NULL, &count);
	enum histree_duration_scale scale =
		random_percent(&test->random, 50) ? HISTREE_DURATIONS_LINEAR : HISTREE_DURATIONS_LOGARITHMIC;
	if (histree_segment_histogram(test->store, &test->query, scale, buckets, (struct histree_work){ 0 }, edges,
				      counts, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	if (count > 0 && durations[count - 1] < UINT64_MAX) {
		assert_true(edges[0] == durations[0] && edges[buckets] == durations[count - 1] + 1);
		for (uint32_t i = 0; i < buckets; i++) {
			size_t first = at;
			while (at < count && durations[at] < edges[i + 1])
				at++;
			assert_true(edges[i] <= edges[i + 1] && counts[i] == at - first);
		}
	}
	for (uint32_t i = 0; i < buckets; i++)
		counted += counts[i];
	assert_true(counted == count);
	free(durations);
}

/* Whether a point stands for a segment: of its value, no more than a cell away, about as long or longer. */
static bool stands_for(const struct test *test, const struct histree_segment_scatter *scatter,
		       const struct histree_segment_point *point, const struct histree_segment *segment,
		       uint64_t width)
{
	struct histree_value value = histree_segment_scatter_value(scatter, point->value);
	uint64_t between = point->start > segment->start ? (uint64_t)point->start - (uint64_t)segment->start
							 : (uint64_t)segment->start - (uint64_t)point->start;
	return between <= width && point->duration >= histree_segment_duration(segment) / 8 * 7 &&
	       (test->field == HISTREE_SEGMENTS_TOGETHER ||
		histree_value_equal(&value, &segment->content[test->field]));
}

static bool is_a_segment(const struct test *test, const struct histree_segment_point *point)
{
	for (size_t i = 0; i < test->segments->count; i++)
		if (test->segments->segments[i].start == point->start &&
		    histree_segment_duration(&test->segments->segments[i]) == point->duration)
			return true;
	return false;
}

/* A cell of the chart and one of an overview are as long at most, so that both are two. */
static void check_scatter(struct test *test)
{
	const struct histree_segment_scatter_request request = {
		.query = test->query,
		.field = test->field,
		.columns = 1 + (uint32_t)random_below(&test->random, SIDE_MAX),
		.rows = 1, /* however long it lasts */
		.scale = HISTREE_DURATIONS_LOGARITHMIC,
		.points_max = INT32_MAX,
	};
	struct histree_segment_scatter *scatter;
	struct histree_error error = { 0 };
	size_t count;
	uint64_t expected = 0, span = (uint64_t)test->query.to - (uint64_t)test->query.from;
	uint64_t cell = span / request.columns;
	uint64_t near = cell < UINT64_MAX / 2 ? 2 * (cell + 1) : UINT64_MAX;
	if (histree_segment_scatter_create(test->store, &request, &scatter, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	const struct histree_segment_point *points = histree_segment_scatter_points(scatter, &count);
	for (size_t i = 0; i < count; i++)
		assert_true(is_a_segment(test, &points[i]));
	for (size_t i = 0; i < test->segments->count; i++) {
		const struct histree_segment *segment = &test->segments->segments[i];
		if (segment->start < test->query.from || segment->start > test->query.to)
			continue;
		size_t found = 0;
		while (found < count && !stands_for(test, scatter, &points[found], segment, near))
			found++;
		assert_true(found < count);
		expected++;
	}
	assert_true(histree_segment_scatter_segments(scatter) == expected);
	histree_segment_scatter_free(scatter);
}

/* ---- a round --------------------------------------------------------------------------------------------- */

static histree_time any_time(struct test *test)
{
	const struct histree_segment *segment =
		&test->segments->segments[random_below(&test->random, test->segments->count)];
	if (random_percent(&test->random, 5))
		return (histree_time)random_bits(&test->random);
	return random_percent(&test->random, 50) ? segment->start : segment->end;
}

static void choose_window(struct test *test)
{
	histree_time one = any_time(test), other = any_time(test);
	test->query = HISTREE_SEGMENTS_ALL;
	if (random_percent(&test->random, 25))
		return;
	test->query.from = one < other ? one : other;
	test->query.to = one < other ? other : one;
}

static struct histree_segment_store *store_of(const struct segments *segments, const char *path, uint32_t buffer)
{
	const struct histree_segment_store_options options = {
		.path = path, .schema = *segments->schema, .node_size = 4096, .memory_max = buffer
	};
	struct histree_segment_store *store;
	assert_ok(histree_segment_store_create(&options, &store, NULL));
	for (size_t i = 0; i < segments->count; i++)
		assert_ok(histree_segment_store_add(store, &segments->segments[i], NULL));
	assert_ok(histree_segment_store_finish(store, NULL));
	return store;
}

static void report(void *context, const char *fault)
{
	(void)context;
	print_error("%s\n", fault);
}

static void remove_files(const char *path)
{
	unlink(path);
	for (uint32_t number = 1; number <= SEGMENT_OVERVIEWS_MAX; number++) {
		char *overview = segment_overview_path(path, number);
		assert_non_null(overview);
		unlink(overview);
		free(overview);
	}
}

static void ask_of_each_width(struct segments *segments, bool content, uint64_t seed)
{
	static const uint64_t slices[] = { 20, 300, 1 << 17 };
	struct segment_overview_limits all = { 0, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0, 0 };
	struct histree_error error = { 0 };
	struct test test = { .segments = segments, .random = { seed } };
	char path[] = "/tmp/histree-overviews-XXXXXX";
	int file = mkstemp(path);
	assert_true(file >= 0);
	close(file);
	unlink(path);
	all.slice = slices[random_below(&test.random, 3)];
	if (random_percent(&test.random, 50)) /* parts are widened, or given up */
		all.parts_bytes = random_below(&test.random, 16 * (segments->count + 1));
	if (random_percent(&test.random, 30)) /* levels are dropped on the way */
		all.summaries_max = segments->count / 4;
	test.store = store_of(segments, path, 64 << 10);
	if (segment_overviews_write(test.store, &all, (struct histree_work){ 0 }, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	assert_true(all.summaries_max < UINT64_MAX || histree_segment_store_overviews(test.store).count > 0);
	if (histree_segment_store_verify(test.store, report, NULL, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	for (unsigned i = 0; i < QUESTIONS; i++) {
		choose_window(&test);
		test.field = random_percent(&test.random, 50) && content ? SEGMENT_NAME : HISTREE_SEGMENTS_TOGETHER;
		check_statistics(&test);
		check_density(&test);
		check_histogram(&test);
		check_scatter(&test);
	}
	histree_segment_store_close(test.store);
	remove_files(path);
}

static void answers_are_those_of_an_array(const void *kind, uint64_t seed)
{
	const struct segment_kind *model = kind;
	struct segments segments;
	assert_true(segments_make(&segments, model, seed));
	ask_of_each_width(&segments, model->content, seed);
	segments_release(&segments);
}

/* So many in so little time that columns of a few cells end within a nanosecond. */
TEST(many_in_no_time)
{
	enum { COUNT = 4000, NS = 300 };
	struct histree_segment *made = calloc(COUNT, sizeof(*made));
	struct random random = { test_seed() };
	assert_non_null(made);
	for (size_t i = 0; i < COUNT; i++) {
		made[i].start = (histree_time)random_below(&random, NS);
		made[i].end = made[i].start + (histree_time)random_below(&random, 20);
	}
	struct segments segments = { .schema = &segment_empty_schema, .segments = made, .count = COUNT };
	for (uint64_t round = 0; round < 10; round++)
		ask_of_each_width(&segments, false, test_seed() + round);
	free(made);
}

static bool has_segments(const void *kind)
{
	return ((const struct segment_kind *)kind)->count > 0;
}

PROPERTIES({ KINDS(segment_kinds), .rounds = 2, .check = answers_are_those_of_an_array, .applies = has_segments })
