// SPDX-License-Identifier: MIT
/*
 * segment_compare.c - compares the durations of two sides group by group.
 *
 * Both stores are read in the order of duration, so that the tests by rank need only two counts of each sample:
 * the smaller values, and those equal to the current one.  The tests are that of Mann and Whitney (Annals of
 * Mathematical Statistics 18, 1947) and the distance of Kolmogorov and Smirnov.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/segment_stats.h"
#include "query/noise.h"
#include "query/segment_summaries.h"
#include "query/value_table.h"

/* Zeroed: no value yet. */
struct rank_test {
	uint64_t below[2], equal[2]; /* of either sample */
	double greater; /* pairs in which the value of the second is the greater one; equal ones: a half */
	double ties;    /* the sum of t^3 - t over groups of t equal values */
};

/* Take one value of sample 0 or 1 that equals the one at hand. */
static inline void rank_test_take(struct rank_test *test, int sample)
{
	test->equal[sample]++;
}

/* ---- rank test ----------------------------------------------------------------------------------------------- */

/* All values equal to the current one have been taken; the next one is greater, or there is none. */
static void rank_test_fold(struct rank_test *test)
{
	double a = (double)test->equal[0], b = (double)test->equal[1], both = a + b;
	test->greater += b * ((double)test->below[0] + a / 2);
	test->ties += both * both * both - both;
	for (int sample = 0; sample < 2; sample++) {
		test->below[sample] += test->equal[sample];
		test->equal[sample] = 0;
	}
}

/* The share of `greater` in all pairs; 0.5 if there are no pairs. */
static double rank_test_share(const struct rank_test *test)
{
	double pairs = (double)test->below[0] * (double)test->below[1];
	return pairs > 0 ? test->greater / pairs : 0.5;
}

/* How likely a share as far from 0.5 is if both samples are of one distribution: by the normal approximation. */
static double rank_test_p(const struct rank_test *test)
{
	double a = (double)test->below[0], b = (double)test->below[1], n = a + b;
	if (a == 0 || b == 0)
		return 1;
	double variance = a * b / 12 * (n + 1 - test->ties / (n * (n - 1)));
	/* The share goes in steps of a half pair: half a step is no difference. */
	double far = fabs(test->greater - a * b / 2) - 0.5;
	return variance > 0 && far > 0 ? erfc(far / sqrt(2 * variance)) : 1;
}

/* The distance of the shares of both samples that are below the next value; their sizes are given. */
static double rank_test_distance(const struct rank_test *test, uint64_t count_a, uint64_t count_b)
{
	return fabs((double)test->below[0] / (double)count_a - (double)test->below[1] / (double)count_b);
}

/* ---- segment compare ----------------------------------------------------------------------------------------- */

enum { SIDES = 2 };

/* What is tested of a group: B against A, and in each of them the second half in time against the first. */
struct group {
	struct histree_segment_difference facts;
	struct rank_test sides, halves[SIDES];
	uint64_t duration; /* at hand */
};

/* One side, while it is read by duration. */
struct reader {
	struct histree_cursor *iter;
	struct histree_segment_query query;
	histree_time middle; /* of the times that it reads */
	double window_ns;
	size_t field;
	struct histree_segment segment;
	bool has_segment;
};

struct histree_segment_comparison {
	struct group all;
	struct value_table values;
	struct group *groups; /* by the index of their value, then sorted */
	size_t group_count, groups_capacity;
	struct histree_loss losses[SIDES];
};

/* ---- groups -------------------------------------------------------------------------------------- */

static enum histree_status find_group(struct histree_segment_comparison *comparison,
				      const struct histree_value *value, struct group **out,
				      struct histree_error *error)
{
	uint32_t index;
	enum histree_status status = value_table_add(&comparison->values, value, &index, error);
	if (status != HISTREE_OK)
		return status;
	if (!array_reserve(&comparison->groups, &comparison->groups_capacity, comparison->values.count))
		return error_memory(error, "the comparison");
	for (; comparison->group_count < comparison->values.count; comparison->group_count++) {
		struct histree_value of = comparison->values.values[comparison->group_count];
		comparison->groups[comparison->group_count] =
			(struct group){ .facts.a.value = of, .facts.b.value = of };
	}
	*out = &comparison->groups[index];
	return HISTREE_OK;
}

/* Counts and percentiles of a side. */
static enum histree_status take_statistics(struct histree_segment_comparison *comparison,
					   const struct histree_segment_side *side, int number,
					   struct histree_error *error)
{
	struct histree_segment_stats *stats;
	enum histree_status status =
		histree_segment_stats_create(side->store, &side->query, side->field, &stats, error);
	if (status < 0)
		return status;
	status = HISTREE_OK;
	struct histree_segment_difference *all = &comparison->all.facts;
	*(number == 0 ? &all->a : &all->b) = *histree_segment_stats_all(stats);
	const struct histree_segment_group *of;
	for (size_t i = 0; status == HISTREE_OK && (of = histree_segment_stats_group(stats, i)) != NULL; i++) {
		struct group *group = NULL;
		status = find_group(comparison, &of->value, &group, error);
		if (status != HISTREE_OK)
			break;
		struct histree_segment_group *facts = number == 0 ? &group->facts.a : &group->facts.b;
		struct histree_value value = facts->value;
		*facts = *of;
		facts->value = value;
	}
	histree_segment_stats_free(stats);
	return status;
}

