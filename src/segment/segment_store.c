// SPDX-License-Identifier: MIT
/*
 * segment_store.c - a store of segments, wherever they are: its calls, and the schema of their fields.
 *
 * A *distinct* store has each of the segments that were added once: their bytes, interned.
 *
 * The public functions stand in front of the kinds (segment_memory.h): a store is filled, then finished, and never
 * changes after that.
 */
#include "segment/segment_store.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/table.h"
#include "histree/segments.h"
#include "segment/segment_memory.h"
#include "segment/segment_overviews.h"
#include "store/block_file.h"

/* ---- segment schema ------------------------------------------------------------------------------------------ */

enum { NAME_SIZE_MAX = 255 };

/* ---- copies ------------------------------------------------------------------------------------- */

static bool is_field_type(enum histree_type type)
{
	return type == HISTREE_INT || type == HISTREE_LONG || type == HISTREE_DOUBLE || type == HISTREE_BOOL ||
	       type == HISTREE_STRING;
}

static enum histree_status check_schema(const struct histree_segment_schema *schema, struct histree_error *error)
{
	if (schema->field_count > HISTREE_SEGMENT_FIELDS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a schema of %zu fields; it may have %d",
				 schema->field_count, HISTREE_SEGMENT_FIELDS_MAX);
	if (schema->provider != NULL && strlen(schema->provider) > NAME_SIZE_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "the name '%.80s' is longer than %d bytes",
				 schema->provider, NAME_SIZE_MAX);
	for (size_t i = 0; i < schema->field_count; i++) {
		const struct histree_segment_field *field = &schema->fields[i];
		if (field->name == NULL || field->name[0] == '\0' || strlen(field->name) > NAME_SIZE_MAX)
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "field %zu of a schema: its name must have 1 to %d bytes", i,
					 NAME_SIZE_MAX);
		if (!is_field_type(field->type))
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "field '%s': it must be an int, long, double, bool or string",
					 field->name);
		for (size_t before = 0; before < i; before++)
			if (strcmp(schema->fields[before].name, field->name) == 0)
				return error_set(error, HISTREE_ERR_ARGUMENT,
						 "field '%s': another one has its name", field->name);
	}
	return HISTREE_OK;
}

enum histree_status segment_schema_copy(const struct histree_segment_schema *schema,
					struct histree_segment_schema *out, struct histree_error *error)
{
	*out = (struct histree_segment_schema){ 0 };
	enum histree_status status = check_schema(schema, error);
	if (status != HISTREE_OK)
		return status;
	struct histree_segment_field *fields = calloc(schema->field_count + 1, sizeof(*fields));
	char *provider = strdup(schema->provider != NULL ? schema->provider : "");
	bool whole = fields != NULL && provider != NULL;
	*out = (struct histree_segment_schema){ .provider = provider,
						.provider_version = schema->provider_version,
						.fields = fields };
	for (size_t i = 0; whole && i < schema->field_count; i++) {
		fields[i].type = schema->fields[i].type;
		fields[i].name = strdup(schema->fields[i].name);
		whole = fields[i].name != NULL;
		out->field_count = i + 1;
	}
	if (whole)
		return HISTREE_OK;
	segment_schema_release(out);
	return error_memory(error, "a schema");
}

/* What segment_schema_copy() allocated is constant for everybody else. */
static void free_text(const char *text)
{
	free((void *)(uintptr_t)text);
}

void segment_schema_release(struct histree_segment_schema *schema)
{
	for (size_t i = 0; i < schema->field_count; i++)
		free_text(schema->fields[i].name);
	free((void *)(uintptr_t)schema->fields);
	free_text(schema->provider);
	*schema = (struct histree_segment_schema){ 0 };
}

/* Returns whether a segment has the types of the schema and does not end before it starts. */
static enum histree_status segment_schema_accepts(const struct histree_segment_schema *schema,
						  const struct histree_segment *segment,
						  struct histree_error *error)
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

/* ---- the section -------------------------------------------------------------------------------- */

static uint8_t *put_name(uint8_t *at, const char *name)
{
	size_t size = strlen(name);
	at = put_varint(at, size);
	memcpy(at, name, size);
	return at + size;
}

