// SPDX-License-Identifier: MIT
/*
 * language_expressions.c - expressions and paths of our own language, and the functions that they call, a row
 * each.
 *
 * Each function that an expression can call is a row with its name and the way its arguments are read.
 *
 * Expressions and paths of our own language.
 *
 * Paths of attributes: "CPUs/{cpu}/Current_thread", "\"a b\"/0_{cpu}".  They are read byte by byte, because names
 * in them may contain other characters than words.
 *
 * Expressions, by recursive descent over a table of what binds how strongly.
 */
#include <stdio.h>
#include <string.h>

#include "analysis/language/language_parser.h"
#include "base/error.h"
#include "base/nearest.h"

/* ---- language functions -------------------------------------------------------------------------------------- */

enum { ARGUMENTS_MAX = 64 };

struct call {
	struct language_parser *parser;
	size_t at;
	struct language_expression *arguments[ARGUMENTS_MAX];
	size_t count;
};

/* ---- functions of values -------------------------------------------------------------------------------- */

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

enum { NO_OPERATOR = -1 };

static const struct function {
	const char *name;
	size_t least, most; /* arguments */
	const char *form;
	int operator;                                           /* that it applies to them, or NO_OPERATOR, */
	enum language_type type;                                /* and what it makes of that, or LANGUAGE_ANY, */
	struct language_expression *(*make)(struct call *call); /* or NULL: who does it in place of both */
} functions[] = {
	{ "int", 1, 1, "int(VALUE)", NO_OPERATOR, LANGUAGE_INT, NULL },
	{ "integer", 1, 1, "integer(VALUE)", NO_OPERATOR, LANGUAGE_INTEGER, NULL },
	{ "real", 1, 1, "real(VALUE)", NO_OPERATOR, LANGUAGE_REAL, NULL },
	{ "text", 1, 1, "text(VALUE)", NO_OPERATOR, LANGUAGE_STRING, NULL },
	{ "lower", 1, 1, "lower(TEXT)", PROGRAM_LOWER_CASE, LANGUAGE_ANY, NULL },
	{ "upper", 1, 1, "upper(TEXT)", PROGRAM_UPPER_CASE, LANGUAGE_ANY, NULL },
	{ "length", 1, 1, "length(TEXT)", PROGRAM_LENGTH, LANGUAGE_INTEGER, NULL },
	{ "part", 2, 3, "part(TEXT, FROM, TO)", NO_OPERATOR, LANGUAGE_ANY, call_part },
	{ "starts", 2, 2, "starts(TEXT, PREFIX)", PROGRAM_STARTS_WITH, LANGUAGE_ANY, NULL },
	{ "ends", 2, 2, "ends(TEXT, SUFFIX)", PROGRAM_ENDS_WITH, LANGUAGE_ANY, NULL },
	{ "strip", 2, 16, "strip(TEXT, PREFIX, ...)", NO_OPERATOR, LANGUAGE_ANY, call_strip },
	{ "choose", 3, 3, "choose(CONDITION, VALUE, OTHERWISE)", PROGRAM_CHOOSE, LANGUAGE_ANY, NULL },
	{ "first", 2, 16, "first(VALUE, VALUE, ...)", NO_OPERATOR, LANGUAGE_ANY, call_first },
	{ "field", 1, 1, "field(\"NAME\")", NO_OPERATOR, LANGUAGE_ANY, call_field },
};

static struct language_expression *call_function(const struct function *function, struct call *call)
{
	struct language_expression **of = call->arguments, *value = of[0];
	if (function->make != NULL)
		return function->make(call);
	if (function->operator!= NO_OPERATOR)
		value = language_operation(call->parser, call->at, (enum program_operator)function->operator, of[0],
					   of[1], of[2]);
	return function->type != LANGUAGE_ANY ? language_convert(call->parser, call->at, function->type, value)
					      : value;
}

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
	if (index == FUNCTIONS && !is_map && !is_look) {
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
	return parser->status == HISTREE_OK ? call_function(&functions[index], &call) : NULL;
}

