// SPDX-License-Identifier: MIT
/*
 * language_functions.c - the functions that an expression can call: each is a row with its name and how its
 * arguments are read.
 */
#include <stdio.h>
#include <string.h>

#include "analysis/language/language_parser.h"
#include "base/nearest.h"

enum { ARGUMENTS_MAX = 64 };

struct call {
	struct language_parser *parser;
	size_t at;
	struct language_expression *arguments[ARGUMENTS_MAX];
	size_t count;
};

/* ---- functions of values -------------------------------------------------------------------------------- */

static struct language_expression *call_int(struct call *call)
{
	return language_convert(call->parser, call->at, LANGUAGE_INT, call->arguments[0]);
}

static struct language_expression *call_integer(struct call *call)
{
	return language_convert(call->parser, call->at, LANGUAGE_INTEGER, call->arguments[0]);
}

static struct language_expression *call_real(struct call *call)
{
	return language_convert(call->parser, call->at, LANGUAGE_REAL, call->arguments[0]);
}

static struct language_expression *call_text(struct call *call)
{
	return language_convert(call->parser, call->at, LANGUAGE_STRING, call->arguments[0]);
}

static struct language_expression *call_lower(struct call *call)
{
	return language_operation(call->parser, call->at, PROGRAM_LOWER_CASE, call->arguments[0], NULL, NULL);
}

static struct language_expression *call_upper(struct call *call)
{
	return language_operation(call->parser, call->at, PROGRAM_UPPER_CASE, call->arguments[0], NULL, NULL);
}

static struct language_expression *call_length(struct call *call)
{
	struct language_expression *length =
		language_operation(call->parser, call->at, PROGRAM_LENGTH, call->arguments[0], NULL, NULL);
	return language_convert(call->parser, call->at, LANGUAGE_INTEGER, length);
}

static struct language_expression *call_part(struct call *call)
{
	for (size_t i = 1; i < call->count; i++)
		if (call->arguments[i]->type == LANGUAGE_STRING || call->arguments[i]->type == LANGUAGE_REAL ||
		    call->arguments[i]->type == LANGUAGE_BOOL)
			return language_fail(call->parser, call->arguments[i]->at,
					     "expected an integer, the place of a byte from 0, and this is %s",
					     language_type_text(call->arguments[i]->type));
	return language_operation(call->parser, call->at, PROGRAM_SUBSTRING, call->arguments[0], call->arguments[1],
				  call->count > 2 ? call->arguments[2] : NULL);
}

static struct language_expression *call_starts(struct call *call)
{
	return language_operation(call->parser, call->at, PROGRAM_STARTS_WITH, call->arguments[0],
				  call->arguments[1], NULL);
}

static struct language_expression *call_ends(struct call *call)
{
	return language_operation(call->parser, call->at, PROGRAM_ENDS_WITH, call->arguments[0], call->arguments[1],
				  NULL);
}

/* strip(text, "prefix", ...): without the first of them that it begins with. */
static struct language_expression *call_strip(struct call *call)
{
	struct language_parser *parser = call->parser;
	struct language_expression *rest = call->arguments[0];
	for (size_t i = call->count - 1; i > 0 && rest != NULL; i--) {
		struct language_expression *prefix = call->arguments[i];
		if (prefix->kind != LANGUAGE_CONSTANT || prefix->type != LANGUAGE_STRING)
			return language_fail(parser, prefix->at, "expected a text in quotes, the prefix to strip");
		struct language_expression *size =
			language_constant(parser, call->at, histree_long((int64_t)prefix->constant.size));
		rest = language_operation(
			parser, call->at, PROGRAM_CHOOSE,
			language_operation(parser, call->at, PROGRAM_STARTS_WITH, call->arguments[0], prefix, NULL),
			language_operation(parser, call->at, PROGRAM_SUBSTRING, call->arguments[0], size, NULL),
			rest);
	}
	return rest;
}

