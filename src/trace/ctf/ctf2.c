// SPDX-License-Identifier: MIT
/*
 * ctf2.c - metadata of CTF 2: fragments of JSON become the same schema that TSDL becomes.
 *
 * The reader works by recursive descent and stops at the first fault: a function that returns false or NULL has set
 * the error, which names the fragment and the path in it.  The type of properties that histree does not use is
 * checked; then they are skipped.
 */
#include "trace/ctf/ctf2.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "trace/ctf/ctf2_json.h"
#include "trace/ctf/ctf_schema.h"

static bool ctf2_check_identity(const struct ctf2_value *object);
static struct ctf_clock *ctf2_clock_find(const struct ctf_schema *schema, const char *id);
static bool ctf2_clock(const struct ctf2_value *fragment);
static bool ctf2_ranges(const struct ctf2_value *array, uint32_t member, struct ctf_range **ranges, size_t *count,
			size_t *capacity);
static struct ctf_type *ctf2_class(const struct ctf2_value *value, unsigned depth);

/* ---- ctf2 fragment ------------------------------------------------------------------------------------------- */

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
	if (scope == CTF_SCOPE_PACKET_CONTEXT) {
		/* No role says the CPU: tracers call it so, as in CTF 1.8. */
		struct ctf_type *context = *out;
		for (size_t i = 0; i < context->member_count; i++)
			if (strcmp(context->members[i].name, "cpu_id") == 0 &&
			    ctf_type_is_integer(context->members[i].type))
				context->members[i].roles |= ROLE(CPU);
	}
	if (!has_clock && (roles & (ROLE(TICK) | ROLE(END))) != 0)
		return ctf2_fail(&value, "it has a timestamp, but there is no 'default-clock-class-id'");
	if ((roles & ROLE(UUID)) != 0 && !fragment->reader->schema->has_uuid)
		return ctf2_fail(&value, "packets have a UUID, but the preamble has none");
	if ((roles & ROLE(MAGIC)) != 0 && ((*out)->members[0].roles & ROLE(MAGIC)) == 0)
		return ctf2_fail(&value, "the magic number of packets is not the first member");
	return true;
}

/* ---- preamble, trace, alias ------------------------------------------------------------------------------ */

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
	    !ctf2_get_text(fragment, "default-clock-class-id", false, &clock_id) ||
	    (clock_id == NULL && !ctf2_get_text(fragment, "default-clock-class-name", false, &clock_id)))
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

/* Read one fragment. */
static bool ctf2_fragment(struct ctf2_reader *reader, json_t *json)
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

/* ---- ctf2 clock ---------------------------------------------------------------------------------------------- */

/* What says who made something and is not needed to read it. */
static bool ctf2_check_identity(const struct ctf2_value *fragment)
{
	static const char *const keys[] = { "namespace", "name", "uid" };
	struct ctf2_value ignored;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!ctf2_get(fragment, keys[i], JSON_STRING, false, &ignored))
			return false;
	return true;
}

/* The Unix epoch, or something else that has a name; both are where the times of events begin to count. */
static bool read_origin(const struct ctf2_value *fragment, struct ctf_clock *clock)
{
	struct ctf2_value origin = ctf2_member(fragment, "origin");
	const char *name, *uid;
	clock->origin = "";
	if (origin.json == NULL)
		return true;
	if (json_is_string(origin.json)) {
		clock->origin = "unix-epoch";
		return strcmp(json_string_value(origin.json), clock->origin) == 0 ||
		       ctf2_fail(&origin, "\"%.60s\" is not known here", json_string_value(origin.json));
	}
	if (!json_is_object(origin.json))
		return ctf2_fail(&origin, "\"unix-epoch\" or an object is expected");
	if (!ctf2_check_identity(&origin) || !ctf2_get_text(&origin, "name", true, &name) ||
	    !ctf2_get_text(&origin, "uid", true, &uid))
		return false;
	clock->origin = name;
	return true;
}

static bool read_offset(const struct ctf2_value *fragment, struct ctf_clock *clock)
{
	struct ctf2_value offset;
	ctf_wide seconds = 0, cycles = 0;
	ctf_wide cycles_max = clock->frequency - 1 > INT64_MAX ? INT64_MAX : (ctf_wide)clock->frequency - 1;
	if (!ctf2_get(fragment, "offset-from-origin", JSON_OBJECT, false, &offset))
		return false;
	if (offset.json == NULL)
		return true;
	if (!ctf2_get_number(&offset, "seconds", false, INT64_MIN, INT64_MAX, &seconds) ||
	    !ctf2_get_number(&offset, "cycles", false, 0, cycles_max, &cycles))
		return false;
	clock->offset_seconds = (int64_t)seconds;
	clock->offset_cycles = (int64_t)cycles;
	return true;
}

