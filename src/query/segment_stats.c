// SPDX-License-Identifier: MIT
/*
 * segment_stats.c - statistics of durations or of a field's numbers: a first pass counts and adds up, a second
 * one finds the durations at the ranks of percentiles; from summaries where the store has them.
 */
#include "histree/segment_stats.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "query/duration_ranks.h"
#include "query/segment_summaries.h"
#include "query/value_table.h"

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
	struct segment_losses losses;
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

static enum histree_status pass(struct histree_segment_stats *stats, struct histree_segment_iter *iter,
				const struct histree_segment_query *query, size_t field,
				void (*take)(struct group *group, const struct histree_segment *segment,
					     uint64_t number),
				struct histree_error *error)
{
	enum histree_status status = histree_segment_iter_start(iter, query, NULL, error);
	struct histree_segment segment;
	uint64_t number;
	/* What the second pass misses, the first may have found. */
	stats->losses = (struct segment_losses){ 0 };
	while (status == HISTREE_OK &&
	       (status = segment_losses_next(&stats->losses, iter, &segment, error)) == HISTREE_OK) {
		if (!number_of(stats, &segment, &number))
			continue;
		take(&stats->all, &segment, number);
		if (field == HISTREE_SEGMENTS_TOGETHER)
			continue;
		struct group *group = NULL;
		const struct histree_value value = segment_group_value(query, &segment, field);
		status = find_group(stats, &value, &group, error);
		if (status == HISTREE_OK)
			take(group, &segment, number);
	}
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
static int compare(const void *left, const void *right)
{
	const struct group *a = left, *b = right;
	if (a->facts.total != b->facts.total)
		return a->facts.total < b->facts.total ? 1 : -1;
	return (a->facts.count < b->facts.count) - (a->facts.count > b->facts.count);
}

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
	struct histree_segment_iter *iter;
	struct histree_segment_query plain = *query;
	plain.order = HISTREE_SEGMENTS_UNSORTED;
	plain.descending = false;
	plain.limit = 0;
	enum histree_status status = histree_segment_iter_create(store, &iter, error);
	if (status != HISTREE_OK)
		return status;
	status = pass(stats, iter, &plain, stats->field, take_count, error);
	plain.order = stats->of == OF_DURATION ? HISTREE_SEGMENTS_BY_DURATION : HISTREE_SEGMENTS_BY_FIELD;
	plain.field = stats->of == OF_DURATION ? 0 : stats->of;
	if (status == HISTREE_OK)
		status = pass(stats, iter, &plain, stats->field, take_number, error);
	histree_segment_iter_free(iter);
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
	return segment_losses_status(&stats->losses);
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

const struct histree_segment_loss *histree_segment_stats_loss(const struct histree_segment_stats *stats)
{
	return stats->losses.any ? &stats->losses.all : NULL;
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
