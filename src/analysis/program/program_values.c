// SPDX-License-Identifier: MIT
/*
 * What values and paths are at the event at hand.
 */
#include <string.h>

#include "analysis/program/program_run.h"
#include "base/hash.h"
#include "state/state_system.h"

/* ---- fields ----------------------------------------------------------------------------------------------- */

static struct histree_value of_part(struct program_run *run, const struct event_part *part)
{
	switch (part->kind) {
	case EVENT_INT:
	case EVENT_UNSIGNED:
		return histree_long(part->integer);
	case EVENT_REAL:
		return (struct histree_value){ .type = HISTREE_DOUBLE, .real = part->real };
	case EVENT_TEXT:
		return scratch_text(&run->scratch, part->bytes, part->size);
	default:
		return histree_null();
	}
}

/* The first part is all that is wanted. */
static bool take_part(void *context, const struct event_part *part)
{
	*(struct event_part *)context = *part;
	return false;
}

static struct histree_value decode(struct program_run *run, uint32_t number)
{
	const struct event *event = run->event;
	uint32_t field = run->binding->fields[number];
	struct event_part part = { .kind = EVENT_NOTHING };
	int64_t integer;
	const char *text;
	size_t size;
	if (field == EVENT_NO_FIELD)
		return histree_null();
	if (field == FIELD_INSIDE) {
		const char *name = intern_get(&run->program->fields, number, NULL);
		return event_find(event, name, &part) ? of_part(run, &part) : histree_null();
	}
	if (event_int(event, field, &integer))
		return histree_long(integer);
	if (event_string(event, field, &text, &size))
		return scratch_text(&run->scratch, text, size);
	event_visit(event, field, take_part, &part);
	return of_part(run, &part);
}

static struct histree_value field_value(struct program_run *run, uint32_t number)
{
	struct decoded_field *field = &run->fields[number];
	if (field->event != run->number) {
		field->value = decode(run, number);
		field->event = run->number;
	}
	return field->value;
}

/* ---- facts ------------------------------------------------------------------------------------------------ */

static struct histree_value trace_name(const struct event_trace *trace)
{
	const char *slash = strrchr(trace->path, '/');
	return histree_string(slash != NULL ? slash + 1 : trace->path);
}

static struct histree_value host_name(const struct event_trace *trace)
{
	return trace->hostname[0] != '\0' ? histree_string(trace->hostname) : trace_name(trace);
}

static struct histree_value fact_value(struct program_run *run, enum program_fact fact)
{
	const struct event *event = run->event;
	switch (fact) {
	case PROGRAM_EVENT_NAME:
		return histree_string(event->class->name);
	case PROGRAM_TIME:
		return histree_long(event->time);
	case PROGRAM_CPU:
		return event->cpu >= 0 ? histree_int(event->cpu) : histree_null();
	case PROGRAM_HOST:
		return host_name(event->class->trace);
	case PROGRAM_TRACE:
		return trace_name(event->class->trace);
	case PROGRAM_TID:
		return run_tid(run);
	case PROGRAM_PID:
		return run_pid(run);
	}
	return histree_null();
}

/* ---- states ----------------------------------------------------------------------------------------------- */

static struct histree_value look_up(struct program_run *run, const struct value_row *row)
{
	struct changes *changes = &run->changes;
	struct histree_value value = histree_null();
	histree_quark quark = run_path(run, row->first, row->creates);
	if (quark == NO_ATTRIBUTE || changes->status != HISTREE_OK)
		return value;
	if (row->detail == PROGRAM_TOP) {
		enum histree_status status = histree_state_top(changes->system, quark, &value, &changes->error);
		return status == HISTREE_OK ? value : histree_null();
	}
	const struct ongoing_states *ongoing = &changes->system->ongoing;
	return row->detail == PROGRAM_SINCE ? histree_long(ongoing->states[quark].since)
					    : ongoing_states_value(ongoing, quark);
}

/* ---- values ----------------------------------------------------------------------------------------------- */

static struct histree_value mapped(struct program_run *run, const struct value_row *row)
{
	struct histree_value value = run_value(run, row->first);
	const struct program_pair *pairs = &run->program->pairs[row->second];
	for (uint32_t i = 0; i < row->third; i++)
		if (value.type != HISTREE_UNKNOWN && values_are_equal(&value, &pairs[i].from))
			return pairs[i].to;
	return value;
}

