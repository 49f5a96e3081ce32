// SPDX-License-Identifier: MIT
/*
 * segment_store.c - a store of segments, wherever they are: its calls, and a sound one made of a damaged one.
 *
 * A *distinct* store keeps each of the segments that were added once: their bytes are interned.
 *
 * The public functions call the kind of the store (segment_memory.h): a store is filled, then finished, and never
 * changes after that.
 */
#include "segment/segment_memory.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/table.h"
#include "histree/segments.h"
#include "segment/segment_overviews.h"
#include "segment/segment_schema.h"

/* ---- segment set --------------------------------------------------------------------------------------------- */

struct segment_set {
	size_t field_count;
	struct intern segments;
	uint8_t *bytes; /* of the segment at hand */
	size_t size, capacity;
};

static enum histree_status segment_set_create(size_t field_count, struct segment_set **out,
					      struct histree_error *error)
{
	*out = calloc(1, sizeof(**out));
	if (*out == NULL)
		return error_memory(error, "a set of segments");
	(*out)->field_count = field_count;
	return HISTREE_OK;
}

static bool set_put(struct segment_set *set, const void *bytes, size_t size)
{
	if (!array_reserve(&set->bytes, &set->capacity, set->size + size))
		return false;
	if (size > 0)
		memcpy(set->bytes + set->size, bytes, size);
	set->size += size;
	return true;
}

/* The type says how long a number is, the size how long a text: equal bytes are equal values. */
static bool put_value(struct segment_set *set, const struct histree_value *value)
{
	const uint8_t type = (uint8_t)value->type;
	if (!set_put(set, &type, sizeof(type)))
		return false;
	switch (value->type) {
	case HISTREE_INT:
		return set_put(set, &value->int32, sizeof(value->int32));
	case HISTREE_LONG:
		return set_put(set, &value->int64, sizeof(value->int64));
	case HISTREE_DOUBLE:
		return set_put(set, &value->real, sizeof(value->real));
	case HISTREE_BOOL:
		return set_put(set, &value->boolean, sizeof(value->boolean));
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		return set_put(set, &value->size, sizeof(value->size)) && set_put(set, value->bytes, value->size);
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	}
	return true;
}

static bool put_segment(struct segment_set *set, const struct histree_segment *segment)
{
	const struct histree_value null = histree_null();
	set->size = 0;
	bool fits = set_put(set, &segment->start, sizeof(segment->start)) &&
		    set_put(set, &segment->end, sizeof(segment->end));
	for (size_t i = 0; fits && i < set->field_count; i++)
		fits = put_value(set, segment->content != NULL ? &segment->content[i] : &null);
	return fits;
}

/* Add a segment that its schema accepts; *is_new says whether there was no equal one. */
static enum histree_status segment_set_add(struct segment_set *set, const struct histree_segment *segment,
					   bool *is_new, struct histree_error *error)
{
	if (!put_segment(set, segment))
		return error_memory(error, "a segment");
	uint32_t count = set->segments.count;
	if (intern_add(&set->segments, set->bytes, set->size) == INTERN_NONE)
		return error_memory(error, "a segment");
	*is_new = set->segments.count > count;
	return HISTREE_OK;
}

/* Free the set, or do nothing if it is NULL. */
static void segment_set_free(struct segment_set *set)
{
	if (set == NULL)
		return;
	intern_release(&set->segments);
	free(set->bytes);
	free(set);
}

/* ---- segment store ------------------------------------------------------------------------------------------- */

enum { QUEUE_BYTES_DEFAULT = 32 << 20 };

/* Returns whether a segment has the types of the schema and does not end before it starts. */
static enum histree_status check_segment(const struct histree_segment_schema *schema,
					 const struct histree_segment *segment, struct histree_error *error)
{
	if (segment->end < segment->start)
		return error_set(error, HISTREE_ERR_TIME_RANGE, "a segment from %lld to %lld ends before it starts",
				 (long long)segment->start, (long long)segment->end);
	for (size_t i = 0; segment->content != NULL && i < schema->field_count; i++) {
		enum histree_type type = segment->content[i].type;
		if (type != HISTREE_NULL && type != schema->fields[i].type)
			return error_set(error, HISTREE_ERR_TYPE,
					 "field '%s' of a segment: a value of another type",
					 schema->fields[i].name);
	}
	return HISTREE_OK;
}

