// SPDX-License-Identifier: MIT
/*
 * <segment>: its name, its times if they are not those of the scenario, and its content.
 */
#include <string.h>

#include "analysis/xml/xml_reader.h"

static enum histree_type type_of(struct xml_reader *reader, const struct xml_element *field)
{
	static const struct {
		const char *name;
		enum histree_type type;
	} types[] = {
		{ "string", HISTREE_STRING }, { "long", HISTREE_LONG },    { "int", HISTREE_INT },
		{ "double", HISTREE_DOUBLE }, { "float", HISTREE_DOUBLE },
	};
	const char *name = xml_need(reader, field, "type");
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strcmp(name, types[i].name) == 0)
			return types[i].type;
	xml_fail(reader, field, "there is no type '%s' of fields; there are string, int, long and double", name);
	return HISTREE_STRING;
}

static struct program_field_value content_field(struct xml_reader *reader, const struct xml_element *field)
{
	const struct xml_element *value = xml_child(field, "stateValue");
	const char *name = xml_need(reader, field, "name"), *text = xml_attribute(field, "value");
	struct program_field_value made = { PROGRAM_NOTHING, PROGRAM_NOTHING };
	xml_allow(reader, field, "name type value", "stateValue");
	enum histree_type type = type_of(reader, field);
	if ((value == NULL) == (text == NULL) || (value != NULL && xml_next(value, NULL) != NULL))
		xml_fail(reader, field, "has one <stateValue>, or the attribute 'value'");
	if (reader->status != HISTREE_OK)
		return made;
	/* "name" is that of the segment. */
	made.field = program_segment_field(reader->make, strcmp(name, "name") == 0 ? "content_name" : name, type);
	made.value = value != NULL ? xml_value(reader, value) : xml_text(reader, xml_defined(reader, field, text));
	return made;
}

/* Those of the scenario, where a transition has saved any. */
static size_t stored_fields(struct xml_reader *reader, struct program_field_value *fields, size_t count)
{
	struct program_builder *make = reader->make;
	for (const struct xml_element *each = xml_child(reader->analysis, "storedField");
	     each != NULL && reader->saves_fields && count < HISTREE_SEGMENT_FIELDS_MAX;
	     each = xml_next(each, "storedField")) {
		const char *alias = xml_stored_name(reader, each);
		program_path path = xml_stored_path(reader, alias);
		fields[count++] = (struct program_field_value){
			.field = xml_stored_field(reader, alias),
			.value = program_look_up(make, PROGRAM_ONGOING, path, false),
		};
	}
	return count;
}

static size_t content_fields(struct xml_reader *reader, const struct xml_element *content,
			     struct program_field_value *fields, size_t count)
{
	if (content == NULL)
		return count;
	xml_allow(reader, content, "", "segField");
	for (const struct xml_element *each = content->first; each != NULL && reader->status == HISTREE_OK;
	     each = each->next) {
		if (count == HISTREE_SEGMENT_FIELDS_MAX) {
			xml_fail(reader, each, "a segment has at most %d fields", HISTREE_SEGMENT_FIELDS_MAX - 1);
			break;
		}
		fields[count++] = content_field(reader, each);
	}
	return count;
}

static program_value name_of(struct xml_reader *reader, const struct xml_element *segment)
{
	const struct xml_element *type = xml_child(segment, "segType");
	const struct xml_element *name = type != NULL ? xml_child(type, "segName") : NULL;
	const struct xml_element *value = name != NULL ? xml_child(name, "stateValue") : NULL;
	if (type != NULL)
		xml_allow(reader, type, "segName", "segName");
	if (name != NULL)
		xml_allow(reader, name, "", "stateValue");
	if (name == NULL && type != NULL && xml_attribute(type, "segName") != NULL)
		return xml_text(reader, xml_defined(reader, type, xml_attribute(type, "segName")));
	if (value == NULL || xml_next(value, NULL) != NULL) {
		xml_fail(reader, segment, "has a <segType> with a <segName> with a <stateValue>");
		return PROGRAM_NOTHING;
	}
	/* What Trace Compass writes for a name that is not there. */
	program_value made = xml_value(reader, value), none = program_constant(reader->make, histree_null());
	if (reader->status != HISTREE_OK)
		return PROGRAM_NOTHING;
	program_value has_none = program_operation(reader->make, PROGRAM_EQUAL, made, none, PROGRAM_NOTHING);
	return program_operation(reader->make, PROGRAM_CHOOSE, has_none, xml_text(reader, "null"), made);
}

static void read_times(struct xml_reader *reader, const struct xml_element *time, program_value *start,
		       program_value *end)
{
	const struct xml_element *begin = xml_child(time, "begin"), *stop = xml_child(time, "end");
	const struct xml_element *duration = xml_child(time, "duration");
	xml_allow(reader, time, "", "begin end duration");
	if (stop != NULL && duration != NULL)
		xml_fail(reader, time, "has an <end> or a <duration>, not both");
	if (duration != NULL && begin == NULL)
		xml_fail(reader, duration, "a duration counts from a <begin>");
	*start = begin != NULL ? xml_value(reader, begin) : PROGRAM_NOTHING;
	*end = stop != NULL ? xml_value(reader, stop) : PROGRAM_NOTHING;
	if (duration != NULL && reader->status == HISTREE_OK)
		*end = program_operation(reader->make, PROGRAM_ADD, *start, xml_value(reader, duration),
					 PROGRAM_NOTHING);
}

void xml_segment(struct xml_reader *reader, const struct xml_element *segment, program_block block)
{
	const struct xml_element *time = xml_child(segment, "segTime");
	struct program_field_value fields[HISTREE_SEGMENT_FIELDS_MAX];
	program_value start = PROGRAM_NOTHING, end = PROGRAM_NOTHING;
	xml_allow(reader, segment, "", "segType segTime segContent");
	program_value name = name_of(reader, segment);
	if (time != NULL)
		read_times(reader, time, &start, &end);
	size_t count = stored_fields(reader, fields, 0);
	count = content_fields(reader, xml_child(segment, "segContent"), fields, count);
	if (reader->status == HISTREE_OK)
		program_add_segment(reader->make, block, name, start, end, fields, count);
}
