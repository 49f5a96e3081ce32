// SPDX-License-Identifier: MIT
/*
 * The cursor of a union: an iterator of each part that is wanted, and a heap of the segments that they gave last.
 *
 * In the orders of time, a part is left alone until its first segment could come next, as the bounds of all its
 * segments say: who wants the first few of many hosts opens the stores of those that have them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "segment/segment_sort.h"
#include "segment/segment_union.h"
#include "segment_tree/segment_order.h"

/* An unsorted token has the part above the first number of the part's own, which is that of a node or a place. */
enum { PART_SHIFT = 44 };

struct part_cursor {
	struct union_cursor *of;
	const struct union_part *part;
	uint32_t number;
	struct histree_segment_iter *iter; /* made when it is first needed */
	bool is_read;                      /* by the query */
	bool is_started;                   /* with it */
	bool is_resumed;                   /* at the token */
	struct segment_key bound;          /* no segment of it comes before; 0: not known */
	struct segment_key key;            /* of the segment that it gave last, in an order of time */
	bool is_missing;                   /* which is still to be told */
	struct histree_segment head;       /* the segment that it gave last, with the fields of the union */
	struct histree_value *content;
};

struct union_cursor {
	const struct segment_union *body;
	struct histree_segment_query query, of_part; /* of all, and of each in an order of time, or unsorted */
	struct histree_segment_token token;          /* of a part that is resumed */
	struct part_cursor *parts;
	struct histree_value *values; /* of all of them */
	struct part_cursor **heap;    /* that have a segment; the one that comes next is first */
	size_t heap_count;
	struct part_cursor **hungry; /* that have to give one before any is handed out */
	size_t hungry_count;
	struct part_cursor *last; /* whose segment was handed out last */
	struct histree_segment_loss loss;
};

enum histree_status union_cursor_create(void *context, void **out, struct histree_error *error)
{
	const struct segment_union *body = context;
	size_t count = body->part_count;
	*out = NULL;
	struct union_cursor *cursor = calloc(1, sizeof(*cursor));
	if (cursor == NULL)
		return error_memory(error, "an iterator");
	cursor->body = body;
	cursor->parts = calloc(count, sizeof(*cursor->parts));
	cursor->heap = calloc(count, sizeof(struct part_cursor *));
	cursor->hungry = calloc(count, sizeof(struct part_cursor *));
	cursor->values = calloc(count * body->field_count, sizeof(*cursor->values));
	if (cursor->parts == NULL || cursor->heap == NULL || cursor->hungry == NULL || cursor->values == NULL) {
		union_cursor_free(cursor);
		return error_memory(error, "an iterator");
	}
	for (size_t i = 0; i < count; i++) {
		struct part_cursor *part = &cursor->parts[i];
		part->of = cursor;
		part->part = &body->sources[i];
		part->number = (uint32_t)i;
		part->content = &cursor->values[i * body->field_count];
		part->content[body->field_count - 1] = part->part->host;
	}
	*out = cursor;
	return HISTREE_OK;
}

void union_cursor_free(void *context)
{
	struct union_cursor *cursor = context;
	for (size_t i = 0; cursor->parts != NULL && i < cursor->body->part_count; i++)
		histree_segment_iter_free(cursor->parts[i].iter);
	free(cursor->parts);
	free(cursor->values);
	free(cursor->heap);
	free(cursor->hungry);
	free(cursor);
}

/* ---- a part ------------------------------------------------------------------------------------- */

/* A segment of the part as one of the union. */
static struct histree_segment show(struct part_cursor *part, const struct histree_segment *segment)
{
	const size_t count = part->of->body->field_count - 1;
	for (size_t i = 0; i < count; i++) {
		uint8_t field = part->part->fields[i];
		part->content[i] = field != UNION_NO_FIELD ? segment->content[field] : histree_null();
	}
	return (struct histree_segment){ segment->start, segment->end, part->content };
}

/* Where a part sorts, it sorts only what is wanted. */
static bool pass(void *context, const struct histree_segment *segment)
{
	struct part_cursor *part = context;
	const struct histree_segment_query *query = &part->of->query;
	const struct histree_segment shown = show(part, segment);
	return query->filter(query->filter_context, &shown);
}

static bool is_wanted(const struct part_cursor *part, const struct histree_segment_query *query)
{
	const struct histree_segment_part *of = &part->of->body->parts[part->number];
	return query->host_filter == NULL || query->host_filter(query->host_context, of->name);
}

