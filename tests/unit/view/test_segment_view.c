// SPDX-License-Identifier: MIT
/*
 * test_segment_view.c - charts of segments against counting by hand: each point is a segment, each segment has its
 * point or a longer one in its cell, and every duration is counted in the bucket that it lies in.
 */
#include "support/segments.h"
#include "support/test.h"
#include "view/view.h"

struct fixture {
	struct segments segments;
	struct histree_segment_store *store;
};

static void setup(struct fixture *fixture, enum segment_model model, uint64_t seed)
{
	struct segment_kind kind = { "chart", model, 3000, true };
	struct histree_error error;
	assert_true(segments_make(&fixture->segments, &kind, seed));
	struct histree_segment_store_options options = { .kind = HISTREE_SEGMENTS_LAZY,
							 .schema = *fixture->segments.schema };
	assert_ok(histree_segment_store_create(&options, &fixture->store, &error));
	for (size_t i = 0; i < fixture->segments.count; i++)
		assert_ok(histree_segment_store_add(fixture->store, &fixture->segments.segments[i], &error));
	assert_ok(histree_segment_store_finish(fixture->store, &error));
}

static void teardown(struct fixture *fixture)
{
	histree_segment_store_close(fixture->store);
	segments_release(&fixture->segments);
}

static bool is_even(void *context, const struct histree_segment *segment)
{
	(void)context;
	return (segment->start & 2) == 0;
}

static bool never(void *context)
{
	(void)context;
	return false;
}

/* ---- scatter --------------------------------------------------------------------------------------------- */

static struct histree_segment_scatter_request request_of(const struct fixture *fixture)
{
	const struct histree_segment_store_info *info = histree_segment_store_info(fixture->store);
	struct histree_segment_scatter_request request = { .query = HISTREE_SEGMENTS_ALL,
							   .field = SEGMENT_NAME,
							   .columns = 40,
							   .rows = 10,
							   .scale = HISTREE_DURATIONS_LOGARITHMIC,
							   .points_max = 100000 };
	request.query.from = info->start / 4 * 3 + info->end / 4;
	request.query.to = info->start / 4 + info->end / 4 * 3;
	request.query.filter = is_even;
	return request;
}

static bool is_charted(const struct histree_segment_scatter_request *request, const struct histree_segment *segment)
{
	return segment->start >= request->query.from && segment->start <= request->query.to &&
	       request->query.filter(NULL, segment);
}

static struct histree_segment_scatter *chart(const struct fixture *fixture,
					     const struct histree_segment_scatter_request *request)
{
	struct histree_segment_scatter *scatter;
	struct histree_error error;
	assert_ok(histree_segment_scatter_create(fixture->store, request, &scatter, &error));
	return scatter;
}

/* With a cell for everything, all segments are there, once each. */
TEST(a_point_for_each_segment)
{
	struct fixture fixture;
	setup(&fixture, SEGMENTS_BY_END, 5);
	struct histree_segment_scatter_request request = request_of(&fixture);
	request.columns = request.rows = 60000;
	struct histree_segment_scatter *scatter = chart(&fixture, &request);
	size_t count, expected = 0;
	const struct histree_segment_point *points = histree_segment_scatter_points(scatter, &count);
	for (size_t i = 0; i < fixture.segments.count; i++) {
		const struct histree_segment *segment = &fixture.segments.segments[i];
		if (!is_charted(&request, segment))
			continue;
		expected++;
		bool found = false;
		for (size_t k = 0; k < count && !found; k++) {
			struct histree_value value = histree_segment_scatter_value(scatter, points[k].value);
			found = points[k].start == segment->start &&
				points[k].duration == histree_segment_duration(segment) &&
				histree_value_equal(&value, &segment->content[SEGMENT_NAME]);
		}
		assert_true(found);
	}
	assert_true(expected > 500);
	assert_int_equal(histree_segment_scatter_segments(scatter), expected);
	for (size_t i = 1; i < count; i++)
		assert_true(points[i].value > points[i - 1].value || points[i].start >= points[i - 1].start);
	histree_segment_scatter_free(scatter);
	teardown(&fixture);
}

/* However few points there may be, they are segments, and the longest of each value is among them. */
TEST(the_longest_never_vanishes)
{
	static const size_t most[] = { 5000, 200, 60 };
	struct fixture fixture;
	setup(&fixture, SEGMENTS_BY_END, 6);
	for (size_t round = 0; round < sizeof(most) / sizeof(most[0]); round++) {
		struct histree_segment_scatter_request request = request_of(&fixture);
		request.points_max = most[round];
		request.scale = round % 2 ? HISTREE_DURATIONS_LINEAR : HISTREE_DURATIONS_LOGARITHMIC;
		struct histree_segment_scatter *scatter = chart(&fixture, &request);
		size_t count;
		const struct histree_segment_point *points = histree_segment_scatter_points(scatter, &count);
		assert_in_range(count, 1, most[round]);
		for (size_t i = 0; i < fixture.segments.count; i++) {
			const struct histree_segment *segment = &fixture.segments.segments[i];
			uint64_t longest = 0;
			if (!is_charted(&request, segment))
				continue;
			for (size_t k = 0; k < count; k++) {
				struct histree_value value =
					histree_segment_scatter_value(scatter, points[k].value);
				if (histree_value_equal(&value, &segment->content[SEGMENT_NAME]) &&
				    points[k].duration > longest)
					longest = points[k].duration;
			}
			assert_true(longest >= histree_segment_duration(segment));
		}
		histree_segment_scatter_free(scatter);
	}
	teardown(&fixture);
}

