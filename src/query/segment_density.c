// SPDX-License-Identifier: MIT
/*
 * segment_density.c - counts segments by bucket of duration, column of time and value; from summaries where the
 * store has such as tell the same.
 */
#include "histree/segment_stats.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/error.h"
#include "query/row_group.h"
#include "query/segment_summaries.h"
#include "query/range_sums.h"
#include "segment/segment_summary.h"

enum { GROUP_MAX_DEFAULT = 1000, CELLS_MAX = 128 * 1024 * 1024 / sizeof(uint64_t) };

#define NO_GROUP UINT32_MAX

/* `first_cell`: of its columns, one after the other, each with a count for every bucket. */
struct group {
	struct histree_density_group facts;
	size_t first_cell;
};

struct histree_segment_density {
	struct duration_buckets scale;
	size_t first, used; /* the buckets from the least to the greatest that holds a segment */
	struct histree_duration_bucket *buckets; /* those */
	struct pixel_scale columns;
	uint32_t column_count;
	size_t field, group_max;
	struct value_table values;
	uint32_t *group_of; /* by the index of a value */
	size_t values_capacity;
	struct group *groups;
	size_t group_count, groups_capacity;
	uint64_t *cells;
	size_t cells_capacity;
	struct histree_loss loss;
};

/* ---- options ------------------------------------------------------------------------------------- */

static enum histree_status check(const struct histree_density_options *options, size_t field_count,
				 struct histree_error *error)
{
	if (options->field != HISTREE_SEGMENTS_TOGETHER && options->field >= field_count)
		return error_set(error, HISTREE_ERR_ARGUMENT, "there is no field %zu", options->field);
	if (options->column_count > HISTREE_PIXELS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "%u columns of time; at most %d are possible",
				 options->column_count, HISTREE_PIXELS_MAX);
	if (options->column_count > 0 && options->from > options->to)
		return error_set(error, HISTREE_ERR_ARGUMENT, "the time of the columns ends before it begins");
	return HISTREE_OK;
}

static enum histree_status prepare(struct histree_segment_density *density,
				   const struct histree_density_options *options, struct histree_error *error)
{
	unsigned per_decade = options->per_decade != 0 ? options->per_decade : 3;
	if (!duration_buckets_init(&density->scale, per_decade))
		return error_set(error, HISTREE_ERR_ARGUMENT, "%u buckets a decade; there are 1, 3, 5, 10 and 20",
				 per_decade);
	density->column_count = options->column_count > 0 ? options->column_count : 1;
	density->columns = pixel_scale(options->from, options->to, density->column_count);
	density->field = options->field;
	density->group_max = options->group_max != 0 ? options->group_max : GROUP_MAX_DEFAULT;
	if (options->field == HISTREE_SEGMENTS_TOGETHER)
		density->group_max = 1;
	size_t cells = density->scale.count * density->column_count;
	if (density->group_max >= CELLS_MAX / cells)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "%zu values, %u columns of time and %zu buckets can take more than 128 MB; choose "
				 "fewer",
				 density->group_max, density->column_count, density->scale.count);
	return value_table_reset(&density->values, error);
}

/* ---- counting ------------------------------------------------------------------------------------ */

static enum histree_status add_group(struct histree_segment_density *density, const struct histree_value *value,
				     uint32_t *index, struct histree_error *error)
{
	size_t row = density->scale.count * density->column_count, first = density->group_count * row;
	if (!array_reserve(&density->groups, &density->groups_capacity, density->group_count + 1) ||
	    !array_reserve(&density->cells, &density->cells_capacity, first + row))
		return error_memory(error, "a density");
	memset(density->cells + first, 0, row * sizeof(*density->cells));
	*index = (uint32_t)density->group_count++;
	density->groups[*index] = (struct group){ .facts.value = *value, .first_cell = first };
	return HISTREE_OK;
}

/* The index in `group_of` of a value that is in the table, or now put there. */
static enum histree_status add_value(struct histree_segment_density *density, const struct histree_value *value,
				     uint32_t *number, struct histree_error *error)
{
	enum histree_status status = value_table_add(&density->values, value, number, error);
	size_t known = density->values_capacity;
	if (status != HISTREE_OK)
		return status;
	if (!array_reserve(&density->group_of, &density->values_capacity, density->values.count))
		return error_memory(error, "a density");
	for (; known < density->values_capacity; known++)
		density->group_of[known] = NO_GROUP;
	return HISTREE_OK;
}

