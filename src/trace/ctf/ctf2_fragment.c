// SPDX-License-Identifier: MIT
/*
 * Fragments of the metadata of CTF 2, CTF2-SPEC-2.0, sections 5.4 to 5.9.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "trace/ctf/ctf2_reader.h"

static bool out_of_memory(const struct ctf2_reader *reader)
{
	error_memory(reader->error, "the metadata");
	return false;
}

/* ---- scopes ---------------------------------------------------------------------------------------------- */

#define ROLE(role) (1u << CTF_ROLE_##role)

static const uint32_t roles_of_scope[CTF_SCOPE_COUNT] = {
	[CTF_SCOPE_PACKET_HEADER] = ROLE(STREAM) | ROLE(INSTANCE) | ROLE(MAGIC) | ROLE(UUID),
	[CTF_SCOPE_PACKET_CONTEXT] =
		ROLE(PACKET_SIZE) | ROLE(CONTENT_SIZE) | ROLE(TICK) | ROLE(END) | ROLE(DISCARDED) | ROLE(SEQUENCE),
	[CTF_SCOPE_EVENT_HEADER] = ROLE(EVENT) | ROLE(TICK),
};

/* Members have those roles of their classes that their scope knows (sections 5.6.1 and 5.8.1). */
static void give_roles(struct ctf_type *type, enum ctf_scope_kind scope, uint32_t *all)
{
	for (size_t i = 0; i < type->member_count; i++) {
		struct ctf_member *member = &type->members[i];
		enum ctf_kind kind = member->type->kind;
		member->roles = member->type->roles & roles_of_scope[scope];
		if (scope == CTF_SCOPE_PACKET_CONTEXT && (member->roles & ROLE(TICK)) != 0)
			member->roles |= ROLE(BEGIN);
		*all |= member->roles;
		if (kind == CTF_STRUCTURE || kind == CTF_VARIANT)
			give_roles(member->type, scope, all);
	}
}

/* No role says the CPU: tracers call it so, as in CTF 1.8. */
static void find_cpu(struct ctf_type *context)
{
	for (size_t i = 0; i < context->member_count; i++)
		if (strcmp(context->members[i].name, "cpu_id") == 0 &&
		    ctf_type_is_integer(context->members[i].type))
			context->members[i].roles |= ROLE(CPU);
}

/* Read the structure of a scope, if there is one. */
static bool read_scope(const struct ctf2_value *fragment, const char *key, enum ctf_scope_kind scope,
		       bool has_clock, struct ctf_type **out)
{
	struct ctf2_value value = ctf2_member(fragment, key);
	uint32_t roles = 0;
	if (value.json == NULL)
		return true;
	*out = ctf2_class(&value, 0);
	if (*out == NULL)
		return false;
	if ((*out)->kind != CTF_STRUCTURE)
		return ctf2_fail(&value, "a structure is expected");
	give_roles(*out, scope, &roles);
	if (scope == CTF_SCOPE_PACKET_CONTEXT)
		find_cpu(*out);
	if (!has_clock && (roles & (ROLE(TICK) | ROLE(END))) != 0)
		return ctf2_fail(&value, "it has a timestamp, but there is no 'default-clock-class-id'");
	if ((roles & ROLE(UUID)) != 0 && !fragment->reader->schema->has_uuid)
		return ctf2_fail(&value, "packets have a UUID, but the preamble has none");
	if ((roles & ROLE(MAGIC)) != 0 && ((*out)->members[0].roles & ROLE(MAGIC)) == 0)
		return ctf2_fail(&value, "the magic number of packets is not the first member");
	return true;
}

/* ---- preamble, trace, alias ------------------------------------------------------------------------------ */

static bool read_uuid(const struct ctf2_value *fragment)
{
	struct ctf_schema *schema = fragment->reader->schema;
	struct ctf2_value uuid;
	if (!ctf2_get(fragment, "uuid", JSON_ARRAY, false, &uuid))
		return false;
	if (uuid.json == NULL)
		return true;
	if (json_array_size(uuid.json) != sizeof(schema->uuid))
		return ctf2_fail(&uuid, "a UUID has 16 bytes");
	for (size_t i = 0; i < sizeof(schema->uuid); i++) {
		struct ctf2_value byte = ctf2_element(&uuid, i);
		ctf_wide number;
		if (!ctf2_number(&byte, 0, UINT8_MAX, &number))
			return false;
		schema->uuid[i] = (uint8_t)number;
	}
	schema->has_uuid = true;
	return true;
}

