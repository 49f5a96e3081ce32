// SPDX-License-Identifier: MIT
/*
 * What is looked at when a program is complete, and its version: a checksum of all that decides what it does.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/program/program_builder.h"
#include "base/crc32c.h"
#include "base/error.h"

/* ---- depth and weight --------------------------------------------------------------------------------------- */

/*
 * How deep a value is, and how many others are looked at for it; of one that leads back to itself there is no
 * end.
 */
struct measure {
	uint8_t depth; /* 0: not measured yet */
	bool is_open;  /* it is being measured */
	uint32_t weight;
};

struct measures {
	const struct program *program;
	struct measure *values, *blocks;
};

static bool measure_value(struct measures *measures, program_value value, struct measure *of);

static bool add_value(struct measures *measures, program_value value, struct measure *to)
{
	struct measure of;
	if (value == PROGRAM_NOTHING)
		return true;
	if (!measure_value(measures, value, &of))
		return false;
	to->depth = of.depth > to->depth ? of.depth : to->depth;
	to->weight += of.weight;
	return to->weight <= PROGRAM_ROWS_MAX;
}

static bool add_operands(struct measures *measures, const struct value_row *row, struct measure *to)
{
	const struct program *program = measures->program;
	switch ((enum value_kind)row->kind) {
	case VALUE_CONSTANT:
	case VALUE_FACT:
		return true;
	case VALUE_FIELD:
		return row->second == 0 || add_value(measures, row->second - 1, to);
	case VALUE_LOOK_UP:
		for (uint32_t step = program->paths[row->first].first; step != PROGRAM_NOTHING;
		     step = program->steps[step].next)
			if (!add_value(measures, program->steps[step].name, to))
				return false;
		return true;
	case VALUE_CONVERT:
	case VALUE_MAP:
		return add_value(measures, row->first, to);
	case VALUE_OPERATION:
		break;
	}
	const program_value operands[] = { row->first, row->second, row->third };
	for (unsigned i = 0; i < program_operands((enum program_operator)row->detail); i++)
		if (!add_value(measures, operands[i], to))
			return false;
	return true;
}

static bool measure_value(struct measures *measures, program_value value, struct measure *of)
{
	struct measure *known = &measures->values[value];
	if (known->depth == 0) {
		struct measure sum = { .weight = 1 };
		if (known->is_open)
			return false;
		known->is_open = true;
		if (!add_operands(measures, &measures->program->values[value], &sum) ||
		    sum.depth == PROGRAM_DEPTH_MAX)
			return false;
		*known = (struct measure){ .depth = (uint8_t)(sum.depth + 1), .weight = sum.weight };
	}
	*of = *known;
	return true;
}

static bool measure_block(struct measures *measures, program_block block, struct measure *of)
{
	const struct program *program = measures->program;
	struct measure *known = block != PROGRAM_NOTHING ? &measures->blocks[block] : NULL;
	*of = (struct measure){ .weight = 1 };
	if (known == NULL)
		return true;
	if (known->depth != 0) {
		*of = *known;
		return true;
	}
	if (known->is_open)
		return false;
	known->is_open = true;
	for (uint32_t i = program->blocks[block].first; i != PROGRAM_NOTHING; i = program->actions[i].next) {
		const struct action_row *row = &program->actions[i];
		const program_block parts[] = { row->then, row->otherwise };
		of->weight++;
		for (size_t part = 0; part < 2 && row->kind == ACTION_IF; part++) {
			struct measure inner;
			if (!measure_block(measures, parts[part], &inner))
				return false;
			of->depth = inner.depth > of->depth ? inner.depth : of->depth;
			of->weight += inner.weight;
		}
		if (of->weight > PROGRAM_ROWS_MAX || of->depth == PROGRAM_DEPTH_MAX)
			return false;
	}
	of->depth++;
	*known = *of;
	return true;
}

static bool fits(struct measures *measures)
{
	struct measure of;
	for (size_t i = 0; i < measures->program->values_count; i++)
		if (!measure_value(measures, (program_value)i, &of))
			return false;
	for (size_t i = 0; i < measures->program->blocks_count; i++)
		if (!measure_block(measures, (program_block)i, &of))
			return false;
	return true;
}

