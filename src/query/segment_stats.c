// SPDX-License-Identifier: MIT
/*
 * segment_stats.c - statistics of durations or of a field's numbers, from summaries where the store has them.
 *
 * A first pass counts and adds up.  A second one finds the durations at the ranks of percentiles without sorting:
 * counts by bucket tell in which bucket a rank lies, and only the segments of such buckets are read again.
 */
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/segment_stats.h"
#include "query/segment_summaries.h"
#include "query/value_table.h"

/* The group of all segments; that of value i is i + 1. */
enum { RANKS_OF_ALL = 0 };

/* What a group has in a bucket. */
struct rank_bucket {
	uint32_t group, bucket;
	uint64_t count, min, max;
};

struct rank_target {
	uint32_t group;
	uint64_t min, max; /* durations between which it is */
	uint64_t rank;     /* among those */
	uint64_t *out;
};

/* A zeroed one is empty. */
struct duration_ranks {
	struct rank_bucket *buckets; /* in the order in which they came; then sorted by group and bucket */
	size_t count, capacity;
	struct hash_index index;     /* of buckets, until they are sorted */
	struct rank_target *targets; /* still to be found */
	size_t target_count, targets_capacity;
};

/* ---- duration ranks ------------------------------------------------------------------------------------------ */

/* ---- counted by bucket ---------------------------------------------------------------------------------- */

static uint64_t hash_of(const struct rank_bucket *bucket)
{
	return hash_mix((uint64_t)bucket->group << 32 | bucket->bucket);
}

static uint64_t hash_at(const void *buckets, uint32_t number)
{
	return hash_of((const struct rank_bucket *)buckets + number);
}

static bool is_same(const void *buckets, uint32_t number, const void *key)
{
	const struct rank_bucket *one = (const struct rank_bucket *)buckets + number, *other = key;
	return one->group == other->group && one->bucket == other->bucket;
}

static bool add_bucket(struct duration_ranks *ranks, const struct rank_bucket *bucket)
{
	uint32_t known = hash_index_find(&ranks->index, hash_of(bucket), is_same, ranks->buckets, bucket);
	if (known == HASH_INDEX_NONE) {
		if (!array_reserve(&ranks->buckets, &ranks->capacity, ranks->count + 1) ||
		    !hash_index_reserve(&ranks->index, ranks->count + 1, hash_at, ranks->buckets))
			return false;
		assert(ranks->index.count == ranks->count);
		hash_index_add(&ranks->index, hash_of(bucket), (uint32_t)ranks->count);
		ranks->buckets[ranks->count++] = *bucket;
		return true;
	}
	struct rank_bucket *into = &ranks->buckets[known];
	into->count += bucket->count;
	into->min = bucket->min < into->min ? bucket->min : into->min;
	into->max = bucket->max > into->max ? bucket->max : into->max;
	return true;
}

/*
 * Count what one group has in a bucket: that of all, or any of the others.  Buckets ascend with durations. Returns
 * false if memory runs out.
 */
static bool duration_ranks_add(struct duration_ranks *ranks, uint32_t group, uint32_t bucket,
			       const struct segment_summary *summary)
{
	assert(summary->count > 0 && summary->shortest <= summary->longest);
	const struct rank_bucket counted = {
		.group = group,
		.bucket = bucket,
		.count = summary->count,
		.min = summary->shortest,
		.max = summary->longest,
	};
	return add_bucket(ranks, &counted);
}

COMPARE(compare_buckets, struct rank_bucket, BY(group) BY(bucket))

/* After all additions: sum up what all have, if they were told apart.  Returns false if memory runs out. */
static bool duration_ranks_sort(struct duration_ranks *ranks)
{
	size_t of_groups = ranks->count;
	for (size_t i = 0; i < of_groups; i++) {
		struct rank_bucket bucket = ranks->buckets[i];
		if (bucket.group == RANKS_OF_ALL)
			break; /* there are no others */
		bucket.group = RANKS_OF_ALL;
		if (!add_bucket(ranks, &bucket))
			return false;
	}
	if (ranks->count > 0)
		qsort(ranks->buckets, ranks->count, sizeof(*ranks->buckets), compare_buckets);
	return true;
}

/* ---- asked for ------------------------------------------------------------------------------------------ */

