// SPDX-License-Identifier: MIT
/*
 * duration_ranks.c - finds the durations at given ranks of groups without sorting: counts by bucket tell in which
 * bucket a rank lies, and only the segments of such buckets are read again.
 */
#include "query/duration_ranks.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/search.h"

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

bool duration_ranks_add(struct duration_ranks *ranks, uint32_t group, uint32_t bucket,
			const struct segment_summary *summary)
{
	const struct rank_bucket counted = {
		.group = group,
		.bucket = bucket,
		.count = summary->count,
		.min = summary->shortest,
		.max = summary->longest,
	};
	return add_bucket(ranks, &counted);
}

static int compare_buckets(const void *left, const void *right)
{
	const struct rank_bucket *a = left, *b = right;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return (a->bucket > b->bucket) - (a->bucket < b->bucket);
}

bool duration_ranks_sort(struct duration_ranks *ranks)
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

struct sought {
	const struct duration_ranks *ranks;
	uint32_t group;
};

static bool is_before(const void *context, size_t index)
{
	const struct sought *sought = context;
	return sought->ranks->buckets[index].group < sought->group;
}

static bool add_target(struct duration_ranks *ranks, const struct rank_target *target)
{
	if (target->min == target->max) {
		*target->out = target->min;
		return true;
	}
	if (!array_reserve(&ranks->targets, &ranks->targets_capacity, ranks->target_count + 1))
		return false;
	ranks->targets[ranks->target_count++] = *target;
	return true;
}

bool duration_ranks_ask(struct duration_ranks *ranks, uint32_t group, uint64_t rank, uint64_t *out)
{
	const struct sought sought = { ranks, group };
	size_t i = search_first(0, ranks->count, ranks->count / 2, is_before, &sought);
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

static int compare_targets(const void *left, const void *right)
{
	const struct rank_target *a = left, *b = right;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->min != b->min)
		return a->min < b->min ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

static int compare_intervals(const void *left, const void *right)
{
	const struct interval *a = left, *b = right;
	return (a->min > b->min) - (a->min < b->min);
}

static bool interval_ends_before(const void *context, size_t index)
{
	const void *const *both = context;
	const struct interval *intervals = both[0];
	const uint64_t *duration = both[1];
	return intervals[index].max < *duration;
}

static bool may_be_sought(void *context, const struct segment_bounds *bounds)
{
	const struct rank_pass *pass = context;
	const void *both[] = { pass->intervals, &bounds->duration_min };
	size_t at = search_first(0, pass->interval_count, pass->interval_count / 2, interval_ends_before, both);
	return at < pass->interval_count && pass->intervals[at].min <= bounds->duration_max;
}

struct sought_range {
	const struct part_range *ranges;
	uint32_t group;
	uint64_t duration;
};

static bool range_ends_before(const void *context, size_t index)
{
	const struct sought_range *sought = context;
	const struct part_range *range = &sought->ranges[index];
	return range->group < sought->group || (range->group == sought->group && range->max < sought->duration);
}

static const struct part_range *find_range(const struct rank_pass *pass, uint32_t group, uint64_t duration)
{
	const struct sought_range sought = { pass->ranges, group, duration };
	size_t at = search_first(0, pass->range_count, pass->range_count / 2, range_ends_before, &sought);
	const struct part_range *range = &pass->ranges[at];
	return at < pass->range_count && range->group == group && range->min <= duration ? range : NULL;
}

static void count(const struct rank_pass *pass, uint32_t group, uint64_t duration)
{
	const struct part_range *range = find_range(pass, group, duration);
	if (range != NULL)
		pass->parts[range->first_part + ((duration - range->min) >> range->shift)]++;
}

static enum histree_status take(void *context, const struct segment_summary *segment, struct histree_error *error)
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

static void cut_ranges(struct rank_pass *pass)
{
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
}

static void join_intervals(struct rank_pass *pass)
{
	struct interval *intervals = pass->intervals;
	size_t last = 0;
	qsort(intervals, pass->range_count, sizeof(*intervals), compare_intervals);
	for (size_t i = 1; i < pass->range_count; i++) {
		if (intervals[i].min > intervals[last].max)
			intervals[++last] = intervals[i];
		else if (intervals[i].max > intervals[last].max)
			intervals[last].max = intervals[i].max;
	}
	pass->interval_count = last + 1;
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
	cut_ranges(pass);
	join_intervals(pass);
	pass->parts = calloc(pass->part_count, sizeof(*pass->parts));
	return pass->parts != NULL;
}

static void release(struct rank_pass *pass)
{
	free(pass->ranges);
	free(pass->intervals);
	free(pass->parts);
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

enum histree_status duration_ranks_find(struct duration_ranks *ranks, struct histree_segment_store *store,
					const struct histree_segment_query *query, size_t field,
					struct value_table *values, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	while (ranks->target_count > 0 && status == HISTREE_OK) {
		struct rank_pass pass = { .values = values };
		const struct summaries_request request = {
			.query = query, .field = field, .context = &pass, .take = take
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
		release(&pass);
	}
	return status;
}

void duration_ranks_release(struct duration_ranks *ranks)
{
	free(ranks->buckets);
	hash_index_release(&ranks->index);
	free(ranks->targets);
	*ranks = (struct duration_ranks){ 0 };
}