/* ---- language paths ------------------------------------------------------------------------------------------ */

static bool is_of_name(const char *at)
{
	char c = at[0];
	if (c == '-' || c == '+')
		return at[1] != '=';
	return language_is_of_word(c) || (c != '\0' && strchr(".@%$&~^", c) != NULL) ||
	       ((unsigned char)c & 0x80) != 0;
}

static struct language_expression *read_braces(struct language_parser *parser, size_t *at)
{
	language_go_on(parser, *at + 1);
	struct language_expression *value = language_read_expression(parser);
	if (value == NULL)
		return NULL;
	if (!language_is_sign(language_token(parser), "}"))
		return language_expected(parser, "'}' after the value in a path");
	*at = language_token(parser)->at + 1;
	if (value->type == LANGUAGE_NULL)
		return language_fail(parser, value->at, "a path has no component that is null");
	return value;
}

static struct language_expression *read_quoted(struct language_parser *parser, size_t *at)
{
	struct language_token text;
	language_lexer_text(&parser->lexer, *at, &text);
	if (text.kind == LANGUAGE_NONE)
		return language_fail(parser, *at, "expected a name in the path, not %s", text.text);
	size_t begin = *at;
	*at += text.size;
	return language_constant(parser, begin, histree_string(text.text));
}

static struct language_expression *read_plain(struct language_parser *parser, size_t *at)
{
	const char *text = parser->source->text;
	size_t begin = *at;
	while (is_of_name(text + *at))
		++*at;
	char *name = arena_copy(&parser->tree->arena, text + begin, *at - begin);
	if (name == NULL)
		return language_fail(parser, begin, "out of memory");
	return language_constant(parser, begin, histree_string(name));
}

/* Names, texts in quotes and values in braces, next to each other. */
static struct language_expression *read_component(struct language_parser *parser, size_t *at)
{
	struct language_expression *whole = NULL;
	size_t begin = *at;
	while (parser->status == HISTREE_OK) {
		char c = parser->source->text[*at];
		struct language_expression *part;
		if (c == '{')
			part = read_braces(parser, at);
		else if (c == '"' || c == '\'')
			part = read_quoted(parser, at);
		else if (is_of_name(parser->source->text + *at))
			part = read_plain(parser, at);
		else
			break;
		if (part == NULL)
			return NULL;
		if (whole == NULL) {
			whole = part;
			continue;
		}
		if (part->type != LANGUAGE_STRING)
			part = language_convert(parser, part->at, LANGUAGE_STRING, part);
		if (whole->type != LANGUAGE_STRING)
			whole = language_convert(parser, whole->at, LANGUAGE_STRING, whole);
		whole = language_operation(parser, begin, PROGRAM_ADD, whole, part, NULL);
	}
	if (whole == NULL)
		return language_fail(parser, *at,
				     "expected a name in a path; one with blanks or other signs stands in quotes");
	if (whole->kind == LANGUAGE_CONSTANT && whole->type == LANGUAGE_STRING && whole->constant.size == 0)
		return language_fail(parser, begin, "a path has no component that is empty");
	return whole;
}

struct language_path *language_read_path(struct language_parser *parser)
{
	if (!language_enter(parser))
		return NULL;
	struct language_path *path = language_allocate(parser, sizeof(*path));
	size_t at = language_token(parser)->at, begin = at;
	if (path == NULL)
		return NULL;
	if ((language_token(parser)->kind == LANGUAGE_NONE && language_token(parser)->size == 0) ||
	    language_token(parser)->kind == LANGUAGE_LINE || language_token(parser)->kind == LANGUAGE_END ||
	    language_token(parser)->kind == LANGUAGE_INDENT || language_token(parser)->kind == LANGUAGE_OUTDENT)
		return language_expected(parser, "the path of an attribute");
	for (struct language_component **last = &path->components; parser->status == HISTREE_OK;) {
		struct language_component *component = language_allocate(parser, sizeof(*component));
		if (component == NULL)
			return NULL;
		component->name = read_component(parser, &at);
		if (component->name == NULL)
			return NULL;
		*last = component;
		last = &component->next;
		if (parser->source->text[at] != '/')
			break;
		at++;
	}
	language_leave(parser);
	path->at = begin;
	path->size = at - begin;
	path->path = PROGRAM_NOTHING;
	path->next = parser->tree->paths;
	parser->tree->paths = path;
	language_go_on(parser, at);
	return parser->status == HISTREE_OK ? path : NULL;
}