/* Returns whether a query reads a part. */
static bool choose_part(struct part_cursor *part, const struct histree_segment_query *of_part)
{
	const struct histree_segment_store *store = part->part->store;
	part->is_read = part->is_missing = part->is_started = false;
	part->bound = (struct segment_key){ 0, 0 };
	if (!is_wanted(part, &part->of->query))
		return false;
	part->is_missing = store == NULL;
	part->is_read = store != NULL && (store->info.segment_count == 0 ||
					  (store->info.start <= of_part->to && store->info.end >= of_part->from));
	return part->is_read;
}

static enum histree_status start_part(struct part_cursor *part, const struct histree_segment_query *of_part,
				      const struct histree_segment_token *resume, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (part->iter == NULL)
		status = histree_segment_iter_create(part->part->store, &part->iter, error);
	if (status == HISTREE_OK)
		status = histree_segment_iter_start(part->iter, of_part, resume, error);
	part->is_started = status == HISTREE_OK;
	return status;
}

static void begin(struct union_cursor *cursor, const struct histree_segment_query *query)
{
	cursor->query = *query;
	cursor->heap_count = cursor->hungry_count = 0;
	cursor->last = NULL;
}

/* What its own query has of that of the union. */
static struct histree_segment_query query_of_part(const struct histree_segment_query *query)
{
	return (struct histree_segment_query){
		.from = query->from,
		.to = query->to,
		.order = query->order,
		.descending = query->descending,
		.cancel = query->cancel,
	};
}

static void expect(struct union_cursor *cursor, struct part_cursor *part)
{
	if (part->is_read || part->is_missing)
		cursor->hungry[cursor->hungry_count++] = part;
}

/* The least key that a segment of the part can have. */
static struct segment_key bound_of(const struct part_cursor *part)
{
	const struct union_cursor *cursor = part->of;
	const struct histree_segment_query *query = &cursor->query;
	const struct segment_order order = { query->order, query->descending };
	if (part->is_missing || part->part->store->info.segment_count == 0)
		return (struct segment_key){ 0, 0 };
	const struct histree_segment_store_info *info = &part->part->store->info;
	const struct node_child bounds = {
		.start = info->start,
		.start_max = info->end < query->to ? info->end : query->to,
		.end = info->end,
		.end_min = info->start > query->from ? info->start : query->from,
		.duration_min = info->duration_min,
		.duration_max = info->duration_max,
	};
	return segment_key_bound(order, &bounds);
}

/* The last is wanted first. */
static int compare_hungry(const void *a, const void *b)
{
	const struct part_cursor *one = *(struct part_cursor *const *)a, *other = *(struct part_cursor *const *)b;
	if (segment_key_is_less(one->bound, other->bound))
		return 1;
	if (segment_key_is_less(other->bound, one->bound))
		return -1;
	return one->number < other->number ? 1 : -1;
}

enum histree_status union_cursor_start(void *context, const struct histree_segment_query *query,
				       const struct histree_segment_token *resume, struct histree_error *error)
{
	struct union_cursor *cursor = context;
	bool unsorted = query->order == HISTREE_SEGMENTS_UNSORTED;
	(void)error;
	begin(cursor, query);
	cursor->of_part = query_of_part(query);
	bool resumes = resume != NULL && resume->given > 0;
	size_t first = resumes && unsorted ? (size_t)(resume->key[0] >> PART_SHIFT) : 0;
	/* In the order of time, all that have the key are asked for, whatever part gave them. */
	cursor->token = (struct histree_segment_token){ 0 };
	if (resumes)
		cursor->token = (struct histree_segment_token){ .given = resume->given,
								.key = { resume->key[0], resume->key[1] } };
	cursor->token.key[0] &= unsorted ? (UINT64_C(1) << PART_SHIFT) - 1 : UINT64_MAX;
	for (size_t i = cursor->body->part_count; i-- > 0;) {
		struct part_cursor *part = &cursor->parts[i];
		if (i < first && part->part->store != NULL) {
			part->is_read = part->is_missing = false;
			continue;
		}
		choose_part(part, &cursor->of_part);
		part->is_resumed = resumes && (!unsorted || i == first);
		if (!unsorted && (part->is_read || part->is_missing))
			part->bound = bound_of(part);
		expect(cursor, part);
	}
	if (!unsorted && cursor->hungry_count > 1)
		qsort(cursor->hungry, cursor->hungry_count, sizeof(*cursor->hungry), compare_hungry);
	return HISTREE_OK;
}