enum histree_status segment_schema_write(const struct histree_segment_store_info *info, struct block_file *file,
					 struct histree_error *error)
{
	const struct histree_segment_schema *schema = &info->schema;
	uint8_t bytes[4 * 8 + 4 + 1 + (HISTREE_SEGMENT_FIELDS_MAX + 1) * (NAME_SIZE_MAX + 3)];
	put_le64(bytes, (uint64_t)info->start);
	put_le64(bytes + 8, (uint64_t)info->end);
	put_le64(bytes + 16, info->duration_min);
	put_le64(bytes + 24, info->duration_max);
	put_le32(bytes + 32, schema->provider_version);
	uint8_t *at = put_name(bytes + 36, schema->provider);
	*at++ = (uint8_t)schema->field_count;
	for (size_t i = 0; i < schema->field_count; i++) {
		*at++ = (uint8_t)schema->fields[i].type;
		at = put_name(at, schema->fields[i].name);
	}
	enum histree_status status = block_file_section_begin(file, SECTION_SEGMENTS, error);
	if (status == HISTREE_OK)
		status = block_file_section_write(file, bytes, (size_t)(at - bytes), error);
	if (status == HISTREE_OK)
		block_file_section_end(file);
	return status;
}

/* The name is terminated in `name`. */
static void read_name(struct byte_reader *reader, char name[NAME_SIZE_MAX + 1])
{
	uint64_t size = read_varint(reader);
	const uint8_t *bytes = size <= NAME_SIZE_MAX ? read_bytes(reader, (size_t)size) : NULL;
	if (bytes == NULL || memchr(bytes, '\0', (size_t)size) != NULL) {
		reader->failed = true;
		return;
	}
	memcpy(name, bytes, (size_t)size);
	name[size] = '\0';
}

static enum histree_status decode_schema(struct byte_reader *reader, struct histree_segment_store_info *info,
					 struct histree_error *error)
{
	struct histree_segment_field fields[HISTREE_SEGMENT_FIELDS_MAX];
	char names[HISTREE_SEGMENT_FIELDS_MAX + 1][NAME_SIZE_MAX + 1];
	info->start = (histree_time)read_le64(reader);
	info->end = (histree_time)read_le64(reader);
	info->duration_min = read_le64(reader);
	info->duration_max = read_le64(reader);
	uint32_t version = read_le32(reader);
	read_name(reader, names[0]);
	const uint8_t *count = read_bytes(reader, 1);
	if (count == NULL || *count > HISTREE_SEGMENT_FIELDS_MAX)
		return error_set(error, HISTREE_ERR_FORMAT, "is malformed");
	for (size_t i = 0; i < *count; i++) {
		const uint8_t *type = read_bytes(reader, 1);
		read_name(reader, names[i + 1]);
		fields[i].type =
			type != NULL && *type < HISTREE_TYPE_COUNT ? (enum histree_type) * type : HISTREE_NULL;
		fields[i].name = names[i + 1];
		if (reader->failed)
			return error_set(error, HISTREE_ERR_FORMAT, "is malformed");
	}
	if (byte_reader_left(reader) > 0)
		return error_set(error, HISTREE_ERR_FORMAT, "has %zu bytes after its last field",
				 byte_reader_left(reader));
	const struct histree_segment_schema schema = {
		.provider = names[0], .provider_version = version, .fields = fields, .field_count = *count
	};
	enum histree_status status = segment_schema_copy(&schema, &info->schema, error);
	return status == HISTREE_ERR_ARGUMENT ? HISTREE_ERR_FORMAT : status;
}

enum histree_status segment_schema_read(const struct block_file *file, struct histree_segment_store_info *info,
					struct histree_error *error)
{
	uint8_t *bytes;
	size_t size;
	enum histree_status status = block_file_section(file, SECTION_SEGMENTS, &bytes, &size, error);
	if (status != HISTREE_OK)
		return status;
	struct byte_reader reader = byte_reader(bytes, size);
	status = decode_schema(&reader, info, error);
	if (status != HISTREE_OK)
		error_prefix(error, "'%s': section SEGM", file->path);
	free(bytes);
	return status;
}

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
static bool is_before(enum map_tree tree, const struct histree_segment *a, const struct histree_segment *b)
{
	if (tree == BY_END && a->end != b->end)
		return a->end < b->end;
	return a->start != b->start ? a->start < b->start : a->end < b->end;
}

/*
 * Put a node where it belongs: below all of greater weight, above the rest, which is split into what comes before
 * it and what does not.  Equal ones stay in the order of their arrival.
 */