static bool add_target(struct duration_ranks *ranks, const struct rank_target *target)
{
	assert(target->min <= target->max && target->out != NULL);
	if (target->min == target->max) {
		*target->out = target->min;
		return true;
	}
	if (!array_reserve(&ranks->targets, &ranks->targets_capacity, ranks->target_count + 1))
		return false;
	ranks->targets[ranks->target_count++] = *target;
	return true;
}

/*
 * Then ask for the duration of a rank, counted from 1, which the group has.  `*out` is set at once or by
 * duration_ranks_find().  Returns false if memory runs out.
 */
static bool duration_ranks_ask(struct duration_ranks *ranks, uint32_t group, uint64_t rank, uint64_t *out)
{
	assert(rank > 0);
	size_t i = SEARCH(at, 0, ranks->count, ranks->buckets[at].group < group);
	for (; i < ranks->count && ranks->buckets[i].group == group; i++) {
		const struct rank_bucket *bucket = &ranks->buckets[i];
		const struct rank_target target = { group, bucket->min, bucket->max, rank, out };
		if (rank <= bucket->count)
			return add_target(ranks, &target);
		rank -= bucket->count;
	}
	return true;
}

/* ---- found ---------------------------------------------------------------------------------------------- */

/* The durations of a group in which there are targets, in parts of 2^shift. */
struct part_range {
	uint32_t group;
	uint64_t min, max;
	unsigned shift;
	size_t first_part;
};

struct interval {
	uint64_t min, max;
};

/* One pass over the segments. */
struct rank_pass {
	struct value_table *values;
	struct part_range *ranges; /* by group, then by duration */
	size_t range_count;
	uint64_t *parts; /* counts */
	size_t part_count;
	struct interval *intervals; /* of durations that any range has, ascending and apart */
	size_t interval_count;
};

COMPARE(compare_targets, struct rank_target, BY(group) BY(min) BY(rank))

COMPARE(compare_intervals, struct interval, BY(min))

static bool may_be_sought(void *context, const struct segment_bounds *bounds)
{
	const struct rank_pass *pass = context;
	const size_t at = SEARCH(i, 0, pass->interval_count, pass->intervals[i].max < bounds->duration_min);
	return at < pass->interval_count && pass->intervals[at].min <= bounds->duration_max;
}

static const struct part_range *find_range(const struct rank_pass *pass, uint32_t group, uint64_t duration)
{
	const struct part_range *ranges = pass->ranges;
	const size_t at = SEARCH(i, 0, pass->range_count,
				 ranges[i].group < group || (ranges[i].group == group && ranges[i].max < duration));
	const struct part_range *range = &ranges[at];
	return at < pass->range_count && range->group == group && range->min <= duration ? range : NULL;
}

static void count(const struct rank_pass *pass, uint32_t group, uint64_t duration)
{
	const struct part_range *range = find_range(pass, group, duration);
	assert(range == NULL || range->first_part + ((duration - range->min) >> range->shift) < pass->part_count);
	if (range != NULL)
		pass->parts[range->first_part + ((duration - range->min) >> range->shift)]++;
}

static enum histree_status ranks_take(void *context, const struct segment_summary *segment,
				      struct histree_error *error)
{
	const struct rank_pass *pass = context;
	uint32_t value;
	(void)error;
	count(pass, RANKS_OF_ALL, segment->longest);
	if (value_table_find(pass->values, &segment->value, &value))
		count(pass, value + 1, segment->longest);
	return HISTREE_OK;
}

/* So many parts of all ranges together that they are 8 MB, two of each at least. */
static unsigned parts_log2(size_t ranges)
{
	enum { PARTS_LOG2 = 20, PARTS_LOG2_MAX = 12 };
	unsigned log2 = PARTS_LOG2_MAX;
	while (log2 > 1 && ranges > (size_t)1 << (PARTS_LOG2 - log2))
		log2--;
	return log2;
}

