// SPDX-License-Identifier: MIT
/*
 * segment_union.c - the stores of several hosts as one
 */
#include "segment/segment_union.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/heap.h"
#include "segment/segment_memory.h"
#include "segment/segment_schema.h"
#include "segment_tree/segment_sweep.h"

#define SEGMENT_UNION_HOST "host"

static void union_cursor_free(void *cursor);

/* ---- union cursor -------------------------------------------------------------------------------------------- */

/* An unsorted token has the part above the first number of the part's own, which is that of a node or a place. */
enum { PART_SHIFT = 44 };

struct part_cursor {
	struct union_cursor *of;
	const struct union_part *part;
	uint32_t number;
	struct histree_cursor *iter; /* made when it is first needed */
	bool is_read;                /* by the query */
	bool is_started;             /* with it */
	bool is_resumed;             /* at the token */
	struct segment_key bound;    /* no segment of it comes before; 0: not known */
	struct segment_key key;      /* of the segment that it gave last, in an order of time */
	bool is_missing;             /* which is still to be told */
	struct histree_segment head; /* the segment that it gave last, with the fields of the union */
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
	struct histree_loss loss;
};

static enum histree_status union_cursor_create(void *context, void **out, struct histree_error *error)
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

static void union_cursor_free(void *context)
{
	struct union_cursor *cursor = context;
	for (size_t i = 0; cursor->parts != NULL && i < cursor->body->part_count; i++)
		histree_cursor_free(cursor->parts[i].iter);
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
		status = histree_segments_create(part->part->store, &part->iter, error);
	if (status == HISTREE_OK)
		status = histree_segments_start(part->iter, of_part, resume, error);
	part->is_started = status == HISTREE_OK;
	return status;
}

static void segment_union_begin(struct union_cursor *cursor, const struct histree_segment_query *query)
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
		.work = query->work,
	};
}

