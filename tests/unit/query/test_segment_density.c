// SPDX-License-Identifier: MIT
/*
 * test_segment_density.c - buckets of duration, and counts in them compared with an array that is gone through once
 * for each bucket.
 */
#include "histree/segment_stats.h"
#include "histree/states.h"
#include "segment/segment_summary.h"
#include "support/effort.h"
#include "support/segments.h"
#include "support/test.h"
#include "support/workload.h"

/* ---- buckets --------------------------------------------------------------------------------------- */

TEST(buckets_are_round_numbers)
{
	static const uint64_t by_three[] = { 0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000 };
	static const uint64_t by_five[] = { 0,  1,  2,   3,   4,   7,   10,  16,   25,
					    40, 63, 100, 160, 250, 400, 630, 1000, 1600 };
	static struct duration_buckets buckets;
	assert_true(duration_buckets_init(&buckets, 3));
	assert_memory_equal(buckets.min, by_three, sizeof(by_three));
	assert_true(buckets.min[buckets.count - 1] == UINT64_C(10000000000000000000));
	assert_true(duration_buckets_init(&buckets, 5));
	assert_memory_equal(buckets.min, by_five, sizeof(by_five));
	assert_false(duration_buckets_init(&buckets, 0) || duration_buckets_init(&buckets, 4));
}

TEST(each_duration_has_one_bucket)
{
	static const unsigned divisions[] = { 1, 3, 5, 10, 20 };
	static struct duration_buckets buckets;
	for (size_t i = 0; i < sizeof(divisions) / sizeof(divisions[0]); i++) {
		assert_true(duration_buckets_init(&buckets, divisions[i]));
		assert_true(buckets.count <= DURATION_BUCKETS_MAX && buckets.min[0] == 0);
		for (size_t bucket = 0; bucket < buckets.count; bucket++) {
			uint64_t max = duration_bucket_max(&buckets, bucket);
			assert_true(buckets.min[bucket] <= max);
			assert_int_equal(duration_bucket_of(&buckets, buckets.min[bucket]), bucket);
			assert_int_equal(duration_bucket_of(&buckets, max), bucket);
			if (bucket + 1 < buckets.count)
				assert_true(buckets.min[bucket + 1] == max + 1);
		}
		assert_true(duration_bucket_max(&buckets, buckets.count - 1) == UINT64_MAX);
	}
}

/* ---- counts ---------------------------------------------------------------------------------------- */

struct counted {
	const struct segments *segments;
	const struct histree_segment_query *query;
	const struct histree_density_options *options;
	const struct histree_segment_density *density;
};

/*
 * The column of a start by what the header says: equal parts, the first ones not longer than the others by more
 * than 1.
 */
static uint32_t column_of(const struct histree_density_options *options, histree_time start)
{
	if (options->column_count == 0 || start < options->from)
		return 0;
	if (start > options->to)
		return options->column_count - 1;
	uint32_t column = 0;
	while (column + 1 < options->column_count &&
	       histree_pixel_start(options->from, options->to, options->column_count, column + 1) <= start)
		column++;
	return column;
}

static bool is_counted(const struct counted *counted, const struct histree_segment *segment,
		       const struct histree_density_group *group)
{
	const struct histree_segment_query *query = counted->query;
	if (segment->start > query->to || segment->end < query->from ||
	    (query->filter != NULL && !query->filter(query->filter_context, segment)))
		return false;
	if (counted->options->field == HISTREE_SEGMENTS_TOGETHER)
		return true;
	return histree_value_equal(&group->value, &segment->content[counted->options->field]);
}

/* Those of one cell; of all cells of the group where there is no bucket. */
static uint64_t expected(const struct counted *counted, const struct histree_density_group *group, uint32_t column,
			 const struct histree_duration_bucket *bucket)
{
	uint64_t count = 0;
	for (size_t i = 0; i < counted->segments->count; i++) {
		const struct histree_segment *segment = &counted->segments->segments[i];
		uint64_t duration = histree_segment_duration(segment);
		if (is_counted(counted, segment, group))
			count += bucket == NULL || (duration >= bucket->min && duration <= bucket->max &&
						    column_of(counted->options, segment->start) == column);
	}
	return count;
}