/* ---- language expressions ------------------------------------------------------------------------------------ */

const char *language_type_text(enum language_type type)
{
	static const char *const texts[LANGUAGE_TYPE_COUNT] = {
		[LANGUAGE_ANY] = "what the trace says", [LANGUAGE_NULL] = "null",
		[LANGUAGE_BOOL] = "true or false",      [LANGUAGE_INT] = "an int",
		[LANGUAGE_INTEGER] = "an integer",      [LANGUAGE_REAL] = "a real number",
		[LANGUAGE_STRING] = "a text",
	};
	return texts[type];
}

static bool is_number(enum language_type type)
{
	return type == LANGUAGE_INT || type == LANGUAGE_INTEGER || type == LANGUAGE_REAL;
}

static bool may_be_number(enum language_type type)
{
	return is_number(type) || type == LANGUAGE_ANY || type == LANGUAGE_NULL;
}

static bool may_be_integer(enum language_type type)
{
	return may_be_number(type) && type != LANGUAGE_REAL;
}

/* ---- nodes ---------------------------------------------------------------------------------------------- */

static struct language_expression *create(struct language_parser *parser, enum language_expression_kind kind,
					  size_t at)
{
	struct language_expression *expression = language_allocate(parser, sizeof(*expression));
	if (expression != NULL) {
		expression->kind = kind;
		expression->at = at;
		expression->weight = expression->height = 1;
		expression->value = PROGRAM_NOTHING;
	}
	return expression;
}

struct language_expression *language_weigh(struct language_parser *parser, struct language_expression *expression)
{
	size_t weight = 1, height = 0;
	for (size_t i = 0; i < 3 && expression->operands[i] != NULL; i++) {
		weight += expression->operands[i]->weight;
		if (expression->operands[i]->height > height)
			height = expression->operands[i]->height;
	}
	if (expression->path != NULL) {
		for (struct language_component *part = expression->path->components; part != NULL;
		     part = part->next) {
			weight += part->name->weight;
			if (part->name->height > height)
				height = part->name->height;
		}
	}
	expression->weight = weight;
	expression->height = height + 1;
	if (weight > LANGUAGE_WEIGHT_MAX || height >= LANGUAGE_HEIGHT_MAX)
		return language_fail(parser, expression->at,
				     "this expression is too large, with what its names stand for: at most %d "
				     "operations, %d within one another",
				     LANGUAGE_WEIGHT_MAX, LANGUAGE_HEIGHT_MAX);
	return expression;
}

static enum language_type type_of_value(struct histree_value value)
{
	switch (value.type) {
	case HISTREE_BOOL:
		return LANGUAGE_BOOL;
	case HISTREE_INT:
		return LANGUAGE_INT;
	case HISTREE_LONG:
		return LANGUAGE_INTEGER;
	case HISTREE_DOUBLE:
		return LANGUAGE_REAL;
	case HISTREE_STRING:
		return LANGUAGE_STRING;
	default:
		return LANGUAGE_NULL;
	}
}

struct language_expression *language_constant(struct language_parser *parser, size_t at, struct histree_value value)
{
	struct language_expression *constant = create(parser, LANGUAGE_CONSTANT, at);
	if (constant != NULL) {
		constant->constant = value;
		constant->type = type_of_value(value);
	}
	return constant;
}

/* The wider of two numbers; what is not known makes what is not known. */
static enum language_type wider(enum language_type a, enum language_type b)
{
	if (a == LANGUAGE_NULL || b == LANGUAGE_NULL)
		return LANGUAGE_NULL;
	if (a == LANGUAGE_ANY || b == LANGUAGE_ANY)
		return LANGUAGE_ANY;
	return a > b ? a : b; /* in the order of enum language_type */
}