/* Returns the clock with an id, or NULL. */
static struct ctf_clock *ctf2_clock_find(const struct ctf_schema *schema, const char *id)
{
	for (size_t i = 0; i < schema->clock_count; i++)
		if (strcmp(schema->clocks[i].id, id) == 0)
			return &schema->clocks[i];
	return NULL;
}

/* Read a clock class. */
static bool ctf2_clock(const struct ctf2_value *fragment)
{
	struct ctf_schema *schema = fragment->reader->schema;
	struct ctf2_value description;
	struct ctf_clock clock = { 0 };
	ctf_wide frequency = 0, precision = CTF_NOT_SAID, accuracy = CTF_NOT_SAID;
	if (schema->clock_count == CTF_CLOCKS_MAX)
		return ctf2_fail(fragment, "there are more than %d clocks", CTF_CLOCKS_MAX);
	if (!array_reserve(&schema->clocks, &schema->clock_capacity, CTF_CLOCKS_MAX)) {
		error_memory(fragment->reader->error, "the metadata");
		return false;
	}
	const bool is_draft =
		ctf2_member(fragment, "id").json == NULL && ctf2_member(fragment, "name").json != NULL;
	if (!ctf2_check_identity(fragment) || !ctf2_get_text(fragment, is_draft ? "name" : "id", true, &clock.id) ||
	    !ctf2_get_text(fragment, "name", false, &clock.name) ||
	    !ctf2_get_text(fragment, "uid", false, &clock.uid) ||
	    !ctf2_get(fragment, "description", JSON_STRING, false, &description) ||
	    !ctf2_get_number(fragment, "frequency", true, 1, UINT64_MAX, &frequency) ||
	    !ctf2_get_number(fragment, "precision", false, 0, UINT64_MAX, &precision) ||
	    !ctf2_get_number(fragment, "accuracy", false, 0, UINT64_MAX, &accuracy))
		return false;
	if (ctf2_clock_find(schema, clock.id) != NULL)
		return ctf2_fail(fragment, "there is a clock class \"%.80s\" already", clock.id);
	clock.name = clock.name == NULL ? clock.id : clock.name;
	clock.uid = clock.uid == NULL ? "" : clock.uid;
	clock.frequency = (uint64_t)frequency;
	clock.precision = (uint64_t)precision;
	clock.accuracy = (uint64_t)accuracy;
	if (!read_origin(fragment, &clock) || !read_offset(fragment, &clock))
		return false;
	schema->clocks[schema->clock_count++] = clock;
	return true;
}

/* ---- ctf2 compound ------------------------------------------------------------------------------------------- */

/* ---- locations ------------------------------------------------------------------------------------------- */

/* Read where a length or a selector is; drafts have a list, of the origin and the path. */
static bool ctf2_location(const struct ctf2_value *object, const char *key, struct ctf_type *type)
{
	static const char *const origins[CTF_SCOPE_COUNT] = {
		[CTF_SCOPE_PACKET_HEADER] = "packet-header",
		[CTF_SCOPE_PACKET_CONTEXT] = "packet-context",
		[CTF_SCOPE_EVENT_HEADER] = "event-record-header",
		[CTF_SCOPE_EVENT_CONTEXT] = "event-record-common-context",
		[CTF_SCOPE_CONTEXT] = "event-record-specific-context",
		[CTF_SCOPE_PAYLOAD] = "event-record-payload",
	};
	struct ctf2_value value, path;
	size_t origin = CTF_SCOPE_COUNT, first = 0;
	char place[320];
	value = path = ctf2_member(object, key);
	if (json_is_array(path.json)) {
		const char *word = json_string_value(json_array_get(path.json, 0));
		for (size_t i = 0; word != NULL && i < CTF_SCOPE_COUNT; i++)
			origin = strcmp(origins[i], word) == 0 ? i : origin;
		first = origin < CTF_SCOPE_COUNT;
	} else if (!ctf2_get(object, key, JSON_OBJECT, true, &value) ||
		   !ctf2_get_word(&value, "origin", false, origins, CTF_SCOPE_COUNT, &origin) ||
		   !ctf2_get(&value, "path", JSON_ARRAY, true, &path)) {
		return false;
	}
	size_t count = json_array_size(path.json) - first;
	if (count == 0 || !json_is_string(json_array_get(path.json, first + count - 1)))
		return ctf2_fail(&path, "a path ends with the name of a field");
	if (count > CTF_NESTING_MAX)
		return ctf2_fail(&path, "a path has more than %d names", CTF_NESTING_MAX);
	struct ctf_location *location = ctf2_allocate(object, 1, sizeof(*location));
	const char **names = ctf2_allocate(object, count, sizeof(*names));
	ctf2_place(&value, place, sizeof(place));
	char *text = ctf2_allocate(object, strlen(place) + 1, 1);
	if (location == NULL || names == NULL || text == NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct ctf2_value name = ctf2_element(&path, first + i);
		names[i] = NULL;
		if (json_is_null(name.json))
			continue;
		if (!json_is_string(name.json))
			return ctf2_fail(&name, "the name of a field, or null, is expected");
		size_t size = json_string_length(name.json) + 1;
		char *copy = ctf2_allocate(object, size, 1);
		if (copy == NULL)
			return false;
		names[i] = memcpy(copy, json_string_value(name.json), size);
	}
	*location = (struct ctf_location){
		.origin = origin == CTF_SCOPE_COUNT ? -1 : (int)origin,
		.names = names,
		.count = count,
		.text = strcpy(text, place),
	};
	type->location = location;
	return true;
}

