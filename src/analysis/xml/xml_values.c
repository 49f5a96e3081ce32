// SPDX-License-Identifier: MIT
/*
 * <stateValue> and <stateAttribute>, with <definedValue>, <location> and <mappingGroup>.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/xml/xml_document.h"

enum { DEPTH_MAX = 50, PAIRS_MAX = 10000 };

/* ---- constants -------------------------------------------------------------------------------------------- */

static struct histree_value constant_value(struct xml_reader *reader, const struct xml_element *element,
					   const char *type, const char *text)
{
	char *end = NULL;
	errno = 0;
	if (strcmp(type, "null") == 0)
		return histree_null();
	text = text != NULL ? text : "";
	if (!xml_is_defined(reader, text)) { /* null in Trace Compass */
		reader->lacks_definition = true;
		return histree_null();
	}
	text = xml_defined(reader, element, text);
	if (strcmp(type, "string") == 0)
		return histree_string(text);
	if (strcmp(type, "double") == 0) {
		double real = strtod(text, &end);
		if (end == text || *end != '\0')
			xml_fail(reader, element, "'%s' is no number", text);
		return (struct histree_value){ .type = HISTREE_DOUBLE, .real = real };
	}
	bool is_int = strcmp(type, "int") == 0;
	const char *digits = text + (*text == '-' || *text == '+');
	bool is_hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
	long long number = strtoll(text, &end, is_hex ? 16 : 10);
	if (end == text || *end != '\0' || errno != 0)
		xml_fail(reader, element, "'%s' is no %s", text, is_int ? "int" : "long");
	else if (is_int && (number < INT32_MIN || number > INT32_MAX))
		xml_fail(reader, element, "'%s' is too large for an int; make the type long", text);
	return is_int ? histree_int((int32_t)number) : histree_long(number);
}

static bool is_constant(const char *type)
{
	static const char *const types[] = { "null", "string", "double", "int", "long" };
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strcmp(type, types[i]) == 0)
			return true;
	return false;
}

program_value xml_text(struct xml_reader *reader, const char *text)
{
	return program_constant(reader->make, histree_string(text));
}

/* ---- fields ----------------------------------------------------------------------------------------------- */

program_value xml_event_field(struct xml_reader *reader, const char *name)
{
	/*
	 * Columns that Trace Compass computes, which it finds in any case.  Those that an event can have as fields
	 * too are for events that have none.  TID and PID are columns here only if they are written so, as its own
	 * dumps have nothing for "tid".
	 */
	static const struct {
		const char *name;
		bool is_exact, is_field_first;
		enum program_fact fact;
	} columns[] = {
		{ "cpu", false, false, PROGRAM_CPU },
		{ "timestamp", false, false, PROGRAM_TIME },
		{ "timestamp ns", false, false, PROGRAM_TIME },
		{ "hostID", false, false, PROGRAM_HOST },
		{ "event type", false, true, PROGRAM_EVENT_NAME },
		{ "trace", false, true, PROGRAM_TRACE },
		{ "TID", true, true, PROGRAM_TID },
		{ "PID", true, true, PROGRAM_PID },
	};
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		bool is_it = columns[i].is_exact ? strcmp(name, columns[i].name) == 0
						 : strcasecmp(name, columns[i].name) == 0;
		if (is_it && columns[i].is_field_first)
			return program_field_or_fact(reader->make, name, columns[i].fact);
		if (is_it)
			return program_fact(reader->make, columns[i].fact);
	}
	return program_field(reader->make, name);
}

/* ---- paths ------------------------------------------------------------------------------------------------ */

static void add_steps(struct xml_reader *reader, const struct xml_element *parent, program_path path);

static void add_location(struct xml_reader *reader, const struct xml_element *element, program_path path)
{
	const char *name = xml_need(reader, element, "value");
	for (struct xml_element *each = xml_child(reader->analysis, "location"); each != NULL;
	     each = xml_next(each, "location")) {
		const char *id = xml_attribute(each, "id");
		if (id == NULL || strcmp(id, name) != 0)
			continue;
		if (each->is_open) {
			xml_fail(reader, element, "location '%s' is within itself", name);
			return;
		}
		each->is_open = true;
		add_steps(reader, each, path);
		each->is_open = false;
		return;
	}
	/* Trace Compass leaves out what such a path stands in: an attribute that is called null is none. */
	reader->lacks_definition = true;
	program_path_add(reader->make, path, program_constant(reader->make, histree_null()));
}

