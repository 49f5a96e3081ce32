// SPDX-License-Identifier: MIT
#include "histree/segment_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/intern.h"

struct group {
	struct histree_segment_group facts;
	uint64_t seen;  /* in the second pass */
	double squares; /* of the distances from the mean (Welford, 1962) */
	enum histree_percentile next;
};

struct histree_segment_stats {
	struct group all;
	struct group *groups; /* by the id of their value, then sorted */
	size_t group_count, groups_capacity;
	struct intern values; /* type and bytes */
	char *key;
	size_t key_capacity;
};

/* ---- groups -------------------------------------------------------------------------------------- */

/* A value as bytes that are equal only where the values are; NULL when memory is out. */
static const char *key_of(struct histree_segment_stats *stats, const struct histree_value *value, size_t *size)
{
	bool is_text = value->type == HISTREE_STRING;
	*size = 1 + (is_text ? value->size : sizeof(uint64_t));
	if (!array_reserve(&stats->key, &stats->key_capacity, *size))
		return NULL;
	stats->key[0] = (char)value->type;
	uint64_t number = 0;
	if (value->type == HISTREE_INT)
		number = (uint64_t)value->int32;
	else if (value->type == HISTREE_LONG)
		number = (uint64_t)value->int64;
	else if (value->type == HISTREE_BOOL)
		number = value->boolean;
	else if (value->type == HISTREE_DOUBLE)
		memcpy(&number, &value->real, sizeof(number));
	if (is_text)
		memcpy(stats->key + 1, value->bytes, value->size);
	else
		memcpy(stats->key + 1, &number, sizeof(number));
	return stats->key;
}

/* Its group, new or not; NULL when memory is out. */
static struct group *group_of(struct histree_segment_stats *stats, const struct histree_value *value)
{
	size_t size;
	const char *key = key_of(stats, value, &size);
	uint32_t id = key == NULL ? INTERN_NONE : intern_add(&stats->values, key, size);
	if (id == INTERN_NONE || !array_reserve(&stats->groups, &stats->groups_capacity, id + (size_t)1))
		return NULL;
	struct group *group = &stats->groups[id];
	if (id == stats->group_count) {
		*group = (struct group){ .facts.value = *value };
		if (value->type == HISTREE_STRING)
			group->facts.value =
				histree_string_n(intern_get(&stats->values, id, &size) + 1, value->size);
		stats->group_count++;
	}
	return group;
}

/* ---- the two passes ------------------------------------------------------------------------------ */

/* ceil(p * count), in whole numbers. */
static uint64_t rank_of(enum histree_percentile percentile, uint64_t count)
{
	static const uint64_t per_mille[HISTREE_PERCENTILE_COUNT] = { 500, 900, 990, 999 };
	uint64_t p = per_mille[percentile];
	return count / 1000 * p + (count % 1000 * p + 999) / 1000;
}

static void count_one(struct group *group)
{
	group->facts.count++;
}

/* Segments come by duration, those of one duration by start. */
static void take(struct group *group, const struct histree_segment *segment)
{
	struct histree_segment_group *facts = &group->facts;
	uint64_t duration = histree_segment_duration(segment);
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
				const struct histree_segment_query *query, size_t field, bool counts,
				struct histree_error *error)
{
	enum histree_status status = histree_segment_iter_start(iter, query, NULL, error);
	struct histree_segment segment;
	while (status == HISTREE_OK && (status = histree_segment_iter_next(iter, &segment, error)) == HISTREE_OK) {
		struct group *group = &stats->all;
		if (field != HISTREE_SEGMENTS_TOGETHER)
			group = group_of(stats, &segment.content[field]);
		if (group == NULL)
			return error_memory(error, "statistics");
		if (counts)
			count_one(&stats->all);
		else
			take(&stats->all, &segment);
		if (group == &stats->all)
			continue;
		if (counts)
			count_one(group);
		else
			take(group, &segment);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

static void finish(struct group *group)
{
	if (group->seen > 0)
		group->facts.deviation = sqrt(group->squares / (double)group->seen);
}

/* The greatest total first; of equal ones the value that came first. */
static int compare(const void *left, const void *right)
{
	const struct group *a = left, *b = right;
	if (a->facts.total != b->facts.total)
		return a->facts.total < b->facts.total ? 1 : -1;
	return (a->facts.count < b->facts.count) - (a->facts.count > b->facts.count);
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
	enum histree_status status = stats == NULL ? error_memory(error, "statistics")
						   : histree_segment_iter_create(store, &iter, error);
	if (status == HISTREE_OK)
		status = pass(stats, iter, &plain, field, true, error);
	plain.order = HISTREE_SEGMENTS_BY_DURATION;
	if (status == HISTREE_OK)
		status = pass(stats, iter, &plain, field, false, error);
	histree_segment_iter_free(iter);
	if (status != HISTREE_OK) {
		histree_segment_stats_free(stats);
		return status;
	}
	finish(&stats->all);
	for (size_t i = 0; i < stats->group_count; i++)
		finish(&stats->groups[i]);
	if (stats->group_count > 0)
		qsort(stats->groups, stats->group_count, sizeof(*stats->groups), compare);
	*out = stats;
	return HISTREE_OK;
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
	intern_release(&stats->values);
	free(stats->key);
	free(stats->groups);
	free(stats);
}
