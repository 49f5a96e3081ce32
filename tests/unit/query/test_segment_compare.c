// SPDX-License-Identifier: MIT
/*
 * test_segment_compare.c - comparisons of durations, against all pairs of two arrays.
 */
#include <math.h>

#include "base/hash_index.h"
#include "histree/segment_stats.h"
#include "support/effort.h"
#include "support/segments.h"
#include "support/test.h"

/* ---- all pairs -------------------------------------------------------------------------------------- */

/* One side as an array; `middle` is where its second half begins after. */
struct side {
	const struct segments *segments;
	struct histree_segment_query query;
	histree_time middle;
};

static bool is_of(const struct side *side, size_t i, size_t field, const struct histree_value *value)
{
	const struct histree_segment *segment = &side->segments->segments[i];
	return segment->start <= side->query.to && segment->end >= side->query.from &&
	       (field == HISTREE_SEGMENTS_TOGETHER || histree_value_equal(&segment->content[field], value));
}

/* Which half; -1: both. */
static bool is_in_half(const struct side *side, size_t i, int half)
{
	return half < 0 || (side->segments->segments[i].start > side->middle) == half;
}

/* The share of pairs in which that of `b` lasts longer. */
static double longer(const struct side *a, int half_a, const struct side *b, int half_b, size_t field,
		     const struct histree_value *value)
{
	double pairs = 0, greater = 0;
	for (size_t i = 0; i < a->segments->count; i++) {
		if (!is_of(a, i, field, value) || !is_in_half(a, i, half_a))
			continue;
		uint64_t one = histree_segment_duration(&a->segments->segments[i]);
		for (size_t k = 0; k < b->segments->count; k++) {
			if (!is_of(b, k, field, value) || !is_in_half(b, k, half_b))
				continue;
			uint64_t other = histree_segment_duration(&b->segments->segments[k]);
			pairs++;
			greater += other > one ? 1 : other == one ? 0.5 : 0;
		}
	}
	return pairs > 0 ? greater / pairs : 0.5;
}

/* The share of segments that last no longer than `ns`. */
static double share_until(const struct side *side, size_t field, const struct histree_value *value, uint64_t ns)
{
	double all = 0, until = 0;
	for (size_t i = 0; i < side->segments->count; i++)
		if (is_of(side, i, field, value)) {
			all++;
			until += histree_segment_duration(&side->segments->segments[i]) <= ns;
		}
	return all > 0 ? until / all : 0;
}

static double distance(const struct side sides[2], size_t field, const struct histree_value *value)
{
	double greatest = 0;
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < sides[s].segments->count; i++) {
			uint64_t ns = histree_segment_duration(&sides[s].segments->segments[i]);
			if (is_of(&sides[s], i, field, value))
				greatest = fmax(greatest, fabs(share_until(&sides[0], field, value, ns) -
							       share_until(&sides[1], field, value, ns)));
		}
	return greatest;
}

static void assert_near(double given, double expected)
{
	if (fabs(given - expected) > 1e-9)
		fail_msg("%.17g instead of %.17g", given, expected);
}

static void check_difference(const struct histree_segment_difference *given, const struct side sides[2],
			     size_t field)
{
	const struct histree_value *value = &given->a.value;
	double noise = 0;
	for (int s = 0; s < 2; s++)
		noise = fmax(noise, fabs(longer(&sides[s], 0, &sides[s], 1, field, value) - 0.5));
	assert_near(given->longer, longer(&sides[0], -1, &sides[1], -1, field, value));
	assert_near(given->noise, noise);
	assert_true(given->p >= 0 && given->p <= 1);
	if (given->a.count > 0 && given->b.count > 0)
		assert_near(given->distance, distance(sides, field, value));
	bool is_unsure =
		given->a.count < HISTREE_DIFFERENCE_COUNT_MIN || given->b.count < HISTREE_DIFFERENCE_COUNT_MIN;
	assert_int_equal(given->verdict == HISTREE_DIFFERENCE_UNSURE, is_unsure);
	if (given->verdict == HISTREE_DIFFERENCE_LONGER)
		assert_true(given->longer > 0.5 + given->noise);
	if (given->verdict == HISTREE_DIFFERENCE_SHORTER)
		assert_true(given->longer < 0.5 - given->noise);
}

