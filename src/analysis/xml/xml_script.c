// SPDX-License-Identifier: MIT
/*
 * xml_script.c - conditions, state changes and values of Trace Compass's XML become expressions and statements of
 * a program.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/xml/xml_document.h"
#include "base/table.h"

/* ---- xml values ---------------------------------------------------------------------------------------------- */

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
	/* Trace Compass leaves out what such a path stands in: no attribute is called null. */
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

/* ---- xml conditions ------------------------------------------------------------------------------------------ */

enum { XML_CONDITIONS_DEPTH_MAX = 50 };

static program_value operation(struct xml_reader *reader, enum program_operator operator, program_value first,
			       program_value second)
{
	return program_operation(reader->make, operator, first, second, PROGRAM_NOTHING);
}

/* ---- time ------------------------------------------------------------------------------------------------- */

static int64_t unit_of(struct xml_reader *reader, const struct xml_element *element)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	const char *name = xml_attribute(element, "unit");
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(name != NULL ? name : "ns", units[i].name) == 0)
			return units[i].ns;
	xml_fail(reader, element, "there is no unit '%s'; there are ns, us, ms and s", name);
	return 1;
}

static program_value time_of(struct xml_reader *reader, const struct xml_element *element, const char *attribute,
			     int64_t unit)
{
	const char *text = xml_defined(reader, element, xml_need(reader, element, attribute));
	char *end;
	errno = 0;
	int64_t time = strtoll(text, &end, 10);
	if (end == text || *end != '\0' || errno != 0 || __builtin_mul_overflow(time, unit, &time))
		xml_fail(reader, element, "'%s' is no time", text);
	return program_constant(reader->make, histree_long(time));
}

static enum program_operator comparison_of_time(struct xml_reader *reader, const struct xml_element *element)
{
	if (xml_is(element, "less"))
		return PROGRAM_LESS;
	if (xml_is(element, "equal"))
		return PROGRAM_EQUAL;
	if (!xml_is(element, "more"))
		xml_fail(reader, element, "an elapsed time is less, equal or more");
	return PROGRAM_GREATER;
}

/* Since the scenario entered a state; false if it never did. */
static program_value elapsed_time(struct xml_reader *reader, const struct xml_element *element)
{
	struct program_builder *make = reader->make;
	const struct xml_element *bound = xml_child(element, NULL);
	int64_t unit = unit_of(reader, element);
	xml_allow(reader, element, "unit", "less equal more");
	if (bound == NULL || bound->next != NULL) {
		xml_fail(reader, element, "has one <less>, <equal> or <more>");
		return PROGRAM_NOTHING;
	}
	xml_allow(reader, bound, "since value", "");
	program_path path = program_path_create(make, PROGRAM_SCENARIO);
	program_path_add(make, path, xml_text(reader, "state"));
	program_path_add(make, path, xml_text(reader, xml_need(reader, bound, "since")));
	program_path_add(make, path, xml_text(reader, "startTime"));
	program_value since = program_look_up(make, PROGRAM_ONGOING, path, false);
	program_value elapsed = operation(reader, PROGRAM_SUBTRACT, program_fact(make, PROGRAM_TIME), since);
	program_value was_entered =
		operation(reader, PROGRAM_NOT_EQUAL, since, program_constant(make, histree_null()));
	return operation(reader, PROGRAM_AND, was_entered,
			 operation(reader, comparison_of_time(reader, bound), elapsed,
				   time_of(reader, bound, "value", unit)));
}

/* ---- comparisons ------------------------------------------------------------------------------------------ */

static enum program_operator operator_of(struct xml_reader *reader, const struct xml_element *condition)
{
	static const struct {
		const char *name;
		enum program_operator operator;
	} operators[] = {
		{ "eq", PROGRAM_EQUAL },   { "ne", PROGRAM_NOT_EQUAL },     { "ge", PROGRAM_GREATER_OR_EQUAL },
		{ "gt", PROGRAM_GREATER }, { "le", PROGRAM_LESS_OR_EQUAL }, { "lt", PROGRAM_LESS },
	};
	const char *name = xml_attribute(condition, "operator");
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (strcmp(name != NULL ? name : "eq", operators[i].name) == 0)
			return operators[i].operator;
	xml_fail(reader, condition, "there is no operator '%s'; there are eq, ne, ge, gt, le and lt", name);
	return PROGRAM_EQUAL;
}