/* ---- structures ------------------------------------------------------------------------------------------ */

/* Members and options have names of their own; an option may have no name, which is "". */
static bool check_names(const struct ctf2_value *value, const struct ctf_type *type)
{
	const char **names = calloc(type->member_count + 1, sizeof(*names));
	if (names == NULL) {
		error_memory(value->reader->error, "the metadata");
		return false;
	}
	size_t count = 0;
	for (size_t i = 0; i < type->member_count; i++)
		if (type->members[i].name[0] != '\0')
			names[count++] = type->members[i].name;
	const char *repeated = text_repeated(names, count);
	free((void *)names);
	return repeated == NULL || ctf2_fail(value, "the name \"%.80s\" is there twice", repeated);
}

/* Read the field class of a member or an option. */
static bool read_member(const struct ctf2_value *value, struct ctf_member *member, unsigned depth)
{
	struct ctf2_value class = ctf2_member(value, "field-class");
	if (class.json == NULL)
		return ctf2_fail(value, "'field-class' is missing");
	member->type = ctf2_class(&class, depth + 1);
	return member->type != NULL;
}

/* Room for the members, of an array of JSON. */
static bool begin_members(const struct ctf2_value *array, struct ctf_type *type, size_t count)
{
	type->members = ctf2_allocate(array, count, sizeof(*type->members));
	for (size_t i = 0; type->members != NULL && i < count; i++)
		type->members[i] = (struct ctf_member){ .name = "", .slot = CTF_NO_SLOT };
	type->member_count = count;
	return type->members != NULL;
}

static bool read_structure(const struct ctf2_value *value, struct ctf_type *type, unsigned depth)
{
	struct ctf2_value array;
	type->kind = CTF_STRUCTURE;
	if (!ctf2_get(value, "member-classes", JSON_ARRAY, false, &array) ||
	    !ctf2_get_alignment(value, "minimum-alignment", &type->align) ||
	    !begin_members(value, type, array.json == NULL ? 0 : json_array_size(array.json)))
		return false;
	for (size_t i = 0; i < type->member_count; i++) {
		struct ctf2_value class = ctf2_element(&array, i);
		struct ctf_member *member = &type->members[i];
		if (!json_is_object(class.json))
			return ctf2_fail(&class, "an object is expected");
		if (!ctf2_get_text(&class, "name", true, &member->name) || !ctf2_check_extensions(&class) ||
		    !read_member(&class, member, depth))
			return false;
		if (type->align < member->type->align)
			type->align = member->type->align;
	}
	return check_names(value, type);
}

/* ---- arrays ---------------------------------------------------------------------------------------------- */

static bool read_element(const struct ctf2_value *value, struct ctf_type *type, unsigned depth)
{
	struct ctf2_value class = ctf2_member(value, "element-field-class");
	if (class.json == NULL)
		return ctf2_fail(value, "'element-field-class' is missing");
	if (!ctf2_get_alignment(value, "minimum-alignment", &type->align))
		return false;
	type->element = ctf2_class(&class, depth + 1);
	if (type->element == NULL)
		return false;
	if (type->align < type->element->align)
		type->align = type->element->align;
	return true;
}

static bool read_array(const struct ctf2_value *value, struct ctf_type *type, unsigned depth)
{
	ctf_wide length = 0;
	type->kind = CTF_ARRAY;
	if (!ctf2_get_number(value, "length", true, 0, UINT64_MAX, &length))
		return false;
	type->length = (uint64_t)length;
	return read_element(value, type, depth);
}

