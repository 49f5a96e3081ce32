// SPDX-License-Identifier: MIT
/*
 * The array list of thesis 5.4, sorted by (start, end): at every addition, or, lazily, once, when the first query
 * comes.
 *
 * Which segments meet a window is then found by a tree of greatest ends above the array, as the priority search of
 * an interval tree does: the thesis goes through all that start before the end of the window.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/radix_sort.h"
#include "segment/segment_memory.h"

enum { END_FAN_OUT = 64, END_LEVELS_MAX = 8 };

/* levels[0][i] is the greatest end of segments 64 i to 64 i + 63, levels[1][i] that of 64 numbers of levels[0]. */
struct end_tree {
	histree_time *levels[END_LEVELS_MAX];
	unsigned height;
};

struct segment_array {
	struct segment_contents contents;
	struct histree_segment *segments;
	size_t count, capacity;
	bool lazy;
	struct end_tree ends;
	/* Readers are many, and the first of them sorts, if that is still to be done, and makes the tree. */
	pthread_mutex_t mutex;
	bool ready;
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
	pthread_mutex_init(&array->mutex, NULL);
	return HISTREE_OK;
}

static void release_ends(struct end_tree *ends)
{
	for (unsigned level = 0; level < ends->height; level++)
		free(ends->levels[level]);
	*ends = (struct end_tree){ 0 };
}

static void array_free(void *body)
{
	struct segment_array *array = body;
	segment_contents_release(&array->contents);
	release_ends(&array->ends);
	pthread_mutex_destroy(&array->mutex);
	free(array->segments);
	free(array);
}

static bool is_before(const struct histree_segment *a, const struct histree_segment *b)
{
	return a->start < b->start || (a->start == b->start && a->end < b->end);
}

/* Returns the position after all segments that do not come later: equal ones stay in the order of their arrival. */
static size_t position_of(const struct segment_array *array, const struct histree_segment *segment)
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
	size_t position = array->lazy ? array->count : position_of(array, segment);
	memmove(&array->segments[position + 1], &array->segments[position],
		(array->count - position) * sizeof(*array->segments));
	array->segments[position] = copy;
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

/* ---- what meets a window ------------------------------------------------------------------------ */

static histree_time end_below(const struct segment_array *array, unsigned level, size_t index)
{
	return level == 0 ? array->segments[index].end : array->ends.levels[level - 1][index];
}

static bool make_ends(struct segment_array *array)
{
	struct end_tree *ends = &array->ends;
	size_t below = array->count;
	while (below > 1) {
		unsigned level = ends->height;
		size_t count = (below + END_FAN_OUT - 1) / END_FAN_OUT;
		histree_time *greatest = malloc(count * sizeof(*greatest));
		if (greatest == NULL) {
			release_ends(ends);
			return false;
		}
		for (size_t i = 0; i < below; i++) {
			histree_time end = end_below(array, level, i), *max = &greatest[i / END_FAN_OUT];
			if (i % END_FAN_OUT == 0 || end > *max)
				*max = end;
		}
		ends->levels[level] = greatest;
		ends->height++;
		below = count;
	}
	return true;
}

static bool make_ready(struct segment_array *array)
{
	pthread_mutex_lock(&array->mutex);
	if (!array->ready)
		array->ready = (!array->lazy || sort_segments(array)) && make_ends(array);
	bool ready = array->ready;
	pthread_mutex_unlock(&array->mutex);
	return ready;
}

/* How many start at `to` or before. */
static size_t count_started(const struct segment_array *array, histree_time to)
{
	return position_of(array, &(struct histree_segment){ .start = to, .end = INT64_MAX });
}

/*
 * Of the first `limit` segments, add those that end at `from` or later: a walk of the tree from left to right, from
 * its level `height` down, into what has such an end.
 */
static enum histree_status add_meeting(const struct segment_array *array, size_t limit, histree_time from,
				       struct segment_list *list)
{
	unsigned level = array->ends.height;
	size_t index = 0, width = 1; /* of a number of this level, in segments */
	for (unsigned up = 0; up < level; up++)
		width *= END_FAN_OUT;
	while (index * width < limit) {
		bool meets = end_below(array, level, index) >= from;
		if (meets && level > 0) {
			level--;
			index *= END_FAN_OUT;
			width /= END_FAN_OUT;
			continue;
		}
		if (meets && segment_list_add(list, &array->segments[index]) != HISTREE_OK)
			return HISTREE_ERR_MEMORY;
		index++;
		while (index % END_FAN_OUT == 0 && level < array->ends.height) {
			level++;
			index /= END_FAN_OUT;
			width *= END_FAN_OUT;
		}
	}
	return HISTREE_OK;
}

/* ---- the cursor --------------------------------------------------------------------------------- */

static enum histree_status cursor_start(void *context, const struct histree_segment_query *query,
					const struct histree_segment_token *resume, struct histree_error *error)
{
	struct list_cursor *cursor = context;
	struct segment_array *array = cursor->body;
	cursor->list.count = 0;
	if (!make_ready(array))
		return error_memory(error, "sorting segments");
	if (add_meeting(array, count_started(array, query->to), query->from, &cursor->list) != HISTREE_OK)
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