/* The first operand, if it is not a <stateValue>. */
static program_value state_or_field(struct xml_reader *reader, const struct xml_element *condition,
				    const struct xml_element *field)
{
	if (field == NULL)
		return program_look_up(reader->make, PROGRAM_ONGOING, xml_path(reader, condition), true);
	xml_allow(reader, field, "name", "");
	if (xml_child(condition, "stateAttribute") != NULL || xml_next(field, "field") != NULL)
		xml_fail(reader, condition, "has a <field> or <stateAttribute>s, and then a <stateValue>");
	return xml_event_field(reader, xml_need(reader, field, "name"));
}

static program_value comparison(struct xml_reader *reader, const struct xml_element *condition)
{
	const struct xml_element *time = xml_child(condition, "timerange");
	const struct xml_element *elapsed = xml_child(condition, "elapsedTime");
	xml_allow(reader, condition, "operator", "stateAttribute stateValue field timerange elapsedTime");
	if ((time != NULL || elapsed != NULL) && condition->first->next != NULL)
		xml_fail(reader, condition, "a condition on time has nothing else");
	if (time != NULL) {
		const struct xml_element *range = xml_child(time, NULL);
		int64_t unit = unit_of(reader, time);
		xml_allow(reader, time, "unit", "in out");
		if (range == NULL || range->next != NULL) {
			xml_fail(reader, time, "has one <in> or <out>");
			return PROGRAM_NOTHING;
		}
		xml_allow(reader, range, "begin end", "");
		program_value now = program_fact(reader->make, PROGRAM_TIME);
		program_value begin = time_of(reader, range, "begin", unit),
			      end = time_of(reader, range, "end", unit);
		program_value inside =
			operation(reader, PROGRAM_AND, operation(reader, PROGRAM_GREATER_OR_EQUAL, now, begin),
				  operation(reader, PROGRAM_LESS_OR_EQUAL, now, end));
		return xml_is(range, "in") ? inside : operation(reader, PROGRAM_NOT, inside, PROGRAM_NOTHING);
	}
	if (elapsed != NULL)
		return elapsed_time(reader, elapsed);
	const struct xml_element *first = xml_child(condition, "stateValue");
	const struct xml_element *second = first != NULL ? xml_next(first, "stateValue") : NULL;
	const struct xml_element *field = xml_child(condition, "field");
	bool has_other = field != NULL || xml_child(condition, "stateAttribute") != NULL;
	if (first == NULL || has_other != (second == NULL) ||
	    (second != NULL && xml_next(second, "stateValue") != NULL)) {
		xml_fail(reader, condition,
			 "compares two values: a <field>, <stateAttribute>s or a <stateValue>, and a <stateValue>");
		return PROGRAM_NOTHING;
	}
	program_value left = has_other ? state_or_field(reader, condition, field) : xml_value(reader, first);
	program_value right = xml_value(reader, has_other ? first : second);
	return operation(reader, operator_of(reader, condition), left, right);
}

/* ---- junctions -------------------------------------------------------------------------------------------- */

static program_value any_condition(struct xml_reader *reader, const struct xml_element *element);

/* Halves, so that a long list is not deep. */
static program_value join(struct xml_reader *reader, enum program_operator operator, const program_value * values,
			  size_t count)
{
	if (count <= 1)
		return count == 1 ? values[0] : PROGRAM_NOTHING;
	program_value first = join(reader, operator, values, count / 2);
	return operation(reader, operator, first, join(reader, operator, values + count / 2, count - count / 2));
}

