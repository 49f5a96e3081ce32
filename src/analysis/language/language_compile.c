// SPDX-License-Identifier: MIT
/*
 * language_compile.c - from the tree to the program that program_run.h runs.
 */
#include <string.h>

#include "analysis/language/language_tree.h"
#include "base/error.h"

static program_value compile_value(struct program_builder *make, struct language_expression *expression);

static program_path compile_path(struct program_builder *make, struct language_path *path)
{
	if (path->path != PROGRAM_NOTHING)
		return path->path;
	program_path made = program_path_create(make, PROGRAM_ROOT);
	for (struct language_component *part = path->components; part != NULL; part = part->next)
		program_path_add(make, made, compile_value(make, part->name));
	return path->path = made;
}

static program_value compile_operand(struct program_builder *make, struct language_expression *operand)
{
	return operand == NULL ? PROGRAM_NOTHING : compile_value(make, operand);
}

static program_value make_value(struct program_builder *make, struct language_expression *expression)
{
	struct language_expression *const *operands = expression->operands;
	switch (expression->kind) {
	case LANGUAGE_CONSTANT:
		return program_constant(make, expression->constant);
	case LANGUAGE_FIELD:
		return program_field(make, expression->field);
	case LANGUAGE_FACT:
		return program_fact(make, expression->fact);
	case LANGUAGE_LOOK:
		return program_look_up(make, expression->look, compile_path(make, expression->path), false);
	case LANGUAGE_CONVERT:
		return program_convert(make, compile_value(make, operands[0]), expression->to);
	case LANGUAGE_MAP:
		return program_map(make, compile_value(make, operands[0]), expression->pairs,
				   expression->pair_count);
	case LANGUAGE_PRESENT:
		return program_operation(make, PROGRAM_NOT_EQUAL, compile_value(make, operands[0]),
					 program_constant(make, histree_null()), PROGRAM_NOTHING);
	case LANGUAGE_OPERATION:
		break;
	}
	program_value first = compile_operand(make, operands[0]), second = compile_operand(make, operands[1]);
	return program_operation(make, expression->operator, first, second, compile_operand(make, operands[2]));
}

/* An expression that stands in several places is one value. */
static program_value compile_value(struct program_builder *make, struct language_expression *expression)
{
	if (expression->value == PROGRAM_NOTHING)
		expression->value = make_value(make, expression);
	return expression->value;
}

/* ---- statements ----------------------------------------------------------------------------------------- */

static enum histree_type type_of_field(enum language_type type)
{
	static const enum histree_type types[LANGUAGE_TYPE_COUNT] = {
		[LANGUAGE_BOOL] = HISTREE_BOOL,     [LANGUAGE_INT] = HISTREE_INT,
		[LANGUAGE_INTEGER] = HISTREE_LONG,  [LANGUAGE_REAL] = HISTREE_DOUBLE,
		[LANGUAGE_STRING] = HISTREE_STRING,
	};
	return types[type];
}

/* Returns how many there are. */
static size_t compile_fields(struct program_builder *make, const struct language_statement *statement,
			     struct program_field_value fields[HISTREE_SEGMENT_FIELDS_MAX])
{
	size_t count = 0;
	for (struct language_assignment *field = statement->fields;
	     field != NULL && count < HISTREE_SEGMENT_FIELDS_MAX; field = field->next)
		fields[count++] = (struct program_field_value){
			.field = program_segment_field(make, field->name, type_of_field(field->type)),
			.value = compile_value(make, field->value),
		};
	return count;
}

static void compile_span(struct program_builder *make, program_block block, struct language_statement *statement)
{
	struct program_field_value fields[HISTREE_SEGMENT_FIELDS_MAX];
	program_value key[LANGUAGE_KEY_MAX];
	size_t count = compile_fields(make, statement, fields), keys = statement->span->key_count;
	if (statement->span->span == PROGRAM_NOTHING)
		statement->span->span = program_span_create(make, statement->span->name);
	for (size_t i = 0; i < keys; i++)
		key[i] = compile_value(make, statement->key[i]);
	program_value name = compile_operand(make, statement->value);
	if (statement->kind == LANGUAGE_BEGIN)
		program_add_span_begin(make, block, statement->span->span, key, keys, name, fields, count);
	else
		program_add_span_end(make, block, statement->span->span, key, keys, name, fields, count);
}