static void expect(struct union_cursor *cursor, struct part_cursor *part)
{
	assert(cursor->hungry_count < cursor->body->part_count);
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

static enum histree_status union_cursor_start(void *context, const struct histree_segment_query *query,
					      const struct histree_segment_token *resume,
					      struct histree_error *error)
{
	struct union_cursor *cursor = context;
	bool unsorted = query->order == HISTREE_SEGMENTS_UNSORTED;
	(void)error;
	segment_union_begin(cursor, query);
	cursor->of_part = query_of_part(query);
	bool resumes = resume != NULL && resume->given > 0;
	size_t first = resumes && unsorted ? (size_t)(resume->key[0] >> PART_SHIFT) : 0;
	/* In the order of time, all segments with the key count, from all parts. */
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
static enum histree_status union_cursor_start_field(void *context, const struct histree_segment_query *query,
						    uint64_t rank, struct histree_error *error)
{
	struct union_cursor *cursor = context;
	enum histree_status status = HISTREE_OK;
	segment_union_begin(cursor, query);
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

/* ---- merging ------------------------------------------------------------------------------------ */

static enum histree_status tell_missing(struct union_cursor *cursor, struct part_cursor *part)
{
	part->is_missing = false;
	cursor->loss = (struct histree_loss){
		.from = INT64_MIN, .to = INT64_MAX, .rows_max = UINT64_MAX, .nodes = 1, .part = part->number
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
		status = segments_step(part->iter, &segment, &cursor->loss, error);
	if (status == HISTREE_OK) {
		part->head = show(part, &segment);
		part->key = key_of(cursor, &part->head);
	} else if (status == HISTREE_PARTIAL) {
		cursor->loss.part = part->number;
	} else if (status == HISTREE_END) {
		part->is_read = false;
	}
	return status;
}

/* Unsorted, one part follows the other; but parts that are missing as a whole are reported first. */
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

static enum histree_status union_cursor_next(void *context, struct histree_segment *out,
					     struct histree_error *error)
{
	struct union_cursor *cursor = context;
	if (cursor->query.order == HISTREE_SEGMENTS_UNSORTED)
		return next_unsorted(cursor, out, error);
	/* The one whose segment was handed out lends its content until now. */
	if (cursor->last != NULL) {
		assert(cursor->heap_count > 0 && cursor->heap[0] == cursor->last);
		enum histree_status status = feed(cursor, cursor->last, error);
		if (status != HISTREE_OK && status != HISTREE_END)
			return status;
		if (status == HISTREE_END)
			HEAP_POP(cursor->heap, cursor->heap_count, a, b, comes_before(cursor, *a, *b));
		else
			HEAP_SINK(cursor->heap, cursor->heap_count, 0, a, b, comes_before(cursor, *a, *b));
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
		if (status == HISTREE_OK) {
			assert(cursor->heap_count < cursor->body->part_count);
			HEAP_PUSH(cursor->heap, cursor->heap_count, part, a, b, comes_before(cursor, *a, *b));
		}
	}
	if (cursor->heap_count == 0)
		return HISTREE_END;
	assert(cursor->hungry_count == 0 || cursor->query.order != HISTREE_SEGMENTS_BY_FIELD);
	cursor->last = cursor->heap[0];
	*out = cursor->last->head;
	return HISTREE_OK;
}

static struct histree_loss union_cursor_loss(const void *context)
{
	return ((const struct union_cursor *)context)->loss;
}

/* By a field there is no number to continue from: the segments handed out before are skipped. */
static void union_cursor_key(const void *context, uint64_t key[2])
{
	const struct union_cursor *cursor = context;
	assert(cursor->last != NULL);
	key[0] = key[1] = 0;
	if (cursor->query.order == HISTREE_SEGMENTS_UNSORTED) {
		struct histree_segment_token token = histree_segments_token(cursor->last->iter);
		key[0] = (uint64_t)cursor->last->number << PART_SHIFT | token.key[0];
		key[1] = token.key[1];
	} else if (cursor->query.order != HISTREE_SEGMENTS_BY_FIELD) {
		key[0] = cursor->last->key.first;
		key[1] = cursor->last->key.second;
	}
}

static void union_cursor_stats(const void *context, struct histree_statistics *stats)
{
	const struct union_cursor *cursor = context;
	for (size_t i = 0; i < cursor->body->part_count; i++) {
		if (cursor->parts[i].iter == NULL)
			continue;
		struct histree_statistics of = histree_cursor_statistics(cursor->parts[i].iter);
		stats->nodes_visited += of.nodes_visited;
		stats->nodes_loaded += of.nodes_loaded;
		stats->spilled_bytes += of.spilled_bytes;
	}
}

/* ---- segment union ------------------------------------------------------------------------------------------- */

enum {
	/* What one sorted iterator of a store takes is shared by the parts, but each gets as much as this. */
	QUEUE_BYTES_ALL = 32 << 20,
	QUEUE_BYTES_MIN = 512 << 10,
};

/* ---- the schema --------------------------------------------------------------------------------- */

static size_t find_field(const struct histree_segment_field *fields, size_t count, const char *name)
{
	size_t at = 0;
	while (at < count && strcmp(fields[at].name, name) != 0)
		at++;
	return at;
}

/* Those of a part that none before it has. */
static enum histree_status add_fields(struct histree_segment_field fields[HISTREE_SEGMENT_FIELDS_MAX],
				      size_t *count, const struct histree_segment_part *part,
				      struct histree_error *error)
{
	const struct histree_segment_schema *schema = &part->store->info.schema;
	for (size_t i = 0; i < schema->field_count; i++) {
		const struct histree_segment_field *field = &schema->fields[i];
		size_t at = find_field(fields, *count, field->name);
		if (strcmp(field->name, SEGMENT_UNION_HOST) == 0)
			return error_set(error, HISTREE_ERR_TYPE,
					 "the segments of '%s' have a field 'host' themselves, so those of several "
					 "hosts cannot be united; ask the store of one host",
					 part->name);
		if (at < *count && fields[at].type != field->type)
			return error_set(
				error, HISTREE_ERR_TYPE,
				"field '%s' of the segments of '%s' has another type than that of the hosts "
				"before it; build the stores again with one version, or ask that of one host",
				field->name, part->name);
		if (at == HISTREE_SEGMENT_FIELDS_MAX - 1)
			return error_set(
				error, HISTREE_ERR_ARGUMENT,
				"the segments of several hosts may have %d fields and 'host'; ask the store "
				"of one host",
				HISTREE_SEGMENT_FIELDS_MAX - 1);
		if (at == *count)
			fields[(*count)++] = *field;
	}
	return HISTREE_OK;
}

static enum histree_status unite_schemas(struct histree_segment_store *store, struct histree_error *error)
{
	struct segment_union *body = store->body;
	struct histree_segment_field fields[HISTREE_SEGMENT_FIELDS_MAX];
	struct histree_segment_schema schema = { .fields = fields };
	for (size_t i = 0; i < body->part_count; i++) {
		const struct histree_segment_part *part = &body->parts[i];
		if (part->store == NULL)
			continue;
		enum histree_status status = add_fields(fields, &schema.field_count, part, error);
		if (status != HISTREE_OK)
			return status;
		if (schema.provider == NULL) {
			schema.provider = part->store->info.schema.provider;
			schema.provider_version = part->store->info.schema.provider_version;
		}
	}
	fields[schema.field_count++] = (struct histree_segment_field){ SEGMENT_UNION_HOST, HISTREE_STRING };
	body->field_count = schema.field_count;
	return segment_schema_copy(&schema, &store->info.schema, error);
}

static void map_fields(const struct segment_union *body, const struct histree_segment_schema *schema,
		       struct union_part *source)
{
	const struct histree_segment_schema *own = &source->store->info.schema;
	for (size_t i = 0; i + 1 < body->field_count; i++) {
		size_t at = find_field(own->fields, own->field_count, schema->fields[i].name);
		source->fields[i] = at < own->field_count ? (uint8_t)at : UNION_NO_FIELD;
	}
}

/* ---- what it is --------------------------------------------------------------------------------- */

static void add_extents(struct histree_segment_store_info *info, const struct histree_segment_store_info *of)
{
	bool is_first = info->segment_count == 0;
	if (of->segment_count == 0)
		return;
	info->start = is_first || of->start < info->start ? of->start : info->start;
	info->end = is_first || of->end > info->end ? of->end : info->end;
	info->duration_min =
		is_first || of->duration_min < info->duration_min ? of->duration_min : info->duration_min;
	info->duration_max = of->duration_max > info->duration_max ? of->duration_max : info->duration_max;
	info->segment_count += of->segment_count;
}

/* ---- made --------------------------------------------------------------------------------------- */

static void free_text(const char *text)
{
	free((void *)(uintptr_t)text);
}

static void union_free(void *context)
{
	struct segment_union *body = context;
	for (size_t i = 0; body->parts != NULL && i < body->part_count; i++) {
		histree_segment_store_close(body->parts[i].store);
		free_text(body->parts[i].name);
		free_text(body->parts[i].why);
	}
	free(body->parts);
	free(body->sources);
	free(body);
}

/* The stores are taken in any case: what has no memory for its texts is closed with the rest. */
static enum histree_status take_parts(struct segment_union *body, const struct histree_segment_part *parts,
				      struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < body->part_count; i++) {
		struct histree_segment_part *part = &body->parts[i];
		const char *why = parts[i].why != NULL ? parts[i].why : "its segments are missing";
		part->store = parts[i].store;
		part->name = strdup(parts[i].name);
		part->why = part->store == NULL ? strdup(why) : NULL;
		if (part->name == NULL || (part->store == NULL && part->why == NULL)) {
			status = error_memory(error, "a segment store");
			continue;
		}
		body->sources[i].store = part->store;
		body->sources[i].host = histree_string(part->name);
		if (part->store != NULL && !part->store->finished)
			status = error_set(error, HISTREE_ERR_ARGUMENT,
					   "the segment store of '%s' is still being filled; finish it first",
					   part->name);
	}
	return status;
}

/*
 * All of them take what one store would take.  Spilled files go beside the first part that has one; `room` is its
 * own.
 */
static void share_memory(struct histree_segment_store *store)
{
	const struct segment_union *body = store->body;
	struct tree_reader *first = NULL;
	size_t share = QUEUE_BYTES_ALL / body->part_count;
	share = share > QUEUE_BYTES_MIN ? share : QUEUE_BYTES_MIN;
	for (size_t i = 0; i < body->part_count; i++) {
		struct histree_segment_store *part = body->parts[i].store;
		if (part == NULL || part->room.io == NULL)
			continue;
		if (store->room.io == NULL)
			store->room = part->room;
		if (part->room.bytes > share)
			part->room.bytes = share;
		if (part->backend != &segment_backend_disk)
			continue;
		segment_disk_limit_queue(part->body, share);
		/* One ceiling of their caches, which nobody has read yet. */
		if (first == NULL)
			first = segment_disk_reader(part->body);
		else
			tree_reader_share_cache(segment_disk_reader(part->body), first);
	}
}

static struct segment_union *new_union(size_t count)
{
	struct segment_union *body = calloc(1, sizeof(*body));
	if (body == NULL)
		return NULL;
	body->parts = calloc(count, sizeof(*body->parts));
	body->sources = calloc(count, sizeof(*body->sources));
	if (body->parts != NULL && body->sources != NULL) {
		body->part_count = count;
		return body;
	}
	union_free(body);
	return NULL;
}

enum histree_status histree_segment_store_unite(const struct histree_segment_part *parts, size_t count,
						struct histree_segment_store **out, struct histree_error *error)
{
	*out = NULL;
	if (count == 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a union of segment stores needs at least one");
	struct histree_segment_store *store = calloc(1, sizeof(*store));
	struct segment_union *body = new_union(count);
	if (store == NULL || body == NULL) {
		if (body != NULL)
			union_free(body);
		free(store);
		for (size_t i = 0; i < count; i++)
			histree_segment_store_close(parts[i].store);
		return error_memory(error, "a segment store");
	}
	pthread_mutex_init(&store->mutex, NULL);
	store->backend = &segment_backend_union;
	store->info.kind = HISTREE_SEGMENTS_UNION;
	store->body = body;
	store->finished = true;
	enum histree_status status = take_parts(body, parts, error);
	if (status == HISTREE_OK)
		status = unite_schemas(store, error);
	if (status != HISTREE_OK) {
		histree_segment_store_close(store);
		return status;
	}
	for (size_t i = 0; i < count; i++)
		if (body->sources[i].store != NULL) {
			map_fields(body, &store->info.schema, &body->sources[i]);
			const struct histree_segment_store_info *of = &body->sources[i].store->info;
			add_extents(&store->info, of);
			store->info.node_size =
				of->node_size > store->info.node_size ? of->node_size : store->info.node_size;
			store->info.depth = of->depth > store->info.depth ? of->depth : store->info.depth;
			store->info.format_version = of->format_version > store->info.format_version
							     ? of->format_version
							     : store->info.format_version;
			store->info.identity = hash_mix(store->info.identity ^ of->identity);
			store->info.node_count += of->node_count;
			store->info.node_bytes += of->node_bytes;
			store->info.file_bytes += of->file_bytes;
		}
	share_memory(store);
	*out = store;
	return HISTREE_OK;
}

const struct histree_segment_part *histree_segment_store_parts(const struct histree_segment_store *store,
							       size_t *count)
{
	*count = 0;
	if (store->backend != &segment_backend_union)
		return NULL;
	const struct segment_union *body = store->body;
	*count = body->part_count;
	return body->parts;
}

/* ---- what each part does by itself -------------------------------------------------------------- */

struct part_report {
	void (*report)(void *context, const char *fault);
	void *context;
	const char *host;
};

static void report_of_part(void *context, const char *fault)
{
	const struct part_report *to = context;
	struct histree_error sentence;
	error_set(&sentence, HISTREE_ERR_FORMAT, "%s: %s", to->host, fault);
	to->report(to->context, sentence.message);
}

/* All parts are verified, even if the first ones fail. */
static enum histree_status union_verify(void *context, const struct histree_segment_store_info *info,
					void (*report)(void *context, const char *fault), void *report_context,
					struct histree_error *error)
{
	const struct segment_union *body = context;
	enum histree_status status = HISTREE_OK;
	(void)info;
	for (size_t i = 0; i < body->part_count; i++) {
		const struct histree_segment_part *part = &body->parts[i];
		struct part_report to = { report, report_context, part->name };
		struct histree_error fault;
		enum histree_status of_part;
		if (part->store != NULL) {
			of_part = histree_segment_store_verify(part->store, report_of_part, &to, &fault);
		} else {
			report_of_part(&to, part->why);
			of_part = error_set(&fault, HISTREE_ERR_FORMAT, "%s", part->why);
		}
		if (of_part != HISTREE_OK && of_part != HISTREE_ERR_FORMAT)
			return error_set(error, of_part, "%s: %s", part->name, fault.message);
		if (of_part == HISTREE_ERR_FORMAT && status == HISTREE_OK)
			status = error_set(error, of_part, "%s: %s", part->name, fault.message);
	}
	return status;
}

/* The host needs none: parts are put in its order. */
static enum histree_status union_make_table(void *context, size_t field, struct histree_error *error)
{
	const struct segment_union *body = context;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; status == HISTREE_OK && i < body->part_count && field + 1 < body->field_count; i++) {
		const struct union_part *part = &body->sources[i];
		if (part->store != NULL && part->fields[field] != UNION_NO_FIELD)
			status = histree_segment_store_make_table(part->store, part->fields[field], error);
	}
	return status;
}

const struct segment_backend segment_backend_union = {
	.verify = union_verify,
	.make_table = union_make_table,
	.free = union_free,
	.cursor_create = union_cursor_create,
	.cursor_start = union_cursor_start,
	.cursor_start_field = union_cursor_start_field,
	.cursor_next = union_cursor_next,
	.cursor_loss = union_cursor_loss,
	.cursor_key = union_cursor_key,
	.cursor_stats = union_cursor_stats,
	.cursor_free = union_cursor_free,
};
