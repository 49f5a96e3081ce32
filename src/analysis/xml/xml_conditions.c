// SPDX-License-Identifier: MIT
/*
 * <if>, <and>, <or>, <not>, <condition>, and the two conditions on time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/xml/xml_reader.h"
#include "base/array.h"

enum { DEPTH_MAX = 50 };

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

static program_value time_range(struct xml_reader *reader, const struct xml_element *element)
{
	const struct xml_element *range = xml_child(element, NULL);
	int64_t unit = unit_of(reader, element);
	xml_allow(reader, element, "unit", "in out");
	if (range == NULL || range->next != NULL) {
		xml_fail(reader, element, "has one <in> or <out>");
		return PROGRAM_NOTHING;
	}
	xml_allow(reader, range, "begin end", "");
	program_value now = program_fact(reader->make, PROGRAM_TIME);
	program_value begin = time_of(reader, range, "begin", unit), end = time_of(reader, range, "end", unit);
	program_value inside =
		operation(reader, PROGRAM_AND, operation(reader, PROGRAM_GREATER_OR_EQUAL, now, begin),
			  operation(reader, PROGRAM_LESS_OR_EQUAL, now, end));
	return xml_is(range, "in") ? inside : operation(reader, PROGRAM_NOT, inside, PROGRAM_NOTHING);
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
	if (time != NULL)
		return time_range(reader, time);
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
	if (++reader->depth > DEPTH_MAX)
		xml_fail(reader, element, "conditions are within one another more than %d deep", DEPTH_MAX);
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