/* Parts give the order of a field by their side tables, or sort; that of the host is the one by start. */
enum histree_status union_cursor_start_field(void *context, const struct histree_segment_query *query,
					     uint64_t rank, struct histree_error *error)
{
	struct union_cursor *cursor = context;
	enum histree_status status = HISTREE_OK;
	begin(cursor, query);
	if (rank > 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "the token is not one of several hosts");
	for (size_t i = cursor->body->part_count; i-- > 0 && status == HISTREE_OK;) {
		struct part_cursor *part = &cursor->parts[i];
		struct histree_segment_query of_part = query_of_part(query);
		uint8_t field = query->field + 1 < cursor->body->field_count && part->part->store != NULL
					? part->part->fields[query->field]
					: UNION_NO_FIELD;
		of_part.field = field;
		of_part.filter = query->filter != NULL ? pass : NULL;
		of_part.filter_context = part;
		of_part.limit = query->limit;
		if (field == UNION_NO_FIELD)
			of_part.order = HISTREE_SEGMENTS_BY_START;
		if (choose_part(part, &of_part))
			status = start_part(part, &of_part, NULL, error);
		expect(cursor, part);
	}
	return status;
}

/* ---- the order ---------------------------------------------------------------------------------- */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_by_time(const struct part_cursor *a, const struct part_cursor *b)
{
	int order = compare_numbers(a->key.first, b->key.first);
	return order != 0 ? order : compare_numbers(a->key.second, b->key.second);
}

static int compare_by_field(const struct union_cursor *cursor, const struct part_cursor *a,
			    const struct part_cursor *b)
{
	size_t field = cursor->query.field;
	int order = segment_value_compare(&a->content[field], &b->content[field]);
	if (order == 0)
		order = (a->head.start > b->head.start) - (a->head.start < b->head.start);
	if (order == 0)
		order = (a->head.end > b->head.end) - (a->head.end < b->head.end);
	return cursor->query.descending ? -order : order;
}

static bool comes_before(const struct union_cursor *cursor, const struct part_cursor *a,
			 const struct part_cursor *b)
{
	int order = 0;
	bool turned = cursor->query.descending;
	if (cursor->query.order == HISTREE_SEGMENTS_UNSORTED)
		turned = false;
	else if (cursor->query.order == HISTREE_SEGMENTS_BY_FIELD)
		order = compare_by_field(cursor, a, b);
	else
		order = compare_by_time(a, b);
	if (order != 0)
		return order < 0;
	return turned ? a->number > b->number : a->number < b->number;
}

static void sink(struct union_cursor *cursor, size_t at)
{
	struct part_cursor **heap = cursor->heap, *part = heap[at];
	for (size_t child; (child = 2 * at + 1) < cursor->heap_count; at = child) {
		if (child + 1 < cursor->heap_count && comes_before(cursor, heap[child + 1], heap[child]))
			child++;
		if (!comes_before(cursor, heap[child], part))
			break;
		heap[at] = heap[child];
	}
	heap[at] = part;
}

