// SPDX-License-Identifier: MIT
/*
 * A builder is the program that it makes, and what went wrong first.
 */
#include "analysis/program/program_builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

struct program_builder *program_builder_create(void)
{
	struct program_builder *make = calloc(1, sizeof(*make));
	if (make != NULL)
		program_segment_field(make, "name", HISTREE_STRING);
	return make;
}

void program_builder_free(struct program_builder *make)
{
	if (make == NULL)
		return;
	program_release(&make->program);
	free(make);
}

void builder_fail(struct program_builder *make, enum histree_status status, const char *what)
{
	if (make->status == HISTREE_OK)
		make->status = error_set(&make->error, status, "%s", what);
}

bool builder_has_room(struct program_builder *make, void *array, size_t *capacity, size_t count, size_t size)
{
	if (make->status != HISTREE_OK)
		return false;
	if (count >= PROGRAM_ROWS_MAX)
		builder_fail(make, HISTREE_ERR_TOO_LARGE, "the analysis is too large");
	else if (!array_reserve_bytes(array, capacity, count + 1, size))
		builder_fail(make, HISTREE_ERR_MEMORY, "no memory for an analysis");
	return make->status == HISTREE_OK;
}

/* Whether a number is that of a row; what a builder that failed handed out is none. */
static bool check(struct program_builder *make, uint32_t number, size_t count)
{
	if (make->status == HISTREE_OK && number >= count)
		builder_fail(make, HISTREE_ERR_ARGUMENT, "the analysis has a part that does not exist");
	return make->status == HISTREE_OK;
}

static bool check_optional(struct program_builder *make, uint32_t number, size_t count)
{
	return number == PROGRAM_NOTHING ? make->status == HISTREE_OK : check(make, number, count);
}

const char *builder_keep(struct program_builder *make, const char *text)
{
	if (make->status != HISTREE_OK || text == NULL)
		return NULL;
	const char *copy = arena_copy(&make->program.texts, text, strlen(text));
	if (copy == NULL)
		builder_fail(make, HISTREE_ERR_MEMORY, "no memory for an analysis");
	return copy;
}

static struct histree_value keep_value(struct program_builder *make, struct histree_value value)
{
	if (make->status != HISTREE_OK || (value.type != HISTREE_STRING && value.type != HISTREE_CUSTOM))
		return value;
	value.bytes = arena_copy(&make->program.texts, value.bytes, value.size);
	if (value.bytes == NULL)
		builder_fail(make, HISTREE_ERR_MEMORY, "no memory for an analysis");
	return value;
}

/* ---- values ----------------------------------------------------------------------------------------------- */

program_value program_constant(struct program_builder *make, struct histree_value value)
{
	value = keep_value(make, value);
	return BUILDER_ADD(make, values, (struct value_row){ .kind = VALUE_CONSTANT, .constant = value });
}

program_value program_field(struct program_builder *make, const char *name)
{
	uint32_t number = intern_add(&make->program.fields, name, strlen(name));
	if (number == INTERN_NONE)
		builder_fail(make, HISTREE_ERR_MEMORY, "no memory for an analysis");
	return BUILDER_ADD(make, values, (struct value_row){ .kind = VALUE_FIELD, .first = number });
}

static void note_fact(struct program_builder *make, enum program_fact fact)
{
	make->program.has_columns = make->program.has_columns || fact == PROGRAM_TID || fact == PROGRAM_PID;
}

program_value program_field_or_fact(struct program_builder *make, const char *name, enum program_fact fact)
{
	program_value otherwise = program_fact(make, fact), field = program_field(make, name);
	if (field == PROGRAM_NOTHING || otherwise == PROGRAM_NOTHING)
		return PROGRAM_NOTHING;
	make->program.values[field].second = otherwise + 1;
	return field;
}

program_value program_fact(struct program_builder *make, enum program_fact fact)
{
	note_fact(make, fact);
	return BUILDER_ADD(make, values, (struct value_row){ .kind = VALUE_FACT, .detail = (uint8_t)fact });
}

program_value program_look_up(struct program_builder *make, enum program_look look, program_path path, bool creates)
{
	if (!check(make, path, make->program.paths_count))
		return PROGRAM_NOTHING;
	return BUILDER_ADD(
		make, values,
		(struct value_row){
			.kind = VALUE_LOOK_UP, .detail = (uint8_t)look, .creates = creates, .first = path });
}

