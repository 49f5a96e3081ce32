// SPDX-License-Identifier: MIT
/*
 * <stateChange>: an attribute and its value, or two changes of which a condition chooses one.
 */
#include <string.h>

#include "analysis/xml/xml_reader.h"

enum { DEPTH_MAX = 50 };

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
	if (++reader->depth > DEPTH_MAX)
		xml_fail(reader, element, "changes are within one another more than %d deep", DEPTH_MAX);
	if (reader->status == HISTREE_OK && condition != NULL)
		add_choice(reader, element, condition, block);
	else if (reader->status == HISTREE_OK)
		add_plain(reader, element, block);
	reader->depth--;
}