/* ---- made --------------------------------------------------------------------------------------- */

static enum histree_status create_body(struct histree_segment_store *store, const struct io *io,
				       const struct histree_segment_store_options *options,
				       struct histree_error *error)
{
	const struct histree_segment_schema *schema = &store->info.schema;
	if (options->distinct && options->kind == HISTREE_SEGMENTS_DISK)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "a segment store on disk cannot be distinct: it has no memory of what is in it");
	switch (options->kind) {
	case HISTREE_SEGMENTS_DISK:
		store->backend = &segment_backend_disk;
		store->room = (struct segment_room){ .io = io, .bytes = QUEUE_BYTES_DEFAULT };
		store->room.neighbour = options->path;
		return segment_disk_create(io, options, &store->info, store->room.bytes, &store->body, error);
	case HISTREE_SEGMENTS_ARRAY:
	case HISTREE_SEGMENTS_LAZY:
		store->backend = &segment_backend_array;
		return segment_array_create(schema, options->kind == HISTREE_SEGMENTS_LAZY, &store->body, error);
	case HISTREE_SEGMENTS_MAP:
		store->backend = &segment_backend_map;
		return segment_map_create(schema, &store->body, error);
	case HISTREE_SEGMENTS_UNION:
	case HISTREE_SEGMENTS_SOURCE:
		break;
	}
	return error_set(error, HISTREE_ERR_ARGUMENT, "there is no segment store of kind %u",
			 (unsigned)options->kind);
}

enum histree_status segment_store_create(const struct io *io, const struct histree_segment_store_options *options,
					 struct histree_segment_store **out, struct histree_error *error)
{
	*out = NULL;
	struct histree_segment_store *store = calloc(1, sizeof(*store));
	if (store == NULL)
		return error_memory(error, "a segment store");
	pthread_mutex_init(&store->mutex, NULL);
	store->info.kind = options->kind;
	enum histree_status status = segment_schema_copy(&options->schema, &store->info.schema, error);
	if (status == HISTREE_OK)
		status = create_body(store, io, options, error);
	if (status == HISTREE_OK && options->distinct)
		status = segment_set_create(store->info.schema.field_count, &store->distinct, error);
	if (status == HISTREE_OK && store->room.io != NULL && (store->path = strdup(options->path)) == NULL)
		status = error_memory(error, "a segment store");
	if (status != HISTREE_OK) {
		histree_segment_store_close(store);
		return status;
	}
	store->room.neighbour = store->path;
	*out = store;
	return HISTREE_OK;
}

enum histree_status histree_segment_store_create(const struct histree_segment_store_options *options,
						 struct histree_segment_store **out, struct histree_error *error)
{
	return segment_store_create(&io_posix, options, out, error);
}

void segment_overviews_close(struct segment_overviews *overviews)
{
	if (overviews == NULL)
		return;
	histree_segment_store_close(overviews->parts.store);
	while (overviews->count > 0)
		histree_segment_store_close(overviews->overviews[--overviews->count].store);
	free(overviews);
}

void histree_segment_store_close(struct histree_segment_store *store)
{
	if (store == NULL)
		return;
	if (store->body != NULL)
		store->backend->free(store->body);
	segment_set_free(store->distinct);
	segment_overviews_close(store->overviews);
	pthread_mutex_destroy(&store->mutex);
	segment_schema_release(&store->info.schema);
	free(store->path);
	free(store);
}

enum histree_status histree_segment_store_add(struct histree_segment_store *store,
					      const struct histree_segment *segment, struct histree_error *error)
{
	if (store->broken != HISTREE_OK)
		return error_set(error, store->broken, "the segment store could not be written before");
	if (store->finished)
		return error_set(error, HISTREE_ERR_CLOSED,
				 "the segment store is finished: it takes no more segments");
	enum histree_status status = check_segment(&store->info.schema, segment, error);
	if (status != HISTREE_OK)
		return status;
	if (store->distinct != NULL) {
		bool is_new = false;
		status = segment_set_add(store->distinct, segment, &is_new, error);
		if (status != HISTREE_OK || !is_new)
			return status;
	}
	assert(segment->start <= segment->end && store->backend->add != NULL);
	status = store->backend->add(store->body, segment, error);
	if (status == HISTREE_OK)
		segment_info_include(&store->info, segment);
	else if (status != HISTREE_ERR_TOO_LARGE)
		store->broken = status;
	return status;
}

