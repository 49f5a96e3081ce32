// SPDX-License-Identifier: MIT
/*
 * xml_pattern.c - the pattern analyses of Trace Compass's XML: state machines that start, end and fill segments.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/xml/xml_document.h"

/* ---- xml segments -------------------------------------------------------------------------------------------- */

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
	/* Those of the scenario, where a transition has saved any. */
	size_t count = 0;
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
	count = content_fields(reader, xml_child(segment, "segContent"), fields, count);
	if (reader->status == HISTREE_OK)
		program_add_segment(reader->make, block, name, start, end, fields, count);
}

/* ---- xml callstack ------------------------------------------------------------------------------------------- */

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

/* What a <thread> or a <host> says; NULL: it is absent. */
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

/* ---- xml pattern --------------------------------------------------------------------------------------------- */

/* ---- names in lists --------------------------------------------------------------------------------------- */

/*
 * Returns the element of a kind with the next id of a list "a:b:c"; NULL at its end, or if there is no such
 * element.
 */
static const struct xml_element *next_named(struct xml_reader *reader, const struct xml_element *user,
					    const struct xml_element *parent, const char *kind, const char **list)
{
	while (**list == ':' || **list == ' ')
		++*list;
	if (**list == '\0')
		return NULL;
	size_t size = strcspn(*list, ":");
	const char *name = *list;
	*list += size;
	while (name[size - 1] == ' ') /* names may have blanks inside */
		size--;
	for (const struct xml_element *each = xml_child(parent, kind); each != NULL; each = xml_next(each, kind)) {
		const char *id = xml_attribute(each, "id");
		if (id != NULL && strlen(id) == size && memcmp(id, name, size) == 0)
			return each;
	}
	xml_fail(reader, user, "there is no <%s> '%.*s'", kind, (int)size, name);
	return NULL;
}

static const struct xml_element *handler_of(const struct xml_reader *reader)
{
	return xml_child(reader->analysis, "patternHandler");
}

/* ---- tests and actions ------------------------------------------------------------------------------------ */

static program_value tests(struct xml_reader *reader, const struct xml_element *user, const char *list)
{
	const struct xml_element *test;
	program_value sum = PROGRAM_NOTHING;
	if (list == NULL)
		return sum;
	while ((test = next_named(reader, user, handler_of(reader), "test", &list)) != NULL) {
		const struct xml_element *condition = xml_child(test, "if");
		xml_allow(reader, test, "id", "if");
		if (condition == NULL || xml_next(condition, NULL) != NULL) {
			xml_fail(reader, test, "has one <if>");
			break;
		}
		program_value next = xml_condition(reader, condition);
		sum = sum == PROGRAM_NOTHING || reader->status != HISTREE_OK
			      ? next
			      : program_operation(reader->make, PROGRAM_AND, sum, next, PROGRAM_NOTHING);
	}
	return sum;
}

const char *xml_stored_name(struct xml_reader *reader, const struct xml_element *stored)
{
	const char *alias = xml_attribute(stored, "alias");
	xml_allow(reader, stored, "id alias", "");
	return alias != NULL ? alias : xml_need(reader, stored, "id");
}

program_path xml_stored_path(struct xml_reader *reader, const char *alias)
{
	program_path path = program_path_create(reader->make, PROGRAM_SCENARIO);
	program_path_add(reader->make, path, xml_text(reader, "storedFields"));
	program_path_add(reader->make, path, xml_text(reader, alias));
	return path;
}

/* Of the type that a <segField> of that name has: the trace alone knows what a field of an event is. */
uint32_t xml_stored_field(struct xml_reader *reader, const char *alias)
{
	return program_segment_field(reader->make, alias, HISTREE_STRING);
}

static void add_action(struct xml_reader *reader, const struct xml_element *action, program_block block)
{
	xml_allow(reader, action, "id", "stateChange segment");
	for (const struct xml_element *each = action->first; each != NULL && reader->status == HISTREE_OK;
	     each = each->next) {
		if (xml_is(each, "stateChange"))
			xml_change(reader, each, block);
		else
			xml_segment(reader, each, block);
	}
}

static void add_actions(struct xml_reader *reader, const struct xml_element *user, const char *list,
			program_block block)
{
	const struct xml_element *action;
	while (list != NULL && (action = next_named(reader, user, handler_of(reader), "action", &list)) != NULL &&
	       reader->status == HISTREE_OK)
		add_action(reader, action, block);
}

