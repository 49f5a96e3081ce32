// SPDX-License-Identifier: MIT
/*
 * Field classes of CTF 2 that have parts, CTF2-SPEC-2.0, sections 5.3.18 to 5.3.23, and where lengths and selectors
 * are, section 5.3.1.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/ctf/ctf2_reader.h"

/* ---- locations ------------------------------------------------------------------------------------------- */

bool ctf2_location(const struct ctf2_value *object, const char *key, struct ctf_type *type)
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
	size_t origin = CTF_SCOPE_COUNT;
	char place[320];
	if (!ctf2_get(object, key, JSON_OBJECT, true, &value) ||
	    !ctf2_get_word(&value, "origin", false, origins, CTF_SCOPE_COUNT, &origin) ||
	    !ctf2_get(&value, "path", JSON_ARRAY, true, &path))
		return false;
	size_t count = json_array_size(path.json);
	if (count == 0 || !json_is_string(json_array_get(path.json, count - 1)))
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
		struct ctf2_value name = ctf2_element(&path, i);
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

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Members and options have names of their own; an option may have no name, which is "". */
static bool check_names(const struct ctf2_value *value, const struct ctf_type *type)
{
	const char **names = calloc(type->member_count + 1, sizeof(*names));
	if (names == NULL) {
		error_memory(value->reader->error, "the metadata");
		return false;
	}
	for (size_t i = 0; i < type->member_count; i++)
		names[i] = type->members[i].name;
	qsort((void *)names, type->member_count, sizeof(*names), compare_names);
	bool ok = true;
	for (size_t i = 1; ok && i < type->member_count; i++)
		if (names[i][0] != '\0' && strcmp(names[i - 1], names[i]) == 0)
			ok = ctf2_fail(value, "the name \"%.80s\" is there twice", names[i]);
	free((void *)names);
	return ok;
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
} classes[] = {
	{ "structure", read_structure },
	{ "static-length-array", read_array },
	{ "dynamic-length-array", read_sequence },
	{ "optional", read_optional },
	{ "variant", read_variant },
};

struct ctf_type *ctf2_compound(const struct ctf2_value *value, const char *name, unsigned depth)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (strcmp(name, classes[i].name) != 0)
			continue;
		struct ctf_type *type = ctf2_allocate(value, 1, sizeof(*type));
		if (type == NULL)
			return NULL;
		*type = (struct ctf_type){ .align = 1 };
		return classes[i].read(value, type, depth) ? type : NULL;
	}
	struct ctf2_value type = ctf2_member(value, "type");
	ctf2_fail(&type, "there is no field class \"%.80s\"", name);
	return NULL;
}