program_value program_convert(struct program_builder *make, program_value value, enum histree_type type)
{
	if (!check(make, value, make->program.values_count))
		return PROGRAM_NOTHING;
	return BUILDER_ADD(make, values,
			   (struct value_row){ .kind = VALUE_CONVERT, .detail = (uint8_t)type, .first = value });
}

program_value program_map(struct program_builder *make, program_value value, const struct program_pair *pairs,
			  size_t count)
{
	if (!check(make, value, make->program.values_count))
		return PROGRAM_NOTHING;
	uint32_t first = (uint32_t)make->program.pairs_count;
	for (size_t i = 0; i < count; i++) {
		struct program_pair pair = { keep_value(make, pairs[i].from), keep_value(make, pairs[i].to) };
		(void)BUILDER_ADD(make, pairs, pair);
	}
	return BUILDER_ADD(
		make, values,
		(struct value_row){ .kind = VALUE_MAP, .first = value, .second = first, .third = (uint32_t)count });
}

unsigned program_operands(enum program_operator operator)
{
	switch (operator) {
	case PROGRAM_NOT:
	case PROGRAM_NEGATE:
	case PROGRAM_BIT_NOT:
	case PROGRAM_LENGTH:
	case PROGRAM_LOWER_CASE:
	case PROGRAM_UPPER_CASE:
		return 1;
	case PROGRAM_CHOOSE:
	case PROGRAM_SUBSTRING:
		return 3;
	default:
		return 2;
	}
}

program_value program_operation(struct program_builder *make, enum program_operator operator, program_value first,
				program_value second, program_value third)
{
	const program_value operands[] = { first, second, third };
	for (unsigned i = 0; i < program_operands(operator); i++) {
		bool is_optional = operator== PROGRAM_SUBSTRING && i == 2;
		if (is_optional ? !check_optional(make, operands[i], make->program.values_count)
				: !check(make, operands[i], make->program.values_count))
			return PROGRAM_NOTHING;
	}
	return BUILDER_ADD(make, values,
			   (struct value_row){ .kind = VALUE_OPERATION,
					       .detail = (uint8_t) operator,
					       .operands =(uint8_t) program_operands(operator),
					       .first = first,
					       .second = second,
					       .third = third });
}

/* ---- paths ------------------------------------------------------------------------------------------------ */

program_path program_path_create(struct program_builder *make, enum program_base base)
{
	return BUILDER_ADD(make, paths,
			   (struct path_row){ .base = base, .first = PROGRAM_NOTHING, .fixed = PROGRAM_NOTHING });
}

static void add_step(struct program_builder *make, program_path path, program_value name)
{
	struct program *program = &make->program;
	uint32_t step = BUILDER_ADD(make, steps, (struct step_row){ .name = name, .next = PROGRAM_NOTHING });
	if (step == PROGRAM_NOTHING)
		return;
	struct path_row *row = &program->paths[path];
	if (row->first == PROGRAM_NOTHING)
		row->first = step;
	else
		program->steps[row->last].next = step;
	row->last = step;
}

void program_path_add(struct program_builder *make, program_path path, program_value name)
{
	if (check(make, path, make->program.paths_count) && check(make, name, make->program.values_count))
		add_step(make, path, name);
}

void program_path_add_pool(struct program_builder *make, program_path path)
{
	if (check(make, path, make->program.paths_count))
		add_step(make, path, PROGRAM_NOTHING);
}

/* ---- blocks ----------------------------------------------------------------------------------------------- */

program_block program_block_create(struct program_builder *make)
{
	return BUILDER_ADD(make, blocks, (struct block_row){ .first = PROGRAM_NOTHING });
}

static void add_action(struct program_builder *make, program_block block, struct action_row row)
{
	struct program *program = &make->program;
	row.next = PROGRAM_NOTHING;
	if (!check(make, block, program->blocks_count))
		return;
	uint32_t action = BUILDER_ADD(make, actions, row);
	if (action == PROGRAM_NOTHING)
		return;
	struct block_row *of = &program->blocks[block];
	if (of->first == PROGRAM_NOTHING)
		of->first = action;
	else
		program->actions[of->last].next = action;
	of->last = action;
}

void program_add_change(struct program_builder *make, program_block block, enum program_change change,
			program_path path, program_value value, program_value at)
{
	const struct program *program = &make->program;
	bool needs_value = change <= PROGRAM_PUSH;
	if (at != PROGRAM_NOTHING && change != PROGRAM_SET && change != PROGRAM_PUSH && change != PROGRAM_POP)
		builder_fail(make, HISTREE_ERR_ARGUMENT, "only a change, a push or a pop can be in the future");
	if (check(make, path, program->paths_count) && check_optional(make, at, program->values_count) &&
	    (needs_value ? check(make, value, program->values_count)
			 : check_optional(make, value, program->values_count)))
		add_action(make, block,
			   (struct action_row){ .kind = ACTION_CHANGE,
						.change = (uint8_t)change,
						.path = path,
						.value = value,
						.at = at });
	make->program.makes_states = true;
}