static program_block actions(struct xml_reader *reader, const struct xml_element *user)
{
	program_block block = program_block_create(reader->make);
	if (xml_flag(reader, user, "saveStoredFields", false)) {
		/* What an event lacks stays as it is. */
		struct program_builder *make = reader->make;
		for (const struct xml_element *each = xml_child(reader->analysis, "storedField");
		     each != NULL && reader->status == HISTREE_OK; each = xml_next(each, "storedField")) {
			const char *alias = xml_stored_name(reader, each);
			program_value field = xml_event_field(reader, xml_need(reader, each, "id"));
			program_value none = program_constant(make, histree_null());
			program_block save = program_block_create(make);
			program_add_change(make, save, PROGRAM_SET, xml_stored_path(reader, alias), field,
					   PROGRAM_NOTHING);
			program_add_if(make, block,
				       program_operation(make, PROGRAM_NOT_EQUAL, field, none, PROGRAM_NOTHING),
				       save, PROGRAM_NOTHING);
		}
	}
	add_actions(reader, user, xml_attribute(user, "action"), block);
	if (xml_flag(reader, user, "clearStoredFields", false)) {
		for (const struct xml_element *each = xml_child(reader->analysis, "storedField");
		     each != NULL && reader->status == HISTREE_OK; each = xml_next(each, "storedField"))
			program_add_change(reader->make, block, PROGRAM_SET,
					   xml_stored_path(reader, xml_stored_name(reader, each)),
					   program_constant(reader->make, histree_null()), PROGRAM_NOTHING);
	}
	return block;
}

/* ---- state machines --------------------------------------------------------------------------------------- */

enum { STATES_MAX = 4096 };

struct state_list {
	const struct xml_element *elements[STATES_MAX];
	program_state states[STATES_MAX];
	size_t count;
};

static const char *id_of_state(const struct xml_element *state)
{
	const char *id = xml_attribute(state, "id");
	return id == NULL && xml_is(state, "initialState") ? "initialState" : id;
}

static program_state find_state(struct xml_reader *reader, const struct xml_element *user,
				const struct state_list *list, const char *id)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(id_of_state(list->elements[i]), id) == 0)
			return list->states[i];
	xml_fail(reader, user, "there is no state '%s'", id);
	return PROGRAM_NOTHING;
}

static void list_states(struct xml_reader *reader, const struct xml_element *fsm, program_fsm made,
			struct state_list *list)
{
	for (const struct xml_element *each = fsm->first; each != NULL; each = each->next) {
		if (!xml_is(each, "state") && !xml_is(each, "initialState") && !xml_is(each, "final"))
			continue;
		bool is_final = xml_is(each, "final");
		xml_allow(reader, each, "id", is_final ? "" : "transition onentry onexit");
		const char *id = id_of_state(each);
		if (id == NULL)
			id = xml_need(reader, each, "id");
		if (list->count == STATES_MAX)
			xml_fail(reader, each, "a state machine has at most %d states", STATES_MAX);
		for (size_t i = 0; i < list->count && reader->status == HISTREE_OK; i++)
			if (strcmp(id_of_state(list->elements[i]), id) == 0)
				xml_fail(reader, each, "there is a state '%s' already", id);
		if (reader->status != HISTREE_OK)
			return;
		list->elements[list->count] = each;
		list->states[list->count++] = program_fsm_state(reader->make, made, id, is_final);
	}
}

static program_block on_change(struct xml_reader *reader, const struct xml_element *state, const char *kind)
{
	const struct xml_element *element = xml_child(state, kind);
	if (element == NULL)
		return PROGRAM_NOTHING;
	xml_allow(reader, element, "action", "");
	program_block block = program_block_create(reader->make);
	add_actions(reader, element, xml_need(reader, element, "action"), block);
	return block;
}

/* <initialState>, whatever else is said; by attribute; by the target of <initial>; or the first one. */
static void choose_first(struct xml_reader *reader, const struct xml_element *fsm, program_fsm made,
			 const struct state_list *list)
{
	const struct xml_element *initial = xml_child(fsm, "initial"), *state = xml_child(fsm, "initialState");
	const char *id = xml_attribute(fsm, "initial");
	if (initial != NULL && id == NULL) {
		const struct xml_element *transition = xml_child(initial, "transition");
		xml_allow(reader, initial, "", "transition");
		if (transition == NULL) {
			xml_fail(reader, initial, "has a <transition>");
			return;
		}
		xml_allow(reader, transition, "event cond target action saveStoredFields clearStoredFields", "");
		id = xml_need(reader, transition, "target");
	}
	if (state != NULL)
		id = id_of_state(state);
	if (id != NULL && reader->status == HISTREE_OK)
		program_fsm_begin(reader->make, made, find_state(reader, fsm, list, id));
	if (list->count == 0)
		xml_fail(reader, fsm, "has no states");
}