static bool read_preamble(const struct ctf2_value *fragment)
{
	ctf_wide version = 0;
	if (fragment->reader->has_preamble)
		return ctf2_fail(fragment, "there is a second preamble");
	if (!ctf2_get_number(fragment, "version", true, 0, INT32_MAX, &version) || !ctf2_check_extensions(fragment))
		return false;
	if (version != 2)
		return ctf2_fail(fragment, "this is CTF %d, and histree reads CTF 2 and 1.8", (int)version);
	fragment->reader->has_preamble = true;
	return read_uuid(fragment);
}

static bool read_alias(const struct ctf2_value *fragment)
{
	struct ctf2_reader *reader = fragment->reader;
	const char *name;
	struct ctf2_value class = ctf2_member(fragment, "field-class");
	if (!ctf2_get_text(fragment, "name", true, &name))
		return false;
	if (class.json == NULL)
		return ctf2_fail(fragment, "'field-class' is missing");
	struct ctf_type *type = ctf2_class(&class, 0);
	if (type == NULL)
		return false;
	uint32_t before = reader->alias_names.count, id = intern_add(&reader->alias_names, name, strlen(name));
	if (id == INTERN_NONE || !array_reserve(&reader->aliases, &reader->alias_capacity, (size_t)id + 1))
		return out_of_memory(reader);
	if (id < before)
		return ctf2_fail(fragment, "there is a field class alias \"%.80s\" already", name);
	reader->aliases[id] = type;
	return true;
}

static bool add_environment(const struct ctf2_value *entry, const char *key)
{
	struct ctf_schema *schema = entry->reader->schema;
	bool is_text = json_is_string(entry->json) && json_string_value(entry->json)[0] != 1;
	struct ctf_environment own = { 0 };
	ctf_wide number = 0;
	size_t size = strlen(key) + 1;
	char *copy = ctf2_allocate(entry, size, 1);
	if (copy == NULL)
		return false;
	own.key = memcpy(copy, key, size);
	if (!is_text && !json_is_integer(entry->json) && !json_is_string(entry->json))
		return ctf2_fail(entry, "an integer or a string is expected");
	if (is_text ? !ctf2_get_text(entry->outer, key, true, &own.text)
		    : !ctf2_number(entry, INT64_MIN, UINT64_MAX, &number))
		return false;
	own.number = (int64_t)number;
	if (!array_reserve(&schema->environment, &schema->environment_capacity, schema->environment_count + 1))
		return out_of_memory(entry->reader);
	schema->environment[schema->environment_count++] = own;
	return true;
}

static bool read_trace(const struct ctf2_value *fragment)
{
	struct ctf2_reader *reader = fragment->reader;
	struct ctf2_value environment;
	const char *key;
	json_t *value;
	if (reader->has_trace)
		return ctf2_fail(fragment, "there is a second trace class");
	if (reader->schema->stream_count > 0)
		return ctf2_fail(fragment, "the trace class comes behind a data stream class");
	reader->has_trace = true;
	if (!ctf2_check_identity(fragment) || !ctf2_get_text(fragment, "uid", false, &reader->schema->uid) ||
	    !ctf2_get(fragment, "environment", JSON_OBJECT, false, &environment))
		return false;
	json_object_foreach(environment.json, key, value)
	{
		struct ctf2_value entry = ctf2_member(&environment, key);
		if (!add_environment(&entry, key))
			return false;
	}
	return read_scope(fragment, "packet-header-field-class", CTF_SCOPE_PACKET_HEADER, true,
			  &reader->schema->packet_header);
}

/* ---- streams and events ---------------------------------------------------------------------------------- */