static void put(struct union_cursor *cursor, struct part_cursor *part)
{
	struct part_cursor **heap = cursor->heap;
	size_t at = cursor->heap_count++;
	for (; at > 0 && comes_before(cursor, part, heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = part;
}

/* ---- merging ------------------------------------------------------------------------------------ */

static enum histree_status tell_missing(struct union_cursor *cursor, struct part_cursor *part)
{
	part->is_missing = false;
	cursor->loss = (struct histree_segment_loss){
		.from = INT64_MIN, .to = INT64_MAX, .count_max = UINT64_MAX, .part = part->number
	};
	return HISTREE_PARTIAL;
}

static struct segment_key key_of(const struct union_cursor *cursor, const struct histree_segment *segment)
{
	const struct segment_times times = { segment->start, histree_segment_duration(segment) };
	return segment_key_of((struct segment_order){ cursor->query.order, cursor->query.descending }, &times);
}

/* HISTREE_OK: it has a segment. */
static enum histree_status feed(struct union_cursor *cursor, struct part_cursor *part, struct histree_error *error)
{
	struct histree_segment segment;
	if (part->is_missing)
		return tell_missing(cursor, part);
	if (!part->is_read)
		return HISTREE_END;
	enum histree_status status = HISTREE_OK;
	if (!part->is_started)
		status = start_part(part, &cursor->of_part, part->is_resumed ? &cursor->token : NULL, error);
	if (status == HISTREE_OK)
		status = histree_segment_iter_next(part->iter, &segment, error);
	if (status == HISTREE_OK) {
		part->head = show(part, &segment);
		part->key = key_of(cursor, &part->head);
	} else if (status == HISTREE_PARTIAL) {
		cursor->loss = histree_segment_iter_loss(part->iter);
		cursor->loss.part = part->number;
	} else if (status == HISTREE_END) {
		part->is_read = false;
	}
	return status;
}

/* Unsorted, one part follows the other; but all that is missing as a whole is told first. */
static enum histree_status next_unsorted(struct union_cursor *cursor, struct histree_segment *out,
					 struct histree_error *error)
{
	for (size_t i = cursor->hungry_count; i-- > 0;)
		if (cursor->hungry[i]->is_missing)
			return tell_missing(cursor, cursor->hungry[i]);
	while (cursor->hungry_count > 0) {
		struct part_cursor *part = cursor->hungry[cursor->hungry_count - 1];
		enum histree_status status = feed(cursor, part, error);
		if (status == HISTREE_END) {
			cursor->hungry_count--;
			continue;
		}
		cursor->last = part;
		if (status == HISTREE_OK)
			*out = part->head;
		return status;
	}
	return HISTREE_END;
}

/* Whether all of the part comes after the segment that is next of the others. */
static bool may_wait(const struct union_cursor *cursor, const struct part_cursor *part)
{
	return cursor->query.order != HISTREE_SEGMENTS_BY_FIELD &&
	       segment_key_is_less(cursor->heap[0]->key, part->bound);
}

enum histree_status union_cursor_next(void *context, struct histree_segment *out, struct histree_error *error)
{
	struct union_cursor *cursor = context;
	if (cursor->query.order == HISTREE_SEGMENTS_UNSORTED)
		return next_unsorted(cursor, out, error);
	/* The one whose segment was handed out lends its content until now. */
	if (cursor->last != NULL) {
		enum histree_status status = feed(cursor, cursor->last, error);
		if (status != HISTREE_OK && status != HISTREE_END)
			return status;
		if (status == HISTREE_END)
			cursor->heap[0] = cursor->heap[--cursor->heap_count];
		if (cursor->heap_count > 0)
			sink(cursor, 0);
		cursor->last = NULL;
	}
	while (cursor->hungry_count > 0) {
		struct part_cursor *part = cursor->hungry[cursor->hungry_count - 1];
		if (cursor->heap_count > 0 && may_wait(cursor, part))
			break;
		enum histree_status status = feed(cursor, part, error);
		if (status != HISTREE_OK && status != HISTREE_END)
			return status;
		cursor->hungry_count--;
		if (status == HISTREE_OK)
			put(cursor, part);
	}
	if (cursor->heap_count == 0)
		return HISTREE_END;
	cursor->last = cursor->heap[0];
	*out = cursor->last->head;
	return HISTREE_OK;
}

struct histree_segment_loss union_cursor_loss(const void *context)
{
	return ((const struct union_cursor *)context)->loss;
}

/* By a field there is no number to go on from: what was handed out before is passed over. */
void union_cursor_key(const void *context, uint64_t key[2])
{
	const struct union_cursor *cursor = context;
	key[0] = key[1] = 0;
	if (cursor->query.order == HISTREE_SEGMENTS_UNSORTED) {
		struct histree_segment_token token = histree_segment_iter_token(cursor->last->iter);
		key[0] = (uint64_t)cursor->last->number << PART_SHIFT | token.key[0];
		key[1] = token.key[1];
	} else if (cursor->query.order != HISTREE_SEGMENTS_BY_FIELD) {
		key[0] = cursor->last->key.first;
		key[1] = cursor->last->key.second;
	}
}

void union_cursor_stats(const void *context, struct histree_segment_iter_stats *stats)
{
	const struct union_cursor *cursor = context;
	for (size_t i = 0; i < cursor->body->part_count; i++) {
		if (cursor->parts[i].iter == NULL)
			continue;
		struct histree_segment_iter_stats of = histree_segment_iter_stats(cursor->parts[i].iter);
		stats->nodes_visited += of.nodes_visited;
		stats->nodes_loaded += of.nodes_loaded;
		stats->spilled_bytes += of.spilled_bytes;
	}
}