static void insert(struct map_node **link, struct map_node *node, enum map_tree tree)
{
	while (*link != NULL && (*link)->weight >= node->weight)
		link = is_before(tree, &node->segment, &(*link)->segment) ? &(*link)->left[tree]
									  : &(*link)->right[tree];
	struct map_node *rest = *link, **before = &node->left[tree], **after = &node->right[tree];
	*link = node;
	while (rest != NULL)
		if (is_before(tree, &node->segment, &rest->segment)) {
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

static enum histree_status map_add(void *body, const struct histree_segment *segment, struct histree_error *error)
{
	struct segment_map *map = body;
	struct map_node *node = arena_allocate(&map->nodes, sizeof(*node), _Alignof(struct map_node));
	if (node == NULL || segment_contents_copy(&map->contents, segment, &node->segment) != HISTREE_OK)
		return error_memory(error, "a segment");
	node->weight = hash_mix(++map->count);
	for (enum map_tree tree = 0; tree < MAP_TREES; tree++)
		insert(&map->roots[tree], node, tree);
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

static enum histree_status cursor_start(void *context, const struct histree_segment_query *query,
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
	.cursor_start = cursor_start,
	.cursor_next = list_cursor_next,
	.cursor_key = list_cursor_key,
	.cursor_stats = list_cursor_stats,
	.cursor_free = list_cursor_free,
};

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
	enum histree_status status = segment_schema_accepts(&store->info.schema, segment, error);
	if (status != HISTREE_OK)
		return status;
	if (store->distinct != NULL) {
		bool is_new = false;
		status = segment_set_add(store->distinct, segment, &is_new, error);
		if (status != HISTREE_OK || !is_new)
			return status;
	}
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
	enum histree_status status = segment_schema_accepts(&store->info.schema, segment, error);
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

/* ---- overviews ---------------------------------------------------------------------------------- */

const struct segment_overviews *segment_store_overviews(struct histree_segment_store *store)
{
	/* What they are read for meets a summary once: it needs no more than a few nodes. */
	enum { CACHE_BYTES = 1 << 20 };
	if (!store->finished || store->no_overviews)
		return NULL;
	if (store->path == NULL) /* of a source: it was made with them */
		return store->overviews != NULL && store->overviews->count > 0 ? store->overviews : NULL;
	pthread_mutex_lock(&store->mutex);
	if (store->overviews == NULL)
		store->overviews = segment_overviews_open(store->room.io, store->path, &store->info, CACHE_BYTES);
	const struct segment_overviews *overviews = store->overviews;
	pthread_mutex_unlock(&store->mutex);
	return overviews != NULL && overviews->count > 0 ? overviews : NULL;
}

static void add_overview(struct histree_segment_overviews_info *info, const struct segment_overview *overview)
{
	const struct histree_segment_store_info *of = &overview->store->info;
	info->cell_ns[info->count] = UINT64_C(1) << overview->width_log2;
	info->summaries[info->count++] = of->segment_count;
	info->summary_count += of->segment_count;
	info->file_bytes += of->file_bytes;
}

struct histree_segment_overviews_info histree_segment_store_overviews(struct histree_segment_store *store)
{
	const struct segment_overviews *overviews = segment_store_overviews(store);
	struct histree_segment_overviews_info info = { 0 };
	for (uint32_t i = 0; overviews != NULL && i < overviews->count; i++)
		add_overview(&info, &overviews->overviews[i]);
	if (overviews != NULL && overviews->parts.store != NULL && info.count < SEGMENT_OVERVIEWS_MAX)
		add_overview(&info, &overviews->parts);
	return info;
}

static void ignore_fault(void *context, const char *fault)
{
	(void)context, (void)fault;
}

enum histree_status histree_segment_store_verify(struct histree_segment_store *store,
						 void (*report)(void *context, const char *fault), void *context,
						 struct histree_error *error)
{
	if (!store->finished)
		return error_set(error, HISTREE_ERR_ARGUMENT, "the segment store is not finished");
	if (store->backend->verify == NULL)
		return HISTREE_OK;
	report = report != NULL ? report : ignore_fault;
	enum histree_status status = store->backend->verify(store->body, &store->info, report, context, error);
	if (store->no_overviews || store->path == NULL || (status != HISTREE_OK && status != HISTREE_ERR_FORMAT))
		return status;
	bool is_sound = status == HISTREE_OK;
	enum histree_status of_overviews =
		segment_overviews_verify(store->room.io, store->path, &store->info, is_sound ? store : NULL, report,
					 context, is_sound ? error : NULL);
	return status == HISTREE_OK ? of_overviews : status;
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