static enum language_type type_of_operation(const struct language_expression *operation)
{
	enum language_type first = operation->operands[0]->type;
	enum language_type second = operation->operands[1] != NULL ? operation->operands[1]->type : LANGUAGE_NULL;
	enum language_type third = operation->operands[2] != NULL ? operation->operands[2]->type : LANGUAGE_NULL;
	switch (operation->operator) {
	case PROGRAM_ADD:
		return first == LANGUAGE_STRING || second == LANGUAGE_STRING ? LANGUAGE_STRING
									     : wider(first, second);
	case PROGRAM_NEGATE:
	case PROGRAM_BIT_NOT:
		/* The least int has no opposite among ints. */
		return first == LANGUAGE_INT ? LANGUAGE_ANY : first;
	case PROGRAM_SUBTRACT:
	case PROGRAM_MULTIPLY:
	case PROGRAM_DIVIDE:
	case PROGRAM_REMAINDER:
	case PROGRAM_BIT_AND:
	case PROGRAM_BIT_OR:
	case PROGRAM_BIT_XOR:
	case PROGRAM_SHIFT_LEFT:
	case PROGRAM_SHIFT_RIGHT: {
		/* Ints that do not fit become long. */
		enum language_type type = wider(first, second);
		return type == LANGUAGE_INT ? LANGUAGE_ANY : type;
	}
	case PROGRAM_CHOOSE:
		return second == third           ? second
		       : second == LANGUAGE_NULL ? third
		       : third == LANGUAGE_NULL  ? second
						 : LANGUAGE_ANY;
	case PROGRAM_SUBSTRING:
	case PROGRAM_LOWER_CASE:
	case PROGRAM_UPPER_CASE:
		return LANGUAGE_STRING;
	case PROGRAM_LENGTH:
	case PROGRAM_INDEX_OF:
		return LANGUAGE_INT;
	default:
		return LANGUAGE_BOOL;
	}
}

/* Returns false, and says it, if an operand is no number. */
static bool need_numbers(struct language_parser *parser, const struct language_expression *operation, bool integers)
{
	for (size_t i = 0; i < 2 && operation->operands[i] != NULL; i++) {
		const struct language_expression *operand = operation->operands[i];
		if (integers ? may_be_integer(operand->type) : may_be_number(operand->type))
			continue;
		language_fail(parser, operand->at, "expected %s, and this is %s",
			      integers ? "an integer" : "a number", language_type_text(operand->type));
		return false;
	}
	return true;
}

static bool need_text(struct language_parser *parser, const struct language_expression *operand)
{
	if (operand->type == LANGUAGE_STRING || operand->type == LANGUAGE_ANY || operand->type == LANGUAGE_NULL)
		return true;
	language_fail(parser, operand->at, "expected a text, and this is %s", language_type_text(operand->type));
	return false;
}

/* A text is never equal to a number. */
static bool need_comparable(struct language_parser *parser, const struct language_expression *operation)
{
	enum language_type a = operation->operands[0]->type, b = operation->operands[1]->type;
	bool is_known = a > LANGUAGE_NULL && b > LANGUAGE_NULL;
	if (!is_known || a == b || (is_number(a) && is_number(b)))
		return true;
	language_fail(parser, operation->operands[1]->at, "%s is compared with %s, which is never the same",
		      language_type_text(a), language_type_text(b));
	return false;
}