static bool read_sequence(const struct ctf2_value *value, struct ctf_type *type, unsigned depth)
{
	type->kind = CTF_SEQUENCE;
	return ctf2_location(value, "length-field-location", type) && read_element(value, type, depth);
}

/* ---- variants -------------------------------------------------------------------------------------------- */

static int compare_ranges(const void *a, const void *b)
{
	const struct ctf_range *first = a, *second = b;
	return (first->low > second->low) - (first->low < second->low);
}

/* Keep the ranges; those of two options have no number in common. */
static bool keep_ranges(const struct ctf2_value *value, struct ctf_type *type, struct ctf_range *ranges,
			size_t count)
{
	if (count > CTF_CHOICES_MAX)
		return ctf2_fail(value, "a variant has more than %d ranges", CTF_CHOICES_MAX);
	if (count == 0)
		return true;
	qsort(ranges, count, sizeof(*ranges), compare_ranges);
	size_t last = 0; /* the range so far that ends last */
	for (size_t i = 1; i < count; i++) {
		if (ranges[i].low <= ranges[last].high && ranges[i].member != ranges[last].member)
			return ctf2_fail(value, "two options are for the same number");
		if (ranges[i].high > ranges[last].high)
			last = i;
	}
	struct ctf_range *kept = ctf2_allocate(value, count, sizeof(*kept));
	if (kept == NULL)
		return false;
	memcpy(kept, ranges, count * sizeof(*kept));
	type->ranges = kept;
	type->range_count = count;
	return true;
}

static bool read_option(const struct ctf2_value *option, struct ctf_type *type, size_t index, unsigned depth,
			struct ctf_range **ranges, size_t *count, size_t *capacity)
{
	struct ctf_member *member = &type->members[index];
	struct ctf2_value of_option;
	const char *name;
	if (!json_is_object(option->json))
		return ctf2_fail(option, "an object is expected");
	if (!ctf2_get_text(option, "name", false, &name) || !ctf2_check_extensions(option) ||
	    !ctf2_get(option, "selector-field-ranges", JSON_ARRAY, true, &of_option) ||
	    !ctf2_ranges(&of_option, (uint32_t)index, ranges, count, capacity))
		return false;
	member->name = name == NULL ? "" : name;
	return read_member(option, member, depth);
}

static bool read_variant(const struct ctf2_value *value, struct ctf_type *type, unsigned depth)
{
	struct ctf2_value options;
	struct ctf_range *ranges = NULL;
	size_t count = 0, capacity = 0;
	type->kind = CTF_VARIANT;
	if (!ctf2_location(value, "selector-field-location", type) ||
	    !ctf2_get(value, "options", JSON_ARRAY, true, &options))
		return false;
	if (json_array_size(options.json) == 0)
		return ctf2_fail(&options, "one option or more is expected");
	bool ok = begin_members(value, type, json_array_size(options.json));
	for (size_t i = 0; ok && i < type->member_count; i++) {
		struct ctf2_value option = ctf2_element(&options, i);
		ok = read_option(&option, type, i, depth, &ranges, &count, &capacity);
	}
	ok = ok && keep_ranges(value, type, ranges, count) && check_names(value, type);
	free(ranges);
	return ok;
}

/* An optional field is a variant of one option, or none. */
static bool read_optional(const struct ctf2_value *value, struct ctf_type *type, unsigned depth)
{
	struct ctf2_value of_selector;
	struct ctf_range *ranges = NULL;
	size_t count = 0, capacity = 0;
	type->kind = CTF_VARIANT;
	type->is_optional = true;
	if (!ctf2_location(value, "selector-field-location", type) ||
	    !ctf2_get(value, "selector-field-ranges", JSON_ARRAY, false, &of_selector))
		return false;
	bool ok = of_selector.json == NULL || ctf2_ranges(&of_selector, 0, &ranges, &count, &capacity);
	ok = ok && keep_ranges(value, type, ranges, count);
	free(ranges);
	return ok && begin_members(value, type, 1) && read_member(value, &type->members[0], depth);
}

