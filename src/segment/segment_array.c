// SPDX-License-Identifier: MIT
/*
 * The array list of thesis 5.4, sorted by (start, end): at every addition, or, lazily, once, when the first query
 * comes.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/radix_sort.h"
#include "segment/segment_memory.h"

struct segment_array {
	struct segment_contents contents;
	struct histree_segment *segments;
	size_t count, capacity;
	bool lazy;
	/* Lazy: readers are many, and the first of them sorts. */
	pthread_mutex_t mutex;
	bool sorted;
};

enum histree_status segment_array_create(const struct histree_segment_schema *schema, bool lazy, void **out,
					 struct histree_error *error)
{
	struct segment_array *array = calloc(1, sizeof(*array));
	*out = array;
	if (array == NULL)
		return error_memory(error, "a segment store");
	array->contents.field_count = schema->field_count;
	array->lazy = lazy;
	array->sorted = !lazy;
	pthread_mutex_init(&array->mutex, NULL);
	return HISTREE_OK;
}

static void array_free(void *body)
{
	struct segment_array *array = body;
	segment_contents_release(&array->contents);
	pthread_mutex_destroy(&array->mutex);
	free(array->segments);
	free(array);
}

static bool is_before(const struct histree_segment *a, const struct histree_segment *b)
{
	return a->start < b->start || (a->start == b->start && a->end < b->end);
}

/* Behind all that are not after it: equal ones stay in the order of their arrival. */
static size_t place_of(const struct segment_array *array, const struct histree_segment *segment)
{
	size_t low = 0, high = array->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (is_before(segment, &array->segments[middle]))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static enum histree_status array_add(void *body, const struct histree_segment *segment, struct histree_error *error)
{
	struct segment_array *array = body;
	struct histree_segment copy;
	if (!array_reserve(&array->segments, &array->capacity, array->count + 1) ||
	    segment_contents_copy(&array->contents, segment, &copy) != HISTREE_OK)
		return error_memory(error, "a segment");
	size_t place = array->lazy ? array->count : place_of(array, segment);
	memmove(&array->segments[place + 1], &array->segments[place],
		(array->count - place) * sizeof(*array->segments));
	array->segments[place] = copy;
	array->count++;
	return HISTREE_OK;
}

/* ---- sorting ------------------------------------------------------------------------------------ */

/* By end, then, stably, by start. */
static void sort_entries(const struct segment_array *array, struct keyed_index *entries)
{
	for (size_t i = 0; i < array->count; i++)
		entries[i] = (struct keyed_index){ .key = segment_time_number(array->segments[i].end),
						   .index = (uint32_t)i };
	radix_sort(entries, entries + array->count, array->count);
	for (size_t i = 0; i < array->count; i++)
		entries[i].key = segment_time_number(array->segments[entries[i].index].start);
	radix_sort(entries, entries + array->count, array->count);
}

static bool sort_segments(struct segment_array *array)
{
	if (array->count > UINT32_MAX)
		return false;
	struct keyed_index *entries = malloc((2 * array->count + 1) * sizeof(*entries));
	struct histree_segment *sorted = malloc((array->count + 1) * sizeof(*sorted));
	if (entries == NULL || sorted == NULL) {
		free(entries);
		free(sorted);
		return false;
	}
	sort_entries(array, entries);
	for (size_t i = 0; i < array->count; i++)
		sorted[i] = array->segments[entries[i].index];
	free(entries);
	free(array->segments);
	array->segments = sorted;
	array->capacity = array->count + 1;
	return true;
}

static bool make_sorted(struct segment_array *array)
{
	pthread_mutex_lock(&array->mutex);
	array->sorted = array->sorted || sort_segments(array);
	bool sorted = array->sorted;
	pthread_mutex_unlock(&array->mutex);
	return sorted;
}

/* ---- the cursor --------------------------------------------------------------------------------- */

static enum histree_status cursor_start(void *context, const struct histree_segment_query *query,
					const struct histree_segment_token *resume, struct histree_error *error)
{
	struct list_cursor *cursor = context;
	struct segment_array *array = cursor->body;
	cursor->list.count = 0;
	if (!make_sorted(array))
		return error_memory(error, "sorting segments");
	for (size_t i = 0; i < array->count && array->segments[i].start <= query->to; i++)
		if (array->segments[i].end >= query->from &&
		    segment_list_add(&cursor->list, &array->segments[i]) != HISTREE_OK)
			return error_memory(error, "an iterator");
	if (query->order != HISTREE_SEGMENTS_UNSORTED &&
	    segment_list_sort(&cursor->list, (struct segment_order){ query->order, query->descending }) !=
		    HISTREE_OK)
		return error_memory(error, "sorting segments");
	list_cursor_begin(cursor, query, resume);
	return HISTREE_OK;
}

const struct segment_backend segment_backend_array = {
	.add = array_add,
	.free = array_free,
	.cursor_create = list_cursor_create,
	.cursor_start = cursor_start,
	.cursor_next = list_cursor_next,
	.cursor_key = list_cursor_key,
	.cursor_stats = list_cursor_stats,
	.cursor_free = list_cursor_free,
};