static program_value junction(struct xml_reader *reader, const struct xml_element *element,
			      enum program_operator operator)
{
	program_value *values = NULL;
	size_t count = 0, capacity = 0;
	if (element->first == NULL)
		xml_fail(reader, element, "has no condition");
	for (const struct xml_element *each = element->first; each != NULL && reader->status == HISTREE_OK;
	     each = each->next) {
		if (!array_reserve(&values, &capacity, count + 1)) {
			xml_fail(reader, each, "no memory for a condition");
			break;
		}
		values[count++] = any_condition(reader, each);
	}
	program_value joined = join(reader, operator, values, count);
	free(values);
	return joined;
}

static program_value any_condition(struct xml_reader *reader, const struct xml_element *element)
{
	program_value value = PROGRAM_NOTHING;
	if (++reader->depth > XML_CONDITIONS_DEPTH_MAX)
		xml_fail(reader, element, "conditions are within one another more than %d deep",
			 XML_CONDITIONS_DEPTH_MAX);
	if (reader->status != HISTREE_OK)
		return PROGRAM_NOTHING;
	if (xml_is(element, "condition"))
		value = comparison(reader, element);
	else if (xml_is(element, "and"))
		value = junction(reader, element, PROGRAM_AND);
	else if (xml_is(element, "or"))
		value = junction(reader, element, PROGRAM_OR);
	else if (xml_is(element, "not"))
		value = operation(reader, PROGRAM_NOT, xml_condition(reader, element), PROGRAM_NOTHING);
	else
		xml_fail(reader, element, "is no condition; there are condition, and, or and not");
	reader->depth--;
	return value;
}

program_value xml_condition(struct xml_reader *reader, const struct xml_element *parent)
{
	const struct xml_element *first = xml_child(parent, NULL);
	if (first != NULL && first->next == NULL)
		return any_condition(reader, first);
	xml_fail(reader, parent, "has one condition; put several into <and> or <or>");
	return PROGRAM_NOTHING;
}

/* ---- xml changes --------------------------------------------------------------------------------------------- */

enum { XML_CHANGES_DEPTH_MAX = 50 };

static enum program_change kind_of(struct xml_reader *reader, const struct xml_element *value)
{
	static const struct {
		const char *name;
		enum program_change change;
	} stacks[] = { { "push", PROGRAM_PUSH }, { "pop", PROGRAM_POP }, { "popAll", PROGRAM_POP_ALL } };
	const char *stack = xml_attribute(value, "stack"), *type = xml_need(reader, value, "type");
	for (size_t i = 0; stack != NULL && i < sizeof(stacks) / sizeof(*stacks); i++)
		if (strcmp(stack, stacks[i].name) == 0)
			return stacks[i].change;
	if (stack != NULL && strcmp(stack, "peek") != 0)
		xml_fail(reader, value, "there is no stack operation '%s'; there are push, pop, popAll and peek",
			 stack);
	if (strcmp(type, "delete") == 0)
		return PROGRAM_DELETE;
	if (xml_flag(reader, value, "increment", false))
		return PROGRAM_INCREMENT;
	return xml_flag(reader, value, "update", false) ? PROGRAM_REPLACE : PROGRAM_SET;
}

/* To look at the top of a stack changes nothing, unless it is the value for another attribute. */
static bool is_idle(const struct xml_element *value)
{
	const char *stack = xml_attribute(value, "stack");
	return stack != NULL && strcmp(stack, "peek") == 0 && xml_child(value, "stateAttribute") == NULL;
}