static bool prepare(struct rank_pass *pass, const struct duration_ranks *ranks)
{
	pass->ranges = calloc(ranks->target_count, sizeof(*pass->ranges));
	pass->intervals = calloc(ranks->target_count, sizeof(*pass->intervals));
	if (pass->ranges == NULL || pass->intervals == NULL)
		return false;
	for (size_t i = 0; i < ranks->target_count; i++) {
		const struct rank_target *target = &ranks->targets[i];
		if (i == 0 || target->group != target[-1].group || target->min != target[-1].min)
			pass->ranges[pass->range_count++] =
				(struct part_range){ target->group, target->min, target->max, 0, 0 };
	}
	unsigned log2 = parts_log2(pass->range_count);
	pass->part_count = 0;
	for (size_t i = 0; i < pass->range_count; i++) {
		struct part_range *range = &pass->ranges[i];
		while ((range->max - range->min) >> range->shift >> log2 != 0)
			range->shift++;
		range->first_part = pass->part_count;
		pass->part_count += (size_t)((range->max - range->min) >> range->shift) + 1;
		pass->intervals[i] = (struct interval){ range->min, range->max };
	}
	struct interval *intervals = pass->intervals;
	size_t last = 0;
	assert(pass->range_count > 0);
	qsort(intervals, pass->range_count, sizeof(*intervals), compare_intervals);
	for (size_t i = 1; i < pass->range_count; i++) {
		if (intervals[i].min > intervals[last].max)
			intervals[++last] = intervals[i];
		else if (intervals[i].max > intervals[last].max)
			intervals[last].max = intervals[i].max;
	}
	pass->interval_count = last + 1;
	pass->parts = calloc(pass->part_count, sizeof(*pass->parts));
	return pass->parts != NULL;
}

/* Returns false if there are not as many. */
static bool go_down(const struct rank_pass *pass, struct rank_target *target)
{
	const struct part_range *range = find_range(pass, target->group, target->min);
	uint64_t part = 0, parts = ((range->max - range->min) >> range->shift) + 1;
	for (; part < parts && pass->parts[range->first_part + part] < target->rank; part++)
		target->rank -= pass->parts[range->first_part + part];
	if (part == parts)
		return false;
	uint64_t last_of_part = (UINT64_C(1) << range->shift) - 1;
	target->min = range->min + (part << range->shift);
	if (last_of_part < target->max - target->min)
		target->max = target->min + last_of_part;
	return true;
}

static enum histree_status narrow(struct duration_ranks *ranks, const struct rank_pass *pass)
{
	size_t asked = ranks->target_count;
	ranks->target_count = 0;
	for (size_t i = 0; i < asked; i++) {
		struct rank_target target = ranks->targets[i];
		if (!go_down(pass, &target))
			return HISTREE_PARTIAL;
		add_target(ranks, &target); /* never more than there were */
	}
	return HISTREE_OK;
}

/*
 * Set all that was asked for.  `values` has those of the request's field.  Returns HISTREE_PARTIAL if the store has
 * not the segments that were counted.
 */
static enum histree_status duration_ranks_find(struct duration_ranks *ranks, struct histree_segment_store *store,
					       const struct histree_segment_query *query, size_t field,
					       struct value_table *values, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	while (ranks->target_count > 0 && status == HISTREE_OK) {
		struct rank_pass pass = { .values = values };
		const struct summaries_request request = {
			.query = query, .field = field, .context = &pass, .take = ranks_take
		};
		qsort(ranks->targets, ranks->target_count, sizeof(*ranks->targets), compare_targets);
		if (!prepare(&pass, ranks))
			status = error_memory(error, "statistics");
		if (status == HISTREE_OK)
			status = segment_summaries_read_chosen(
				store, &request,
				(struct segment_choice){ .may_have = may_be_sought, .context = &pass }, error);
		if (status == HISTREE_OK)
			status = narrow(ranks, &pass);
		free(pass.ranges);
		free(pass.intervals);
		free(pass.parts);
	}
	return status;
}

static void duration_ranks_release(struct duration_ranks *ranks)
{
	free(ranks->buckets);
	hash_index_release(&ranks->index);
	free(ranks->targets);
	*ranks = (struct duration_ranks){ 0 };
}

/* ---- segment stats ------------------------------------------------------------------------------------------- */

struct group {
	struct histree_segment_group facts;
	uint64_t seen;  /* in the second pass */
	double squares; /* of the distances from the mean (Welford, 1962) */
	enum histree_percentile next;
};

#define OF_DURATION SIZE_MAX
struct histree_segment_stats {
	struct group all;
	struct value_table values;
	struct group *groups; /* by the index of their value, then sorted */
	size_t group_count, groups_capacity;
	struct histree_loss loss;
	size_t field;
	size_t of; /* the field that the numbers are of; OF_DURATION */
	/* Of summaries. */
	bool has_parts;              /* they are of parts */
	struct duration_parts parts; /* and the buckets of these */
	struct duration_ranks ranks;
};

/* ---- groups -------------------------------------------------------------------------------------- */