void program_add_if(struct program_builder *make, program_block block, program_value condition, program_block then,
		    program_block otherwise)
{
	const struct program *program = &make->program;
	if (check(make, condition, program->values_count) && check_optional(make, then, program->blocks_count) &&
	    check_optional(make, otherwise, program->blocks_count))
		add_action(make, block,
			   (struct action_row){
				   .kind = ACTION_IF, .value = condition, .then = then, .otherwise = otherwise });
}

/* ---- segments --------------------------------------------------------------------------------------------- */

static enum histree_type wider(enum histree_type first, enum histree_type second)
{
	bool numbers = first >= HISTREE_INT && first <= HISTREE_DOUBLE && second >= HISTREE_INT &&
		       second <= HISTREE_DOUBLE;
	if (first == second)
		return first;
	return !numbers ? HISTREE_STRING : first > second ? first : second;
}

uint32_t program_segment_field(struct program_builder *make, const char *name, enum histree_type type)
{
	struct program *program = &make->program;
	for (size_t i = 0; i < program->segment_fields_count; i++) {
		struct histree_segment_field *field = &program->segment_fields[i];
		if (strcmp(field->name, name) != 0)
			continue;
		field->type = wider(field->type, type);
		return (uint32_t)i;
	}
	if (program->segment_fields_count == HISTREE_SEGMENT_FIELDS_MAX)
		builder_fail(make, HISTREE_ERR_ARGUMENT, "segments have more than 31 fields besides their name");
	const char *copy = builder_keep(make, name);
	return BUILDER_ADD(make, segment_fields, (struct histree_segment_field){ .name = copy, .type = type });
}

static bool add_field_values(struct program_builder *make, struct action_row *row,
			     const struct program_field_value *fields, size_t count)
{
	row->first_field = (uint32_t)make->program.field_values_count;
	row->field_count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		if (!check(make, fields[i].field, make->program.segment_fields_count) ||
		    !check(make, fields[i].value, make->program.values_count))
			return false;
		(void)BUILDER_ADD(make, field_values, fields[i]);
	}
	make->program.makes_segments = true;
	return make->status == HISTREE_OK;
}

void program_add_segment(struct program_builder *make, program_block block, program_value name, program_value start,
			 program_value end, const struct program_field_value *fields, size_t field_count)
{
	size_t values = make->program.values_count;
	struct action_row row = { .kind = ACTION_SEGMENT, .value = name, .at = start, .end = end };
	if (check(make, name, values) && check_optional(make, start, values) && check_optional(make, end, values) &&
	    add_field_values(make, &row, fields, field_count))
		add_action(make, block, row);
}

program_span program_span_create(struct program_builder *make, const char *name)
{
	const char *copy = builder_keep(make, name);
	return BUILDER_ADD(make, spans, copy);
}

static void add_span(struct program_builder *make, enum action_kind kind, program_block block, program_span span,
		     const program_value *key, size_t key_count, program_value name,
		     const struct program_field_value *fields, size_t field_count)
{
	struct program *program = &make->program;
	struct action_row row = { .kind = (uint8_t)kind,
				  .value = name,
				  .span = span,
				  .first_key = (uint32_t)program->keys_count,
				  .key_count = (uint32_t)key_count };
	if (key_count > PROGRAM_KEY_MAX)
		builder_fail(make, HISTREE_ERR_ARGUMENT, "a key has more than 8 values");
	if (!check(make, span, program->spans_count) || !check_optional(make, name, program->values_count))
		return;
	for (size_t i = 0; i < key_count; i++) {
		if (!check(make, key[i], program->values_count))
			return;
		(void)BUILDER_ADD(make, keys, key[i]);
	}
	if (add_field_values(make, &row, fields, field_count))
		add_action(make, block, row);
}

void program_add_span_begin(struct program_builder *make, program_block block, program_span span,
			    const program_value *key, size_t key_count, program_value name,
			    const struct program_field_value *fields, size_t field_count)
{
	add_span(make, ACTION_SPAN_BEGIN, block, span, key, key_count, name, fields, field_count);
}