static void add_plain(struct xml_reader *reader, const struct xml_element *element, program_block block)
{
	const struct xml_element *value = xml_child(element, "stateValue"),
				 *future = xml_child(element, "futureTime");
	xml_allow(reader, element, "", "stateAttribute stateValue futureTime");
	if (value == NULL || xml_next(value, "stateValue") != NULL) {
		xml_fail(reader, element, "has <stateAttribute>s and one <stateValue>, or <if>, <then> and <else>");
		return;
	}
	if (future != NULL && xml_next(future, "futureTime") != NULL)
		xml_fail(reader, element, "has one <futureTime>");
	enum program_change change = kind_of(reader, value);
	if (future != NULL && change != PROGRAM_SET && change != PROGRAM_PUSH && change != PROGRAM_POP)
		xml_fail(reader, future, "only a change, a push or a pop can be in the future");
	program_path path = xml_path(reader, element);
	program_value made = xml_value(reader, value);
	program_value at = future != NULL ? xml_value(reader, future) : PROGRAM_NOTHING;
	if (reader->status == HISTREE_OK && !is_idle(value))
		program_add_change(reader->make, block, change, path, made, at);
}

static void add_choice(struct xml_reader *reader, const struct xml_element *element,
		       const struct xml_element *condition, program_block block)
{
	const struct xml_element *then = xml_child(element, "then"), *otherwise = xml_child(element, "else");
	xml_allow(reader, element, "", "if then else");
	if (then == NULL || xml_next(condition, "if") != NULL || xml_next(then, "then") != NULL ||
	    (otherwise != NULL && xml_next(otherwise, "else") != NULL)) {
		xml_fail(reader, element, "has one <if>, one <then> and perhaps one <else>");
		return;
	}
	program_value chosen = xml_condition(reader, condition);
	program_block yes = program_block_create(reader->make), no = PROGRAM_NOTHING;
	xml_change(reader, then, yes);
	if (otherwise != NULL) {
		no = program_block_create(reader->make);
		xml_change(reader, otherwise, no);
	}
	if (reader->status == HISTREE_OK)
		program_add_if(reader->make, block, chosen, yes, no);
}

void xml_change(struct xml_reader *reader, const struct xml_element *element, program_block block)
{
	const struct xml_element *condition = xml_child(element, "if");
	if (++reader->depth > XML_CHANGES_DEPTH_MAX)
		xml_fail(reader, element, "changes are within one another more than %d deep",
			 XML_CHANGES_DEPTH_MAX);
	if (reader->status == HISTREE_OK && condition != NULL)
		add_choice(reader, element, condition, block);
	else if (reader->status == HISTREE_OK)
		add_plain(reader, element, block);
	reader->depth--;
}

/* ---- xml script ---------------------------------------------------------------------------------------------- */

enum { XML_SCRIPT_DEPTH_MAX = 50, WORD_MAX = 64, TEXT_MAX = 4096 };

struct script {
	struct xml_reader *reader;
	const struct xml_element *element; /* that has it, and the values that it names */
	const char *text, *at;
	unsigned depth;
};

static program_value expression(struct script *script);

static program_value fail(struct script *script, const char *what)
{
	xml_fail(script->reader, script->element, "script, column %zu: %s", (size_t)(script->at - script->text) + 1,
		 what);
	return PROGRAM_NOTHING;
}

static program_value xml_script_make(struct script *script, enum program_operator operator, program_value first,
				     program_value second, program_value third)
{
	if (script->reader->status != HISTREE_OK)
		return PROGRAM_NOTHING;
	return program_operation(script->reader->make, operator, first, second, third);
}

static program_value two(struct script *script, enum program_operator operator, program_value first,
			 program_value second)
{
	return xml_script_make(script, operator, first, second, PROGRAM_NOTHING);
}

static program_value constant(struct script *script, struct histree_value value)
{
	return program_constant(script->reader->make, value);
}

/* ---- words ------------------------------------------------------------------------------------------------ */

static void skip_space(struct script *script)
{
	while (isspace((unsigned char)*script->at))
		script->at++;
}

static bool takes(struct script *script, const char *word)
{
	skip_space(script);
	size_t size = strlen(word);
	if (strncmp(script->at, word, size) != 0)
		return false;
	script->at += size;
	return true;
}

static void need(struct script *script, const char *word, const char *otherwise)
{
	if (!takes(script, word) && script->reader->status == HISTREE_OK)
		fail(script, otherwise);
}