/* ---- any ------------------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	bool (*read)(const struct ctf2_value *value, struct ctf_type *type, unsigned depth);
} compound_classes[] = {
	{ "structure", read_structure },
	{ "static-length-array", read_array },
	{ "dynamic-length-array", read_sequence },
	{ "optional", read_optional },
	{ "variant", read_variant },
};

/* The same for those that have parts; `type` is the value of its property. */
static struct ctf_type *ctf2_compound(const struct ctf2_value *value, const char *name, unsigned depth)
{
	for (size_t i = 0; i < sizeof(compound_classes) / sizeof(compound_classes[0]); i++) {
		if (strcmp(name, compound_classes[i].name) != 0)
			continue;
		struct ctf_type *type = ctf2_allocate(value, 1, sizeof(*type));
		if (type == NULL)
			return NULL;
		*type = (struct ctf_type){ .align = 1 };
		return compound_classes[i].read(value, type, depth) ? type : NULL;
	}
	struct ctf2_value type = ctf2_member(value, "type");
	ctf2_fail(&type, "there is no field class \"%.80s\"", name);
	return NULL;
}

/* ---- ctf2 class ---------------------------------------------------------------------------------------------- */

enum {
	NUMBER_BITS_MAX = 64, /* of a field that is a number */
	BITS_MAX = 1 << 24,   /* of a field that is not a number */
	FLOAT_BITS_MAX = 4096,
};

/* ---- ranges, mappings, roles ----------------------------------------------------------------------------- */

static bool read_range(const struct ctf2_value *value, uint32_t member, struct ctf_range *out)
{
	*out = (struct ctf_range){ .member = member };
	if (!json_is_array(value->json) || json_array_size(value->json) != 2)
		return ctf2_fail(value, "a range of two integers is expected");
	struct ctf2_value low = ctf2_element(value, 0), high = ctf2_element(value, 1);
	return ctf2_number(&low, INT64_MIN, UINT64_MAX, &out->low) &&
	       ctf2_number(&high, INT64_MIN, UINT64_MAX, &out->high) &&
	       (out->low <= out->high || ctf2_fail(value, "the range ends before it begins"));
}

/* Read a set of ranges (section 5.3.2) of a member and append them to its `*count` ranges. */
static bool ctf2_ranges(const struct ctf2_value *array, uint32_t member, struct ctf_range **ranges, size_t *count,
			size_t *capacity)
{
	if (!json_is_array(array->json) || json_array_size(array->json) == 0)
		return ctf2_fail(array, "an array of ranges is expected");
	for (size_t i = 0; i < json_array_size(array->json); i++) {
		struct ctf2_value value = ctf2_element(array, i);
		if (!array_reserve(ranges, capacity, *count + 1)) {
			error_memory(array->reader->error, "the metadata");
			return false;
		}
		if (!read_range(&value, member, &(*ranges)[*count]))
			return false;
		++*count;
	}
	return true;
}

/* A name of numbers, once a range. */
static bool add_labels(const struct ctf2_value *value, const char *name, const struct ctf_range *ranges,
		       size_t count, struct ctf_label **labels, size_t *label_count, size_t *capacity)
{
	size_t size = strlen(name) + 1;
	char *copy = ctf2_allocate(value, size, 1);
	if (copy == NULL)
		return false;
	memcpy(copy, name, size);
	if (!array_reserve(labels, capacity, *label_count + count)) {
		error_memory(value->reader->error, "the metadata");
		return false;
	}
	for (size_t i = 0; i < count; i++)
		(*labels)[(*label_count)++] = (struct ctf_label){ .name = copy,
								  .low = (uint64_t)ranges[i].low,
								  .high = (uint64_t)ranges[i].high };
	return true;
}

/*
 * Mappings of an integer, or flags of a bit map, whose ranges are of numbers of bits: they become its labels.
 */
static bool read_names(const struct ctf2_value *object, const char *key, bool is_required,
		       struct ctf_type *labelled)
{
	struct ctf2_value names;
	const char *name;
	json_t *value;
	if (!ctf2_get(object, key, JSON_OBJECT, is_required, &names))
		return false;
	if (is_required && json_object_size(names.json) == 0)
		return ctf2_fail(&names, "one flag or more is expected");
	struct ctf_range *ranges = NULL;
	struct ctf_label *labels = NULL;
	size_t capacity = 0, label_count = 0, label_capacity = 0;
	bool ok = true;
	json_object_foreach(names.json, name, value)
	{
		struct ctf2_value of_name = ctf2_member(&names, name);
		size_t count = 0;
		ok = ok && ctf2_ranges(&of_name, 0, &ranges, &count, &capacity);
		if (ok && labelled != NULL)
			ok = add_labels(&of_name, name, ranges, count, &labels, &label_count, &label_capacity);
	}
	if (ok && label_count > 0) {
		labelled->labels = ctf2_allocate(&names, 2 * label_count, sizeof(*labels));
		ok = labelled->labels != NULL;
	}
	if (ok && label_count > 0) {
		memcpy(labelled->labels, labels, label_count * sizeof(*labels));
		labelled->label_count = label_count;
		ctf_labels_sort(labelled);
	}
	free(labels);
	free(ranges);
	return ok;
}

