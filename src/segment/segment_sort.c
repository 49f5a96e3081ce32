// SPDX-License-Identifier: MIT
#include "segment/segment_sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "item/segment_batch.h"
#include "item/segment_copy.h"
#include "store/spill_runs.h"

struct segment_sort {
	const struct histree_segment_query *query;
	const struct histree_segment_schema *schema;
	const struct segment_room *room;

	/* What has gathered in memory. */
	struct arena contents;
	struct sorted_segment *items;
	size_t count, capacity;
	size_t next; /* to be handed out, where there are no runs */

	struct spill_runs runs; /* what memory has no room for */
};

/* ---- the order ---------------------------------------------------------------------------------- */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_times(histree_time a, histree_time b)
{
	return (a > b) - (a < b);
}

int segment_value_compare(const struct histree_value *a, const struct histree_value *b)
{
	if (a->type == HISTREE_NULL || b->type == HISTREE_NULL)
		return (a->type != HISTREE_NULL) - (b->type != HISTREE_NULL);
	if (a->type != HISTREE_STRING)
		return compare_numbers(segment_code(a), segment_code(b));
	size_t common = a->size < b->size ? a->size : b->size;
	int bytes = common > 0 ? memcmp(a->bytes, b->bytes, common) : 0;
	return bytes != 0 ? bytes : compare_numbers(a->size, b->size);
}

/* A total order: no two segments are equal in it. */
static int compare(const struct sorted_segment *a, const struct sorted_segment *b, const struct segment_sort *sort)
{
	const struct histree_segment_query *query = sort->query;
	int order = query->order == HISTREE_SEGMENTS_BY_FIELD
			    ? segment_value_compare(&a->segment.content[query->field],
						    &b->segment.content[query->field])
			    : query->compare(query->compare_context, &a->segment, &b->segment);
	if (order == 0)
		order = compare_times(a->segment.start, b->segment.start);
	if (order == 0)
		order = compare_times(a->segment.end, b->segment.end);
	if (order == 0)
		order = compare_numbers(a->arrival, b->arrival);
	return query->descending ? -(order > 0) + (order < 0) : order;
}

static int compare_items(const void *a, const void *b, void *sort)
{
	return compare(a, b, sort);
}

/* Both a segment in memory and a decoded one begin with what is compared. */
static int compare_decoded(const void *a, const void *b, const void *sort)
{
	return compare(a, b, sort);
}

static bool decode(struct byte_reader *reader, void *item, const void *sort)
{
	return sorted_segment_decode(reader, item, ((const struct segment_sort *)sort)->schema->field_count);
}

static const struct spill_item_kind item_kind = {
	.size = sizeof(struct decoded_segment),
	.decode = decode,
	.compare = compare_decoded,
};

static void sort_items(struct segment_sort *sort)
{
	if (sort->count > 1)
		qsort_r(sort->items, sort->count, sizeof(*sort->items), compare_items, sort);
}

/* ---- a sort ------------------------------------------------------------------------------------- */

enum histree_status segment_sort_create(const struct histree_segment_query *query,
					const struct histree_segment_schema *schema,
					const struct segment_room *room, struct segment_sort **out,
					struct histree_error *error)
{
	struct segment_sort *sort = calloc(1, sizeof(*sort));
	*out = sort;
	if (sort == NULL)
		return error_memory(error, "sorting segments");
	sort->query = query;
	sort->schema = schema;
	sort->room = room;
	sort->runs = spill_runs(room->io, room->neighbour, &item_kind, sort);
	return HISTREE_OK;
}

void segment_sort_free(struct segment_sort *sort)
{
	if (sort == NULL)
		return;
	arena_release(&sort->contents);
	spill_runs_release(&sort->runs);
	free(sort->items);
	free(sort);
}

uint64_t segment_sort_spilled_bytes(const struct segment_sort *sort)
{
	return sort->runs.bytes;
}

/* ---- gathering ---------------------------------------------------------------------------------- */