enum histree_status histree_segment_store_finish(struct histree_segment_store *store, struct histree_error *error)
{
	if (store->broken != HISTREE_OK)
		return error_set(error, store->broken, "the segment store could not be written before");
	if (store->finished)
		return error_set(error, HISTREE_ERR_CLOSED, "the segment store is finished already");
	enum histree_status status = HISTREE_OK;
	if (store->backend->finish != NULL)
		status = store->backend->finish(store->body, &store->info, error);
	store->broken = status;
	store->finished = status == HISTREE_OK;
	assert(!store->finished || store->info.segment_count == 0 || store->info.start <= store->info.end);
	return status;
}

/* ---- all of another ------------------------------------------------------------------------------- */

static enum histree_status check_fields(const struct histree_segment_schema *to,
					const struct histree_segment_schema *from, struct histree_error *error)
{
	bool same = to->field_count == from->field_count;
	for (size_t i = 0; same && i < to->field_count; i++)
		same = to->fields[i].type == from->fields[i].type;
	return same ? HISTREE_OK
		    : error_set(error, HISTREE_ERR_TYPE,
				"the segments of '%s' have fields of other types than those of '%s'",
				from->provider != NULL ? from->provider : "",
				to->provider != NULL ? to->provider : "");
}

enum histree_status histree_segment_store_add_all(struct histree_segment_store *store,
						  struct histree_segment_store *from, struct histree_loss *loss,
						  struct histree_error *error)
{
	struct histree_cursor *iter = NULL;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	query.order = HISTREE_SEGMENTS_BY_END;
	enum histree_status status = check_fields(&store->info.schema, &from->info.schema, error);
	if (status == HISTREE_OK)
		status = histree_segments_create(from, &iter, error);
	if (status == HISTREE_OK)
		status = histree_segments_start(iter, &query, NULL, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(iter, error)) == HISTREE_OK)
		status = histree_segment_store_add(store, histree_cursor_segment(iter), error);
	if (loss != NULL)
		*loss = iter != NULL ? histree_cursor_loss(iter) : (struct histree_loss){ 0 };
	histree_cursor_free(iter);
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---- one of them ---------------------------------------------------------------------------------- */

struct wanted_segment {
	const struct histree_segment *segment;
	size_t field_count;
};

static bool is_equal(void *context, const struct histree_segment *segment)
{
	const struct wanted_segment *wanted = context;
	const struct histree_value null = histree_null();
	if (segment->start != wanted->segment->start || segment->end != wanted->segment->end)
		return false;
	for (size_t i = 0; i < wanted->field_count; i++)
		if (!histree_value_equal(&segment->content[i],
					 wanted->segment->content != NULL ? &wanted->segment->content[i] : &null))
			return false;
	return true;
}

enum histree_status histree_segment_store_contains(struct histree_segment_store *store,
						   const struct histree_segment *segment, struct histree_loss *loss,
						   struct histree_error *error)
{
	struct wanted_segment wanted = { segment, store->info.schema.field_count };
	const struct histree_segment_query query = { .from = segment->start,
						     .to = segment->start,
						     .filter = is_equal,
						     .filter_context = &wanted,
						     .limit = 1 };
	struct histree_cursor *iter;
	enum histree_status status = check_segment(&store->info.schema, segment, error);
	if (status == HISTREE_OK)
		status = histree_segments_create(store, &iter, error);
	if (status != HISTREE_OK)
		return status;
	status = histree_segments_start(iter, &query, NULL, error);
	if (status == HISTREE_OK)
		status = histree_cursor_next(iter, error);
	if (loss != NULL)
		*loss = histree_cursor_loss(iter);
	histree_cursor_free(iter);
	return status == HISTREE_END ? error_set(error, HISTREE_NOT_FOUND, "there is no such segment") : status;
}

