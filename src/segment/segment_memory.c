// SPDX-License-Identifier: MIT
/*
 * segment_memory.c - what differs between the kinds of segment stores, as a table of calls; and the store in
 * memory, used while a store is made, with runs on disk if there are too many segments.
 */
#include "segment/segment_memory.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/io.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/segments.h"
#include "item/segment_batch.h"
#include "item/value.h"
#include "segment_tree/segment_scan.h"
#include "segment_tree/segment_sweep.h"
#include "store/record_sort.h"

/* ---- segment memory ------------------------------------------------------------------------------------------ */

/* One that came out of a run: the bytes of its values are the run's. */
struct decoded_segment {
	struct sorted_segment item; /* the first member: it is compared as those in memory are */
	struct histree_value content[HISTREE_SEGMENT_FIELDS_MAX];
};

static inline struct segment_times segment_times_of(const struct histree_segment *segment)
{
	return (struct segment_times){ segment->start, histree_segment_duration(segment) };
}

/* ---- sorted segment ------------------------------------------------------------------------------------------ */

/* Returns how many bytes a segment takes in a run, at most. */
static size_t sorted_segment_size(const struct histree_segment *segment, size_t field_count)
{
	size_t size = 3 * VARINT_SIZE_MAX;
	for (size_t i = 0; i < field_count; i++)
		size += value_encoded_size(&segment->content[i]);
	return size;
}

/* Put a segment at `at`, where there is room.  Returns where the next byte goes. */
static uint8_t *sorted_segment_put(uint8_t *at, const struct sorted_segment *item, size_t field_count)
{
	at = put_varint(at, zigzag(item->segment.start));
	at = put_varint(at, histree_segment_duration(&item->segment));
	at = put_varint(at, item->arrival);
	for (size_t i = 0; i < field_count; i++)
		at = value_encode(at, &item->segment.content[i]);
	return at;
}

/* Returns false if the bytes end within the segment. */
static bool sorted_segment_decode(struct byte_reader *reader, struct decoded_segment *out, size_t field_count)
{
	struct histree_segment *segment = &out->item.segment;
	segment->start = unzigzag(read_varint(reader));
	segment->end = (histree_time)((uint64_t)segment->start + read_varint(reader));
	segment->content = out->content;
	out->item.arrival = read_varint(reader);
	for (size_t i = 0; i < field_count; i++)
		out->content[i] = value_decode(reader);
	return !reader->failed;
}

/* ---- segment array ------------------------------------------------------------------------------------------- */

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
	const size_t low = SEARCH(i, 0, array->count, !is_before(segment, &array->segments[i]));
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
	assert(position <= array->count && array->count < array->capacity);
	array->segments[position] = copy;
	array->count++;
	return HISTREE_OK;
}

/* ---- sorting ------------------------------------------------------------------------------------ */

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
	/* Sorts by end, then, stably, by start. */
	for (size_t i = 0; i < array->count; i++)
		entries[i] = (struct keyed_index){ .key = segment_time_number(array->segments[i].end),
						   .index = (uint32_t)i };
	radix_sort(entries, entries + array->count, array->count);
	for (size_t i = 0; i < array->count; i++)
		entries[i].key = segment_time_number(array->segments[entries[i].index].start);
	radix_sort(entries, entries + array->count, array->count);
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
		assert(level < END_LEVELS_MAX && count < below);
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
 * Of the first `limit` segments, add those that end at `from` or later: a walk of the tree from left to right,
 * from its level `height` down, into subtrees that have such an end.
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

/* ---- segment map --------------------------------------------------------------------------------------------- */

enum map_tree { BY_START, BY_END, MAP_TREES };

struct map_node {
	struct histree_segment segment;
	uint64_t weight; /* no child has a greater one */
	struct map_node *left[MAP_TREES], *right[MAP_TREES];
};

struct segment_map {
	struct segment_contents contents;
	struct arena nodes;
	uint64_t count;
	struct map_node *roots[MAP_TREES];
};

enum histree_status segment_map_create(const struct histree_segment_schema *schema, void **out,
				       struct histree_error *error)
{
	struct segment_map *map = calloc(1, sizeof(*map));
	*out = map;
	if (map == NULL)
		return error_memory(error, "a segment store");
	map->contents.field_count = schema->field_count;
	return HISTREE_OK;
}

static void map_free(void *body)
{
	struct segment_map *map = body;
	segment_contents_release(&map->contents);
	arena_release(&map->nodes);
	free(map);
}

/* Compares by (start, end) or (end, start). */
static bool map_is_before(enum map_tree tree, const struct histree_segment *a, const struct histree_segment *b)
{
	if (tree == BY_END && a->end != b->end)
		return a->end < b->end;
	return a->start != b->start ? a->start < b->start : a->end < b->end;
}

