// SPDX-License-Identifier: MIT
/*
 * A forged overview can have right checksums.  So the cells of the overview are gone through slice by slice of the
 * time at which segments start: what it says of a slice is put into a table by cell, value and bucket, what the
 * slice has is added up beside it, and both have to be the same.
 */
#include "segment/segment_overviews_check.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/hash_index.h"
#include "segment/duration_parts.h"
#include "segment/segment_backend.h"
#include "segment/segment_summary.h"

enum { SLICE_SUMMARIES = 1 << 16 };

/* What an overview says of some segments, and what they are; both have a count of 0 until there is something. */
struct checked_cell {
	struct segment_summary said, found;
	uint64_t time;
	size_t bucket;
};

struct check {
	const struct segment_overview *overview, *below;
	struct histree_segment_store *segments;
	size_t field;
	struct duration_parts parts;
	struct arena values; /* of the slice */
	struct checked_cell *cells;
	size_t count, capacity;
	struct hash_index index; /* of cells */
	struct histree_error *error;
};

static bool has_bytes(const struct histree_value *value)
{
	return value->type == HISTREE_STRING || value->type == HISTREE_CUSTOM;
}

static uint64_t hash_of_value(const struct histree_value *value)
{
	switch (value->type) {
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		return hash_bytes(value->bytes, value->size);
	case HISTREE_INT:
		return (uint64_t)value->int32;
	case HISTREE_LONG:
		return (uint64_t)value->int64;
	case HISTREE_DOUBLE:
		return hash_bytes(&value->real, sizeof(value->real));
	case HISTREE_BOOL:
		return value->boolean;
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	}
	return 0;
}

static uint64_t hash_of(const struct checked_cell *cell)
{
	return hash_mix(hash_of_value(&cell->said.value) + cell->time * UINT64_C(0x9e3779b97f4a7c15) +
			cell->bucket);
}

static uint64_t hash_at(const void *cells, uint32_t number)
{
	return hash_of((const struct checked_cell *)cells + number);
}

static bool is_same(const void *cells, uint32_t number, const void *key)
{
	const struct checked_cell *one = (const struct checked_cell *)cells + number, *other = key;
	return one->time == other->time && one->bucket == other->bucket &&
	       histree_value_equal(&one->said.value, &other->said.value);
}

static enum histree_status differs(const struct check *check)
{
	return error_set(check->error, HISTREE_ERR_FORMAT, "says other sums than %s",
			 check->below != NULL ? "the overview before it" : "the segments have");
}

static struct checked_cell cell_of(const struct check *check, const struct segment_summary *summary)
{
	return (struct checked_cell){
		.said = { .value = summary->value },
		.time = segment_overview_cell(summary->longest_start, check->overview->width_log2),
		.bucket = check->overview->parts_log2 > 0
				  ? duration_part_of(&check->parts, summary->longest)
				  : duration_bucket_of(&check->parts.buckets, summary->longest),
	};
}

/* Sums that do not fit were two summaries when they were made; here they are counted modulo 2^64. */
static void add(struct segment_summary *into, const struct segment_summary *from)
{
	struct segment_summary more = *from;
	if (into->count == 0) {
		more.value = into->value;
		*into = more;
	} else if (!segment_summary_merge(into, from)) {
		uint64_t total = into->total + from->total;
		uint64_t count = into->count + from->count;
		into->count = more.count = 1;
		into->total = more.total = 0;
		segment_summary_merge(into, &more);
		into->count = count;
		into->total = total;
		into->squares = NAN;
	}
}

static enum histree_status take_said(struct check *check, const struct segment_summary *summary)
{
	struct checked_cell cell = cell_of(check, summary);
	uint32_t known = hash_index_find(&check->index, hash_of(&cell), is_same, check->cells, &cell);
	if (known == HASH_INDEX_NONE) {
		struct histree_value *value = &cell.said.value;
		if (has_bytes(value))
			value->bytes = arena_copy(&check->values, value->bytes, value->size);
		if (!array_reserve(&check->cells, &check->capacity, check->count + 1) ||
		    !hash_index_reserve(&check->index, check->count + 1, hash_at, check->cells) ||
		    (has_bytes(value) && value->bytes == NULL))
			return error_memory(check->error, "verifying an overview");
		known = (uint32_t)check->count++;
		hash_index_add(&check->index, hash_of(&cell), known);
		check->cells[known] = cell;
	}
	add(&check->cells[known].said, summary);
	return HISTREE_OK;
}

static enum histree_status take_found(struct check *check, const struct segment_summary *summary)
{
	const struct checked_cell cell = cell_of(check, summary);
	uint32_t known = hash_index_find(&check->index, hash_of(&cell), is_same, check->cells, &cell);
	if (known == HASH_INDEX_NONE)
		return differs(check);
	add(&check->cells[known].found, summary);
	return HISTREE_OK;
}