/* ---- opened ------------------------------------------------------------------------------------- */

enum histree_status segment_store_open(const struct io *io, const char *path,
				       const struct histree_segment_open_options *options,
				       struct histree_segment_store **out, struct histree_error *error)
{
	*out = NULL;
	struct histree_segment_store *store = calloc(1, sizeof(*store));
	if (store == NULL || (store->path = strdup(path)) == NULL) {
		free(store);
		return error_memory(error, "a segment store");
	}
	struct histree_segment_open_options asked = { 0 };
	if (options != NULL)
		asked = *options;
	pthread_mutex_init(&store->mutex, NULL);
	store->backend = &segment_backend_disk;
	store->info.kind = HISTREE_SEGMENTS_DISK;
	store->finished = true;
	store->no_overviews = asked.no_overviews || asked.salvage;
	store->room = (struct segment_room){
		.io = io,
		.neighbour = store->path,
		.bytes = asked.queue_bytes > 0 ? asked.queue_bytes : QUEUE_BYTES_DEFAULT,
	};
	enum histree_status status =
		segment_disk_open(io, path, &asked, store->room.bytes, &store->info, &store->body, error);
	if (status != HISTREE_OK) {
		histree_segment_store_close(store);
		return status;
	}
	*out = store;
	return HISTREE_OK;
}

enum histree_status histree_segment_store_open(const char *path, const struct histree_segment_open_options *options,
					       struct histree_segment_store **out, struct histree_error *error)
{
	return segment_store_open(&io_posix, path, options, out, error);
}

const struct histree_segment_store_info *histree_segment_store_info(const struct histree_segment_store *store)
{
	return &store->info;
}

enum histree_status histree_segment_store_field(const struct histree_segment_store *store, const char *name,
						size_t *out)
{
	for (size_t i = 0; i < store->info.schema.field_count; i++)
		if (strcmp(store->info.schema.fields[i].name, name) == 0) {
			*out = i;
			return HISTREE_OK;
		}
	return HISTREE_NOT_FOUND;
}

enum histree_status histree_segment_store_make_table(struct histree_segment_store *store, size_t field,
						     struct histree_error *error)
{
	if (!store->finished || store->backend->make_table == NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "only a finished segment store on disk has side tables");
	size_t fields = store->info.schema.field_count;
	if (field >= fields)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a side table of field %zu: the segments have %zu",
				 field, fields);
	return store->backend->make_table(store->body, field, error);
}

/* ---- segment repair ------------------------------------------------------------------------------------------ */

static enum histree_status copy_all(struct histree_cursor *iter, struct histree_segment_store *to,
				    const struct segment_repair_report *report, struct histree_error *error)
{
	const struct histree_segment_query all = HISTREE_SEGMENTS_ALL;
	size_t lost;
	enum histree_status status = histree_segments_start(iter, &all, NULL, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(iter, error)) == HISTREE_OK)
		status = histree_segment_store_add(to, histree_cursor_segment(iter), error);
	const struct histree_loss *losses = histree_cursor_losses(iter, &lost);
	for (size_t i = 0; i < lost; i++)
		report->lost(report->context, &losses[i]);
	return status == HISTREE_END ? histree_segment_store_finish(to, error) : status;
}

enum histree_status segment_repair(const struct io *io, struct histree_segment_store *damaged, const char *path,
				   const struct segment_repair_report *report, struct histree_error *error)
{
	const struct histree_segment_store_info *info = histree_segment_store_info(damaged);
	const struct histree_segment_store_options options = {
		.path = path,
		.schema = info->schema,
		.node_size = info->node_size,
	};
	struct histree_segment_store *store = NULL;
	struct histree_cursor *iter = NULL;
	enum histree_status status = histree_segments_create(damaged, &iter, error);
	if (status == HISTREE_OK)
		status = segment_store_create(io, &options, &store, error);
	if (status == HISTREE_OK)
		status = copy_all(iter, store, report, error);
	histree_cursor_free(iter);
	histree_segment_store_close(store);
	return status;
}