static bool has_right_operands(struct language_parser *parser, const struct language_expression *operation)
{
	struct language_expression *const *operands = operation->operands;
	switch (operation->operator) {
	case PROGRAM_EQUAL:
	case PROGRAM_NOT_EQUAL:
	case PROGRAM_LESS:
	case PROGRAM_LESS_OR_EQUAL:
	case PROGRAM_GREATER:
	case PROGRAM_GREATER_OR_EQUAL:
		return need_comparable(parser, operation);
	case PROGRAM_ADD:
		return operands[0]->type == LANGUAGE_STRING || operands[1]->type == LANGUAGE_STRING ||
		       need_numbers(parser, operation, false);
	case PROGRAM_SUBTRACT:
	case PROGRAM_MULTIPLY:
	case PROGRAM_DIVIDE:
	case PROGRAM_REMAINDER:
	case PROGRAM_NEGATE:
		return need_numbers(parser, operation, false);
	case PROGRAM_BIT_AND:
	case PROGRAM_BIT_OR:
	case PROGRAM_BIT_XOR:
	case PROGRAM_BIT_NOT:
	case PROGRAM_SHIFT_LEFT:
	case PROGRAM_SHIFT_RIGHT:
		return need_numbers(parser, operation, true);
	case PROGRAM_INDEX_OF:
	case PROGRAM_STARTS_WITH:
	case PROGRAM_ENDS_WITH:
	case PROGRAM_MATCHES:
		return need_text(parser, operands[0]) && need_text(parser, operands[1]);
	case PROGRAM_SUBSTRING:
	case PROGRAM_LENGTH:
	case PROGRAM_LOWER_CASE:
	case PROGRAM_UPPER_CASE:
		return need_text(parser, operands[0]);
	default:
		return true;
	}
}

struct language_expression *language_operation(struct language_parser *parser, size_t at,
					       enum program_operator operator, struct language_expression * first,
					       struct language_expression *second,
					       struct language_expression *third)
{
	/* What could not be read is NULL too: then it was said already. */
	if (parser->status != HISTREE_OK || first == NULL)
		return NULL;
	struct language_expression *operation = create(parser, LANGUAGE_OPERATION, at);
	if (operation == NULL)
		return NULL;
	operation->operator= operator;
	operation->operands[0] = first;
	operation->operands[1] = second;
	operation->operands[2] = third;
	if (!has_right_operands(parser, operation))
		return NULL;
	operation->type = type_of_operation(operation);
	return language_weigh(parser, operation);
}

struct language_expression *language_convert(struct language_parser *parser, size_t at, enum language_type type,
					     struct language_expression *value)
{
	static const enum histree_type types[LANGUAGE_TYPE_COUNT] = { [LANGUAGE_INT] = HISTREE_INT,
								      [LANGUAGE_INTEGER] = HISTREE_LONG,
								      [LANGUAGE_REAL] = HISTREE_DOUBLE,
								      [LANGUAGE_STRING] = HISTREE_STRING };
	if (value == NULL)
		return NULL;
	struct language_expression *convert = create(parser, LANGUAGE_CONVERT, at);
	if (convert == NULL)
		return NULL;
	convert->to = types[type];
	convert->type = type;
	convert->operands[0] = value;
	return language_weigh(parser, convert);
}

static struct language_expression *present(struct language_parser *parser, size_t at,
					   struct language_expression *value)
{
	struct language_expression *test = value == NULL ? NULL : create(parser, LANGUAGE_PRESENT, at);
	if (test == NULL)
		return NULL;
	test->operands[0] = value;
	test->type = LANGUAGE_BOOL;
	return language_weigh(parser, test);
}

static struct language_expression *negation(struct language_parser *parser, size_t at,
					    struct language_expression *value)
{
	return language_operation(parser, at, PROGRAM_NOT, value, NULL, NULL);
}

