// SPDX-License-Identifier: MIT
/*
 * ctf_schema.c - what metadata declares: clocks, streams, events and types, linked and completed by what it
 * implies.
 */
#include "trace/ctf/ctf_schema.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/table.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "histree/status.h"

/* ---- ctf schema ---------------------------------------------------------------------------------------------- */

void *ctf_schema_allocate(struct ctf_schema *schema, size_t count, size_t size, struct histree_error *error)
{
	if (count > CTF_SCHEMA_BYTES_MAX / size || schema->memory.bytes_total > CTF_SCHEMA_BYTES_MAX) {
		error_set(error, HISTREE_ERR_TRACE, "the metadata declares more than fits %d MiB",
			  CTF_SCHEMA_BYTES_MAX >> 20);
		return NULL;
	}
	void *room = arena_allocate(&schema->memory, (count > 0 ? count : 1) * size,
				    size >= sizeof(void *) ? alignof(max_align_t) : 1);
	if (room == NULL)
		error_memory(error, "the metadata");
	return room;
}

static struct ctf_type *copy_type(struct ctf_schema *schema, struct ctf_type *type, unsigned depth,
				  struct histree_error *error)
{
	if (type == NULL || !ctf_type_is_compound(type))
		return type;
	if (depth > CTF_NESTING_MAX) {
		error_set(error, HISTREE_ERR_TRACE, "types of the metadata are nested more than %d deep",
			  CTF_NESTING_MAX);
		return NULL;
	}
	struct ctf_type *copy = ctf_schema_allocate(schema, 1, sizeof(*copy), error);
	if (copy == NULL)
		return NULL;
	*copy = *type;
	if (type->kind == CTF_ARRAY || type->kind == CTF_SEQUENCE) {
		copy->element = copy_type(schema, type->element, depth + 1, error);
		return copy->element == NULL ? NULL : copy;
	}
	copy->members = ctf_schema_allocate(schema, type->member_count, sizeof(*copy->members), error);
	if (copy->members == NULL)
		return NULL;
	for (size_t i = 0; i < type->member_count; i++) {
		copy->members[i] = type->members[i];
		copy->members[i].type = copy_type(schema, type->members[i].type, depth + 1, error);
		if (copy->members[i].type == NULL)
			return NULL;
	}
	return copy;
}

struct ctf_type *ctf_type_copy(struct ctf_schema *schema, struct ctf_type *type, struct histree_error *error)
{
	return copy_type(schema, type, 0, error);
}

/* ---- labels ---------------------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
	const struct ctf_label *first = a, *second = b;
	int order = strcmp(first->name, second->name);
	return order != 0 ? order : (first->low > second->low) - (first->low < second->low);
}

/* As signed numbers or as others: nothing but their order among themselves is asked for. */
static int compare_numbers(const void *a, const void *b)
{
	const struct ctf_label *first = a, *second = b;
	return (first->low > second->low) - (first->low < second->low);
}

void ctf_labels_sort(struct ctf_type *type)
{
	type->values = type->labels + type->label_count;
	memcpy(type->values, type->labels, type->label_count * sizeof(*type->labels));
	qsort(type->labels, type->label_count, sizeof(*type->labels), compare_names);
	qsort(type->values, type->label_count, sizeof(*type->values), compare_numbers);
}

/*
 * A range of signed numbers may begin below 0, which is above all others in this order: then its low end is greater
 * than its high one, and it is found behind the numbers that begin before it, or at the end.
 */
const char *ctf_label_find(const struct ctf_type *type, uint64_t number)
{
	enum { NEAR = 16 }; /* ranges that may lie across one another */
	if (!type->is_enumeration || type->label_count == 0)
		return NULL;
	const size_t low = SEARCH(i, 0, type->label_count, type->values[i].low <= number);
	for (size_t step = 1; step <= NEAR && step <= type->label_count; step++) {
		const struct ctf_label *label = &type->values[(low + type->label_count - step) % type->label_count];
		if (number - label->low <= label->high - label->low)
			return label->name;
	}
	return NULL;
}

/* ---- clocks ---------------------------------------------------------------------------------------------- */

static enum histree_status find_clock(struct ctf_schema *schema, struct ctf_type *type, struct histree_error *error)
{
	for (size_t i = 0; type->clock == NULL && i < schema->clock_count; i++)
		if (strcmp(schema->clocks[i].name, type->clock_name) == 0)
			type->clock = &schema->clocks[i];
	if (type->clock == NULL)
		return error_set(error, HISTREE_ERR_TRACE, "the metadata has no clock \"%.80s\"", type->clock_name);
	return HISTREE_OK;
}