static struct language_expression *call_choose(struct call *call)
{
	return language_operation(call->parser, call->at, PROGRAM_CHOOSE, call->arguments[0], call->arguments[1],
				  call->arguments[2]);
}

/* first(a, b, ...): the first one that is there. */
static struct language_expression *call_first(struct call *call)
{
	struct language_parser *parser = call->parser;
	struct language_expression *value = call->arguments[call->count - 1];
	value->is_optional = true;
	for (size_t i = call->count - 1; i > 0 && value != NULL; i--) {
		struct language_expression *one = call->arguments[i - 1];
		struct language_expression *is_there =
			language_comparison(parser, call->at, PROGRAM_NOT_EQUAL, one,
					    language_constant(parser, call->at, histree_null()));
		value = language_operation(parser, call->at, PROGRAM_CHOOSE, is_there, one, value);
	}
	return value;
}

/* field("cpu"): a field with the name of something else. */
static struct language_expression *call_field(struct call *call)
{
	struct language_expression *name = call->arguments[0];
	if (name->kind != LANGUAGE_CONSTANT || name->type != LANGUAGE_STRING || name->constant.size == 0)
		return language_fail(call->parser, name->at, "expected the name of a field in quotes");
	return language_field(call->parser, call->at, name->constant.bytes);
}

static const struct {
	const char *name;
	size_t least, most; /* arguments */
	struct language_expression *(*make)(struct call *call);
	const char *form;
} functions[] = {
	{ "int", 1, 1, call_int, "int(VALUE)" },
	{ "integer", 1, 1, call_integer, "integer(VALUE)" },
	{ "real", 1, 1, call_real, "real(VALUE)" },
	{ "text", 1, 1, call_text, "text(VALUE)" },
	{ "lower", 1, 1, call_lower, "lower(TEXT)" },
	{ "upper", 1, 1, call_upper, "upper(TEXT)" },
	{ "length", 1, 1, call_length, "length(TEXT)" },
	{ "part", 2, 3, call_part, "part(TEXT, FROM, TO)" },
	{ "starts", 2, 2, call_starts, "starts(TEXT, PREFIX)" },
	{ "ends", 2, 2, call_ends, "ends(TEXT, SUFFIX)" },
	{ "strip", 2, 16, call_strip, "strip(TEXT, PREFIX, ...)" },
	{ "choose", 3, 3, call_choose, "choose(CONDITION, VALUE, OTHERWISE)" },
	{ "first", 2, 16, call_first, "first(VALUE, VALUE, ...)" },
	{ "field", 1, 1, call_field, "field(\"NAME\")" },
};
enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

