// SPDX-License-Identifier: MIT
#include "histree/segment_stats.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "query/segment_losses.h"
#include "query/value_table.h"

struct group {
	struct histree_segment_group facts;
	uint64_t seen;  /* in the second pass */
	double squares; /* of the distances from the mean (Welford, 1962) */
	enum histree_percentile next;
};

struct histree_segment_stats {
	struct group all;
	struct value_table values;
	struct group *groups; /* by the index of their value, then sorted */
	size_t group_count, groups_capacity;
	struct segment_losses losses;
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

static void take_count(struct group *group, const struct histree_segment *segment)
{
	(void)segment;
	group->facts.count++;
}

/* Segments come by duration, those of one duration by start. */
static void take_duration(struct group *group, const struct histree_segment *segment)
{
	uint64_t duration = histree_segment_duration(segment);
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
				void (*take)(struct group *group, const struct histree_segment *segment),
				struct histree_error *error)
{
	enum histree_status status = histree_segment_iter_start(iter, query, NULL, error);
	struct histree_segment segment;
	/* What the second pass misses, the first may have found. */
	stats->losses = (struct segment_losses){ 0 };
	while (status == HISTREE_OK &&
	       (status = segment_losses_next(&stats->losses, iter, &segment, error)) == HISTREE_OK) {
		take(&stats->all, &segment);
		if (field == HISTREE_SEGMENTS_TOGETHER)
			continue;
		struct group *group = NULL;
		status = find_group(stats, &segment.content[field], &group, error);
		if (status == HISTREE_OK)
			take(group, &segment);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

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

enum histree_status histree_segment_stats_create(struct histree_segment_store *store,
						 const struct histree_segment_query *query, size_t field,
						 struct histree_segment_stats **out, struct histree_error *error)
{
	*out = NULL;
	if (field != HISTREE_SEGMENTS_TOGETHER && field >= histree_segment_store_info(store)->schema.field_count)
		return error_set(error, HISTREE_ERR_ARGUMENT, "there is no field %zu", field);
	struct histree_segment_iter *iter = NULL;
	struct histree_segment_query plain = *query;
	plain.order = HISTREE_SEGMENTS_UNSORTED;
	plain.descending = false;
	plain.limit = 0;
	struct histree_segment_stats *stats = calloc(1, sizeof(*stats));
	enum histree_status status =
		stats == NULL ? error_memory(error, "statistics") : value_table_reset(&stats->values, error);
	if (status == HISTREE_OK)
		status = histree_segment_iter_create(store, &iter, error);
	if (status == HISTREE_OK)
		status = pass(stats, iter, &plain, field, take_count, error);
	plain.order = HISTREE_SEGMENTS_BY_DURATION;
	if (status == HISTREE_OK)
		status = pass(stats, iter, &plain, field, take_duration, error);
	histree_segment_iter_free(iter);
	if (status != HISTREE_OK) {
		histree_segment_stats_free(stats);
		return status;
	}
	finish(stats);
	*out = stats;
	return segment_losses_status(&stats->losses);
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
	free(stats->groups);
	free(stats);
}
