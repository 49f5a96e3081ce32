// SPDX-License-Identifier: MIT
#include "segment/segment_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/radix_sort.h"

/* ---- copies ------------------------------------------------------------------------------------- */

static bool copy_value(struct segment_contents *contents, const struct histree_value *value,
		       struct histree_value *out)
{
	*out = *value;
	if (value->type != HISTREE_STRING)
		return true;
	uint32_t number = intern_add(&contents->strings, value->bytes, value->size);
	if (number == INTERN_NONE)
		return false;
	size_t size;
	out->bytes = intern_get(&contents->strings, number, &size);
	return true;
}

enum histree_status segment_contents_copy(struct segment_contents *contents, const struct histree_segment *segment,
					  struct histree_segment *out)
{
	*out = (struct histree_segment){ .start = segment->start, .end = segment->end };
	size_t size = contents->field_count * sizeof(struct histree_value);
	if (size == 0)
		return HISTREE_OK;
	struct histree_value *values = arena_allocate(&contents->values, size, _Alignof(struct histree_value));
	if (values == NULL)
		return HISTREE_ERR_MEMORY;
	for (size_t i = 0; i < contents->field_count; i++) {
		values[i] = histree_null();
		if (segment->content != NULL && !copy_value(contents, &segment->content[i], &values[i]))
			return HISTREE_ERR_MEMORY;
	}
	out->content = values;
	return HISTREE_OK;
}

void segment_contents_release(struct segment_contents *contents)
{
	arena_release(&contents->values);
	intern_release(&contents->strings);
}

void segment_info_include(struct histree_segment_store_info *info, const struct histree_segment *segment)
{
	uint64_t duration = histree_segment_duration(segment);
	bool first = info->segment_count++ == 0;
	info->start = first || segment->start < info->start ? segment->start : info->start;
	info->end = first || segment->end > info->end ? segment->end : info->end;
	info->duration_min = first || duration < info->duration_min ? duration : info->duration_min;
	info->duration_max = first || duration > info->duration_max ? duration : info->duration_max;
}

/* ---- lists -------------------------------------------------------------------------------------- */

enum histree_status segment_list_add(struct segment_list *list, const struct histree_segment *segment)
{
	if (!array_reserve(&list->segments, &list->capacity, list->count + 1))
		return HISTREE_ERR_MEMORY;
	list->segments[list->count++] = segment;
	return HISTREE_OK;
}

void segment_list_reverse(struct segment_list *list)
{
	for (size_t low = 0, high = list->count; low + 1 < high; low++) {
		const struct histree_segment *segment = list->segments[low];
		list->segments[low] = list->segments[--high];
		list->segments[high] = segment;
	}
}

/* The sort is stable, and (start, end) is what equal ends or durations come by. */
static enum histree_status sort_ascending(struct segment_list *list, struct segment_order order)
{
	struct keyed_index *entries = malloc((2 * list->count + 1) * sizeof(*entries));
	const struct histree_segment **sorted = malloc((list->count + 1) * sizeof(*sorted));
	if (entries == NULL || sorted == NULL || list->count > UINT32_MAX) {
		free(entries);
		free(sorted);
		return HISTREE_ERR_MEMORY;
	}
	for (size_t i = 0; i < list->count; i++) {
		struct segment_times times = segment_times_of(list->segments[i]);
		entries[i] =
			(struct keyed_index){ .key = segment_key_of(order, &times).first, .index = (uint32_t)i };
	}
	radix_sort(entries, entries + list->count, list->count);
	for (size_t i = 0; i < list->count; i++)
		sorted[i] = list->segments[entries[i].index];
	free(entries);
	free(list->segments);
	list->segments = sorted;
	list->capacity = list->count + 1;
	return HISTREE_OK;
}

enum histree_status segment_list_sort(struct segment_list *list, struct segment_order order)
{
	enum histree_status status = HISTREE_OK;
	if (order.by != HISTREE_SEGMENTS_BY_START)
		status = sort_ascending(list, (struct segment_order){ .by = order.by });
	if (status == HISTREE_OK && order.descending)
		segment_list_reverse(list);
	return status;
}

size_t segment_list_seek(const struct segment_list *list, struct segment_order order, struct segment_key key)
{
	size_t low = 0, high = list->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct segment_times times = segment_times_of(list->segments[middle]);
		if (segment_key_is_less(segment_key_of(order, &times), key))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- the cursor --------------------------------------------------------------------------------- */

enum histree_status list_cursor_create(void *body, void **out, struct histree_error *error)
{
	struct list_cursor *cursor = calloc(1, sizeof(*cursor));
	*out = cursor;
	if (cursor == NULL)
		return error_memory(error, "an iterator");
	cursor->body = body;
	return HISTREE_OK;
}

void list_cursor_begin(struct list_cursor *cursor, const struct histree_segment_query *query,
		       const struct histree_segment_token *resume)
{
	size_t count = cursor->list.count;
	cursor->sorted = query->order != HISTREE_SEGMENTS_UNSORTED;
	cursor->order = (struct segment_order){ .by = query->order, .descending = query->descending };
	cursor->at = 0;
	if (resume == NULL || resume->given == 0)
		return;
	struct segment_key key = { resume->key[0], resume->key[1] };
	if (cursor->sorted)
		cursor->at = segment_list_seek(&cursor->list, cursor->order, key);
	else
		cursor->at = key.first < count ? (size_t)key.first + 1 : count;
}

enum histree_status list_cursor_next(void *context, struct histree_segment *out, struct histree_error *error)
{
	(void)error;
	struct list_cursor *cursor = context;
	if (cursor->at == cursor->list.count)
		return HISTREE_END;
	*out = *cursor->list.segments[cursor->at++];
	return HISTREE_OK;
}

void list_cursor_key(const void *context, uint64_t key[2])
{
	const struct list_cursor *cursor = context;
	key[0] = cursor->at - 1;
	key[1] = 0;
	if (cursor->sorted) {
		struct segment_times times = segment_times_of(cursor->list.segments[cursor->at - 1]);
		struct segment_key of = segment_key_of(cursor->order, &times);
		key[0] = of.first;
		key[1] = of.second;
	}
}

void list_cursor_stats(const void *context, struct histree_segment_iter_stats *stats)
{
	(void)context;
	(void)stats;
}

void list_cursor_free(void *context)
{
	struct list_cursor *cursor = context;
	free(cursor->list.segments);
	free(cursor);
}