/* The second operand is looked at only if the first leaves it open. */
static struct histree_value junction(struct program_run *run, const struct value_row *row)
{
	bool decides = row->detail == PROGRAM_OR;
	struct histree_value first = run_value(run, row->first);
	if (first.type != HISTREE_UNKNOWN && value_is_true(&first) == decides)
		return (struct histree_value){ .type = HISTREE_BOOL, .boolean = decides };
	struct histree_value second = run_value(run, row->second);
	if (second.type != HISTREE_UNKNOWN && value_is_true(&second) == decides)
		return (struct histree_value){ .type = HISTREE_BOOL, .boolean = decides };
	if (first.type == HISTREE_UNKNOWN || second.type == HISTREE_UNKNOWN)
		return histree_unknown();
	return (struct histree_value){ .type = HISTREE_BOOL, .boolean = !decides };
}

static struct histree_value choice(struct program_run *run, const struct value_row *row)
{
	struct histree_value condition = run_value(run, row->first);
	if (condition.type == HISTREE_UNKNOWN)
		return condition;
	return run_value(run, value_is_true(&condition) ? row->second : row->third);
}

static struct histree_value operation(struct program_run *run, const struct value_row *row)
{
	enum program_operator operator=(enum program_operator) row->detail;
	if (operator== PROGRAM_AND || operator== PROGRAM_OR)
		return junction(run, row);
	if (operator== PROGRAM_CHOOSE)
		return choice(run, row);
	struct histree_value operands[3] = { run_value(run, row->first) };
	if (row->operands > 1)
		operands[1] = run_value(run, row->second);
	if (row->operands > 2)
		operands[2] = run_value(run, row->third);
	return operator_apply(operator, operands, &run->scratch);
}

struct histree_value run_value(struct program_run *run, program_value value)
{
	if (value == PROGRAM_NOTHING)
		return histree_null();
	const struct value_row *row = &run->program->values[value];
	switch ((enum value_kind)row->kind) {
	case VALUE_CONSTANT:
		return row->constant;
	case VALUE_FIELD:
		if (row->second != 0 && run->binding->fields[row->first] == EVENT_NO_FIELD)
			return run_value(run, row->second - 1);
		return field_value(run, row->first);
	case VALUE_FACT:
		return fact_value(run, (enum program_fact)row->detail);
	case VALUE_LOOK_UP:
		return look_up(run, row);
	case VALUE_CONVERT:
		return value_convert(run_value(run, row->first), (enum histree_type)row->detail, &run->scratch);
	case VALUE_MAP:
		return mapped(run, row);
	case VALUE_OPERATION:
		return operation(run, row);
	}
	return histree_null();
}

static bool and_is_true(struct program_run *run, const struct value_row *row)
{
	struct histree_value first = run_value(run, row->first);
	bool is_open = first.type == HISTREE_UNKNOWN;
	if (!is_open && !value_is_true(&first))
		return false;
	return run_is_true(run, row->second) && !is_open;
}

bool run_is_true(struct program_run *run, program_value condition)
{
	if (condition == PROGRAM_NOTHING)
		return true;
	const struct value_row *row = &run->program->values[condition];
	bool is_and = row->kind == VALUE_OPERATION && row->detail == PROGRAM_AND;
	if (is_and) /* what is unknown is not true, and the second is not looked at if the first is false */
		return and_is_true(run, row);
	struct histree_value value = run_value(run, condition);
	return value.type != HISTREE_UNKNOWN && value_is_true(&value);
}

/* ---- paths ------------------------------------------------------------------------------------------------ */

histree_quark run_child(struct program_run *run, histree_quark parent, const char *name, size_t size)
{
	histree_quark quark = NO_ATTRIBUTE;
	return changes_child(&run->changes, &quark, parent, name, size);
}

histree_quark run_child_of_number(struct program_run *run, histree_quark parent, uint32_t number)
{
	char text[NUMBER_NAME_SIZE];
	struct histree_value value = histree_long(number);
	return run_child(run, parent, text, number_name(&value, text));
}