/* Its group, new or not; that of null is there from the first on, and may stay empty. */
static enum histree_status find_group(struct histree_segment_stats *stats, const struct histree_value *value,
				      struct group **out, struct histree_error *error)
{
	uint32_t index;
	enum histree_status status = value_table_add(&stats->values, value, &index, error);
	if (status != HISTREE_OK)
		return status;
	if (!array_reserve(&stats->groups, &stats->groups_capacity, stats->values.count))
		return error_memory(error, "statistics");
	for (; stats->group_count < stats->values.count; stats->group_count++)
		stats->groups[stats->group_count] =
			(struct group){ .facts.value = stats->values.values[stats->group_count] };
	*out = &stats->groups[index];
	return HISTREE_OK;
}

/* ---- the two passes ------------------------------------------------------------------------------ */

/* ceil(p * count), in whole numbers. */
static uint64_t rank_of(enum histree_percentile percentile, uint64_t count)
{
	static const uint64_t per_mille[HISTREE_PERCENTILE_COUNT] = { 500, 900, 990, 999 };
	uint64_t p = per_mille[percentile];
	return count / 1000 * p + (count % 1000 * p + 999) / 1000;
}

/* Returns whether a segment has a number, and the number. */
static bool number_of(const struct histree_segment_stats *stats, const struct histree_segment *segment,
		      uint64_t *out)
{
	if (stats->of == OF_DURATION) {
		*out = histree_segment_duration(segment);
		return true;
	}
	const struct histree_value *value = &segment->content[stats->of];
	int64_t number = value->type == HISTREE_LONG  ? value->int64
			 : value->type == HISTREE_INT ? value->int32
						      : -1;
	*out = (uint64_t)number;
	return number >= 0;
}

static void take_count(struct group *group, const struct histree_segment *segment, uint64_t number)
{
	(void)segment, (void)number;
	group->facts.count++;
}

/* Segments come by their numbers, those of one duration by start. */
static void take_number(struct group *group, const struct histree_segment *segment, uint64_t duration)
{
	struct histree_segment_group *facts = &group->facts;
	bool is_first = group->seen++ == 0;
	if (is_first) {
		facts->min = duration;
		facts->min_start = segment->start;
		facts->min_end = segment->end;
	}
	if (is_first || duration > facts->max) {
		facts->max = duration;
		facts->max_start = segment->start;
		facts->max_end = segment->end;
	}
	if (__builtin_add_overflow(facts->total, duration, &facts->total))
		facts->total = UINT64_MAX;
	double distance = (double)duration - facts->mean;
	facts->mean += distance / (double)group->seen;
	group->squares += distance * ((double)duration - facts->mean);
	while (group->next < HISTREE_PERCENTILE_COUNT && group->seen >= rank_of(group->next, facts->count))
		facts->percentiles[group->next++] = duration;
}