void program_add_span_end(struct program_builder *make, program_block block, program_span span,
			  const program_value *key, size_t key_count, program_value name,
			  const struct program_field_value *fields, size_t field_count)
{
	add_span(make, ACTION_SPAN_END, block, span, key, key_count, name, fields, field_count);
}

/* ---- handlers and scenarios ------------------------------------------------------------------------------- */

void program_on(struct program_builder *make, const char *events, program_value condition, program_block block)
{
	const char *copy = builder_keep(make, events);
	if (check_optional(make, condition, make->program.values_count) &&
	    check(make, block, make->program.blocks_count))
		(void)BUILDER_ADD(make, handlers,
				  (struct handler_row){ .events = copy, .condition = condition, .block = block });
}

program_fsm program_fsm_create(struct program_builder *make, const struct program_fsm_options *options)
{
	const char *copy = builder_keep(make, options->name);
	make->program.makes_states = true;
	return BUILDER_ADD(make, fsms,
			   (struct fsm_row){ .name = copy,
					     .is_multiple = options->is_multiple,
					     .is_consuming = options->is_consuming,
					     .begin = PROGRAM_NOTHING,
					     .first_precondition = PROGRAM_NOTHING,
					     .first_state = PROGRAM_NOTHING });
}

void program_fsm_precondition(struct program_builder *make, program_fsm fsm, const char *events,
			      program_value condition)
{
	struct program *program = &make->program;
	const char *copy = builder_keep(make, events);
	if (!check(make, fsm, program->fsms_count) || !check_optional(make, condition, program->values_count))
		return;
	uint32_t row = BUILDER_ADD(
		make, preconditions,
		(struct precondition_row){ .events = copy, .condition = condition, .next = PROGRAM_NOTHING });
	if (row == PROGRAM_NOTHING)
		return;
	struct fsm_row *of = &program->fsms[fsm];
	if (of->first_precondition == PROGRAM_NOTHING)
		of->first_precondition = row;
	else
		program->preconditions[of->last_precondition].next = row;
	of->last_precondition = row;
}

program_state program_fsm_state(struct program_builder *make, program_fsm fsm, const char *name, bool is_final)
{
	struct program *program = &make->program;
	const char *copy = builder_keep(make, name);
	if (!check(make, fsm, program->fsms_count))
		return PROGRAM_NOTHING;
	uint32_t state = BUILDER_ADD(make, states,
				     (struct state_row){ .name = copy,
							 .name_size = (uint32_t)strlen(copy),
							 .is_final = is_final,
							 .number = program->fsms[fsm].state_count,
							 .next = PROGRAM_NOTHING,
							 .entry = PROGRAM_NOTHING,
							 .exit = PROGRAM_NOTHING,
							 .first_transition = PROGRAM_NOTHING });
	if (state == PROGRAM_NOTHING)
		return state;
	struct fsm_row *of = &program->fsms[fsm];
	if (of->first_state == PROGRAM_NOTHING)
		of->begin = of->first_state = state;
	else
		program->states[of->last_state].next = state;
	of->last_state = state;
	of->state_count++;
	return state;
}

void program_fsm_begin(struct program_builder *make, program_fsm fsm, program_state state)
{
	if (check(make, fsm, make->program.fsms_count) && check(make, state, make->program.states_count))
		make->program.fsms[fsm].begin = state;
}

void program_fsm_on_change(struct program_builder *make, program_state state, program_block entry,
			   program_block exit)
{
	if (!check(make, state, make->program.states_count) ||
	    !check_optional(make, entry, make->program.blocks_count) ||
	    !check_optional(make, exit, make->program.blocks_count))
		return;
	make->program.states[state].entry = entry;
	make->program.states[state].exit = exit;
}

void program_fsm_transition(struct program_builder *make, program_fsm fsm, program_state from, program_state to,
			    const char *events, program_value condition, program_block block)
{
	struct program *program = &make->program;
	const char *copy = builder_keep(make, events);
	if (!check(make, fsm, program->fsms_count) || !check(make, from, program->states_count) ||
	    !check(make, to, program->states_count) || !check_optional(make, condition, program->values_count) ||
	    !check_optional(make, block, program->blocks_count))
		return;
	uint32_t row = BUILDER_ADD(make, transitions,
				   (struct transition_row){ .events = copy,
							    .condition = condition,
							    .block = block,
							    .to = to,
							    .next = PROGRAM_NOTHING });
	if (row == PROGRAM_NOTHING)
		return;
	struct state_row *of = &program->states[from];
	if (of->first_transition == PROGRAM_NOTHING)
		of->first_transition = row;
	else
		program->transitions[of->last_transition].next = row;
	of->last_transition = row;
}