/* More values than points, durations of 64 bits, times at both ends: the bound holds. */
TEST(bounds_hold)
{
	struct fixture fixture;
	setup(&fixture, SEGMENTS_EXTREME, 7);
	struct histree_segment_scatter_request request = { .query = HISTREE_SEGMENTS_ALL,
							   .field = SEGMENT_ID,
							   .columns = 65536,
							   .rows = 65536,
							   .points_max = 100 };
	struct histree_segment_scatter *scatter = chart(&fixture, &request);
	size_t count;
	histree_segment_scatter_points(scatter, &count);
	assert_int_equal(count, 100);
	assert_int_equal(histree_segment_scatter_segments(scatter), fixture.segments.count);
	histree_segment_scatter_free(scatter);
	teardown(&fixture);
}

TEST(wrong_charts_are_refused)
{
	struct fixture fixture;
	struct histree_segment_scatter *scatter;
	struct histree_error error;
	setup(&fixture, SEGMENTS_BY_END, 8);
	for (int i = 0; i < 5; i++) {
		struct histree_segment_scatter_request request = request_of(&fixture);
		if (i == 0)
			request.field = SEGMENT_TEST_FIELDS;
		if (i == 1)
			request.columns = 0;
		if (i == 2)
			request.rows = 65537;
		if (i == 3)
			request.points_max = 0;
		if (i == 4)
			request.query.to = request.query.from - 1;
		assert_int_equal(histree_segment_scatter_create(fixture.store, &request, &scatter, &error),
				 HISTREE_ERR_ARGUMENT);
		assert_null(scatter);
	}
	struct histree_segment_scatter_request request = request_of(&fixture);
	request.work.go_on = never;
	assert_int_equal(histree_segment_scatter_create(fixture.store, &request, &scatter, &error),
			 HISTREE_ERR_CANCELLED);
	teardown(&fixture);
}

/* ---- density --------------------------------------------------------------------------------------------- */

static void check_density(const struct fixture *fixture, const struct histree_segment_query *query,
			  enum histree_duration_scale scale, uint32_t buckets)
{
	uint64_t edges[HISTREE_HISTOGRAM_BUCKETS_MAX + 1], counts[HISTREE_HISTOGRAM_BUCKETS_MAX];
	struct histree_error error;
	const struct histree_work cancel = { 0 };
	assert_ok(histree_segment_histogram(fixture->store, query, scale, buckets, cancel, edges, counts, &error));
	uint64_t least = UINT64_MAX, most = 0;
	for (size_t i = 0; i < fixture->segments.count; i++) {
		const struct histree_segment *segment = &fixture->segments.segments[i];
		uint64_t duration = histree_segment_duration(segment);
		if (segment->start > query->to || segment->end < query->from ||
		    (query->filter != NULL && !query->filter(NULL, segment)))
			continue;
		least = duration < least ? duration : least;
		most = duration > most ? duration : most;
		uint32_t bucket = 0;
		while (bucket + 1 < buckets && edges[bucket + 1] <= duration)
			bucket++;
		assert_true(duration >= edges[bucket]);
		assert_true(counts[bucket]-- > 0);
	}
	for (uint32_t i = 0; i < buckets; i++) {
		assert_int_equal(counts[i], 0);
		assert_true(edges[i] <= edges[i + 1]);
	}
	assert_int_equal(edges[0], most == 0 && least == UINT64_MAX ? 0 : least);
	assert_true(edges[buckets] == UINT64_MAX || least == UINT64_MAX || edges[buckets] == most + 1);
}

TEST(every_duration_is_in_its_bucket)
{
	static const enum segment_model models[] = { SEGMENTS_BY_END, SEGMENTS_NOISY, SEGMENTS_EXTREME,
						     SEGMENTS_SCATTERED, SEGMENTS_FEW_VALUES };
	static const uint32_t buckets[] = { 1, 2, 7, 50, 4096 };
	for (size_t m = 0; m < sizeof(models) / sizeof(models[0]); m++) {
		struct fixture fixture;
		setup(&fixture, models[m], 9 + m);
		for (size_t b = 0; b < sizeof(buckets) / sizeof(buckets[0]); b++) {
			struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
			check_density(&fixture, &query, HISTREE_DURATIONS_LINEAR, buckets[b]);
			query.filter = is_even;
			check_density(&fixture, &query, HISTREE_DURATIONS_LOGARITHMIC, buckets[b]);
			query.from = query.to = INT64_MAX - 2;
			check_density(&fixture, &query, HISTREE_DURATIONS_LOGARITHMIC, buckets[b]);
		}
		teardown(&fixture);
	}
}

TEST(wrong_densities_are_refused)
{
	struct fixture fixture;
	struct histree_error error;
	uint64_t edges[4], counts[3];
	struct histree_work cancel = { 0 };
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	setup(&fixture, SEGMENTS_BY_END, 10);
	for (uint32_t buckets = 0; buckets <= 4097; buckets += 4097)
		assert_int_equal(histree_segment_histogram(fixture.store, &query, HISTREE_DURATIONS_LINEAR, buckets,
							   cancel, edges, counts, &error),
				 HISTREE_ERR_ARGUMENT);
	cancel.go_on = never;
	assert_int_equal(histree_segment_histogram(fixture.store, &query, HISTREE_DURATIONS_LINEAR, 3, cancel,
						   edges, counts, &error),
			 HISTREE_ERR_CANCELLED);
	teardown(&fixture);
}