/* ---- durations of both sides, ascending ------------------------------------------------------------ */

static enum histree_status begin_reader(struct reader *reader, const struct histree_segment_side *side,
					struct histree_error *error)
{
	const struct histree_segment_store_info *info = histree_segment_store_info(side->store);
	histree_time from = side->query.from > info->start ? side->query.from : info->start;
	histree_time to = side->query.to < info->end ? side->query.to : info->end;
	uint64_t length = to > from ? (uint64_t)to - (uint64_t)from : 0;
	*reader = (struct reader){ .query = side->query,
				   .field = side->field,
				   .middle = (histree_time)((uint64_t)from + length / 2),
				   .window_ns = (double)length + 1 };
	reader->query.order = HISTREE_SEGMENTS_BY_DURATION;
	reader->query.descending = false;
	reader->query.limit = 0;
	enum histree_status status = histree_segments_create(side->store, &reader->iter, error);
	return status == HISTREE_OK ? histree_segments_start(reader->iter, &reader->query, NULL, error) : status;
}

static enum histree_status advance(struct reader *reader, struct histree_error *error)
{
	enum histree_status status = histree_cursor_next(reader->iter, error);
	if (status == HISTREE_OK)
		reader->segment = *histree_cursor_segment(reader->iter);
	reader->has_segment = status == HISTREE_OK;
	return status == HISTREE_END ? HISTREE_OK : status;
}

static void fold(struct group *group)
{
	struct histree_segment_difference *facts = &group->facts;
	rank_test_fold(&group->sides);
	rank_test_fold(&group->halves[0]);
	rank_test_fold(&group->halves[1]);
	if (facts->a.count > 0 && facts->b.count > 0)
		facts->distance =
			fmax(facts->distance, rank_test_distance(&group->sides, facts->a.count, facts->b.count));
}

static void segment_compare_take(struct group *group, int side, bool is_late, uint64_t duration)
{
	if (duration != group->duration)
		fold(group);
	group->duration = duration;
	rank_test_take(&group->sides, side);
	rank_test_take(&group->halves[side], is_late);
}

static enum histree_status read_durations(struct histree_segment_comparison *comparison,
					  struct reader readers[SIDES], struct histree_error *error)
{
	enum histree_status status = advance(&readers[0], error);
	if (status == HISTREE_OK)
		status = advance(&readers[1], error);
	while (status == HISTREE_OK && (readers[0].has_segment || readers[1].has_segment)) {
		int side = !readers[0].has_segment ||
			   (readers[1].has_segment && histree_segment_duration(&readers[1].segment) <
							      histree_segment_duration(&readers[0].segment));
		struct reader *reader = &readers[side];
		uint64_t duration = histree_segment_duration(&reader->segment);
		bool is_late = reader->segment.start > reader->middle;
		segment_compare_take(&comparison->all, side, is_late, duration);
		if (reader->field != HISTREE_SEGMENTS_TOGETHER) {
			struct group *group = NULL;
			const struct histree_value value =
				segment_group_value(&reader->query, &reader->segment, reader->field);
			status = find_group(comparison, &value, &group, error);
			if (status != HISTREE_OK)
				break;
			segment_compare_take(group, side, is_late, duration);
		}
		status = advance(reader, error);
	}
	return status;
}

/* ---- what comes of it ---------------------------------------------------------------------------- */

static void judge(struct group *group, size_t group_count)
{
	struct histree_segment_difference *facts = &group->facts;
	fold(group);
	facts->longer = rank_test_share(&group->sides);
	facts->noise = fmax(fabs(rank_test_share(&group->halves[0]) - 0.5),
			    fabs(rank_test_share(&group->halves[1]) - 0.5));
	facts->p = rank_test_p(&group->sides);
	if (facts->a.count < HISTREE_DIFFERENCE_COUNT_MIN || facts->b.count < HISTREE_DIFFERENCE_COUNT_MIN)
		facts->verdict = HISTREE_DIFFERENCE_UNSURE;
	else if (facts->p * (double)group_count >= HISTREE_DIFFERENCE_P ||
		 fabs(facts->longer - 0.5) <= facts->noise)
		facts->verdict = HISTREE_DIFFERENCE_NONE;
	else
		facts->verdict = facts->longer > 0.5 ? HISTREE_DIFFERENCE_LONGER : HISTREE_DIFFERENCE_SHORTER;
}

/* Compares by the difference of totals, which `duration` has by then; then by value. */
COMPARE(compare, struct group, BY_MOST(duration) BY_ORDER(value_compare(&a->facts.a.value, &b->facts.a.value)))