struct language_expression *language_comparison(struct language_parser *parser, size_t at,
						enum program_operator operator, struct language_expression * first,
						struct language_expression *second)
{
	if (first == NULL || second == NULL)
		return NULL;
	if (second->kind == LANGUAGE_CONSTANT && second->type == LANGUAGE_NULL) {
		first->is_optional = true;
		if (operator== PROGRAM_EQUAL)
			return negation(parser, at, present(parser, at, first));
		if (operator== PROGRAM_NOT_EQUAL)
			return present(parser, at, first);
		return language_fail(parser, second->at, "null is compared by '==' and '!=' only");
	}
	/* The engine has null equal to null and less than all else: what that would decide is asked before. */
	struct language_expression *test = language_operation(parser, at, operator, first, second, NULL);
	bool first_is_there = first->kind == LANGUAGE_CONSTANT, second_is_there = second->kind == LANGUAGE_CONSTANT;
	bool first_decides = operator== PROGRAM_NOT_EQUAL || operator== PROGRAM_LESS || operator==
		PROGRAM_LESS_OR_EQUAL;
	bool second_decides = operator== PROGRAM_NOT_EQUAL || operator== PROGRAM_GREATER || operator==
		PROGRAM_GREATER_OR_EQUAL;
	bool both_decide = !first_is_there && !second_is_there &&
			   (operator== PROGRAM_EQUAL || operator== PROGRAM_LESS_OR_EQUAL || operator==
			    PROGRAM_GREATER_OR_EQUAL);
	if (!first_is_there && (first_decides || both_decide))
		test = language_operation(parser, at, PROGRAM_AND, test, present(parser, at, first), NULL);
	if (!second_is_there && (second_decides || (both_decide && operator!= PROGRAM_EQUAL)))
		test = language_operation(parser, at, PROGRAM_AND, test, present(parser, at, second), NULL);
	return test;
}

/* ---- names ---------------------------------------------------------------------------------------------- */

struct language_expression *language_field(struct language_parser *parser, size_t at, const char *name)
{
	struct language_expression *field = create(parser, LANGUAGE_FIELD, at);
	if (field != NULL) {
		field->field = name;
		field->next_field = parser->tree->fields;
		parser->tree->fields = field;
	}
	return field;
}

struct language_expression *language_name(struct language_parser *parser, const struct language_token *name)
{
	static const struct {
		const char *word;
		enum program_fact fact;
		enum language_type type;
		bool is_of_spans;
	} facts[] = {
		{ "event", PROGRAM_EVENT_NAME, LANGUAGE_STRING, false },
		{ "time", PROGRAM_TIME, LANGUAGE_INTEGER, false },
		{ "host", PROGRAM_HOST, LANGUAGE_STRING, false },
		{ "elapsed", PROGRAM_ELAPSED, LANGUAGE_INTEGER, true },
	};
	for (const struct language_let *let = parser->tree->lets; let != NULL; let = let->next)
		if (strcmp(let->name, name->text) == 0)
			return let->value;
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		if (strcmp(name->text, facts[i].word) != 0 || (facts[i].is_of_spans && !parser->is_under_way))
			continue;
		struct language_expression *fact = create(parser, LANGUAGE_FACT, name->at);
		if (fact != NULL) {
			fact->fact = facts[i].fact;
			fact->type = facts[i].type;
		}
		return fact;
	}
	if (strcmp(name->text, "cpu") == 0) {
		/* Whole numbers are long, and so is this one. */
		struct language_expression *cpu = create(parser, LANGUAGE_FACT, name->at);
		if (cpu != NULL) {
			cpu->fact = PROGRAM_CPU;
			cpu->type = LANGUAGE_INT;
		}
		return language_convert(parser, name->at, LANGUAGE_INTEGER, cpu);
	}
	if (strcmp(name->text, "null") == 0)
		return language_constant(parser, name->at, histree_null());
	if (strcmp(name->text, "true") == 0 || strcmp(name->text, "false") == 0)
		return language_constant(parser, name->at, histree_bool(name->text[0] == 't'));
	return language_field(parser, name->at, name->text);
}

static struct language_expression *read_primary(struct language_parser *parser)
{
	const struct language_token token = *language_token(parser);
	switch (token.kind) {
	case LANGUAGE_NUMBER:
		language_next(parser);
		return language_constant(parser, token.at, token.value);
	case LANGUAGE_TEXT:
		language_next(parser);
		return language_constant(parser, token.at, histree_string(token.text));
	case LANGUAGE_WORD:
		language_next(parser);
		if (language_is_sign(language_token(parser), "("))
			return language_read_call(parser, &token);
		return language_name(parser, &token);
	default:
		break;
	}
	if (!language_take_sign(parser, "("))
		return language_expected(parser, "a value");
	struct language_expression *inside = language_read_expression(parser);
	language_need_sign(parser, ")", "or an operator");
	return parser->status == HISTREE_OK ? inside : NULL;
}