/* The content of what is left moves to an arena of its own. */
static enum histree_status compact(struct segment_sort *sort, struct histree_error *error)
{
	struct arena contents = { 0 };
	for (size_t i = 0; i < sort->count; i++)
		if (!segment_copy_content(&contents, sort->schema->field_count, &sort->items[i].segment)) {
			arena_release(&contents);
			return error_memory(error, "sorting segments");
		}
	arena_release(&sort->contents);
	sort->contents = contents;
	return HISTREE_OK;
}

static size_t bytes_in_memory(const struct segment_sort *sort)
{
	return sort->contents.bytes_total + sort->count * sizeof(*sort->items);
}

/* What is in memory, sorted, becomes a run. */
static enum histree_status write_run(struct segment_sort *sort, struct histree_error *error)
{
	size_t fields = sort->schema->field_count;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; status == HISTREE_OK && i < sort->count; i++) {
		size_t max = sorted_segment_size(&sort->items[i].segment, fields);
		uint8_t *at = spill_runs_room(&sort->runs, max, error);
		if (at == NULL)
			return HISTREE_ERR_MEMORY;
		size_t size = (size_t)(sorted_segment_put(at, &sort->items[i], fields) - at);
		status = spill_runs_put(&sort->runs, size, error);
	}
	if (status == HISTREE_OK)
		status = spill_runs_end_run(&sort->runs, error);
	if (status != HISTREE_OK)
		return status;
	sort->count = 0;
	arena_release(&sort->contents);
	return HISTREE_OK;
}

/* Drop what cannot be among the first; write what remains if that was not enough. */
static enum histree_status make_room(struct segment_sort *sort, struct histree_error *error)
{
	uint64_t limit = sort->query->limit;
	enum histree_status status = HISTREE_OK;
	sort_items(sort);
	if (limit > 0 && sort->count > limit) {
		sort->count = (size_t)limit;
		status = compact(sort, error);
	}
	if (status == HISTREE_OK && sort->room->io != NULL && bytes_in_memory(sort) > sort->room->bytes / 2)
		status = write_run(sort, error);
	return status;
}

static bool is_full(const struct segment_sort *sort)
{
	uint64_t limit = sort->query->limit;
	/* Twice the limit and a few: so that a segment is sorted a few times at most. */
	bool crowded = limit > 0 && sort->count / 2 >= limit && sort->count >= 1024;
	return crowded || (sort->room->io != NULL && bytes_in_memory(sort) >= sort->room->bytes);
}

enum histree_status segment_sort_add(struct segment_sort *sort, const struct histree_segment *segment,
				     uint64_t arrival, struct histree_error *error)
{
	if (is_full(sort)) {
		enum histree_status status = make_room(sort, error);
		if (status != HISTREE_OK)
			return status;
	}
	struct histree_segment copy = *segment;
	if (!array_reserve(&sort->items, &sort->capacity, sort->count + 1) ||
	    !segment_copy_content(&sort->contents, sort->schema->field_count, &copy))
		return error_memory(error, "sorting segments");
	sort->items[sort->count++] = (struct sorted_segment){ .segment = copy, .arrival = arrival };
	return HISTREE_OK;
}

/* ---- handing out ------------------------------------------------------------------------------ */

enum histree_status segment_sort_finish(struct segment_sort *sort, struct histree_error *error)
{
	sort_items(sort);
	if (sort->runs.count == 0)
		return HISTREE_OK;
	enum histree_status status = sort->count > 0 ? write_run(sort, error) : HISTREE_OK;
	if (status != HISTREE_OK)
		return status;
	free(sort->items);
	sort->items = NULL;
	sort->capacity = 0;
	return spill_runs_merge(&sort->runs, sort->room->bytes, error);
}

enum histree_status segment_sort_next(struct segment_sort *sort, struct sorted_segment *out,
				      struct histree_error *error)
{
	if (sort->runs.count > 0) {
		const void *item;
		enum histree_status status = spill_runs_next(&sort->runs, &item, error);
		if (status == HISTREE_OK)
			*out = ((const struct decoded_segment *)item)->item;
		return status;
	}
	if (sort->next == sort->count)
		return HISTREE_END;
	*out = sort->items[sort->next++];
	return HISTREE_OK;
}