static bool read_roles(const struct ctf2_value *object, struct ctf_type *type)
{
	static const char *const names[] = {
		"data-stream-class-id",
		"data-stream-id",
		"packet-total-length",
		"packet-content-length",
		"packet-end-default-clock-timestamp",
		"discarded-event-record-counter-snapshot",
		"packet-sequence-number",
		"packet-magic-number",
		"metadata-stream-uuid",
		"event-record-class-id",
		"default-clock-timestamp",
	};
	static const enum ctf_role roles[] = {
		CTF_ROLE_STREAM, CTF_ROLE_INSTANCE,  CTF_ROLE_PACKET_SIZE, CTF_ROLE_CONTENT_SIZE,
		CTF_ROLE_END,    CTF_ROLE_DISCARDED, CTF_ROLE_SEQUENCE,    CTF_ROLE_MAGIC,
		CTF_ROLE_UUID,   CTF_ROLE_EVENT,     CTF_ROLE_TICK,
	};
	struct ctf2_value array;
	if (!ctf2_get(object, "roles", JSON_ARRAY, false, &array))
		return false;
	for (size_t i = 0; array.json != NULL && i < json_array_size(array.json); i++) {
		struct ctf2_value role = ctf2_element(&array, i);
		size_t at = 0;
		if (!json_is_string(role.json))
			return ctf2_fail(&role, "a string is expected");
		while (at < sizeof(names) / sizeof(names[0]) &&
		       strcmp(json_string_value(role.json), names[at]) != 0)
			at++;
		if (at == sizeof(names) / sizeof(names[0]))
			return ctf2_fail(&role, "there is no role \"%.60s\"", json_string_value(role.json));
		bool is_of_bytes = roles[at] == CTF_ROLE_UUID;
		if (is_of_bytes != (type->kind == CTF_ARRAY) || type->is_signed || type->kind == CTF_BITS)
			return ctf2_fail(&role, "a field of this class has no such role");
		type->roles |= 1u << roles[at];
	}
	if ((type->roles & 1u << CTF_ROLE_MAGIC) != 0 && (type->kind != CTF_INTEGER || type->size != 32))
		return ctf2_fail(object, "the magic number of packets has 32 bits");
	if ((type->roles & 1u << CTF_ROLE_UUID) != 0 && type->length != 16)
		return ctf2_fail(object, "a UUID has 16 bytes");
	return true;
}

/* ---- numbers --------------------------------------------------------------------------------------------- */

/* The orders of bytes and bits, the length and the alignment. */
static bool read_bits(const struct ctf2_value *value, struct ctf_type *type, uint32_t size_max)
{
	static const char *const orders[] = { "little-endian", "big-endian" };
	static const char *const bit_orders[] = { "first-to-last", "last-to-first" };
	ctf_wide size = 0;
	size_t order = 0;
	if (!ctf2_get_number(value, "length", true, 1, size_max, &size) ||
	    !ctf2_get_word(value, "byte-order", true, orders, 2, &order))
		return false;
	size_t bit_order = order;
	if (!ctf2_get_word(value, "bit-order", false, bit_orders, 2, &bit_order))
		return false;
	type->size = (uint32_t)size;
	type->order = order == 0 ? CTF_LITTLE : CTF_BIG;
	if (bit_order != order)
		type->form |= CTF_REVERSED;
	return ctf2_get_alignment(value, "alignment", &type->align);
}

static bool read_base(const struct ctf2_value *value, struct ctf_type *type)
{
	ctf_wide base = 10;
	struct ctf2_value at = ctf2_member(value, "preferred-display-base");
	if (!ctf2_get_number(value, "preferred-display-base", false, 2, 16, &base))
		return false;
	type->base = base == 10 ? 0 : (uint8_t)base;
	return base == 2 || base == 8 || base == 10 || base == 16 ||
	       ctf2_fail(&at, "the base of a number is 2, 8, 10 or 16");
}

static bool read_integer(const struct ctf2_value *value, struct ctf_type *type)
{
	struct ctf2_value mappings = ctf2_member(value, "mappings");
	type->is_enumeration = mappings.json != NULL && type->kind != CTF_BITS;
	return read_base(value, type) && read_names(value, "mappings", false, type->is_enumeration ? type : NULL) &&
	       read_roles(value, type);
}

static bool read_fixed_integer(const struct ctf2_value *value, struct ctf_type *type)
{
	if (!read_bits(value, type, BITS_MAX))
		return false;
	if (type->size > NUMBER_BITS_MAX) {
		type->kind = CTF_BITS;
		type->is_number = true;
	}
	return read_integer(value, type);
}

