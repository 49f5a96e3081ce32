// SPDX-License-Identifier: MIT
/*
 * test_segment_stats.c - statistics of durations, compared with those of an array that is sorted for each group.
 */
#include <math.h>

#include "histree/segment_stats.h"
#include "support/effort.h"
#include "support/segments.h"
#include "support/test.h"
#include "support/workload.h"

/* ---- an array -------------------------------------------------------------------------------------- */

static int compare_durations(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

/* It is asked for and has this value in the field. */
static bool is_of(const struct histree_segment *segment, const struct histree_segment_query *query, size_t field,
		  const struct histree_value *value)
{
	if (segment->start > query->to || segment->end < query->from ||
	    (query->filter != NULL && !query->filter(query->filter_context, segment)))
		return false;
	return field == HISTREE_SEGMENTS_TOGETHER || histree_value_equal(&segment->content[field], value);
}

/* The durations of those, ascending; returns how many. */
static size_t durations_of(const struct segments *segments, const struct histree_segment_query *query, size_t field,
			   const struct histree_value *value, uint64_t *durations)
{
	size_t count = 0;
	for (size_t i = 0; i < segments->count; i++) {
		const struct histree_segment *segment = &segments->segments[i];
		if (is_of(segment, query, field, value))
			durations[count++] = histree_segment_duration(segment);
	}
	if (count > 0)
		qsort(durations, count, sizeof(*durations), compare_durations);
	return count;
}

static void assert_near(double given, long double expected, long double scale)
{
	if (fabsl(given - expected) > 1e-9L * scale)
		fail_msg("%.17g instead of %.17Lg", given, expected);
}

static void check_spread(const struct histree_segment_group *group, const uint64_t *durations, size_t count)
{
	long double sum = 0, squares = 0;
	for (size_t i = 0; i < count; i++)
		sum += (long double)durations[i];
	long double mean = sum / (long double)count;
	for (size_t i = 0; i < count; i++)
		squares += ((long double)durations[i] - mean) * ((long double)durations[i] - mean);
	long double greatest = (long double)durations[count - 1];
	assert_near(group->mean, mean, greatest);
	assert_near(group->deviation, sqrtl(squares / (long double)count), greatest);
}

static void check_group(const struct histree_segment_group *group, const uint64_t *durations, size_t count)
{
	static const size_t per_mille[HISTREE_PERCENTILE_COUNT] = { 500, 900, 990, 999 };
	uint64_t total = 0;
	assert_int_equal(group->count, count);
	if (count == 0) {
		const struct histree_segment_group none = { 0 };
		assert_memory_equal(group, &none, sizeof(none));
		return;
	}
	for (size_t i = 0; i < count; i++)
		total = durations[i] > UINT64_MAX - total ? UINT64_MAX : total + durations[i];
	assert_true(group->min == durations[0] && group->max == durations[count - 1]);
	assert_true(group->total == total);
	check_spread(group, durations, count);
	for (size_t i = 0; i < HISTREE_PERCENTILE_COUNT; i++) {
		size_t rank = (per_mille[i] * count + 999) / 1000;
		assert_true(group->percentiles[i] == durations[rank - 1]);
	}
}

/* Where the shortest and the longest are: of several, those that start first. */
static void check_extremes(const struct histree_segment_group *group, const struct segments *segments,
			   const struct histree_segment_query *query, size_t field)
{
	bool has_min = false, has_max = false;
	for (size_t i = 0; i < segments->count; i++) {
		const struct histree_segment *segment = &segments->segments[i];
		uint64_t duration = histree_segment_duration(segment);
		if (!is_of(segment, query, field, &group->value))
			continue;
		if (duration == group->min)
			assert_true(segment->start >= group->min_start);
		if (duration == group->max)
			assert_true(segment->start >= group->max_start);
		has_min |= segment->start == group->min_start && segment->end == group->min_end;
		has_max |= segment->start == group->max_start && segment->end == group->max_end;
	}
	assert_true(group->count == 0 || (has_min && has_max));
	assert_true((uint64_t)group->min_end - (uint64_t)group->min_start == group->min);
	assert_true((uint64_t)group->max_end - (uint64_t)group->max_start == group->max);
}

/* Returns how many segments the groups have together. */
static uint64_t check_groups(const struct segments *segments, const struct histree_segment_query *query,
			     size_t field, const struct histree_segment_stats *stats, uint64_t *durations)
{
	const struct histree_segment_group *group, *before = NULL;
	uint64_t all = 0;
	for (size_t i = 0; (group = histree_segment_stats_group(stats, i)) != NULL; i++, before = group) {
		size_t count = durations_of(segments, query, field, &group->value, durations);
		assert_true(count > 0);
		check_group(group, durations, count);
		check_extremes(group, segments, query, field);
		assert_true(before == NULL || before->total > group->total ||
			    (before->total == group->total && before->count >= group->count));
		all += group->count;
	}
	return all;
}

static void check(struct histree_segment_store *store, const struct segments *segments,
		  const struct histree_segment_query *query, size_t field)
{
	struct histree_segment_stats *stats;
	struct histree_error error = { 0 };
	uint64_t *durations = calloc(segments->count + 1, sizeof(*durations));
	assert_non_null(durations);
	if (histree_segment_stats_create(store, query, field, &stats, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	size_t count = durations_of(segments, query, HISTREE_SEGMENTS_TOGETHER, NULL, durations);
	check_group(histree_segment_stats_all(stats), durations, count);
	check_extremes(histree_segment_stats_all(stats), segments, query, HISTREE_SEGMENTS_TOGETHER);
	uint64_t grouped = check_groups(segments, query, field, stats, durations);
	assert_int_equal(grouped, field == HISTREE_SEGMENTS_TOGETHER ? 0 : count);
	histree_segment_stats_free(stats);
	free(durations);
}

/* ---- stores ---------------------------------------------------------------------------------------- */

static bool is_flagged(void *context, const struct histree_segment *segment)
{
	(void)context;
	return segment->content[SEGMENT_FLAG].type == HISTREE_BOOL && segment->content[SEGMENT_FLAG].boolean;
}

static bool is_none(void *context, const struct histree_segment *segment)
{
	(void)context;
	(void)segment;
	return false;
}

/* Ties, zero and the longest durations there are come from the kinds; 1001 is where ranks change their step. */
TEST(as_an_array)
{
	static const struct segment_kind kinds[] = {
		{ "none", SEGMENTS_NOISY, 0, true },
		{ "one", SEGMENTS_EXTREME, 1, true },
		{ "one duration", SEGMENTS_NOISY, 300, true },
		{ "by end", SEGMENTS_BY_END, 1001, true },
		{ "extreme", SEGMENTS_EXTREME, 200, true },
		{ "scattered", SEGMENTS_SCATTERED, 200, true },
		{ "few values", SEGMENTS_FEW_VALUES, 100, true },
	};
	static const size_t fields[] = { HISTREE_SEGMENTS_TOGETHER,
					 SEGMENT_ID,
					 SEGMENT_NAME,
					 SEGMENT_RESULT,
					 SEGMENT_RATIO,
					 SEGMENT_FLAG,
					 SEGMENT_TID };
	const struct histree_segment_query queries[] = {
		HISTREE_SEGMENTS_ALL,
		{ .from = -95000,
		  .to = -85000,
		  .order = HISTREE_SEGMENTS_BY_START,
		  .descending = true,
		  .limit = 3 },
		{ .from = 1, .to = 1 },
		{ .from = INT64_MIN, .to = INT64_MAX, .filter = is_flagged },
		{ .from = INT64_MIN, .to = INT64_MAX, .filter = is_none },
	};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct segments segments;
		assert_true(segments_make(&segments, &kinds[i], test_seed()));
		struct histree_segment_store *store = segments_store(&segments);
		assert_non_null(store);
		for (size_t k = 0; k < sizeof(queries) / sizeof(queries[0]); k++)
			for (size_t l = 0; l < sizeof(fields) / sizeof(fields[0]); l++)
				check(store, &segments, &queries[k], fields[l]);
		histree_segment_store_close(store);
		segments_release(&segments);
	}
	histree_segment_stats_free(NULL);
}

/* Percentiles are ranks: the least duration that so many are not above. */
TEST(percentiles_are_at_their_ranks)
{
	struct histree_segment made[1000];
	const struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	for (histree_time i = 0; i < 1000; i++)
		made[i] = (struct histree_segment){ .start = -i, .end = 1 };
	const struct segments segments = { .schema = &segment_empty_schema, .segments = made, .count = 1000 };
	struct histree_segment_store *store = segments_store(&segments);
	struct histree_segment_stats *stats;
	assert_non_null(store);
	assert_ok(histree_segment_stats_create(store, &query, HISTREE_SEGMENTS_TOGETHER, &stats, NULL));
	const struct histree_segment_group *all = histree_segment_stats_all(stats);
	assert_int_equal(all->percentiles[HISTREE_P50], 500);
	assert_int_equal(all->percentiles[HISTREE_P90], 900);
	assert_int_equal(all->percentiles[HISTREE_P99], 990);
	assert_int_equal(all->percentiles[HISTREE_P99_9], 999);
	assert_true(all->mean == 500.5);
	assert_near(all->deviation, sqrtl((1000.0L * 1000 - 1) / 12), 1000);
	histree_segment_stats_free(stats);
	assert_int_equal(histree_segment_stats_create(store, &query, 0, &stats, NULL), HISTREE_ERR_ARGUMENT);
	assert_null(stats);
	histree_segment_store_close(store);
}

/* Of numbers that segments have: those that are null or negative count for nothing. */
TEST(of_a_number_as_an_array)
{
	static const struct segment_kind kind = { "scattered", SEGMENTS_SCATTERED, 500, true };
	const struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	struct segments segments;
	assert_true(segments_make(&segments, &kind, test_seed()));
	struct histree_segment_store *store = segments_store(&segments);
	struct histree_segment_stats *stats;
	assert_non_null(store);
	for (size_t of = 0; of < segments.schema->field_count; of++) {
		enum histree_type type = segments.schema->fields[of].type;
		enum histree_status status =
			histree_segment_stats_create_of(store, &query, HISTREE_SEGMENTS_TOGETHER, of, &stats, NULL);
		assert_int_equal(status,
				 type == HISTREE_INT || type == HISTREE_LONG ? HISTREE_OK : HISTREE_ERR_ARGUMENT);
		if (status != HISTREE_OK)
			continue;
		uint64_t *numbers = calloc(segments.count + 1, sizeof(*numbers));
		size_t count = 0;
		assert_non_null(numbers);
		for (size_t i = 0; i < segments.count; i++) {
			const struct histree_value *value = &segments.segments[i].content[of];
			int64_t number = value->type == HISTREE_LONG  ? value->int64
					 : value->type == HISTREE_INT ? value->int32
								      : -1;
			if (number >= 0)
				numbers[count++] = (uint64_t)number;
		}
		qsort(numbers, count, sizeof(*numbers), compare_durations);
		check_group(histree_segment_stats_all(stats), numbers, count);
		histree_segment_stats_free(stats);
		free(numbers);
	}
	assert_int_equal(histree_segment_stats_create_of(store, &query, HISTREE_SEGMENTS_TOGETHER,
							 segments.schema->field_count, &stats, NULL),
			 HISTREE_ERR_ARGUMENT);
	histree_segment_store_close(store);
	segments_release(&segments);
}