/* Squares keep 20 bits in a file; those of sums that do not fit are not known. */
static bool is_about(double one, double other, double longest)
{
	return !(fabs(one - other) > 1e-5 * (one + other) + 1e-9 * longest * longest);
}

static enum histree_status compare_slice(struct check *check)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < check->count && status == HISTREE_OK; i++) {
		const struct segment_summary *said = &check->cells[i].said, *found = &check->cells[i].found;
		if (said->count != found->count || said->total != found->total || said->longest != found->longest ||
		    said->longest_start != found->longest_start || said->shortest != found->shortest ||
		    said->shortest_start != found->shortest_start ||
		    !is_about(said->squares, found->squares, (double)said->longest))
			status = differs(check);
	}
	check->count = 0;
	hash_index_clear(&check->index);
	arena_release(&check->values);
	return status;
}

struct slice {
	uint64_t from, to; /* numbers of times */
};

static bool may_start(void *context, const struct segment_bounds *bounds)
{
	const struct slice *slice = context;
	return segment_overview_cell(bounds->start_min, 0) <= slice->to &&
	       segment_overview_cell(bounds->start_max, 0) >= slice->from;
}

/* What the summaries are of. */
static enum histree_status find_slice(struct check *check, struct histree_segment_iter *iter, struct slice slice)
{
	const struct histree_segment_query query = { .from = segment_overview_time(slice.from),
						     .to = segment_overview_time(slice.to) };
	const struct segment_choice choice = { .may_have = may_start, .context = &slice };
	struct histree_segment segment;
	struct segment_summary summary;
	bool together = check->field == SEGMENT_OVERVIEWS_TOGETHER;
	const struct histree_value null = histree_null();
	enum histree_status status = segment_iter_start_choice(iter, &query, choice, check->error);
	while (status == HISTREE_OK &&
	       (status = histree_segment_iter_next(iter, &segment, check->error)) == HISTREE_OK) {
		if (check->below == NULL)
			summary = segment_summary_of(&segment, together ? &null : &segment.content[check->field]);
		else if (!segment_summary_get(&check->parts.buckets, &segment, &summary))
			return differs(check);
		status = take_found(check, &summary);
	}
	if (status == HISTREE_PARTIAL)
		return differs(check);
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status check_all(struct check *check, struct histree_segment_iter *said,
				     struct histree_segment_iter *found)
{
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	struct slice slice = { 0, UINT64_MAX };
	uint64_t last_of_cell = (UINT64_C(1) << check->overview->width_log2) - 1;
	struct histree_segment segment;
	struct segment_summary summary;
	query.order = HISTREE_SEGMENTS_BY_START;
	enum histree_status status = histree_segment_iter_start(said, &query, NULL, check->error);
	while (status == HISTREE_OK &&
	       (status = histree_segment_iter_next(said, &segment, check->error)) == HISTREE_OK) {
		uint64_t start = segment_overview_cell(segment.start, 0);
		if (check->count >= SLICE_SUMMARIES && start > slice.to) {
			status = find_slice(check, found, slice);
			if (status == HISTREE_OK)
				status = compare_slice(check);
			slice.from = slice.to + 1;
		}
		slice.to = start | last_of_cell;
		if (!segment_summary_get(&check->parts.buckets, &segment, &summary))
			return differs(check);
		if (status == HISTREE_OK)
			status = take_said(check, &summary);
	}
	if (status != HISTREE_END)
		return status;
	slice.to = UINT64_MAX;
	status = find_slice(check, found, slice);
	return status == HISTREE_OK ? compare_slice(check) : status;
}

enum histree_status segment_overview_check(const struct segment_overview *overview,
					   const struct segment_overview *below,
					   struct histree_segment_store *segments, size_t field,
					   struct histree_error *error)
{
	struct check check = {
		.overview = overview, .below = below, .segments = segments, .field = field, .error = error
	};
	struct histree_segment_iter *said = NULL, *found = NULL;
	/* Of parts, there are the segments. */
	duration_parts_init(&check.parts, overview->parts_log2,
			    segments != NULL ? histree_segment_store_info(segments)->duration_max : 0);
	enum histree_status status = histree_segment_iter_create(overview->store, &said, error);
	if (status == HISTREE_OK)
		status = histree_segment_iter_create(below != NULL ? below->store : segments, &found, error);
	if (status == HISTREE_OK)
		status = check_all(&check, said, found);
	histree_segment_iter_free(said);
	histree_segment_iter_free(found);
	free(check.cells);
	hash_index_release(&check.index);
	arena_release(&check.values);
	return status;
}
