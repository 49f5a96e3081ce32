// SPDX-License-Identifier: MIT
#include "segment/segment_sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "item/segment_batch.h"
#include "item/segment_copy.h"
#include "segment/sorted_run.h"

enum {
	RUN_WINDOW_MAX = 256 << 10,
	RUN_WINDOW_MIN = 4 << 10,
};

struct run_extent {
	uint64_t at, end;
};

struct segment_sort {
	const struct histree_segment_query *query;
	const struct histree_segment_schema *schema;
	const struct segment_room *room;

	/* What has gathered in memory. */
	struct arena contents;
	struct sorted_segment *items;
	size_t count, capacity;
	size_t next; /* to be handed out, where there are no runs */

	/* What was written. */
	struct spill_file spill;
	uint64_t spilled;
	struct run_extent *extents;
	size_t run_count, extents_capacity;

	/* Being merged: a heap of runs by their first segments. */
	struct sorted_run *runs;
	struct sorted_run **heap;
	size_t heap_count;
	bool first_is_out; /* the first segment of the first run was handed out */
};

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
	sort->spill = spill_file(room->io, room->neighbour);
	return HISTREE_OK;
}

void segment_sort_free(struct segment_sort *sort)
{
	if (sort == NULL)
		return;
	arena_release(&sort->contents);
	spill_file_close(&sort->spill);
	for (size_t i = 0; sort->runs != NULL && i < sort->run_count; i++)
		sorted_run_release(&sort->runs[i]);
	free(sort->items);
	free(sort->extents);
	free(sort->runs);
	free(sort->heap);
	free(sort);
}

uint64_t segment_sort_spilled_bytes(const struct segment_sort *sort)
{
	return sort->spilled;
}

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

static void sort_items(struct segment_sort *sort)
{
	if (sort->count > 1)
		qsort_r(sort->items, sort->count, sizeof(*sort->items), compare_items, sort);
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
	uint8_t *buffer = NULL;
	size_t capacity = 0, used = 0, fields = sort->schema->field_count;
	enum histree_status status = HISTREE_OK;
	struct run_extent extent = { .at = sort->spilled, .end = sort->spilled };
	if (!array_reserve(&sort->extents, &sort->extents_capacity, sort->run_count + 1))
		return error_memory(error, "sorting segments");
	for (size_t i = 0; status == HISTREE_OK && i < sort->count; i++) {
		size_t max = sorted_run_item_size(&sort->items[i].segment, fields);
		if (!array_reserve(&buffer, &capacity, used + max)) {
			status = error_memory(error, "sorting segments");
			break;
		}
		used = (size_t)(sorted_run_put(buffer + used, &sort->items[i], fields) - buffer);
		if (used < RUN_WINDOW_MAX && i + 1 < sort->count)
			continue;
		status = spill_file_write(&sort->spill, buffer, used, extent.end, error);
		extent.end += used;
		used = 0;
	}
	free(buffer);
	if (status != HISTREE_OK)
		return status;
	sort->spilled = extent.end;
	sort->extents[sort->run_count++] = extent;
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

/* ---- merging ------------------------------------------------------------------------------------ */

static bool firsts_before(const struct segment_sort *sort, size_t a, size_t b)
{
	return compare(&sort->heap[a]->first, &sort->heap[b]->first, sort) < 0;
}

static void sift_down(struct segment_sort *sort, size_t position)
{
	for (;;) {
		size_t child = 2 * position + 1;
		if (child >= sort->heap_count)
			return;
		if (child + 1 < sort->heap_count && firsts_before(sort, child + 1, child))
			child++;
		if (!firsts_before(sort, child, position))
			return;
		struct sorted_run *run = sort->heap[position];
		sort->heap[position] = sort->heap[child];
		sort->heap[child] = run;
		position = child;
	}
}

static enum histree_status open_runs(struct segment_sort *sort, struct histree_error *error)
{
	free(sort->items);
	sort->items = NULL;
	sort->capacity = 0;
	sort->runs = calloc(sort->run_count, sizeof(*sort->runs));
	sort->heap = calloc(sort->run_count, sizeof(struct sorted_run *));
	if (sort->runs == NULL || sort->heap == NULL)
		return error_memory(error, "merging");
	size_t window = sort->room->bytes / sort->run_count;
	window = window > RUN_WINDOW_MAX ? RUN_WINDOW_MAX : window;
	window = window < RUN_WINDOW_MIN ? RUN_WINDOW_MIN : window;
	for (size_t i = 0; i < sort->run_count; i++) {
		struct sorted_run *run = &sort->runs[i];
		if (sorted_run_open(run, sort->extents[i].at, sort->extents[i].end, window) != HISTREE_OK)
			return error_memory(error, "merging");
		enum histree_status status = sorted_run_next(run, &sort->spill, sort->schema->field_count, error);
		if (status < 0)
			return status;
		if (status == HISTREE_OK)
			sort->heap[sort->heap_count++] = run;
	}
	for (size_t position = sort->heap_count / 2; position-- > 0;)
		sift_down(sort, position);
	return HISTREE_OK;
}

enum histree_status segment_sort_finish(struct segment_sort *sort, struct histree_error *error)
{
	sort_items(sort);
	if (sort->run_count == 0)
		return HISTREE_OK;
	enum histree_status status = sort->count > 0 ? write_run(sort, error) : HISTREE_OK;
	return status == HISTREE_OK ? open_runs(sort, error) : status;
}

static enum histree_status next_of_runs(struct segment_sort *sort, struct sorted_segment *out,
					struct histree_error *error)
{
	if (sort->first_is_out) {
		enum histree_status status =
			sorted_run_next(sort->heap[0], &sort->spill, sort->schema->field_count, error);
		if (status < 0)
			return status;
		if (status == HISTREE_END)
			sort->heap[0] = sort->heap[--sort->heap_count];
		sift_down(sort, 0);
		sort->first_is_out = false;
	}
	if (sort->heap_count == 0)
		return HISTREE_END;
	*out = sort->heap[0]->first;
	sort->first_is_out = true;
	return HISTREE_OK;
}

enum histree_status segment_sort_next(struct segment_sort *sort, struct sorted_segment *out,
				      struct histree_error *error)
{
	if (sort->run_count > 0)
		return next_of_runs(sort, out, error);
	if (sort->next == sort->count)
		return HISTREE_END;
	*out = sort->items[sort->next++];
	return HISTREE_OK;
}