/* The clock of a time that names no clock: the only one, or one of nanoseconds if there is none. */
static const struct ctf_clock *implied_clock(struct ctf_schema *schema, struct histree_error *error)
{
	if (schema->clock_count == 0) {
		if (!array_reserve(&schema->clocks, &schema->clock_capacity, CTF_CLOCKS_MAX)) {
			error_memory(error, "the metadata");
			return NULL;
		}
		schema->clocks[schema->clock_count++] =
			(struct ctf_clock){ .name = "default", .frequency = 1000000000 };
	}
	if (schema->clock_count == 1)
		return &schema->clocks[0];
	error_set(error, HISTREE_ERR_TRACE, "a time of the metadata names none of its %zu clocks",
		  schema->clock_count);
	return NULL;
}

static bool is_time(const char *name)
{
	return strcmp(name, "timestamp") == 0 || strcmp(name, "timestamp_begin") == 0 ||
	       strcmp(name, "timestamp_end") == 0;
}

/* Integers are shared: this one gets its clock in a copy. */
static enum histree_status imply_clock(struct ctf_schema *schema, struct ctf_member *member,
				       struct histree_error *error)
{
	struct ctf_type *copy = ctf_schema_allocate(schema, 1, sizeof(*copy), error);
	const struct ctf_clock *clock = copy == NULL ? NULL : implied_clock(schema, error);
	if (clock == NULL)
		return error == NULL ? HISTREE_ERR_TRACE : error->status;
	*copy = *member->type;
	copy->clock = clock;
	member->type = copy;
	return HISTREE_OK;
}

/* Give the integers of a type their clocks; *found becomes the first that there is. */
static enum histree_status find_clocks(struct ctf_schema *schema, struct ctf_type *type, bool has_times,
				       const struct ctf_clock **found, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (type == NULL)
		return HISTREE_OK;
	if (type->kind == CTF_INTEGER) {
		if (type->clock_name != NULL && type->clock == NULL)
			status = find_clock(schema, type, error);
		if (*found == NULL)
			*found = type->clock;
		return status;
	}
	if (type->kind == CTF_ARRAY || type->kind == CTF_SEQUENCE)
		return find_clocks(schema, type->element, false, found, error);
	if (type->kind != CTF_STRUCTURE && type->kind != CTF_VARIANT)
		return HISTREE_OK;
	for (size_t i = 0; status == HISTREE_OK && i < type->member_count; i++) {
		struct ctf_member *member = &type->members[i];
		if (has_times && member->type->kind == CTF_INTEGER && member->type->clock_name == NULL &&
		    member->type->clock == NULL && is_time(member->name))
			status = imply_clock(schema, member, error);
		if (status == HISTREE_OK)
			status = find_clocks(schema, member->type, has_times, found, error);
	}
	return status;
}

static enum histree_status link_clocks(struct ctf_schema *schema, struct ctf_stream_type *stream,
				       struct histree_error *error)
{
	enum histree_status status = find_clocks(schema, stream->event_header, true, &stream->clock, error);
	if (status == HISTREE_OK)
		status = find_clocks(schema, stream->packet_context, true, &stream->clock, error);
	if (status == HISTREE_OK)
		status = find_clocks(schema, stream->event_context, false, &stream->clock, error);
	for (size_t i = stream->linked_events; status == HISTREE_OK && i < stream->events.count; i++) {
		struct ctf_event_type *event = stream->events.entries[i].record;
		status = find_clocks(schema, event->context, false, &stream->clock, error);
		if (status == HISTREE_OK)
			status = find_clocks(schema, event->payload, false, &stream->clock, error);
	}
	return status;
}

/* ---- streams and events ---------------------------------------------------------------------------------- */

/* Whether nothing was added to a stream since it was linked. */
static bool is_linked(const struct ctf_schema *schema, const struct ctf_stream_type *stream)
{
	return stream->index < schema->linked_streams && stream->linked_events == stream->events.count;
}