/* ---- those with an own form ----------------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum program_look look;
} looks[] = { { "state", PROGRAM_ONGOING }, { "since", PROGRAM_SINCE }, { "top", PROGRAM_TOP } };

static struct language_expression *read_look(struct language_parser *parser, size_t at, enum program_look look)
{
	struct language_expression *expression = language_allocate(parser, sizeof(*expression));
	struct language_path *path = language_read_path(parser);
	language_need_sign(parser, ")", "or '/' after the path");
	if (expression == NULL || path == NULL || parser->status != HISTREE_OK)
		return NULL;
	*expression = (struct language_expression){ .kind = LANGUAGE_LOOK,
						    .type = look == PROGRAM_SINCE ? LANGUAGE_INTEGER : LANGUAGE_ANY,
						    .at = at,
						    .look = look,
						    .path = path,
						    .value = PROGRAM_NOTHING };
	return language_weigh(parser, expression);
}

static bool read_pair(struct language_parser *parser, struct program_pair *pair)
{
	struct language_expression *from = language_read_expression(parser);
	language_need_sign(parser, ":", "between the value and what it becomes, as in 'map(op, 0: \"wait\")'");
	struct language_expression *to = language_read_expression(parser);
	if (from == NULL || to == NULL)
		return false;
	if (from->kind != LANGUAGE_CONSTANT || to->kind != LANGUAGE_CONSTANT) {
		language_fail(parser, from->kind != LANGUAGE_CONSTANT ? from->at : to->at,
			      "expected a number or a text in quotes");
		return false;
	}
	*pair = (struct program_pair){ .from = from->constant, .to = to->constant };
	return true;
}

/* map(value, 0: "a", 1: "b"); any other value stays what it is. */
static struct language_expression *read_map(struct language_parser *parser, size_t at)
{
	struct program_pair pairs[ARGUMENTS_MAX];
	size_t count = 0;
	struct language_expression *value = language_read_expression(parser);
	while (value != NULL && language_take_sign(parser, ",")) {
		if (count == ARGUMENTS_MAX)
			return language_fail(parser, at, "a map has at most %d values", ARGUMENTS_MAX);
		if (!read_pair(parser, &pairs[count]))
			return NULL;
		for (size_t i = 0; i < count; i++)
			if (histree_value_equal(&pairs[i].from, &pairs[count].from))
				return language_fail(parser, language_token(parser)->at,
						     "the map has this value twice");
		count++;
	}
	language_need_sign(parser, ")", "or ',' after a pair of a map");
	struct language_expression *map = language_allocate(parser, sizeof(*map));
	struct program_pair *kept = language_allocate(parser, (count + 1) * sizeof(*kept));
	if (map == NULL || kept == NULL || value == NULL)
		return NULL;
	if (count == 0)
		return language_fail(parser, at, "expected what the value becomes, as in 'map(op, 0: \"wait\")'");
	memcpy(kept, pairs, count * sizeof(*kept));
	*map = (struct language_expression){ .kind = LANGUAGE_MAP,
					     .at = at,
					     .pairs = kept,
					     .pair_count = count,
					     .operands = { value },
					     .value = PROGRAM_NOTHING };
	return language_weigh(parser, map);
}

static struct language_expression *refuse_name(struct language_parser *parser, const struct language_token *name)
{
	struct nearest nearest = nearest_begin(name->text);
	for (size_t i = 0; i < FUNCTIONS; i++)
		nearest_offer(&nearest, functions[i].name);
	for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++)
		nearest_offer(&nearest, looks[i].name);
	nearest_offer(&nearest, "map");
	if (nearest.word != NULL)
		return language_fail(parser, name->at, "there is no function '%.40s'; the nearest is '%s'",
				     name->text, nearest.word);
	return language_fail(
		parser, name->at,
		"there is no function '%.40s'; there are state, since, top, map, first, choose, strip, "
		"part, starts, ends, length, lower, upper, int, integer, real, text, field",
		name->text);
}

struct language_expression *language_read_call(struct language_parser *parser, const struct language_token *name)
{
	struct call call = { .parser = parser, .at = name->at };
	size_t index = 0;
	while (index < FUNCTIONS && strcmp(functions[index].name, name->text) != 0)
		index++;
	bool is_map = strcmp(name->text, "map") == 0;
	size_t look = 0;
	while (look < sizeof(looks) / sizeof(looks[0]) && strcmp(looks[look].name, name->text) != 0)
		look++;
	bool is_look = look < sizeof(looks) / sizeof(looks[0]);
	if (index == FUNCTIONS && !is_map && !is_look)
		return refuse_name(parser, name);
	language_next(parser);
	if (is_look)
		return read_look(parser, name->at, looks[look].look);
	if (is_map)
		return read_map(parser, name->at);
	do {
		struct language_expression *argument = language_read_expression(parser);
		if (argument == NULL)
			return NULL;
		if (call.count == functions[index].most)
			return language_fail(parser, argument->at, "expected ')', as in '%s'",
					     functions[index].form);
		call.arguments[call.count++] = argument;
	} while (language_take_sign(parser, ","));
	if (call.count < functions[index].least && parser->status == HISTREE_OK)
		return language_fail(parser, language_token(parser)->at, "expected ',' and a value, as in '%s'",
				     functions[index].form);
	language_need_sign(parser, ")", "or ',' after a value of the function");
	return parser->status == HISTREE_OK ? functions[index].make(&call) : NULL;
}