static bool read_signed_integer(const struct ctf2_value *value, struct ctf_type *type)
{
	type->is_signed = true;
	return read_fixed_integer(value, type);
}

static bool read_variable_integer(const struct ctf2_value *value, struct ctf_type *type)
{
	type->kind = CTF_VARINT;
	type->align = 8;
	return read_integer(value, type);
}

static bool read_signed_variable_integer(const struct ctf2_value *value, struct ctf_type *type)
{
	type->is_signed = true;
	return read_variable_integer(value, type);
}

static bool read_boolean(const struct ctf2_value *value, struct ctf_type *type)
{
	type->form = CTF_BOOLEAN;
	return read_bits(value, type, NUMBER_BITS_MAX);
}

static bool read_bit_array(const struct ctf2_value *value, struct ctf_type *type)
{
	if (!read_bits(value, type, BITS_MAX))
		return false;
	if (type->size > NUMBER_BITS_MAX)
		type->kind = CTF_BITS;
	return true;
}

static bool read_bit_map(const struct ctf2_value *value, struct ctf_type *type)
{
	return read_bit_array(value, type) &&
	       read_names(value, "flags", true, type->kind != CTF_BITS ? type : NULL);
}

static bool read_float(const struct ctf2_value *value, struct ctf_type *type)
{
	struct ctf2_value length = ctf2_member(value, "length");
	type->kind = CTF_FLOAT;
	if (!read_bits(value, type, FLOAT_BITS_MAX))
		return false;
	bool is_one = type->size == 16 || type->size == 32 || type->size == 64 ||
		      (type->size >= 128 && type->size % 32 == 0);
	return is_one || ctf2_fail(&length, "no floating point number has %u bits", (unsigned)type->size);
}

/* ---- texts and bytes ------------------------------------------------------------------------------------- */

static bool read_encoding(const struct ctf2_value *value, struct ctf_type *type)
{
	static const char *const names[] = { "utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be" };
	size_t encoding = CTF_UTF_8;
	if (!ctf2_get_word(value, "encoding", false, names, sizeof(names) / sizeof(names[0]), &encoding))
		return false;
	type->encoding = (enum ctf_encoding)encoding;
	return true;
}

static bool read_string(const struct ctf2_value *value, struct ctf_type *type)
{
	type->kind = CTF_STRING;
	type->align = 8;
	return read_encoding(value, type);
}

/* Bytes of a length: those of a text, or of a BLOB. */
static bool begin_bytes(const struct ctf2_value *value, struct ctf_type *type, enum ctf_kind kind)
{
	struct ctf2_reader *reader = value->reader;
	if (reader->byte == NULL) {
		reader->byte = ctf2_allocate(value, 1, sizeof(*reader->byte));
		if (reader->byte == NULL)
			return false;
		*reader->byte =
			(struct ctf_type){ .kind = CTF_INTEGER, .size = 8, .align = 8, .order = CTF_LITTLE };
	}
	type->kind = kind;
	type->align = 8;
	type->element = reader->byte;
	return true;
}

static bool read_length(const struct ctf2_value *value, struct ctf_type *type)
{
	ctf_wide length = 0;
	if (!ctf2_get_number(value, "length", true, 0, UINT64_MAX, &length))
		return false;
	type->length = (uint64_t)length;
	return true;
}

static bool read_static_string(const struct ctf2_value *value, struct ctf_type *type)
{
	type->is_text = true;
	return begin_bytes(value, type, CTF_ARRAY) && read_length(value, type) && read_encoding(value, type);
}

static bool read_dynamic_string(const struct ctf2_value *value, struct ctf_type *type)
{
	type->is_text = true;
	return begin_bytes(value, type, CTF_SEQUENCE) && ctf2_location(value, "length-field-location", type) &&
	       read_encoding(value, type);
}

static bool read_media_type(const struct ctf2_value *value, struct ctf_type *type)
{
	struct ctf2_value media;
	type->is_blob = true;
	return ctf2_get(value, "media-type", JSON_STRING, false, &media);
}

static bool read_static_blob(const struct ctf2_value *value, struct ctf_type *type)
{
	return begin_bytes(value, type, CTF_ARRAY) && read_length(value, type) && read_media_type(value, type) &&
	       read_roles(value, type);
}

static bool read_dynamic_blob(const struct ctf2_value *value, struct ctf_type *type)
{
	return begin_bytes(value, type, CTF_SEQUENCE) && ctf2_location(value, "length-field-location", type) &&
	       read_media_type(value, type);
}