static void finish(struct histree_segment_comparison *comparison, const struct reader readers[SIDES])
{
	size_t kept = 0;
	for (size_t i = 0; i < comparison->group_count; i++)
		if (comparison->groups[i].facts.a.count + comparison->groups[i].facts.b.count > 0)
			comparison->groups[kept++] = comparison->groups[i];
	comparison->group_count = kept;
	judge(&comparison->all, 1);
	for (size_t i = 0; i < kept; i++) {
		struct group *group = &comparison->groups[i];
		judge(group, kept);
		double share = fabs((double)group->facts.b.total / readers[1].window_ns -
				    (double)group->facts.a.total / readers[0].window_ns);
		/* Parts per 10^9 of the window; segments may overlap a million times and more. */
		group->duration = share < 1e9 ? (uint64_t)(share * 1e9) : (uint64_t)1e18;
	}
	if (kept > 0)
		qsort(comparison->groups, kept, sizeof(*comparison->groups), compare);
}

static enum histree_status compare_sides(struct histree_segment_comparison *comparison,
					 const struct histree_segment_side *const sides[SIDES],
					 struct histree_error *error)
{
	struct reader readers[SIDES] = { 0 };
	enum histree_status status = value_table_reset(&comparison->values, error);
	for (int i = 0; i < SIDES && status == HISTREE_OK; i++)
		status = take_statistics(comparison, sides[i], i, error);
	for (int i = 0; i < SIDES && status == HISTREE_OK; i++)
		status = begin_reader(&readers[i], sides[i], error);
	if (status == HISTREE_OK)
		status = read_durations(comparison, readers, error);
	if (status == HISTREE_OK)
		finish(comparison, readers);
	for (int i = 0; i < SIDES; i++) {
		if (readers[i].iter != NULL)
			comparison->losses[i] = histree_cursor_loss(readers[i].iter);
		histree_cursor_free(readers[i].iter);
	}
	return status;
}

/* Returns the type of the groups; HISTREE_NULL if there are no groups. */
static enum histree_status type_of(const struct histree_segment_side *side, enum histree_type *type,
				   struct histree_error *error)
{
	const struct histree_segment_schema *schema = &histree_segment_store_info(side->store)->schema;
	*type = HISTREE_NULL;
	if (side->field == HISTREE_SEGMENTS_TOGETHER)
		return HISTREE_OK;
	if (side->field >= schema->field_count)
		return error_set(error, HISTREE_ERR_ARGUMENT, "there is no field %zu", side->field);
	*type = schema->fields[side->field].type;
	return HISTREE_OK;
}

enum histree_status histree_segment_comparison_create(const struct histree_segment_side *a,
						      const struct histree_segment_side *b,
						      struct histree_segment_comparison **out,
						      struct histree_error *error)
{
	const struct histree_segment_side *const sides[SIDES] = { a, b };
	enum histree_type types[SIDES];
	*out = NULL;
	for (int i = 0; i < SIDES; i++) {
		enum histree_status status = type_of(sides[i], &types[i], error);
		if (status != HISTREE_OK)
			return status;
	}
	if (types[0] != types[1])
		return error_set(error, HISTREE_ERR_TYPE,
				 "the field by which both are grouped has not the same type in both");
	struct histree_segment_comparison *comparison = calloc(1, sizeof(*comparison));
	if (comparison == NULL)
		return error_memory(error, "the comparison");
	enum histree_status status = compare_sides(comparison, sides, error);
	if (status != HISTREE_OK) {
		histree_segment_comparison_free(comparison);
		return status;
	}
	*out = comparison;
	return HISTREE_OK;
}

const struct histree_segment_difference *
histree_segment_comparison_all(const struct histree_segment_comparison *comparison)
{
	return &comparison->all.facts;
}

const struct histree_segment_difference *
histree_segment_comparison_group(const struct histree_segment_comparison *comparison, size_t index)
{
	return index < comparison->group_count ? &comparison->groups[index].facts : NULL;
}

const char *histree_segment_difference_verdict(const struct histree_segment_difference *difference, bool says_why)
{
	static const char *const words[] = { [HISTREE_DIFFERENCE_NONE] = "noise",
					     [HISTREE_DIFFERENCE_LONGER] = "longer",
					     [HISTREE_DIFFERENCE_SHORTER] = "shorter",
					     [HISTREE_DIFFERENCE_UNSURE] = "too few" };
	const bool is_noise = difference->verdict == HISTREE_DIFFERENCE_NONE;
	if (is_noise && fabs(difference->longer - 0.5) <= difference->noise)
		return noise_of_halves(difference->longer - 0.5, says_why);
	if (is_noise && says_why)
		return "noise: in so many rows, chance does as much";
	if (difference->verdict == HISTREE_DIFFERENCE_UNSURE && says_why)
		return "too few: less than 8 on a side"; /* HISTREE_DIFFERENCE_COUNT_MIN */
	return words[difference->verdict];
}

struct histree_loss histree_segment_comparison_loss(const struct histree_segment_comparison *comparison, int side)
{
	return comparison->losses[side];
}

void histree_segment_comparison_free(struct histree_segment_comparison *comparison)
{
	if (comparison == NULL)
		return;
	value_table_release(&comparison->values);
	free(comparison->groups);
	free(comparison);
}