static void add_step(struct xml_reader *reader, const struct xml_element *element, program_path path)
{
	const char *type = xml_need(reader, element, "type"), *value = xml_attribute(element, "value");
	struct program_builder *make = reader->make;
	xml_allow(reader, element, "type value", strcmp(type, "query") == 0 ? "stateAttribute" : "");
	if (strcmp(type, "constant") == 0) {
		value = xml_defined(reader, element, xml_need(reader, element, "value"));
		if (strcmp(value, "#CurrentScenario") == 0)
			xml_fail(reader, element, "'#CurrentScenario' is not the first of its path");
		program_path_add(make, path, xml_text(reader, value));
	} else if (strcmp(type, "eventField") == 0) {
		program_path_add(make, path, xml_event_field(reader, xml_need(reader, element, "value")));
	} else if (strcmp(type, "eventName") == 0) {
		program_path_add(make, path, program_fact(make, PROGRAM_EVENT_NAME));
	} else if (strcmp(type, "location") == 0) {
		add_location(reader, element, path);
	} else if (strcmp(type, "query") == 0) {
		program_path of = xml_path(reader, element);
		program_path_add(make, path, program_look_up(make, PROGRAM_ONGOING, of, true));
	} else if (strcmp(type, "pool") == 0) {
		if (!xml_is(reader->analysis, "pattern"))
			xml_fail(reader, element, "only patterns have pools");
		program_path_add_pool(make, path);
	} else if (strcmp(type, "null") != 0 && strcmp(type, "self") != 0) {
		xml_fail(
			reader, element,
			"there is no type '%s' of attributes; there are constant, eventField, eventName, location, "
			"query, pool, self and null",
			type);
	}
}

static void add_steps(struct xml_reader *reader, const struct xml_element *parent, program_path path)
{
	if (++reader->depth > DEPTH_MAX)
		xml_fail(reader, parent, "attributes are within one another more than %d deep", DEPTH_MAX);
	for (const struct xml_element *each = xml_child(parent, "stateAttribute");
	     each != NULL && reader->status == HISTREE_OK; each = xml_next(each, "stateAttribute"))
		add_step(reader, each, path);
	reader->depth--;
}

/* Whether the path begins at the attribute of the scenario at work; *first becomes the step that comes next. */
static bool begins_at_scenario(struct xml_reader *reader, const struct xml_element *first)
{
	const char *type = xml_attribute(first, "type"), *value = xml_attribute(first, "value");
	if (type == NULL || value == NULL || strcmp(type, "constant") != 0 ||
	    strcmp(value, "#CurrentScenario") != 0)
		return false;
	if (!xml_is(reader->analysis, "pattern"))
		xml_fail(reader, first, "only patterns have scenarios");
	return true;
}

program_path xml_path(struct xml_reader *reader, const struct xml_element *parent)
{
	const struct xml_element *first = xml_child(parent, "stateAttribute");
	if (first == NULL) {
		xml_fail(reader, parent, "has no <stateAttribute>");
		return PROGRAM_NOTHING;
	}
	bool is_scenario = begins_at_scenario(reader, first);
	program_path path = program_path_create(reader->make, is_scenario ? PROGRAM_SCENARIO : PROGRAM_ROOT);
	if (!is_scenario) {
		add_steps(reader, parent, path);
		return path;
	}
	if (++reader->depth > DEPTH_MAX)
		xml_fail(reader, parent, "attributes are within one another more than %d deep", DEPTH_MAX);
	for (const struct xml_element *each = xml_next(first, "stateAttribute");
	     each != NULL && reader->status == HISTREE_OK; each = xml_next(each, "stateAttribute"))
		add_step(reader, each, path);
	reader->depth--;
	return path;
}

/* ---- mapping groups --------------------------------------------------------------------------------------- */

static struct histree_value entry_value(struct xml_reader *reader, const struct xml_element *value)
{
	const char *type = xml_need(reader, value, "type");
	xml_allow(reader, value, "type value", "");
	if (!is_constant(type))
		xml_fail(reader, value, "a mapping group has constants, of type int, long, double, string or null");
	return constant_value(reader, value, type, xml_attribute(value, "value"));
}