/* ---- operators ------------------------------------------------------------------------------------------ */

/* Signs of two operands, by level; a higher one binds more tightly. */
static const struct {
	const char *sign;
	unsigned level;
	enum program_operator operator;
} binaries[] = {
	{ "|", 0, PROGRAM_BIT_OR },      { "^", 1, PROGRAM_BIT_XOR },      { "&", 2, PROGRAM_BIT_AND },
	{ "<<", 3, PROGRAM_SHIFT_LEFT }, { ">>", 3, PROGRAM_SHIFT_RIGHT }, { "+", 4, PROGRAM_ADD },
	{ "-", 4, PROGRAM_SUBTRACT },    { "*", 5, PROGRAM_MULTIPLY },     { "/", 5, PROGRAM_DIVIDE },
	{ "%", 5, PROGRAM_REMAINDER },
};

enum { LEVELS = 6 };

static struct language_expression *read_signed(struct language_parser *parser)
{
	size_t at = language_token(parser)->at;
	enum program_operator operator= language_is_sign(language_token(parser), "-") ? PROGRAM_NEGATE
										      : PROGRAM_BIT_NOT;
	if (!language_is_sign(language_token(parser), "-") && !language_is_sign(language_token(parser), "~"))
		return read_primary(parser);
	if (!language_enter(parser))
		return NULL;
	language_next(parser);
	struct language_expression *value = read_signed(parser);
	language_leave(parser);
	if (operator== PROGRAM_NEGATE && value != NULL && value->kind == LANGUAGE_CONSTANT) {
		if (value->type == LANGUAGE_INTEGER && value->constant.int64 != INT64_MIN)
			return language_constant(parser, at, histree_long(-value->constant.int64));
		if (value->type == LANGUAGE_REAL)
			return language_constant(parser, at, histree_double(-value->constant.real));
	}
	return language_operation(parser, at, operator, value, NULL, NULL);
}

/* Returns the index of the binary sign of that level that is there, or a number past the last. */
static size_t binary_of(struct language_parser *parser, unsigned level)
{
	size_t i = 0;
	while (i < sizeof(binaries) / sizeof(binaries[0]) &&
	       (binaries[i].level != level || !language_is_sign(language_token(parser), binaries[i].sign)))
		i++;
	return i;
}

static struct language_expression *read_level(struct language_parser *parser, unsigned level)
{
	if (level == LEVELS)
		return read_signed(parser);
	struct language_expression *left = read_level(parser, level + 1);
	for (size_t i = binary_of(parser, level); i < sizeof(binaries) / sizeof(binaries[0]);
	     i = binary_of(parser, level)) {
		size_t at = left != NULL ? left->at : language_token(parser)->at;
		language_next(parser);
		struct language_expression *right = read_level(parser, level + 1);
		left = language_operation(parser, at, binaries[i].operator, left, right, NULL);
	}
	return left;
}

/* "in" was read: (1, 2, 3). */
static struct language_expression *read_in(struct language_parser *parser, size_t at,
					   struct language_expression *value)
{
	struct language_expression *any = NULL;
	language_need_sign(parser, "(", "and values after 'in', as in 'op in (1, 2)'");
	do {
		struct language_expression *one = read_level(parser, 0);
		struct language_expression *test = language_comparison(parser, at, PROGRAM_EQUAL, value, one);
		any = any == NULL ? test : language_operation(parser, at, PROGRAM_OR, any, test, NULL);
	} while (any != NULL && language_take_sign(parser, ","));
	language_need_sign(parser, ")", "or ',' after a value of 'in'");
	return parser->status == HISTREE_OK ? any : NULL;
}