static enum histree_status
pass(struct histree_segment_stats *stats, struct histree_cursor *iter, const struct histree_segment_query *query,
     size_t field, void (*add_to)(struct group *group, const struct histree_segment *segment, uint64_t number),
     struct histree_error *error)
{
	enum histree_status status = histree_segments_start(iter, query, NULL, error);
	uint64_t number;
	while (status == HISTREE_OK && (status = histree_cursor_next(iter, error)) == HISTREE_OK) {
		const struct histree_segment segment = *histree_cursor_segment(iter);
		if (!number_of(stats, &segment, &number))
			continue;
		add_to(&stats->all, &segment, number);
		if (field == HISTREE_SEGMENTS_TOGETHER)
			continue;
		struct group *group = NULL;
		const struct histree_value value = segment_group_value(query, &segment, field);
		status = find_group(stats, &value, &group, error);
		if (status == HISTREE_OK)
			add_to(group, &segment, number);
	}
	stats->loss = histree_cursor_loss(iter); /* what the second pass misses, the first may have found */
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---- summaries ----------------------------------------------------------------------------------- */

static void merge(struct group *group, const struct segment_summary *summary)
{
	struct histree_segment_group *facts = &group->facts;
	double mean = segment_summary_mean(summary), count = (double)summary->count;
	uint64_t first = (uint64_t)summary->shortest_start, longest_first = (uint64_t)summary->longest_start;
	if (facts->count == 0 || summary->shortest < facts->min ||
	    (summary->shortest == facts->min && summary->shortest_start < facts->min_start)) {
		facts->min = summary->shortest;
		facts->min_start = summary->shortest_start;
		facts->min_end = (histree_time)(first + summary->shortest);
	}
	if (facts->count == 0 || summary->longest > facts->max ||
	    (summary->longest == facts->max && summary->longest_start < facts->max_start)) {
		facts->max = summary->longest;
		facts->max_start = summary->longest_start;
		facts->max_end = (histree_time)(longest_first + summary->longest);
	}
	if (__builtin_add_overflow(facts->total, summary->total, &facts->total))
		facts->total = UINT64_MAX;
	group->squares = segment_summary_squares(group->squares, (double)facts->count, facts->mean,
						 summary->squares, count, mean);
	facts->count += summary->count;
	facts->mean += (mean - facts->mean) * (count / (double)facts->count);
}

static enum histree_status take_summary(void *context, const struct segment_summary *summary,
					struct histree_error *error)
{
	struct histree_segment_stats *stats = context;
	struct group *group = NULL;
	uint32_t number = RANKS_OF_ALL;
	merge(&stats->all, summary);
	if (stats->field != HISTREE_SEGMENTS_TOGETHER) {
		enum histree_status status = find_group(stats, &summary->value, &group, error);
		if (status != HISTREE_OK)
			return status;
		merge(group, summary);
		number = (uint32_t)(group - stats->groups) + 1;
	}
	uint32_t bucket = stats->has_parts ? duration_part_of(&stats->parts, summary->longest)
					   : (uint32_t)duration_bucket_of(&stats->parts.buckets, summary->longest);
	return duration_ranks_add(&stats->ranks, number, bucket, summary) ? HISTREE_OK
									  : error_memory(error, "statistics");
}

/* What the passes over single segments find out by the way. */
static bool ask_ranks(struct histree_segment_stats *stats, struct group *group, uint32_t number)
{
	struct histree_segment_group *facts = &group->facts;
	group->seen = facts->count;
	if (facts->total < UINT64_MAX && facts->count > 0)
		facts->mean = (double)facts->total / (double)facts->count;
	for (int i = 0; i < HISTREE_PERCENTILE_COUNT && facts->count > 0; i++)
		if (!duration_ranks_ask(&stats->ranks, number, rank_of((enum histree_percentile)i, facts->count),
					&facts->percentiles[i]))
			return false;
	return true;
}

/* HISTREE_PARTIAL: something is damaged. */
static enum histree_status summarize(struct histree_segment_stats *stats, struct histree_segment_store *store,
				     const struct histree_segment_query *query, struct histree_error *error)
{
	const struct summaries_request request = { .query = query,
						   .field = stats->field,
						   .width_log2_max = UINT_MAX,
						   .context = stats,
						   .take = take_summary };
	stats->has_parts = segment_summaries_can_parts(store, query, stats->field, &stats->parts);
	if (!stats->has_parts)
		duration_buckets_init(&stats->parts.buckets, SUMMARY_BUCKETS_PER_DECADE);
	enum histree_status status = stats->has_parts ? segment_summaries_read_parts(store, &request, error)
						      : segment_summaries_read(store, &request, error);
	bool asked = status == HISTREE_OK && duration_ranks_sort(&stats->ranks) &&
		     ask_ranks(stats, &stats->all, RANKS_OF_ALL);
	for (size_t i = 0; asked && i < stats->group_count; i++)
		asked = ask_ranks(stats, &stats->groups[i], (uint32_t)i + 1);
	if (status == HISTREE_OK && !asked)
		return error_memory(error, "statistics");
	return status == HISTREE_OK
		       ? duration_ranks_find(&stats->ranks, store, query, stats->field, &stats->values, error)
		       : status;
}

/* ---- what comes of it ---------------------------------------------------------------------------- */

static void finish_group(struct group *group)
{
	if (group->seen > 0)
		group->facts.deviation = sqrt(group->squares / (double)group->seen);
}

/* The greatest total first, of equal ones the greatest count: a group without segments comes last. */
COMPARE(compare, struct group, BY_MOST(facts.total) BY_MOST(facts.count))

static void finish(struct histree_segment_stats *stats)
{
	finish_group(&stats->all);
	for (size_t i = 0; i < stats->group_count; i++)
		finish_group(&stats->groups[i]);
	if (stats->group_count == 0)
		return;
	qsort(stats->groups, stats->group_count, sizeof(*stats->groups), compare);
	if (stats->groups[stats->group_count - 1].facts.count == 0)
		stats->group_count--;
}

/* Forget what was taken. */
static enum histree_status reset(struct histree_segment_stats *stats, size_t field, size_t of,
				 struct histree_error *error)
{
	value_table_release(&stats->values);
	duration_ranks_release(&stats->ranks);
	free(stats->groups);
	*stats = (struct histree_segment_stats){ .field = field, .of = of };
	return value_table_reset(&stats->values, error);
}

static enum histree_status read_segments(struct histree_segment_stats *stats, struct histree_segment_store *store,
					 const struct histree_segment_query *query, struct histree_error *error)
{
	struct histree_cursor *iter;
	struct histree_segment_query plain = *query;
	plain.order = HISTREE_SEGMENTS_UNSORTED;
	plain.descending = false;
	plain.limit = 0;
	enum histree_status status = histree_segments_create(store, &iter, error);
	if (status != HISTREE_OK)
		return status;
	status = pass(stats, iter, &plain, stats->field, take_count, error);
	plain.order = stats->of == OF_DURATION ? HISTREE_SEGMENTS_BY_DURATION : HISTREE_SEGMENTS_BY_FIELD;
	plain.field = stats->of == OF_DURATION ? 0 : stats->of;
	if (status == HISTREE_OK)
		status = pass(stats, iter, &plain, stats->field, take_number, error);
	histree_cursor_free(iter);
	return status;
}

static enum histree_status create(struct histree_segment_store *store, const struct histree_segment_query *query,
				  size_t field, size_t of, struct histree_segment_stats **out,
				  struct histree_error *error)
{
	*out = NULL;
	if (field != HISTREE_SEGMENTS_TOGETHER && field >= histree_segment_store_info(store)->schema.field_count)
		return error_set(error, HISTREE_ERR_ARGUMENT, "there is no field %zu", field);
	struct histree_segment_stats *stats = calloc(1, sizeof(*stats));
	enum histree_status status =
		stats == NULL ? error_memory(error, "statistics") : reset(stats, field, of, error);
	bool is_summarized = false;
	if (status == HISTREE_OK && of == OF_DURATION && segment_summaries_can(store, query, field)) {
		status = summarize(stats, store, query, error);
		is_summarized = status == HISTREE_OK;
		if (status == HISTREE_PARTIAL)
			status = reset(stats, field, of, error);
	}
	if (status == HISTREE_OK && !is_summarized)
		status = read_segments(stats, store, query, error);
	if (status != HISTREE_OK) {
		histree_segment_stats_free(stats);
		return status;
	}
	finish(stats);
	*out = stats;
	return HISTREE_OK;
}

enum histree_status histree_segment_stats_create(struct histree_segment_store *store,
						 const struct histree_segment_query *query, size_t field,
						 struct histree_segment_stats **out, struct histree_error *error)
{
	return create(store, query, field, OF_DURATION, out, error);
}

enum histree_status histree_segment_stats_create_of(struct histree_segment_store *store,
						    const struct histree_segment_query *query, size_t field,
						    size_t of, struct histree_segment_stats **out,
						    struct histree_error *error)
{
	const struct histree_segment_schema *schema = &histree_segment_store_info(store)->schema;
	*out = NULL;
	if (of >= schema->field_count)
		return error_set(error, HISTREE_ERR_ARGUMENT, "there is no field %zu", of);
	if (schema->fields[of].type != HISTREE_INT && schema->fields[of].type != HISTREE_LONG)
		return error_set(error, HISTREE_ERR_ARGUMENT, "the field '%s' has no whole numbers",
				 schema->fields[of].name);
	return create(store, query, field, of, out, error);
}

struct histree_loss histree_segment_stats_loss(const struct histree_segment_stats *stats)
{
	return stats->loss;
}

const struct histree_segment_group *histree_segment_stats_all(const struct histree_segment_stats *stats)
{
	return &stats->all.facts;
}

const struct histree_segment_group *histree_segment_stats_group(const struct histree_segment_stats *stats,
								size_t index)
{
	return index < stats->group_count ? &stats->groups[index].facts : NULL;
}

void histree_segment_stats_free(struct histree_segment_stats *stats)
{
	if (stats == NULL)
		return;
	value_table_release(&stats->values);
	duration_ranks_release(&stats->ranks);
	free(stats->groups);
	free(stats);
}
