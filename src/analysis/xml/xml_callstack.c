// SPDX-License-Identifier: MIT
/*
 * <callstack>: in which attributes of an analysis the stacks are, and what says whose they are.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/xml/xml_reader.h"

enum { LEVELS_MAX = 64 };

/* Returns the number of a level; one that no group has if there is no such attribute. */
static uint32_t level_of(struct xml_reader *reader, const struct xml_element *element)
{
	const char *text = xml_attribute(element, "level");
	char *end;
	if (text == NULL)
		return UINT32_MAX;
	errno = 0;
	long level = strtol(text, &end, 10);
	if (end == text || *end != '\0' || errno != 0 || level < 0 || level > INT32_MAX)
		xml_fail(reader, element, "'%s' is no level; the first one is 0", text);
	return (uint32_t)level;
}

static enum program_call_origin origin_of(struct xml_reader *reader, const struct xml_element *element)
{
	const char *type = xml_attribute(element, "type");
	if (type != NULL && strcmp(type, "value") == 0)
		return PROGRAM_CALL_VALUE;
	if (type != NULL && strcmp(type, "name") != 0)
		xml_fail(reader, element, "there is no type '%s'; there are name and value", type);
	return PROGRAM_CALL_NAME;
}

/* What a <thread> or a <host> says; NULL: there is none. */
static struct program_call_whose whose(struct xml_reader *reader, const struct xml_element *element)
{
	struct program_call_whose made = { .origin = PROGRAM_CALL_UNSAID, .level = UINT32_MAX };
	if (element == NULL)
		return made;
	const char *cpu = xml_attribute(element, "cpu");
	xml_allow(reader, element, "cpu level type", "");
	if (xml_next(element, element->name) != NULL)
		xml_fail(reader, xml_next(element, element->name), "there is one already; a group has one <%s>",
			 element->name);
	made.level = level_of(reader, element);
	made.origin = origin_of(reader, element);
	if (cpu != NULL && *cpu != '\0' && xml_is(element, "thread")) {
		made.origin = PROGRAM_CALL_CPU;
		made.path = cpu;
	} else if (xml_attribute(element, "level") == NULL) {
		made.origin = PROGRAM_CALL_UNSAID;
	}
	return made;
}

static void read_group(struct xml_reader *reader, const struct xml_element *group)
{
	const char *levels[LEVELS_MAX];
	size_t count = 0;
	xml_allow(reader, group, "name", "level thread host");
	for (const struct xml_element *each = xml_child(group, "level"); each != NULL;
	     each = xml_next(each, "level")) {
		xml_allow(reader, each, "path", "");
		const char *path = xml_need(reader, each, "path");
		if (count == LEVELS_MAX)
			xml_fail(reader, each, "there are more than %d levels", LEVELS_MAX);
		else
			levels[count++] = path;
	}
	struct program_call_whose thread = whose(reader, xml_child(group, "thread"));
	struct program_call_whose host = whose(reader, xml_child(group, "host"));
	if (reader->status == HISTREE_OK && reader->make != NULL)
		program_call_group(reader->make, levels, count, &thread, &host);
}

void xml_callstack(struct xml_reader *reader, const struct xml_element *callstack)
{
	if (xml_child(callstack, "callstackGroup") == NULL)
		xml_fail(reader, callstack, "has no <callstackGroup>");
	for (const struct xml_element *group = xml_child(callstack, "callstackGroup");
	     group != NULL && reader->status == HISTREE_OK; group = xml_next(group, "callstackGroup"))
		read_group(reader, group);
}

void xml_callstacks_of(struct xml_reader *reader, const char *analysis)
{
	if (!xml_is(reader->document->root, "tmfxml"))
		return;
	for (const struct xml_element *each = xml_child(reader->document->root, "callstack"); each != NULL;
	     each = xml_next(each, "callstack")) {
		const struct xml_element *other = xml_child(each, "analysis");
		const char *id = xml_attribute(other != NULL ? other : each, "id");
		if (id != NULL && strcmp(id, analysis) == 0)
			xml_callstack(reader, each);
	}
}