static struct language_expression *read_comparison(struct language_parser *parser)
{
	static const struct {
		const char *sign;
		enum program_operator operator;
	} comparisons[] = {
		{ "==", PROGRAM_EQUAL },         { "=", PROGRAM_EQUAL }, { "!=", PROGRAM_NOT_EQUAL },
		{ "<=", PROGRAM_LESS_OR_EQUAL }, { "<", PROGRAM_LESS },  { ">=", PROGRAM_GREATER_OR_EQUAL },
		{ ">", PROGRAM_GREATER },
	};
	struct language_expression *left = read_level(parser, 0);
	size_t at = left != NULL ? left->at : language_token(parser)->at;
	for (size_t i = 0; i < sizeof(comparisons) / sizeof(comparisons[0]); i++) {
		if (!language_is_sign(language_token(parser), comparisons[i].sign))
			continue;
		language_next(parser);
		return language_comparison(parser, at, comparisons[i].operator, left, read_level(parser, 0));
	}
	if (language_take_word(parser, "in"))
		return read_in(parser, at, left);
	if (language_take_word(parser, "contains")) {
		struct language_expression *value = left;
		struct language_expression *part = read_level(parser, 0);
		if (value != NULL && value->type != LANGUAGE_STRING)
			value = language_convert(parser, value->at, LANGUAGE_STRING, value);
		struct language_expression *place =
			language_operation(parser, at, PROGRAM_INDEX_OF, value, part, NULL);
		return language_comparison(parser, at, PROGRAM_GREATER_OR_EQUAL, place,
					   language_constant(parser, at, histree_long(0)));
	}
	if (language_take_word(parser, "like")) {
		struct language_expression *pattern = read_level(parser, 0);
		struct language_expression *test =
			language_operation(parser, at, PROGRAM_MATCHES, left, pattern, NULL);
		return language_operation(parser, at, PROGRAM_AND, present(parser, at, left), test, NULL);
	}
	if (language_take_word(parser, "present")) {
		if (left != NULL)
			left->is_optional = true;
		return present(parser, at, left);
	}
	if (language_is_word(language_token(parser), "matches"))
		return language_expected(parser, "an operator; 'like' compares with a pattern as \"irq_*\"");
	return left;
}

static struct language_expression *read_not(struct language_parser *parser)
{
	size_t at = language_token(parser)->at;
	if (!language_take_sign(parser, "!"))
		return read_comparison(parser);
	if (!language_enter(parser))
		return NULL;
	struct language_expression *value = read_not(parser);
	language_leave(parser);
	return negation(parser, at, value);
}

static struct language_expression *read_all(struct language_parser *parser)
{
	struct language_expression *left = read_not(parser);
	while (left != NULL && language_take_sign(parser, "&&"))
		left = language_operation(parser, left->at, PROGRAM_AND, left, read_not(parser), NULL);
	return left;
}

struct language_expression *language_read_expression(struct language_parser *parser)
{
	if (!language_enter(parser))
		return NULL;
	struct language_expression *left = read_all(parser);
	while (left != NULL && language_take_sign(parser, "||"))
		left = language_operation(parser, left->at, PROGRAM_OR, left, read_all(parser), NULL);
	language_leave(parser);
	return parser->status == HISTREE_OK ? left : NULL;
}

struct language_expression *language_read_condition(struct language_parser *parser)
{
	size_t at = language_token(parser)->at;
	struct language_expression *condition = language_read_expression(parser);
	if (condition != NULL && (condition->type == LANGUAGE_STRING || condition->type == LANGUAGE_NULL))
		return language_fail(parser, at, "expected a condition, and this is %s",
				     language_type_text(condition->type));
	return condition;
}

struct language_expression *language_read_time(struct language_parser *parser)
{
	size_t at = language_token(parser)->at;
	struct language_expression *time = language_read_expression(parser);
	if (time != NULL && !may_be_integer(time->type))
		return language_fail(parser, at, "expected a time as 'time + 10ms', and this is %s",
				     language_type_text(time->type));
	return time;
}