/* ---- any ------------------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	bool (*read)(const struct ctf2_value *value, struct ctf_type *type);
} classes[] = {
	{ "fixed-length-unsigned-integer", read_fixed_integer },
	{ "fixed-length-signed-integer", read_signed_integer },
	{ "null-terminated-string", read_string },
	/* Drafts had words of their own for integers with mappings. */
	{ "fixed-length-unsigned-enumeration", read_fixed_integer },
	{ "fixed-length-signed-enumeration", read_signed_integer },
	{ "variable-length-unsigned-enumeration", read_variable_integer },
	{ "variable-length-signed-enumeration", read_signed_variable_integer },
	{ "fixed-length-boolean", read_boolean },
	{ "fixed-length-bit-array", read_bit_array },
	{ "fixed-length-bit-map", read_bit_map },
	{ "fixed-length-floating-point-number", read_float },
	{ "variable-length-unsigned-integer", read_variable_integer },
	{ "variable-length-signed-integer", read_signed_variable_integer },
	{ "static-length-string", read_static_string },
	{ "dynamic-length-string", read_dynamic_string },
	{ "static-length-blob", read_static_blob },
	{ "dynamic-length-blob", read_dynamic_blob },
};

static struct ctf_type *find_alias(const struct ctf2_value *value)
{
	struct ctf2_reader *reader = value->reader;
	const char *name = json_string_value(value->json);
	uint32_t id = intern_find(&reader->alias_names, name, strlen(name));
	if (id != INTERN_NONE)
		return ctf_type_copy(reader->schema, reader->aliases[id], reader->error);
	ctf2_fail(value, "there is no field class alias \"%.80s\" before it", name);
	return NULL;
}

/* Read a field class, or the name of an alias of one, for its place in the tree; NULL after a failure. */
static struct ctf_type *ctf2_class(const struct ctf2_value *value, unsigned depth)
{
	struct ctf2_value name;
	if (json_is_string(value->json))
		return find_alias(value);
	if (!json_is_object(value->json)) {
		ctf2_fail(value, "a field class, or the name of an alias of one, is expected");
		return NULL;
	}
	if (depth > CTF_NESTING_MAX) {
		ctf2_fail(value, "field classes are nested more than %d deep", CTF_NESTING_MAX);
		return NULL;
	}
	if (!ctf2_get(value, "type", JSON_STRING, true, &name) || !ctf2_check_extensions(value))
		return NULL;
	const char *type_name = json_string_value(name.json);
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (strcmp(type_name, classes[i].name) != 0)
			continue;
		struct ctf_type *type = ctf2_allocate(value, 1, sizeof(*type));
		if (type == NULL)
			return NULL;
		*type = (struct ctf_type){ .kind = CTF_INTEGER, .align = 1 };
		return classes[i].read(value, type) ? type : NULL;
	}
	struct ctf_type *type = ctf2_compound(value, type_name, depth);
	return type;
}

/* ---- ctf2 ---------------------------------------------------------------------------------------------------- */

static bool is_blank(const char *text, size_t size)
{
	size_t at = 0;
	while (at < size && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n'))
		at++;
	return at == size;
}

/* Read the texts between separators; RFC 7464 lets some be empty. */
static bool read_all(struct ctf2_reader *reader, const char *text)
{
	struct ctf2_value all = { .reader = reader };
	const char *end = text + strlen(text);
	while (*text == CTF2_SEPARATOR) {
		text++;
		const char *next = memchr(text, CTF2_SEPARATOR, (size_t)(end - text));
		size_t size = (size_t)((next != NULL ? next : end) - text);
		if (!is_blank(text, size)) {
			reader->fragment++;
			json_t *json = ctf2_json(reader, text, size);
			bool ok = json != NULL && ctf2_fragment(reader, json);
			json_decref(json);
			if (!ok)
				return false;
		}
		text += size;
	}
	if (!reader->has_preamble)
		return ctf2_fail(&all, "the metadata have no preamble");
	return reader->schema->stream_count > 0 ||
	       ctf2_fail(&all, "it is the last, and no data stream class was declared");
}

enum histree_status ctf2_read(struct ctf_schema *schema, const char *text, struct histree_error *error)
{
	struct histree_error own;
	struct ctf2_reader reader = { .schema = schema, .error = error != NULL ? error : &own };
	schema->version = 2;
	schema->order = CTF_LITTLE; /* each field says its own */
	enum histree_status status =
		read_all(&reader, text) ? ctf_schema_link(schema, reader.error) : reader.error->status;
	intern_release(&reader.alias_names);
	free((void *)reader.aliases);
	id_map_release(&reader.streams);
	return status;
}