static bool read_word(struct script *script, char word[WORD_MAX])
{
	size_t size = 0;
	skip_space(script);
	while (isalnum((unsigned char)script->at[size]) || script->at[size] == '_' || script->at[size] == '$')
		size++;
	if (size == 0 || size >= WORD_MAX || isdigit((unsigned char)*script->at))
		return false;
	memcpy(word, script->at, size);
	word[size] = '\0';
	script->at += size;
	return true;
}

/* ---- literals --------------------------------------------------------------------------------------------- */

static program_value text_literal(struct script *script)
{
	char quote = *script->at++, text[TEXT_MAX];
	size_t size = 0;
	for (; *script->at != quote; script->at++) {
		if (*script->at == '\\')
			script->at++;
		if (*script->at == '\0')
			return fail(script, "the text has no end");
		if (size == TEXT_MAX)
			return fail(script, "the text is too long");
		bool is_escape = script->at[-1] == '\\';
		char byte = *script->at;
		if (is_escape && strchr("xu0123456789bfv", byte) != NULL)
			return fail(script, "of escapes there are \\n, \\t, \\r and \\ before other marks");
		text[size++] = !is_escape    ? byte
			       : byte == 'n' ? '\n'
			       : byte == 't' ? '\t'
			       : byte == 'r' ? '\r'
					     : byte;
	}
	script->at++;
	return constant(script,
			(struct histree_value){ .type = HISTREE_STRING, .size = (uint32_t)size, .bytes = text });
}

static program_value number_literal(struct script *script)
{
	char *end, *real_end;
	errno = 0;
	bool is_hex = script->at[0] == '0' && (script->at[1] == 'x' || script->at[1] == 'X');
	long long integer = strtoll(script->at, &end, is_hex ? 16 : 10);
	bool is_too_large = errno != 0;
	double real = strtod(script->at, &real_end);
	if (!is_hex && (real_end > end || is_too_large)) {
		script->at = real_end;
		return constant(script, (struct histree_value){ .type = HISTREE_DOUBLE, .real = real });
	}
	script->at = end;
	if (isalnum((unsigned char)*script->at) || *script->at == '_')
		return fail(script, "this is no number");
	return constant(script, integer >= INT32_MIN && integer <= INT32_MAX ? histree_int((int32_t)integer)
									     : histree_long(integer));
}

/* ---- names ------------------------------------------------------------------------------------------------ */

static program_value conversion(struct script *script, enum histree_type type)
{
	need(script, "(", "a '(' is missing");
	program_value value = expression(script);
	need(script, ")", "a ')' is missing");
	return script->reader->status == HISTREE_OK ? program_convert(script->reader->make, value, type)
						    : PROGRAM_NOTHING;
}

static program_value word_value(struct script *script)
{
	char word[WORD_MAX];
	if (!read_word(script, word))
		return fail(script, *script->at == '\0' ? "the expression ends too early"
							: "here a value should be, a name, a number or a text");
	if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
		return constant(script, (struct histree_value){ .type = HISTREE_BOOL, .boolean = word[0] == 't' });
	if (strcmp(word, "null") == 0 || strcmp(word, "undefined") == 0)
		return constant(script, histree_null());
	if (strcmp(word, "parseInt") == 0)
		return conversion(script, HISTREE_LONG);
	if (strcmp(word, "parseFloat") == 0 || strcmp(word, "Number") == 0)
		return conversion(script, HISTREE_DOUBLE);
	if (strcmp(word, "String") == 0)
		return conversion(script, HISTREE_STRING);
	for (const struct xml_element *each = xml_child(script->element, "stateValue"); each != NULL;
	     each = xml_next(each, "stateValue")) {
		const char *id = xml_attribute(each, "id");
		if (id != NULL && strcmp(id, word) == 0)
			return xml_value(script->reader, each);
	}
	xml_fail(script->reader, script->element,
		 "script, column %zu: there is no '%s': a script has the values with an id inside of it, "
		 "arithmetic, "
		 "comparison, '? :', parts of texts, parseInt(), Number() and String()",
		 (size_t)(script->at - script->text) + 1 - strlen(word), word);
	return PROGRAM_NOTHING;
}