/* Values that came too late share the group after those with one of their own, and are not kept. */
static enum histree_status find_group(struct histree_segment_density *density, const struct histree_value *value,
				      uint32_t *index, struct histree_error *error)
{
	const struct histree_value null = histree_null();
	uint32_t number, rest = (uint32_t)density->group_max;
	bool has_rest = density->group_count > rest;
	*index = rest;
	if (has_rest && !value_table_find(&density->values, value, &number))
		return HISTREE_OK;
	enum histree_status status = add_value(density, value, &number, error);
	if (status != HISTREE_OK)
		return status;
	uint32_t *group = &density->group_of[number];
	if (*group == NO_GROUP && has_rest) {
		*group = rest;
	} else if (*group == NO_GROUP) {
		bool is_rest = density->group_count == rest;
		status = add_group(density, is_rest ? &null : &density->values.values[number], group, error);
		if (status != HISTREE_OK)
			return status;
		density->groups[*group].facts.is_rest = is_rest;
	}
	*index = *group;
	return HISTREE_OK;
}

static uint32_t column_of(const struct histree_segment_density *density, histree_time start)
{
	if (density->column_count == 1 || start < density->columns.from)
		return 0;
	return start > density->columns.to ? density->column_count - 1 : pixel_to(&density->columns, start);
}

/* So many that last about as long. */
static enum histree_status count(struct histree_segment_density *density, const struct histree_value *value,
				 uint32_t column, uint64_t duration, uint64_t segments, struct histree_error *error)
{
	uint32_t index;
	enum histree_status status = find_group(density, value, &index, error);
	if (status != HISTREE_OK)
		return status;
	struct group *group = &density->groups[index];
	size_t bucket = duration_bucket_of(&density->scale, duration);
	group->facts.count += segments;
	density->cells[group->first_cell + column * density->scale.count + bucket] += segments;
	if (density->used == 0 || bucket < density->first) {
		density->used += density->used == 0 ? 1 : density->first - bucket;
		density->first = bucket;
	} else if (bucket >= density->first + density->used) {
		density->used = bucket - density->first + 1;
	}
	return HISTREE_OK;
}

static enum histree_status count_segment(struct histree_segment_density *density,
					 const struct histree_segment_query *query,
					 const struct histree_segment *segment, struct histree_error *error)
{
	const struct histree_value value = density->field == HISTREE_SEGMENTS_TOGETHER
						   ? histree_null()
						   : segment_group_value(query, segment, density->field);
	return count(density, &value, column_of(density, segment->start), histree_segment_duration(segment), 1,
		     error);
}

static enum histree_status count_all(struct histree_segment_density *density, struct histree_segment_store *store,
				     const struct histree_segment_query *query, struct histree_error *error)
{
	struct histree_segment_query plain = *query;
	plain.order = HISTREE_SEGMENTS_UNSORTED;
	plain.limit = 0;
	struct histree_cursor *iter = NULL;
	enum histree_status status = histree_segments_create(store, &iter, error);
	if (status == HISTREE_OK)
		status = histree_segments_start(iter, &plain, NULL, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(iter, error)) == HISTREE_OK)
		status = count_segment(density, query, histree_cursor_segment(iter), error);
	if (iter != NULL)
		density->loss = histree_cursor_loss(iter);
	histree_cursor_free(iter);
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---- counting summaries -------------------------------------------------------------------------- */

/* Which values have counts of their own depends on the order in which segments are read: HISTREE_PARTIAL. */
static enum histree_status take_summary(void *context, const struct segment_summary *summary,
					struct histree_error *error)
{
	struct histree_segment_density *density = context;
	enum histree_status status = count(density, &summary->value, column_of(density, summary->longest_start),
					   summary->longest, summary->count, error);
	return status == HISTREE_OK && density->group_count > density->group_max ? HISTREE_PARTIAL : status;
}

/*
 * Columns are read one by one, each cut into whole cells: that pays where a column has some.  The first has all
 * that starts before it, the last what starts after it.
 */
static enum histree_status count_columns(struct histree_segment_density *density,
					 struct histree_segment_store *store, struct summaries_request *request,
					 struct histree_error *error)
{
	histree_time from = request->query->from;
	enum histree_status status = segment_summaries_read_earlier(store, request, error);
	for (uint32_t column = column_of(density, from); status == HISTREE_OK && from <= request->query->to;
	     column++) {
		bool is_last = column + 1 == density->column_count;
		histree_time to = is_last ? INT64_MAX : pixel_last(&density->columns, column);
		to -= !is_last &&
		      column_of(density, to) != column; /* of two columns that share it, the later has it */
		to = to < request->query->to ? to : request->query->to;
		status = segment_summaries_read_starts(store, request, from, to, error);
		if (to == INT64_MAX)
			break;
		from = to + 1;
	}
	return status;
}