static void compile_segment(struct program_builder *make, program_block block, struct language_statement *statement)
{
	struct program_field_value fields[HISTREE_SEGMENT_FIELDS_MAX];
	size_t count = compile_fields(make, statement, fields);
	program_add_segment(make, block, compile_value(make, statement->value),
			    compile_operand(make, statement->from), compile_operand(make, statement->to), fields,
			    count);
}

static program_block compile_block(struct program_builder *make, struct language_statement *statement);

static void compile_change(struct program_builder *make, program_block block, struct language_statement *statement)
{
	static const enum program_change changes[] = {
		[LANGUAGE_SET] = PROGRAM_SET,       [LANGUAGE_WAS] = PROGRAM_REPLACE,
		[LANGUAGE_ADD] = PROGRAM_INCREMENT, [LANGUAGE_PUSH] = PROGRAM_PUSH,
		[LANGUAGE_POP] = PROGRAM_POP,       [LANGUAGE_POP_ALL] = PROGRAM_POP_ALL,
		[LANGUAGE_DELETE] = PROGRAM_DELETE,
	};
	program_add_change(make, block, changes[statement->kind], compile_path(make, statement->path),
			   compile_operand(make, statement->value), compile_operand(make, statement->time));
}

static void compile_statement(struct program_builder *make, program_block block,
			      struct language_statement *statement)
{
	switch (statement->kind) {
	case LANGUAGE_BEGIN:
	case LANGUAGE_FINISH:
		compile_span(make, block, statement);
		break;
	case LANGUAGE_SEGMENT:
		compile_segment(make, block, statement);
		break;
	case LANGUAGE_IF: {
		program_block then = compile_block(make, statement->then);
		program_add_if(make, block, compile_value(make, statement->value), then,
			       compile_block(make, statement->otherwise));
		break;
	}
	default:
		compile_change(make, block, statement);
		break;
	}
}

/* PROGRAM_NOTHING for no statements. */
static program_block compile_block(struct program_builder *make, struct language_statement *statement)
{
	if (statement == NULL)
		return PROGRAM_NOTHING;
	program_block block = program_block_create(make);
	for (; statement != NULL; statement = statement->next)
		compile_statement(make, block, statement);
	return block;
}

/* A row of stacks in a chart: the rows above it are its levels, and the last of them is called as the thread. */
static void compile_calls(struct program_builder *make, const struct language_chart *chart, uint32_t row)
{
	const char *levels[HISTREE_CHART_DEPTH_MAX];
	size_t count = 0, first = HISTREE_CHART_DEPTH_MAX;
	for (uint32_t above = chart->entries[row].parent; above != HISTREE_CHART_TOP && first > 0;
	     above = chart->entries[above].parent, count++)
		levels[--first] = chart->entries[above].path;
	const struct program_call_whose thread = { .origin = PROGRAM_CALL_NAME, .level = (uint32_t)count - 1 };
	const struct program_call_whose host = { .origin = PROGRAM_CALL_UNSAID };
	if (count > 0)
		program_call_group(make, levels + first, count, &thread, &host);
}

static void compile_chart(struct program_builder *make, const struct language_chart *chart)
{
	for (uint32_t row = 0; chart->chart.kind == HISTREE_CHART_STATES && row < chart->count; row++)
		if (strcmp(chart->entries[row].path, HISTREE_CHART_STACKS) == 0)
			compile_calls(make, chart, row);
}

enum histree_status language_compile(const struct language_source *source, struct language_tree *tree,
				     struct program **out, struct histree_error *error)
{
	*out = NULL;
	struct program_builder *make = program_builder_create();
	if (make == NULL)
		return error_memory(error, "an analysis");
	for (struct language_span *span = tree->spans; span != NULL; span = span->next)
		span->span = PROGRAM_NOTHING;
	for (struct language_handler *handler = tree->handlers; handler != NULL; handler = handler->next)
		program_on(make, handler->events, compile_operand(make, handler->condition),
			   compile_block(make, handler->statements));
	for (const struct language_chart *chart = tree->charts; chart != NULL; chart = chart->next)
		compile_chart(make, chart);
	enum histree_status status = program_finish(make, out, error);
	if (status != HISTREE_OK)
		error_prefix(error, "%.200s", source->path);
	return status;
}