/* ---- what follows a value: parts of texts ------------------------------------------------------------------- */

enum { ARGUMENTS_MAX = 2 };

static size_t arguments(struct script *script, program_value values[ARGUMENTS_MAX])
{
	size_t count = 0;
	need(script, "(", "a '(' is missing");
	if (takes(script, ")"))
		return 0;
	do {
		if (count == ARGUMENTS_MAX) {
			fail(script, "these are too many arguments");
			return count;
		}
		values[count++] = expression(script);
	} while (script->reader->status == HISTREE_OK && takes(script, ","));
	need(script, ")", "a ')' is missing");
	return count;
}

static program_value method(struct script *script, program_value value)
{
	static const struct {
		const char *name;
		size_t least, most;
		enum program_operator operator;
	} methods[] = {
		{ "substring", 1, 2, PROGRAM_SUBSTRING },    { "indexOf", 1, 1, PROGRAM_INDEX_OF },
		{ "startsWith", 1, 1, PROGRAM_STARTS_WITH }, { "endsWith", 1, 1, PROGRAM_ENDS_WITH },
		{ "toLowerCase", 0, 0, PROGRAM_LOWER_CASE }, { "toUpperCase", 0, 0, PROGRAM_UPPER_CASE },
		{ "equals", 1, 1, PROGRAM_EQUAL },           { "concat", 1, 1, PROGRAM_ADD },
		{ "charAt", 1, 1, PROGRAM_SUBSTRING },       { "toString", 0, 0, PROGRAM_OPERATOR_COUNT },
	};
	program_value given[ARGUMENTS_MAX] = { PROGRAM_NOTHING, PROGRAM_NOTHING };
	char word[WORD_MAX];
	if (!read_word(script, word))
		return fail(script, "a name should follow the '.'");
	skip_space(script);
	if (strcmp(word, "length") == 0)
		return two(script, PROGRAM_LENGTH, value, PROGRAM_NOTHING);
	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++) {
		if (strcmp(word, methods[i].name) != 0)
			continue;
		size_t count = arguments(script, given);
		if (script->reader->status != HISTREE_OK)
			return PROGRAM_NOTHING;
		if (count < methods[i].least || count > methods[i].most)
			return fail(script, "this is another number of arguments than the function has");
		if (methods[i].operator== PROGRAM_OPERATOR_COUNT)
			return program_convert(script->reader->make, value, HISTREE_STRING);
		if (strcmp(word, "charAt") == 0)
			given[1] = two(script, PROGRAM_ADD, given[0], constant(script, histree_int(1)));
		return xml_script_make(script, methods[i].operator, value, given[0], given[1]);
	}
	return fail(script,
		    "of texts there are length, substring, charAt, indexOf, startsWith, endsWith, concat, equals, "
		    "toLowerCase, toUpperCase and toString");
}

static program_value postfix(struct script *script)
{
	program_value value;
	skip_space(script);
	if (*script->at == '\'' || *script->at == '"') {
		value = text_literal(script);
	} else if (isdigit((unsigned char)*script->at)) {
		value = number_literal(script);
	} else if (takes(script, "(")) {
		value = expression(script);
		need(script, ")", "a ')' is missing");
	} else {
		value = word_value(script);
	}
	while (script->reader->status == HISTREE_OK && takes(script, "."))
		value = method(script, value);
	return value;
}

/* ---- operators -------------------------------------------------------------------------------------------- */

static program_value unary(struct script *script)
{
	program_value value;
	if (++script->depth > XML_SCRIPT_DEPTH_MAX)
		return fail(script, "the expression is too deep");
	skip_space(script);
	if (script->at[0] == '!' && script->at[1] != '=') {
		script->at++;
		value = two(script, PROGRAM_NOT, unary(script), PROGRAM_NOTHING);
	} else if (script->at[0] == '-' && script->at[1] != '-') {
		script->at++;
		value = two(script, PROGRAM_NEGATE, unary(script), PROGRAM_NOTHING);
	} else {
		value = postfix(script);
	}
	script->depth--;
	return value;
}