static enum histree_status map_add(void *body, const struct histree_segment *segment, struct histree_error *error)
{
	struct segment_map *map = body;
	struct map_node *node = arena_allocate(&map->nodes, sizeof(*node), _Alignof(struct map_node));
	if (node == NULL || segment_contents_copy(&map->contents, segment, &node->segment) != HISTREE_OK)
		return error_memory(error, "a segment");
	node->weight = hash_mix(++map->count);
	for (enum map_tree tree = 0; tree < MAP_TREES; tree++) {
		/*
		 * Put a node where it belongs: below all of greater weight, above the rest, which is split into
		 * what comes before it and what does not.  Equal ones stay in the order of their arrival.
		 */
		struct map_node **link = &map->roots[tree];
		while (*link != NULL && (*link)->weight >= node->weight)
			link = map_is_before(tree, &node->segment, &(*link)->segment) ? &(*link)->left[tree]
										      : &(*link)->right[tree];
		struct map_node *rest = *link, **before = &node->left[tree], **after = &node->right[tree];
		*link = node;
		while (rest != NULL)
			if (map_is_before(tree, &node->segment, &rest->segment)) {
				*after = rest;
				after = &rest->left[tree];
				rest = *after;
			} else {
				*before = rest;
				before = &rest->right[tree];
				rest = *before;
			}
		*before = *after = NULL;
	}
	return HISTREE_OK;
}

/* ---- the cursor --------------------------------------------------------------------------------- */

/* In the order of the tree; what lies outside the window to the left or right is not entered. */
static enum histree_status collect(const struct map_node *node, enum map_tree tree,
				   const struct histree_segment_query *query, struct segment_list *list)
{
	enum histree_status status = HISTREE_OK;
	while (node != NULL && status == HISTREE_OK) {
		const struct histree_segment *segment = &node->segment;
		if (tree == BY_START || segment->end >= query->from)
			status = collect(node->left[tree], tree, query, list);
		bool meets = segment->start <= query->to && segment->end >= query->from;
		if (status == HISTREE_OK && meets)
			status = segment_list_add(list, segment);
		node = tree == BY_END || segment->start <= query->to ? node->right[tree] : NULL;
	}
	return status;
}

static enum histree_status map_cursor_start(void *context, const struct histree_segment_query *query,
					    const struct histree_segment_token *resume, struct histree_error *error)
{
	struct list_cursor *cursor = context;
	const struct segment_map *map = cursor->body;
	enum map_tree tree = query->order == HISTREE_SEGMENTS_BY_END ? BY_END : BY_START;
	cursor->list.count = 0;
	enum histree_status status = collect(map->roots[tree], tree, query, &cursor->list);
	if (status == HISTREE_OK && query->order == HISTREE_SEGMENTS_BY_DURATION)
		status =
			segment_list_sort(&cursor->list, (struct segment_order){ query->order, query->descending });
	else if (query->order != HISTREE_SEGMENTS_UNSORTED && query->descending)
		segment_list_reverse(&cursor->list);
	if (status != HISTREE_OK)
		return error_memory(error, "an iterator");
	list_cursor_begin(cursor, query, resume);
	return HISTREE_OK;
}

const struct segment_backend segment_backend_map = {
	.add = map_add,
	.free = map_free,
	.cursor_create = list_cursor_create,
	.cursor_start = map_cursor_start,
	.cursor_next = list_cursor_next,
	.cursor_key = list_cursor_key,
	.cursor_stats = list_cursor_stats,
	.cursor_free = list_cursor_free,
};

/* ---- segment sort -------------------------------------------------------------------------------------------- */

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
		/* Drop what cannot be among the first; write what remains if that was not enough. */
		uint64_t limit = sort->query->limit;
		enum histree_status status = HISTREE_OK;
		sort_items(sort);
		if (limit > 0 && sort->count > limit) {
			sort->count = (size_t)limit;
			status = compact(sort, error);
		}
		if (status == HISTREE_OK && sort->room->io != NULL && bytes_in_memory(sort) > sort->room->bytes / 2)
			status = write_run(sort, error);
		if (status != HISTREE_OK)
			return status;
	}
	struct histree_segment copy = *segment;
	if (!array_reserve(&sort->items, &sort->capacity, sort->count + 1) ||
	    !segment_copy_content(&sort->contents, sort->schema->field_count, &copy))
		return error_memory(error, "sorting segments");
	assert(sort->count < sort->capacity);
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
	assert(segment->start <= segment->end);
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

/* The sort is stable, and equal ends or durations arrive in the order of (start, end). */
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

static bool comes_before(const struct histree_segment *segment, struct segment_order order, struct segment_key key)
{
	const struct segment_times times = segment_times_of(segment);
	return segment_key_is_less(segment_key_of(order, &times), key);
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
	if (cursor->sorted) {
		/* To the first that does not come before the key. */
		cursor->at = SEARCH(i, 0, cursor->list.count,
				    comes_before(cursor->list.segments[i], cursor->order, key));
	} else {
		cursor->at = key.first < count ? (size_t)key.first + 1 : count;
	}
}

enum histree_status list_cursor_next(void *context, struct histree_segment *out, struct histree_error *error)
{
	(void)error;
	struct list_cursor *cursor = context;
	assert(cursor->at <= cursor->list.count);
	if (cursor->at == cursor->list.count)
		return HISTREE_END;
	*out = *cursor->list.segments[cursor->at++];
	return HISTREE_OK;
}

void list_cursor_key(const void *context, uint64_t key[2])
{
	const struct list_cursor *cursor = context;
	assert(cursor->at > 0 && cursor->at <= cursor->list.count);
	key[0] = cursor->at - 1;
	key[1] = 0;
	if (cursor->sorted) {
		struct segment_times times = segment_times_of(cursor->list.segments[cursor->at - 1]);
		struct segment_key of = segment_key_of(cursor->order, &times);
		key[0] = of.first;
		key[1] = of.second;
	}
}

void list_cursor_stats(const void *context, struct histree_statistics *stats)
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