/* The metadata declares no stream where there is nothing to say of it. */
static enum histree_status imply_stream(struct ctf_schema *schema, struct histree_error *error)
{
	struct ctf_stream_type *stream = ctf_schema_allocate(schema, 1, sizeof(*stream), error);
	if (stream == NULL || !array_reserve(&schema->streams, &schema->stream_capacity, 1))
		return error_memory(error, "the metadata");
	*stream = (struct ctf_stream_type){ 0 };
	schema->streams[schema->stream_count++] = stream;
	return HISTREE_OK;
}

static enum histree_status link_streams(struct ctf_schema *schema, struct histree_error *error)
{
	for (size_t i = schema->linked_streams; i < schema->stream_count; i++) {
		struct ctf_stream_type *stream = schema->streams[i];
		stream->index = i;
		if (id_map_find(&schema->streams_by_id, stream->id) != NULL)
			return error_set(error, HISTREE_ERR_TRACE, "the metadata declares stream %llu twice",
					 (unsigned long long)stream->id);
		if (!id_map_add(&schema->streams_by_id, stream->id, stream))
			return error_memory(error, "the metadata");
	}
	return HISTREE_OK;
}

static enum histree_status link_events(struct ctf_schema *schema, struct histree_error *error)
{
	for (size_t i = schema->linked_events; i < schema->event_count; i++) {
		struct ctf_event_type *event = schema->events[i];
		struct ctf_stream_type *stream = !event->has_stream && schema->stream_count == 1
							 ? schema->streams[0]
							 : id_map_find(&schema->streams_by_id, event->stream_id);
		if (stream == NULL)
			return error_set(error, HISTREE_ERR_TRACE,
					 "the metadata has no stream %llu, which event \"%.80s\" is said to be of",
					 (unsigned long long)event->stream_id, event->name);
		if (id_map_find(&stream->events, event->id) != NULL)
			return error_set(error, HISTREE_ERR_TRACE,
					 "the metadata declares event %llu of stream %llu twice",
					 (unsigned long long)event->id, (unsigned long long)stream->id);
		if (!id_map_add(&stream->events, event->id, event))
			return error_memory(error, "the metadata");
	}
	return HISTREE_OK;
}

enum histree_status ctf_schema_link_more(struct ctf_schema *schema, struct histree_error *error)
{
	const struct ctf_clock *ignored = NULL;
	bool is_by_name = schema->version == 1; /* CTF 2 says which clock a stream has, and what integers mean */
	if (schema->linked_streams == 0)
		schema->shared_slots = CTF_HEAD_ROLES;
	enum histree_status status = link_streams(schema, error);
	if (status == HISTREE_OK)
		status = link_events(schema, error);
	if (status == HISTREE_OK && is_by_name)
		status = find_clocks(schema, schema->packet_header, false, &ignored, error);
	for (size_t i = 0; status == HISTREE_OK && is_by_name && i < schema->stream_count; i++)
		if (!is_linked(schema, schema->streams[i]))
			status = link_clocks(schema, schema->streams[i], error);
	if (status == HISTREE_OK && is_by_name)
		ctf_roles_imply(schema);
	for (size_t i = 0; status == HISTREE_OK && i < schema->stream_count; i++)
		if (!is_linked(schema, schema->streams[i]))
			status = ctf_references_find(schema, schema->streams[i], error);
	schema->linked_streams = schema->stream_count;
	schema->linked_events = schema->event_count;
	for (size_t i = 0; i < schema->stream_count; i++)
		schema->streams[i]->linked_events = schema->streams[i]->events.count;
	return status;
}

enum histree_status ctf_schema_link(struct ctf_schema *schema, struct histree_error *error)
{
	enum histree_status status = schema->stream_count == 0 ? imply_stream(schema, error) : HISTREE_OK;
	return status == HISTREE_OK ? ctf_schema_link_more(schema, error) : status;
}

const struct ctf_environment *ctf_schema_environment(const struct ctf_schema *schema, const char *key)
{
	for (size_t i = 0; i < schema->environment_count; i++)
		if (strcmp(schema->environment[i].key, key) == 0)
			return &schema->environment[i];
	return NULL;
}

void ctf_schema_release(struct ctf_schema *schema)
{
	for (size_t i = 0; i < schema->stream_count; i++)
		id_map_release(&schema->streams[i]->events);
	id_map_release(&schema->streams_by_id);
	free(schema->clocks);
	free((void *)schema->streams);
	free((void *)schema->events);
	free(schema->environment);
	arena_release(&schema->memory);
	*schema = (struct ctf_schema){ 0 };
}