static void check(const struct counted *counted)
{
	size_t bucket_count, group_count = 0;
	uint64_t all = 0, ends[2] = { 0 }, before = UINT64_MAX;
	const struct histree_density_group *group;
	const struct histree_duration_bucket *buckets =
		histree_segment_density_buckets(counted->density, &bucket_count);
	uint32_t columns = counted->options->column_count > 0 ? counted->options->column_count : 1;
	for (; (group = histree_segment_density_group(counted->density, group_count)) != NULL; group_count++) {
		assert_false(group->is_rest);
		assert_true(group->count <= before && group->count > 0);
		assert_true(group->count == expected(counted, group, 0, NULL));
		uint64_t in_cells = 0;
		before = group->count;
		all += group->count;
		for (uint32_t column = 0; column < columns; column++)
			for (size_t i = 0; i < bucket_count; i++) {
				uint64_t count =
					histree_segment_density_count(counted->density, group_count, column, i);
				assert_true(count == expected(counted, group, column, &buckets[i]));
				in_cells += count;
				ends[0] += i == 0 ? count : 0;
				ends[1] += i == bucket_count - 1 ? count : 0;
			}
		assert_true(in_cells == group->count);
	}
	struct counted together = *counted;
	struct histree_density_options options = *counted->options;
	options.field = HISTREE_SEGMENTS_TOGETHER;
	together.options = &options;
	assert_true(all == expected(&together, NULL, 0, NULL));
	assert_true(bucket_count == 0 ? all == 0 : ends[0] > 0 && ends[1] > 0);
	for (size_t i = 1; i < bucket_count; i++)
		assert_true(buckets[i].min == buckets[i - 1].max + 1);
}

static bool is_flagged(void *context, const struct histree_segment *segment)
{
	(void)context;
	return segment->content[SEGMENT_FLAG].type == HISTREE_BOOL && segment->content[SEGMENT_FLAG].boolean;
}

TEST(counts_as_an_array)
{
	static const struct segment_kind kinds[] = {
		{ "none", SEGMENTS_NOISY, 0, true },
		{ "by end", SEGMENTS_BY_END, 200, true },
		{ "extreme", SEGMENTS_EXTREME, 100, true },
		{ "scattered", SEGMENTS_SCATTERED, 100, true },
		{ "few values", SEGMENTS_FEW_VALUES, 60, true },
	};
	static const struct histree_density_options options[] = {
		{ .field = HISTREE_SEGMENTS_TOGETHER },
		{ .field = HISTREE_SEGMENTS_TOGETHER,
		  .per_decade = 20,
		  .column_count = 7,
		  .from = -90000,
		  .to = -85000 },
		{ .field = SEGMENT_NAME, .per_decade = 1 },
		{ .field = SEGMENT_RESULT, .per_decade = 5 },
		{ .field = SEGMENT_RATIO, .column_count = 3, .from = INT64_MIN, .to = INT64_MAX },
		{ .field = SEGMENT_FLAG, .per_decade = 10, .column_count = 5, .from = 0, .to = 2 },
	};
	const struct histree_segment_query queries[] = {
		HISTREE_SEGMENTS_ALL,
		{ .from = -95000, .to = -85000, .order = HISTREE_SEGMENTS_BY_END, .limit = 3 },
		{ .from = INT64_MIN, .to = INT64_MAX, .filter = is_flagged },
	};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct segments segments;
		assert_true(segments_make(&segments, &kinds[i], test_seed()));
		struct histree_segment_store *store = segments_store(&segments);
		assert_non_null(store);
		for (size_t k = 0; k < sizeof(options) / sizeof(options[0]); k++)
			for (size_t l = 0; l < sizeof(queries) / sizeof(queries[0]); l++) {
				struct histree_segment_density *density;
				assert_ok(histree_segment_density_create(store, &queries[l], &options[k], &density,
									 NULL));
				check(&(struct counted){ &segments, &queries[l], &options[k], density });
				histree_segment_density_free(density);
			}
		histree_segment_store_close(store);
		segments_release(&segments);
	}
	histree_segment_density_free(NULL);
}