static size_t read_entries(struct xml_reader *reader, const struct xml_element *group, struct program_pair *pairs)
{
	size_t count = 0;
	for (const struct xml_element *entry = xml_child(group, "entry"); entry != NULL && count < PAIRS_MAX;
	     entry = xml_next(entry, "entry")) {
		const struct xml_element *from = xml_child(entry, "stateValue");
		const struct xml_element *to = from != NULL ? xml_next(from, "stateValue") : NULL;
		if (to == NULL || xml_next(to, NULL) != NULL) {
			xml_fail(reader, entry, "an entry has two <stateValue>");
			break;
		}
		pairs[count++] = (struct program_pair){ entry_value(reader, from), entry_value(reader, to) };
	}
	return count;
}

static program_value mapped(struct xml_reader *reader, const struct xml_element *element, program_value value,
			    const char *name)
{
	for (const struct xml_element *group = xml_child(reader->analysis, "mappingGroup"); group != NULL;
	     group = xml_next(group, "mappingGroup")) {
		const char *id = xml_attribute(group, "id");
		if (id == NULL || strcmp(id, name) != 0)
			continue;
		struct program_pair *pairs = calloc(PAIRS_MAX, sizeof(*pairs));
		if (pairs == NULL) {
			xml_fail(reader, element, "no memory for a mapping group");
			return PROGRAM_NOTHING;
		}
		size_t count = read_entries(reader, group, pairs);
		program_value made = program_map(reader->make, value, pairs, count);
		free(pairs);
		return made;
	}
	xml_fail(reader, element, "there is no mapping group '%s'", name);
	return PROGRAM_NOTHING;
}

/* ---- values ----------------------------------------------------------------------------------------------- */

static program_value forced(struct xml_reader *reader, const struct xml_element *element, program_value value,
			    const char *type)
{
	static const struct {
		const char *name;
		enum histree_type type;
	} types[] = {
		{ "int", HISTREE_INT },
		{ "long", HISTREE_LONG },
		{ "double", HISTREE_DOUBLE },
		{ "string", HISTREE_STRING },
	};
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strcmp(type, types[i].name) == 0)
			return program_convert(reader->make, value, types[i].type);
	xml_fail(reader, element, "a value cannot be forced to be '%s'; there are int, long, double and string",
		 type);
	return PROGRAM_NOTHING;
}

static program_value plain_value(struct xml_reader *reader, const struct xml_element *element, const char *type)
{
	struct program_builder *make = reader->make;
	const char *stack = xml_attribute(element, "stack"), *value = xml_attribute(element, "value");
	bool peeks = stack != NULL && strcmp(stack, "peek") == 0 && xml_child(element, "stateAttribute") != NULL;
	if (peeks)
		return program_look_up(make, PROGRAM_TOP, xml_path(reader, element), true);
	if (strcmp(type, "query") == 0)
		return program_look_up(make, PROGRAM_ONGOING, xml_path(reader, element), true);
	if (strcmp(type, "script") == 0)
		return xml_script(reader, element);
	if (xml_child(element, NULL) != NULL) {
		xml_fail(reader, element, "a value of type '%s' has no elements inside", type);
		return PROGRAM_NOTHING;
	}
	if (strcmp(type, "eventField") == 0)
		return xml_event_field(reader, xml_need(reader, element, "value"));
	if (strcmp(type, "eventName") == 0)
		return program_fact(make, PROGRAM_EVENT_NAME);
	if (strcmp(type, "delete") == 0)
		return program_constant(make, histree_null());
	if (is_constant(type))
		return program_constant(make, constant_value(reader, element, type, value));
	xml_fail(reader, element,
		 "there is no type '%s' of values; there are int, long, double, string, null, eventField, "
		 "eventName, "
		 "query, script and delete",
		 type);
	return PROGRAM_NOTHING;
}

program_value xml_value(struct xml_reader *reader, const struct xml_element *element)
{
	const char *group = xml_attribute(element, "mappingGroup"), *type = xml_need(reader, element, "type");
	const char *force = xml_attribute(element, "forcedType");
	xml_allow(reader, element, "type value id increment update stack forcedType mappingGroup scriptEngine",
		  "stateAttribute stateValue");
	if (++reader->depth > DEPTH_MAX)
		xml_fail(reader, element, "values are within one another more than %d deep", DEPTH_MAX);
	if (reader->status != HISTREE_OK)
		return PROGRAM_NOTHING;
	program_value value = plain_value(reader, element, type);
	if (group != NULL && reader->status == HISTREE_OK)
		value = mapped(reader, element, value, group);
	if (force != NULL && reader->status == HISTREE_OK)
		value = forced(reader, element, value, force);
	reader->depth--;
	return value;
}