static void check_sides(struct histree_segment_store *const stores[2], const struct side sides[2], size_t field)
{
	struct histree_segment_comparison *comparison;
	struct histree_error error = { 0 };
	const struct histree_segment_side asked[2] = { { stores[0], sides[0].query, field },
						       { stores[1], sides[1].query, field } };
	if (histree_segment_comparison_create(&asked[0], &asked[1], &comparison, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	const struct histree_segment_difference *all = histree_segment_comparison_all(comparison), *group;
	check_difference(all, sides, HISTREE_SEGMENTS_TOGETHER);
	uint64_t counts[2] = { 0 };
	for (size_t i = 0; (group = histree_segment_comparison_group(comparison, i)) != NULL; i++) {
		assert_true(group->a.count + group->b.count > 0);
		check_difference(group, sides, field);
		counts[0] += group->a.count;
		counts[1] += group->b.count;
	}
	assert_true(field == HISTREE_SEGMENTS_TOGETHER || (counts[0] == all->a.count && counts[1] == all->b.count));
	assert_int_equal(histree_segment_comparison_loss(comparison, 0).nodes, 0);
	histree_segment_comparison_free(comparison);
}

static void find_middle(struct side *side, struct histree_segment_store *store)
{
	const struct histree_segment_store_info *info = histree_segment_store_info(store);
	histree_time from = side->query.from > info->start ? side->query.from : info->start;
	histree_time to = side->query.to < info->end ? side->query.to : info->end;
	side->middle = (histree_time)((uint64_t)from + (to > from ? (uint64_t)to - (uint64_t)from : 0) / 2);
}

TEST(as_all_pairs)
{
	static const struct segment_kind kinds[] = {
		{ "none", SEGMENTS_NOISY, 0, true },           { "one", SEGMENTS_EXTREME, 1, true },
		{ "by end", SEGMENTS_BY_END, 120, true },      { "extreme", SEGMENTS_EXTREME, 100, true },
		{ "scattered", SEGMENTS_SCATTERED, 90, true }, { "few values", SEGMENTS_FEW_VALUES, 100, true },
	};
	static const size_t fields[] = { HISTREE_SEGMENTS_TOGETHER, SEGMENT_NAME, SEGMENT_RESULT, SEGMENT_FLAG };
	enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };
	for (size_t i = 0; i < (size_t)KINDS * KINDS; i++) {
		struct segments segments[2];
		struct histree_segment_store *stores[2];
		struct side sides[2];
		for (size_t s = 0; s < 2; s++) {
			size_t kind = s == 0 ? i % KINDS : i / KINDS;
			assert_true(segments_make(&segments[s], &kinds[kind], test_seed() + s));
			stores[s] = segments_store(&segments[s]);
			assert_non_null(stores[s]);
			sides[s] = (struct side){ .segments = &segments[s], .query = HISTREE_SEGMENTS_ALL };
			if (i % 3 == 0 && s == 1)
				sides[s].query.from = 0;
			find_middle(&sides[s], stores[s]);
		}
		for (size_t f = 0; f < sizeof(fields) / sizeof(fields[0]); f++)
			check_sides(stores, sides, fields[f]);
		for (size_t s = 0; s < 2; s++) {
			histree_segment_store_close(stores[s]);
			segments_release(&segments[s]);
		}
	}
	histree_segment_comparison_free(NULL);
}

/* ---- what people read ------------------------------------------------------------------------------- */

enum { MANY = 400 };

/* One after the other, of random durations from `least` on; the second half takes `late` ns more. */
static struct histree_segment_store *store_of(struct histree_segment made[MANY], uint64_t seed, histree_time least,
					      histree_time late)
{
	struct random random = { seed };
	for (histree_time i = 0; i < MANY; i++) {
		histree_time ns = least + (histree_time)random_below(&random, 1000) + (i >= MANY / 2 ? late : 0);
		made[i] = (struct histree_segment){ .start = i * 10000, .end = i * 10000 + ns };
	}
	const struct segments segments = { .schema = &segment_empty_schema, .segments = made, .count = MANY };
	struct histree_segment_store *store = segments_store(&segments);
	assert_non_null(store);
	return store;
}

static enum histree_difference verdict_of(histree_time least, histree_time late, double *p)
{
	static struct histree_segment made[2][MANY];
	struct histree_segment_store *a = store_of(made[0], test_seed(), 500, late);
	struct histree_segment_store *b = store_of(made[1], test_seed() + 1, least, late);
	struct histree_segment_comparison *comparison;
	assert_ok(histree_segment_comparison_create(
		&(struct histree_segment_side){ a, HISTREE_SEGMENTS_ALL, HISTREE_SEGMENTS_TOGETHER },
		&(struct histree_segment_side){ b, HISTREE_SEGMENTS_ALL, HISTREE_SEGMENTS_TOGETHER }, &comparison,
		NULL));
	enum histree_difference verdict = histree_segment_comparison_all(comparison)->verdict;
	*p = histree_segment_comparison_all(comparison)->p;
	histree_segment_comparison_free(comparison);
	histree_segment_store_close(a);
	histree_segment_store_close(b);
	return verdict;
}

TEST(verdicts)
{
	double p;
	assert_int_equal(verdict_of(800, 0, &p), HISTREE_DIFFERENCE_LONGER);
	assert_true(p < 1e-6);
	assert_int_equal(verdict_of(200, 0, &p), HISTREE_DIFFERENCE_SHORTER);
	assert_true(p < 1e-6);
	assert_int_equal(verdict_of(500, 0, &p), HISTREE_DIFFERENCE_NONE);
	/* However sure chance did not do it: A differs more from itself. */
	assert_int_equal(verdict_of(800, 2000, &p), HISTREE_DIFFERENCE_NONE);
	assert_true(p < 1e-6);
}

TEST(fields_of_two_types)
{
	const struct segment_kind kind = { "few", SEGMENTS_FEW_VALUES, 9, true };
	struct segments segments;
	assert_true(segments_make(&segments, &kind, test_seed()));
	struct histree_segment_store *store = segments_store(&segments);
	struct histree_segment_comparison *comparison;
	const struct histree_segment_side a = { store, HISTREE_SEGMENTS_ALL, SEGMENT_NAME };
	struct histree_segment_side b = { store, HISTREE_SEGMENTS_ALL, SEGMENT_FLAG };
	assert_int_equal(histree_segment_comparison_create(&a, &b, &comparison, NULL), HISTREE_ERR_TYPE);
	assert_null(comparison);
	b.field = SEGMENT_TEST_FIELDS;
	assert_int_equal(histree_segment_comparison_create(&a, &b, &comparison, NULL), HISTREE_ERR_ARGUMENT);
	histree_segment_store_close(store);
	segments_release(&segments);
}