static void check_measures(struct program_builder *make)
{
	const struct program *program = &make->program;
	struct measures measures = {
		.program = program,
		.values = calloc(program->values_count + 1, sizeof(*measures.values)),
		.blocks = calloc(program->blocks_count + 1, sizeof(*measures.blocks)),
	};
	if (measures.values == NULL || measures.blocks == NULL)
		builder_fail(make, HISTREE_ERR_MEMORY, "no memory for an analysis");
	else if (!fits(&measures))
		builder_fail(make, HISTREE_ERR_ARGUMENT,
			     "the analysis is too deep, or a part of it contains itself");
	free(measures.values);
	free(measures.blocks);
}

/* ---- version ---------------------------------------------------------------------------------------------- */

struct sum {
	uint32_t crc;
};

static void sum_bytes(struct sum *sum, const void *bytes, size_t size)
{
	uint64_t length = size;
	sum->crc = crc32c(sum->crc, &length, sizeof(length));
	sum->crc = crc32c(sum->crc, bytes, size);
}

static void sum_numbers(struct sum *sum, const uint32_t *numbers, size_t count)
{
	sum_bytes(sum, numbers, count * sizeof(*numbers));
}

#define SUM(sum, ...) \
	sum_numbers((sum), (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

static void sum_text(struct sum *sum, const char *text)
{
	sum_bytes(sum, text != NULL ? text : "\xff", text != NULL ? strlen(text) : 1);
}

static void sum_value(struct sum *sum, const struct histree_value *value)
{
	SUM(sum, value->type, value->size);
	if (value->type == HISTREE_STRING || value->type == HISTREE_CUSTOM)
		sum_bytes(sum, value->bytes, value->size);
	else if (value->type == HISTREE_INT)
		sum_bytes(sum, &value->int32, sizeof(value->int32));
	else if (value->type == HISTREE_BOOL)
		SUM(sum, value->boolean);
	else if (value->type != HISTREE_NULL && value->type != HISTREE_UNKNOWN)
		sum_bytes(sum, &value->int64, sizeof(value->int64));
}

static void sum_states(struct sum *sum, const struct program *program)
{
	for (size_t i = 0; i < program->handlers_count; i++) {
		const struct handler_row *row = &program->handlers[i];
		sum_text(sum, row->events);
		SUM(sum, row->condition, row->block);
	}
	for (size_t i = 0; i < program->fsms_count; i++) {
		const struct fsm_row *row = &program->fsms[i];
		sum_text(sum, row->name);
		SUM(sum, row->is_multiple, row->is_consuming, row->begin, row->first_precondition,
		    row->first_state);
	}
	for (size_t i = 0; i < program->preconditions_count; i++) {
		sum_text(sum, program->preconditions[i].events);
		SUM(sum, program->preconditions[i].condition, program->preconditions[i].next);
	}
	for (size_t i = 0; i < program->states_count; i++) {
		const struct state_row *row = &program->states[i];
		sum_text(sum, row->name);
		SUM(sum, row->is_final, row->next, row->entry, row->exit, row->first_transition);
	}
	for (size_t i = 0; i < program->transitions_count; i++) {
		const struct transition_row *row = &program->transitions[i];
		sum_text(sum, row->events);
		SUM(sum, row->condition, row->block, row->to, row->next);
	}
}

static uint32_t sum_of(const struct program *program)
{
	struct sum sum = { 0 };
	for (size_t i = 0; i < program->values_count; i++) {
		const struct value_row *row = &program->values[i];
		SUM(&sum, row->kind, row->detail, row->creates, row->first, row->second, row->third);
		sum_value(&sum, &row->constant);
	}
	for (size_t i = 0; i < program->pairs_count; i++) {
		sum_value(&sum, &program->pairs[i].from);
		sum_value(&sum, &program->pairs[i].to);
	}
	for (size_t i = 0; i < program->paths_count; i++)
		SUM(&sum, program->paths[i].base, program->paths[i].first);
	for (size_t i = 0; i < program->steps_count; i++)
		SUM(&sum, program->steps[i].name, program->steps[i].next);
	for (size_t i = 0; i < program->actions_count; i++) {
		const struct action_row *row = &program->actions[i];
		SUM(&sum, row->kind, row->change, row->next, row->path, row->value, row->at, row->end, row->then,
		    row->otherwise, row->span, row->first_key, row->key_count, row->first_field, row->field_count);
	}
	for (size_t i = 0; i < program->blocks_count; i++)
		SUM(&sum, program->blocks[i].first);
	sum_numbers(&sum, program->keys, program->keys_count);
	for (size_t i = 0; i < program->field_values_count; i++)
		SUM(&sum, program->field_values[i].field, program->field_values[i].value);
	for (size_t i = 0; i < program->spans_count; i++)
		sum_text(&sum, program->spans[i]);
	for (size_t i = 0; i < program->segment_fields_count; i++) {
		sum_text(&sum, program->segment_fields[i].name);
		SUM(&sum, program->segment_fields[i].type);
	}
	for (uint32_t i = 0; i < program->fields.count; i++)
		sum_text(&sum, intern_get(&program->fields, i, NULL));
	for (size_t i = 0; i < program->call_groups_count; i++) {
		const struct call_group_row *row = &program->call_groups[i];
		for (uint32_t k = 0; k < row->component_count; k++)
			sum_text(&sum, row->components[k]);
		sum_text(&sum, row->cpu);
		SUM(&sum, row->thread, row->host, row->thread_components, row->host_components);
	}
	sum_states(&sum, program);
	return sum.crc != 0 ? sum.crc : 1;
}

/* ---- paths that a scenario finds once ------------------------------------------------------------------------ */

static bool is_fixed(const struct program *program, const struct path_row *row)
{
	for (uint32_t i = row->first; i != PROGRAM_NOTHING; i = program->steps[i].next) {
		program_value name = program->steps[i].name;
		if (name == PROGRAM_NOTHING || program->values[name].kind != VALUE_CONSTANT)
			return false;
	}
	return row->base == PROGRAM_SCENARIO && row->first != PROGRAM_NOTHING;
}

static void number_fixed_paths(struct program *program)
{
	for (size_t i = 0; i < program->paths_count; i++)
		if (is_fixed(program, &program->paths[i]))
			program->paths[i].fixed = program->fixed_count++;
}

/* ---- the end ---------------------------------------------------------------------------------------------- */

void program_release(struct program *program)
{
#define RELEASE(type, name) free(program->name);
	PROGRAM_TABLES(RELEASE)
#undef RELEASE
	intern_release(&program->fields);
	arena_release(&program->texts);
}

static void check_whole(struct program_builder *make)
{
	const struct program *program = &make->program;
	for (size_t i = 0; i < program->fsms_count; i++)
		if (program->fsms[i].begin == PROGRAM_NOTHING)
			builder_fail(make, HISTREE_ERR_ARGUMENT, "a state machine has no states");
	if (make->status == HISTREE_OK)
		check_measures(make);
}

enum histree_status program_finish(struct program_builder *make, struct program **out, struct histree_error *error)
{
	*out = NULL;
	check_whole(make);
	struct program *program = make->status == HISTREE_OK ? malloc(sizeof(*program)) : NULL;
	if (program == NULL) {
		enum histree_status status = make->status;
		status = status != HISTREE_OK ? error_set(error, status, "%s", make->error.message)
					      : error_memory(error, "an analysis");
		program_builder_free(make);
		return status;
	}
	*program = make->program;
	program->version = sum_of(program);
	number_fixed_paths(program);
	free(make);
	*out = program;
	return HISTREE_OK;
}

void program_free(struct program *program)
{
	if (program == NULL)
		return;
	program_release(program);
	free(program);
}

uint32_t program_version(const struct program *program)
{
	return program->version;
}

bool program_makes_states(const struct program *program)
{
	return program->makes_states;
}

bool program_makes_segments(const struct program *program)
{
	return program->makes_segments;
}

const struct histree_segment_field *program_segment_fields(const struct program *program, size_t *count)
{
	*count = program->segment_fields_count;
	return program->segment_fields;
}