static void add_fsm(struct xml_reader *reader, const struct xml_element *fsm)
{
	xml_allow(reader, fsm, "id initial multiple consuming", "precondition initial initialState state final");
	struct state_list *list = calloc(1, sizeof(*list));
	const struct program_fsm_options options = {
		.name = xml_need(reader, fsm, "id"),
		.is_multiple = xml_flag(reader, fsm, "multiple", true),
		.is_consuming = xml_flag(reader, fsm, "consuming", true),
	};
	if (list == NULL || reader->status != HISTREE_OK) {
		xml_fail(reader, fsm, "no memory for a state machine");
		free(list);
		return;
	}
	program_fsm made = program_fsm_create(reader->make, &options);
	for (const struct xml_element *each = xml_child(fsm, "precondition"); each != NULL;
	     each = xml_next(each, "precondition")) {
		xml_allow(reader, each, "event cond", "");
		program_fsm_precondition(reader->make, made, xml_attribute(each, "event"),
					 tests(reader, each, xml_attribute(each, "cond")));
	}
	list_states(reader, fsm, made, list);
	choose_first(reader, fsm, made, list);
	for (size_t i = 0; i < list->count && reader->status == HISTREE_OK; i++) {
		const struct xml_element *state = list->elements[i];
		program_fsm_on_change(reader->make, list->states[i], on_change(reader, state, "onentry"),
				      on_change(reader, state, "onexit"));
		for (const struct xml_element *each = xml_child(state, "transition");
		     each != NULL && reader->status == HISTREE_OK; each = xml_next(each, "transition")) {
			xml_allow(reader, each, "event cond target action saveStoredFields clearStoredFields", "");
			program_state to = find_state(reader, each, list, xml_need(reader, each, "target"));
			program_value condition = tests(reader, each, xml_attribute(each, "cond"));
			program_fsm_transition(reader->make, made, list->states[i], to,
					       xml_attribute(each, "event"), condition, actions(reader, each));
		}
	}
	free(list);
}

/* ---- the pattern ------------------------------------------------------------------------------------------ */

static bool saves_fields(const struct xml_element *element)
{
	const char *saves = xml_attribute(element, "saveStoredFields");
	if (saves != NULL && strcmp(saves, "true") == 0)
		return true;
	for (const struct xml_element *each = element->first; each != NULL; each = each->next)
		if (saves_fields(each))
			return true;
	return false;
}

void xml_pattern(struct xml_reader *reader, const struct xml_element *pattern)
{
	const struct xml_element *handler = xml_child(pattern, "patternHandler");
	if (handler == NULL || xml_next(handler, "patternHandler") != NULL) {
		xml_fail(reader, pattern, "has one <patternHandler>");
		return;
	}
	xml_allow(reader, handler, "initial", "test action fsm");
	reader->saves_fields = saves_fields(handler);
	if (xml_child(handler, "fsm") == NULL)
		xml_fail(reader, handler, "has no <fsm>");
	/* Tests and actions that nothing names are looked at too, so that what is wrong with them is said. */
	program_block nowhere = program_block_create(reader->make);
	for (const struct xml_element *each = handler->first; each != NULL && reader->status == HISTREE_OK;
	     each = each->next) {
		const char *id = xml_need(reader, each, "id");
		if (xml_is(each, "test"))
			tests(reader, each, id);
		else if (xml_is(each, "action"))
			add_action(reader, each, nowhere);
	}
	/* The machines that are named, or all; in the order of the list, or of the file. */
	const char *list = xml_attribute(handler, "initial");
	const struct xml_element *fsm;
	if (list == NULL || *list == '\0') {
		for (fsm = xml_child(handler, "fsm"); fsm != NULL && reader->status == HISTREE_OK;
		     fsm = xml_next(fsm, "fsm"))
			add_fsm(reader, fsm);
		return;
	}
	while ((fsm = next_named(reader, handler, handler, "fsm", &list)) != NULL && reader->status == HISTREE_OK)
		add_fsm(reader, fsm);
}
