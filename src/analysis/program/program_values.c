// SPDX-License-Identifier: MIT
/*
 * What values and paths are at the event at hand.
 */
#include <string.h>

#include "analysis/program/program_run.h"
#include "base/hash.h"
#include "histree/attributes.h"

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
	if (field == EVENT_NO_FIELD) {
		const char *name = intern_get(&run->program->fields, number, NULL);
		bool is_inside = strpbrk(name, ".[") != NULL;
		return is_inside && event_find(event, name, &part) ? of_part(run, &part) : histree_null();
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

static struct histree_value host_name(const struct event_trace *trace)
{
	if (trace->hostname[0] != '\0')
		return histree_string(trace->hostname);
	const char *slash = strrchr(trace->path, '/');
	return histree_string(slash != NULL ? slash + 1 : trace->path);
}

static struct histree_value fact_value(const struct event *event, enum program_fact fact)
{
	switch (fact) {
	case PROGRAM_EVENT_NAME:
		return histree_string(event->class->name);
	case PROGRAM_TIME:
		return histree_long(event->time);
	case PROGRAM_CPU:
		return event->cpu >= 0 ? histree_int(event->cpu) : histree_null();
	case PROGRAM_HOST:
		return host_name(event->class->trace);
	}
	return histree_null();
}

/* ---- states ----------------------------------------------------------------------------------------------- */

/* What is borrowed until the next change lasts until the next event. */
static struct histree_value keep(struct program_run *run, struct histree_value value)
{
	return value.type == HISTREE_STRING ? scratch_text(&run->scratch, value.bytes, value.size) : value;
}

static struct histree_value look_up(struct program_run *run, const struct value_row *row)
{
	struct changes *changes = &run->changes;
	struct histree_value value = histree_null();
	histree_time since = 0;
	histree_quark quark = run_path(run, row->first, row->creates);
	if (quark == NO_ATTRIBUTE || changes->status != HISTREE_OK)
		return value;
	if (row->detail == PROGRAM_TOP) {
		enum histree_status status = histree_state_top(changes->system, quark, &value, &changes->error);
		return status == HISTREE_OK ? keep(run, value) : histree_null();
	}
	changes->status = histree_state_ongoing(changes->system, quark, &value, &since, &changes->error);
	return row->detail == PROGRAM_SINCE ? histree_long(since) : keep(run, value);
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
	const program_value values[] = { row->first, row->second, row->third };
	struct histree_value operands[3] = { histree_null(), histree_null(), histree_null() };
	for (unsigned i = 0; i < program_operands(operator); i++)
		operands[i] = run_value(run, values[i]);
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
		return field_value(run, row->first);
	case VALUE_FACT:
		return fact_value(run->event, (enum program_fact)row->detail);
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

bool run_is_true(struct program_run *run, program_value condition)
{
	if (condition == PROGRAM_NOTHING)
		return true;
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

/* The child with the value as its name.  Numbers, constants and names of events are remembered. */
static histree_quark step(struct program_run *run, uint32_t number, histree_quark parent, bool creates)
{
	const struct step_row *row = &run->program->steps[number];
	const struct value_row *name = &run->program->values[row->name];
	struct histree_value value = run_value(run, row->name);
	bool is_number = value.type == HISTREE_INT || value.type == HISTREE_LONG;
	bool is_event_name = name->kind == VALUE_FACT && name->detail == PROGRAM_EVENT_NAME;
	int64_t key = value.type == HISTREE_INT    ? value.int32
		      : value.type == HISTREE_LONG ? value.int64
		      : is_event_name              ? (int64_t)run->event->class->id
						   : 0;
	struct known_child *known = NULL;
	if (is_number || is_event_name || name->kind == VALUE_CONSTANT) {
		uint64_t slot = ((uint64_t)key * 0x9e3779b97f4a7c15u) ^ ((uint64_t)parent * 0xc2b2ae3d27d4eb4fu);
		known = &run->known[number][slot >> 32 & (STEP_CACHE_SIZE - 1)];
		if (known->parent == parent && known->key == key && known->child != NO_ATTRIBUTE)
			return known->child;
	}
	char text[NUMBER_NAME_SIZE];
	histree_quark child;
	if (value.type == HISTREE_STRING)
		child = find_child(run, parent, value.bytes, value.size, creates);
	else if (value.type == HISTREE_NULL || value.type == HISTREE_UNKNOWN || value.type == HISTREE_CUSTOM)
		child = NO_ATTRIBUTE;
	else
		child = find_child(run, parent, text, number_name(&value, text), creates);
	if (known != NULL)
		*known = (struct known_child){ .parent = parent, .child = child, .key = key };
	return child;
}

histree_quark run_path(struct program_run *run, program_path path, bool creates)
{
	const struct path_row *row = &run->program->paths[path];
	histree_quark quark = HISTREE_ROOT;
	if (row->base == PROGRAM_SCENARIO) {
		if (run->scenario == NULL)
			return NO_ATTRIBUTE;
		quark = run->scenario->quark;
	}
	for (uint32_t i = row->first; i != PROGRAM_NOTHING; i = run->program->steps[i].next) {
		quark = run->program->steps[i].name == PROGRAM_NOTHING ? run_pool(run, quark)
								       : step(run, i, quark, creates);
		if (quark == NO_ATTRIBUTE)
			return NO_ATTRIBUTE;
	}
	return quark;
}