static bool read_stream(const struct ctf2_value *fragment)
{
	struct ctf2_reader *reader = fragment->reader;
	struct ctf_schema *schema = reader->schema;
	struct ctf_stream_type *stream = ctf2_allocate(fragment, 1, sizeof(*stream));
	const char *clock_id;
	ctf_wide id = 0;
	if (stream == NULL)
		return false;
	*stream = (struct ctf_stream_type){ 0 };
	if (!ctf2_check_identity(fragment) || !ctf2_get_number(fragment, "id", false, 0, UINT64_MAX, &id) ||
	    !ctf2_get_text(fragment, "default-clock-class-id", false, &clock_id))
		return false;
	stream->id = (uint64_t)id;
	if (id_map_find(&reader->streams, stream->id) != NULL)
		return ctf2_fail(fragment, "there is a data stream class %llu already",
				 (unsigned long long)stream->id);
	if (clock_id != NULL && (stream->clock = ctf2_clock_find(schema, clock_id)) == NULL)
		return ctf2_fail(fragment, "there is no clock class \"%.80s\" before it", clock_id);
	bool has_clock = clock_id != NULL;
	if (!read_scope(fragment, "packet-context-field-class", CTF_SCOPE_PACKET_CONTEXT, has_clock,
			&stream->packet_context) ||
	    !read_scope(fragment, "event-record-header-field-class", CTF_SCOPE_EVENT_HEADER, has_clock,
			&stream->event_header) ||
	    !read_scope(fragment, "event-record-common-context-field-class", CTF_SCOPE_EVENT_CONTEXT, has_clock,
			&stream->event_context))
		return false;
	if (!array_reserve(&schema->streams, &schema->stream_capacity, schema->stream_count + 1) ||
	    !id_map_add(&reader->streams, stream->id, stream))
		return out_of_memory(reader);
	schema->streams[schema->stream_count++] = stream;
	return true;
}

static bool read_event(const struct ctf2_value *fragment)
{
	struct ctf2_reader *reader = fragment->reader;
	struct ctf_schema *schema = reader->schema;
	struct ctf_event_type *event = ctf2_allocate(fragment, 1, sizeof(*event));
	ctf_wide id = 0, stream_id = 0;
	if (event == NULL)
		return false;
	*event = (struct ctf_event_type){ .has_id = true, .has_stream = true };
	if (!ctf2_check_identity(fragment) || !ctf2_get_number(fragment, "id", false, 0, UINT64_MAX, &id) ||
	    !ctf2_get_number(fragment, "data-stream-class-id", false, 0, UINT64_MAX, &stream_id) ||
	    !ctf2_get_text(fragment, "name", false, &event->name))
		return false;
	event->id = (uint64_t)id;
	event->stream_id = (uint64_t)stream_id;
	event->name = event->name == NULL ? "" : event->name;
	if (id_map_find(&reader->streams, event->stream_id) == NULL)
		return ctf2_fail(fragment, "there is no data stream class %llu before it",
				 (unsigned long long)event->stream_id);
	if (!read_scope(fragment, "specific-context-field-class", CTF_SCOPE_CONTEXT, true, &event->context) ||
	    !read_scope(fragment, "payload-field-class", CTF_SCOPE_PAYLOAD, true, &event->payload))
		return false;
	if (!array_reserve(&schema->events, &schema->event_capacity, schema->event_count + 1))
		return out_of_memory(reader);
	schema->events[schema->event_count++] = event;
	return true;
}

/* ---- all ------------------------------------------------------------------------------------------------- */

static const struct {
	const char *type;
	bool (*read)(const struct ctf2_value *fragment);
} fragments[] = {
	{ "preamble", read_preamble }, { "field-class-alias", read_alias },  { "trace-class", read_trace },
	{ "clock-class", ctf2_clock }, { "data-stream-class", read_stream }, { "event-record-class", read_event },
};

bool ctf2_fragment(struct ctf2_reader *reader, json_t *json)
{
	struct ctf2_value fragment = { .json = json, .reader = reader }, type;
	if (!json_is_object(json))
		return ctf2_fail(&fragment, "an object is expected");
	if (!ctf2_get(&fragment, "type", JSON_STRING, true, &type))
		return false;
	const char *name = json_string_value(type.json);
	if (!reader->has_preamble && strcmp(name, "preamble") != 0)
		return ctf2_fail(&fragment, "the first fragment is no preamble");
	if (reader->has_preamble && !ctf2_check_extensions(&fragment))
		return false;
	for (size_t i = 0; i < sizeof(fragments) / sizeof(fragments[0]); i++)
		if (strcmp(name, fragments[i].type) == 0)
			return fragments[i].read(&fragment);
	return ctf2_fail(&type, "there is no fragment \"%.80s\"", name);
}