/* The values that come first have groups of their own, all others one, which is the last whatever its count. */
TEST(values_have_a_bound)
{
	const struct segment_kind kind = { "by end", SEGMENTS_BY_END, 50, true };
	const struct histree_density_options options = { .field = SEGMENT_ID, .group_max = 4 };
	const struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	struct segments segments;
	struct histree_segment_density *density;
	assert_true(segments_make(&segments, &kind, test_seed()));
	struct histree_segment_store *store = segments_store(&segments);
	assert_non_null(store);
	assert_ok(histree_segment_density_create(store, &query, &options, &density, NULL));
	for (size_t i = 0; i < 4; i++) {
		assert_false(histree_segment_density_group(density, i)->is_rest);
		assert_int_equal(histree_segment_density_group(density, i)->count, 1);
	}
	const struct histree_density_group *rest = histree_segment_density_group(density, 4);
	assert_true(rest->is_rest && rest->count == 46 && rest->value.type == HISTREE_NULL);
	assert_null(histree_segment_density_group(density, 5));
	histree_segment_density_free(density);
	histree_segment_store_close(store);
	segments_release(&segments);
}

TEST(null_comes_late_too)
{
	const struct histree_segment_field field = { "tid", HISTREE_INT };
	const struct histree_segment_schema schema = { .provider = "test", .fields = &field, .field_count = 1 };
	struct histree_value tids[] = { histree_int(1), histree_int(2), histree_null(), histree_null() };
	struct histree_segment made[4];
	for (histree_time i = 0; i < 4; i++)
		made[i] = (struct histree_segment){ .start = i, .end = i, .content = &tids[i] };
	const struct segments segments = { .schema = &schema, .segments = made, .count = 4 };
	const struct histree_density_options options = { .group_max = 1 };
	const struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	struct histree_segment_store *store = segments_store(&segments);
	struct histree_segment_density *density;
	assert_non_null(store);
	assert_ok(histree_segment_density_create(store, &query, &options, &density, NULL));
	assert_int_equal(histree_segment_density_group(density, 0)->count, 1);
	assert_true(histree_segment_density_group(density, 1)->is_rest);
	assert_int_equal(histree_segment_density_group(density, 1)->count, 3);
	assert_null(histree_segment_density_group(density, 2));
	histree_segment_density_free(density);
	histree_segment_store_close(store);
}

TEST(wrong_options_are_refused)
{
	static const struct {
		struct histree_density_options options;
		const char *word;
	} rows[] = {
		{ { .field = SEGMENT_TEST_FIELDS }, "no field 6" },
		{ { .per_decade = 4 }, "4 buckets" },
		{ { .column_count = UINT32_MAX }, "columns" },
		{ { .column_count = 2, .from = 1 }, "before it begins" },
		{ { .column_count = 10000, .per_decade = 20 }, "128 MB" },
	};
	const struct segment_kind kind = { "one", SEGMENTS_BY_END, 1, true };
	const struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	struct segments segments;
	struct histree_segment_density *density;
	struct histree_error error;
	assert_true(segments_make(&segments, &kind, 1));
	struct histree_segment_store *store = segments_store(&segments);
	assert_non_null(store);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(histree_segment_density_create(store, &query, &rows[i].options, &density, &error),
				 HISTREE_ERR_ARGUMENT);
		assert_null(density);
		if (strstr(error.message, rows[i].word) == NULL)
			fail_msg("%s", error.message);
	}
	histree_segment_store_close(store);
	segments_release(&segments);
}