struct level {
	const char *word;
	enum program_operator operator;
};

/* From those that bind weakest; of those of one level, longer words first. */
static const struct level levels[][5] = {
	{ { "||", PROGRAM_OR } },
	{ { "&&", PROGRAM_AND } },
	{ { "===", PROGRAM_EQUAL },
	  { "!==", PROGRAM_NOT_EQUAL },
	  { "==", PROGRAM_EQUAL },
	  { "!=", PROGRAM_NOT_EQUAL } },
	{ { "<=", PROGRAM_LESS_OR_EQUAL },
	  { ">=", PROGRAM_GREATER_OR_EQUAL },
	  { "<", PROGRAM_LESS },
	  { ">", PROGRAM_GREATER } },
	{ { "+", PROGRAM_ADD }, { "-", PROGRAM_SUBTRACT } },
	{ { "*", PROGRAM_MULTIPLY }, { "/", PROGRAM_DIVIDE }, { "%", PROGRAM_REMAINDER } },
};

enum { LEVEL_COUNT = sizeof(levels) / sizeof(*levels) };

static const struct level *take_operator(struct script *script, size_t level)
{
	static const char *const others[] = { "<<", ">>", "++", "--", "+=", "-=", "*=", "/=", "%=" };
	skip_space(script);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strncmp(script->at, others[i], 2) == 0)
			fail(script, "a script has no bits and no assignments");
	for (const struct level *each = levels[level]; each->word != NULL && script->reader->status == HISTREE_OK;
	     each++)
		if (takes(script, each->word))
			return each;
	return NULL;
}

static program_value binary(struct script *script, size_t level)
{
	if (level == LEVEL_COUNT)
		return unary(script);
	program_value value = binary(script, level + 1);
	const struct level *found;
	while (script->reader->status == HISTREE_OK && (found = take_operator(script, level)) != NULL) {
		program_value right = binary(script, level + 1);
		if (found->operator== PROGRAM_DIVIDE && script->reader->status == HISTREE_OK)
			value = program_convert(script->reader->make, value, HISTREE_DOUBLE);
		value = two(script, found->operator, value, right);
	}
	return value;
}

static program_value expression(struct script *script)
{
	if (++script->depth > XML_SCRIPT_DEPTH_MAX)
		return fail(script, "the expression is too deep");
	program_value value = binary(script, 0);
	if (script->reader->status == HISTREE_OK && takes(script, "?")) {
		program_value then = expression(script);
		need(script, ":", "a ':' is missing");
		value = xml_script_make(script, PROGRAM_CHOOSE, value, then, expression(script));
	}
	script->depth--;
	return value;
}

program_value xml_script(struct xml_reader *reader, const struct xml_element *element)
{
	const char *engine = xml_attribute(element, "scriptEngine"), *text = xml_need(reader, element, "value");
	struct script script = { .reader = reader, .element = element, .text = text, .at = text };
	if (engine != NULL && strcmp(engine, "rhino") != 0 && strcmp(engine, "nashorn") != 0)
		xml_fail(reader, element,
			 "there is no script engine '%s'; there are rhino and nashorn, both JavaScript", engine);
	if (xml_child(element, "stateAttribute") != NULL)
		xml_fail(reader, element, "a script has <stateValue>s with an id");
	for (const struct xml_element *each = element->first; each != NULL; each = each->next)
		if (xml_attribute(each, "id") == NULL)
			xml_fail(reader, each, "a value for a script has an id, its name there");
	if (reader->status != HISTREE_OK)
		return PROGRAM_NOTHING;
	program_value value = expression(&script);
	if (reader->status == HISTREE_OK)
		(void)takes(&script, ";");
	skip_space(&script);
	if (reader->status == HISTREE_OK && *script.at != '\0')
		fail(&script, "here the expression should end");
	return value;
}