static histree_quark find_child(struct program_run *run, histree_quark parent, const char *name, size_t size,
				bool creates)
{
	histree_quark quark = NO_ATTRIBUTE;
	if (size == 0 || size > UINT16_MAX || run->changes.status != HISTREE_OK)
		return NO_ATTRIBUTE;
	if (creates)
		return run_child(run, parent, name, size);
	const struct histree_attributes *attributes = histree_state_attributes(run->changes.system);
	return histree_attributes_child(attributes, parent, name, size, &quark) == HISTREE_OK ? quark
											      : NO_ATTRIBUTE;
}

/* Of a text, by what it has: two may have one hash. */
static bool is_called(const struct program_run *run, histree_quark quark, const struct histree_value *text)
{
	struct attribute_name name = attribute_tree_name(&run->changes.system->attributes, quark);
	return name.text != NULL && name.size == text->size && memcmp(name.text, text->bytes, name.size) == 0;
}

/* What a step remembers a child by. */
static uint64_t key_of(const struct program_run *run, const struct value_row *name,
		       const struct histree_value *value)
{
	if (value->type == HISTREE_INT)
		return (uint64_t)(int64_t)value->int32;
	if (value->type == HISTREE_LONG)
		return (uint64_t)value->int64;
	if (name->kind == VALUE_CONSTANT)
		return 0;
	return name->kind == VALUE_FACT ? run->event->class->id : hash_bytes(value->bytes, value->size);
}

static histree_quark find_step(struct program_run *run, histree_quark parent, const struct histree_value *value,
			       bool creates)
{
	char text[NUMBER_NAME_SIZE];
	if (value->type == HISTREE_STRING)
		return find_child(run, parent, value->bytes, value->size, creates);
	if (value->type == HISTREE_NULL || value->type == HISTREE_UNKNOWN || value->type == HISTREE_CUSTOM)
		return NO_ATTRIBUTE;
	return find_child(run, parent, text, number_name(value, text), creates);
}

/* The child with the value as its name.  Those of whole numbers and of texts are remembered. */
static histree_quark step(struct program_run *run, uint32_t number, histree_quark parent, bool creates)
{
	program_value named = run->program->steps[number].name;
	const struct value_row *name = &run->program->values[named];
	struct histree_value value = run_value(run, named);
	if (value.type != HISTREE_INT && value.type != HISTREE_LONG && value.type != HISTREE_STRING)
		return find_step(run, parent, &value, creates);
	/* Constants and names of classes are themselves what they are remembered by. */
	bool is_fixed =
		name->kind == VALUE_CONSTANT || (name->kind == VALUE_FACT && name->detail == PROGRAM_EVENT_NAME);
	bool is_text = value.type == HISTREE_STRING && !is_fixed;
	uint64_t key = key_of(run, name, &value);
	uint64_t slot = (key * 0x9e3779b97f4a7c15u) ^ ((uint64_t)parent * 0xc2b2ae3d27d4eb4fu);
	struct known_child *known = &run->known[number][slot >> 32 & (STEP_CACHE_SIZE - 1)];
	if (known->child != NO_ATTRIBUTE && known->parent == parent && known->key == key &&
	    known->is_text == is_text && (!is_text || is_called(run, known->child, &value)))
		return known->child;
	histree_quark child = find_step(run, parent, &value, creates);
	*known = (struct known_child){ .parent = parent, .child = child, .key = key, .is_text = is_text };
	return child;
}

static histree_quark find_path(struct program_run *run, const struct path_row *row, bool creates)
{
	histree_quark quark = row->base == PROGRAM_SCENARIO ? run->scenario->quark : HISTREE_ROOT;
	for (uint32_t i = row->first; i != PROGRAM_NOTHING; i = run->program->steps[i].next) {
		quark = run->program->steps[i].name == PROGRAM_NOTHING ? run_pool(run, quark)
								       : step(run, i, quark, creates);
		if (quark == NO_ATTRIBUTE)
			return NO_ATTRIBUTE;
	}
	return quark;
}

histree_quark run_path(struct program_run *run, program_path path, bool creates)
{
	const struct path_row *row = &run->program->paths[path];
	if (row->base == PROGRAM_SCENARIO && run->scenario == NULL)
		return NO_ATTRIBUTE;
	if (row->fixed == PROGRAM_NOTHING)
		return find_path(run, row, creates);
	histree_quark *known = &run->scenario->fixed[row->fixed];
	if (*known == NO_ATTRIBUTE)
		*known = find_path(run, row, creates);
	return *known;
}
