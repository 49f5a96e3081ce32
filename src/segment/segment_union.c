// SPDX-License-Identifier: MIT
#include "segment/segment_union.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "segment/segment_schema.h"

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

static void add_info(struct histree_segment_store_info *info, const struct histree_segment_store_info *of)
{
	add_extents(info, of);
	info->node_size = of->node_size > info->node_size ? of->node_size : info->node_size;
	info->depth = of->depth > info->depth ? of->depth : info->depth;
	info->format_version =
		of->format_version > info->format_version ? of->format_version : info->format_version;
	info->identity = hash_mix(info->identity ^ of->identity);
	info->node_count += of->node_count;
	info->node_bytes += of->node_bytes;
	info->file_bytes += of->file_bytes;
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
	void *first = NULL;
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
		if (first == NULL)
			first = part->body;
		else
			segment_disk_share_cache(part->body, first);
	}
}

static void close_parts(const struct histree_segment_part *parts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		histree_segment_store_close(parts[i].store);
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
		close_parts(parts, count);
		return error_memory(error, "a segment store");
	}
	pthread_mutex_init(&store->overviews_mutex, NULL);
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
			add_info(&store->info, &body->sources[i].store->info);
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

/* All parts are verified, whatever the first of them are. */
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