static bool can_summarize(const struct histree_segment_density *density, struct histree_segment_store *store,
			  const struct histree_segment_query *query)
{
	enum { CELLS_LOG2 = 1 }; /* of a column, at least */
	if (!segment_summaries_can(store, query, density->field))
		return false;
	if (density->column_count == 1)
		return true;
	uint64_t width = (uint64_t)pixel_last(&density->columns, 0) - (uint64_t)density->columns.from;
	unsigned shortest = segment_summaries_shortest(store);
	return shortest + CELLS_LOG2 < 64 && width >> (shortest + CELLS_LOG2) > 0;
}

static enum histree_status count_summaries(struct histree_segment_density *density,
					   struct histree_segment_store *store,
					   const struct histree_segment_query *query, struct histree_error *error)
{
	struct summaries_request request = { .query = query,
					     .field = density->field,
					     .width_log2_max = UINT_MAX,
					     .context = density,
					     .take = take_summary };
	return density->column_count == 1 ? segment_summaries_read(store, &request, error)
					  : count_columns(density, store, &request, error);
}

/* ---- answering ----------------------------------------------------------------------------------- */

static int compare(const void *left, const void *right)
{
	const struct group *a = left, *b = right;
	if (a->facts.is_rest != b->facts.is_rest)
		return a->facts.is_rest ? 1 : -1;
	if (a->facts.count != b->facts.count)
		return a->facts.count < b->facts.count ? 1 : -1;
	return value_compare(&a->facts.value, &b->facts.value);
}

static enum histree_status finish(struct histree_segment_density *density, struct histree_error *error)
{
	if (density->used == 0)
		return HISTREE_OK;
	density->buckets = calloc(density->used, sizeof(*density->buckets));
	if (density->buckets == NULL)
		return error_memory(error, "a density");
	for (size_t i = 0; i < density->used; i++) {
		density->buckets[i].min = density->scale.min[density->first + i];
		density->buckets[i].max = duration_bucket_max(&density->scale, density->first + i);
	}
	qsort(density->groups, density->group_count, sizeof(*density->groups), compare);
	return HISTREE_OK;
}

static void release(struct histree_segment_density *density)
{
	value_table_release(&density->values);
	free(density->group_of);
	free(density->groups);
	free(density->cells);
	free(density->buckets);
}

/* Forget what was counted. */
static enum histree_status begin_again(struct histree_segment_density *density,
				       const struct histree_density_options *options, struct histree_error *error)
{
	release(density);
	*density = (struct histree_segment_density){ 0 };
	return prepare(density, options, error);
}

enum histree_status histree_segment_density_create(struct histree_segment_store *store,
						   const struct histree_segment_query *query,
						   const struct histree_density_options *options,
						   struct histree_segment_density **out,
						   struct histree_error *error)
{
	*out = NULL;
	enum histree_status status = check(options, histree_segment_store_info(store)->schema.field_count, error);
	if (status != HISTREE_OK)
		return status;
	struct histree_segment_density *density = calloc(1, sizeof(*density));
	bool is_counted = false;
	status = density == NULL ? error_memory(error, "a density") : prepare(density, options, error);
	if (status == HISTREE_OK && can_summarize(density, store, query)) {
		status = count_summaries(density, store, query, error);
		is_counted = status == HISTREE_OK;
		if (status == HISTREE_PARTIAL)
			status = begin_again(density, options, error);
	}
	if (status == HISTREE_OK && !is_counted)
		status = count_all(density, store, query, error);
	if (status == HISTREE_OK)
		status = finish(density, error);
	if (status != HISTREE_OK) {
		histree_segment_density_free(density);
		return status;
	}
	*out = density;
	return HISTREE_OK;
}

struct histree_loss histree_segment_density_loss(const struct histree_segment_density *density)
{
	return density->loss;
}

const struct histree_duration_bucket *histree_segment_density_buckets(const struct histree_segment_density *density,
								      size_t *count)
{
	*count = density->used;
	return density->buckets;
}

const struct histree_density_group *histree_segment_density_group(const struct histree_segment_density *density,
								  size_t index)
{
	return index < density->group_count ? &density->groups[index].facts : NULL;
}

uint64_t histree_segment_density_count(const struct histree_segment_density *density, size_t group, uint32_t column,
				       size_t bucket)
{
	if (group >= density->group_count || column >= density->column_count || bucket >= density->used)
		return 0;
	return density->cells[density->groups[group].first_cell + column * density->scale.count + density->first +
			      bucket];
}

void histree_segment_density_free(struct histree_segment_density *density)
{
	if (density == NULL)
		return;
	release(density);
	free(density);
}
