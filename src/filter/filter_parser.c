// SPDX-License-Identifier: MIT
/*
 * filter_parser.c - by recursive descent:
 *
 *	choice	= all { "||" all }
 *	all	= not { "&&" not }
 *	not	= "!" not | "(" choice ")" | test
 *	test	= field operator value | field "present" | pattern
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/error.h"
#include "base/nearest.h"
#include "filter/filter_lexer.h"
#include "filter/filter_program.h"

struct parser {
	struct histree_filter *filter;
	const struct histree_filter_scope *scope;
	struct filter_lexer lexer;
	unsigned depth;
	struct histree_error *error;
};

static enum histree_status parse_choice(struct parser *parser);

/* ---- what is wrong ------------------------------------------------------------------------------- */

/* Say where, before what a deeper function said. */
static enum histree_status at_column(struct parser *parser, size_t column, enum histree_status status)
{
	if (status != HISTREE_OK)
		error_prefix(parser->error, "column %zu", column);
	return status;
}

/* The token that is there is not what has to be. */
static enum histree_status refuse_token(struct parser *parser, const char *expected)
{
	const struct filter_token *token = &parser->lexer.token;
	if (token->kind == FILTER_END)
		return error_set(parser->error, HISTREE_ERR_ARGUMENT,
				 "column %zu: the expression ends where %s is expected", token->column, expected);
	return error_set(
		parser->error, HISTREE_ERR_ARGUMENT,
		"column %zu: expected %s, not '%.60s'; put a text of several words or with signs in quotes",
		token->column, expected, token->text);
}

static enum histree_status refuse_field(struct parser *parser, const char *name)
{
	char names[256] = "";
	size_t length = 0;
	struct nearest nearest = nearest_begin(name);
	for (size_t i = 0; i < parser->scope->field_count; i++) {
		const char *other = parser->scope->fields[i].name;
		nearest_offer(&nearest, other);
		if (length < sizeof(names))
			length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
						   i == 0 ? "" : ", ", other);
	}
	if (nearest.word != NULL)
		return error_set(parser->error, HISTREE_ERR_ARGUMENT,
				 "there is no field '%.60s'; the nearest is '%s'", name, nearest.word);
	return error_set(parser->error, HISTREE_ERR_ARGUMENT, "there is no field '%.60s'; there are %s", name,
			 names);
}

/* ---- ops --------------------------------------------------------------------------------------- */

static enum histree_status add_op(struct parser *parser, enum filter_op_kind kind, size_t number)
{
	struct histree_filter *filter = parser->filter;
	if (!array_reserve(&filter->ops, &filter->ops_capacity, filter->op_count + 1))
		return error_memory(parser->error, "a filter");
	filter->ops[filter->op_count++] = (struct filter_op){ .kind = kind, .number = number };
	return HISTREE_OK;
}

static enum histree_status next_token(struct parser *parser)
{
	return filter_lexer_next(&parser->lexer, parser->error);
}

/* ---- tests --------------------------------------------------------------------------------------- */

static enum histree_status find_field(struct parser *parser, const struct filter_token *name, size_t *field)
{
	const struct histree_filter_scope *scope = parser->scope;
	*field = FILTER_ANY_FIELD;
	for (size_t i = 0; i < scope->field_count; i++) {
		if (strcmp(scope->fields[i].name, name->text) == 0) {
			*field = i;
			return HISTREE_OK;
		}
		if (*field == FILTER_ANY_FIELD && strcasecmp(scope->fields[i].name, name->text) == 0)
			*field = i;
	}
	if (*field != FILTER_ANY_FIELD)
		return HISTREE_OK;
	return at_column(parser, name->column, refuse_field(parser, name->text));
}

/* After the operator: what the field is compared with. */
static enum histree_status parse_value(struct parser *parser, struct filter_test *test)
{
	if (parser->lexer.token.kind != FILTER_TEXT)
		return refuse_token(parser, "a value");
	struct filter_token value = parser->lexer.token;
	enum histree_status status = filter_test_read(test, &parser->scope->fields[test->field], parser->scope,
						      value.text, parser->error);
	return status == HISTREE_OK ? next_token(parser) : at_column(parser, value.column, status);
}

static enum histree_status parse_test(struct parser *parser)
{
	struct histree_filter *filter = parser->filter;
	struct filter_token first = parser->lexer.token;
	if (first.kind != FILTER_TEXT)
		return refuse_token(parser, "a field or a text");
	if (filter->test_count == FILTER_TESTS_MAX)
		return error_set(
			parser->error, HISTREE_ERR_ARGUMENT,
			"column %zu: more than %d comparisons; a pattern may join several, as in \"^(a|b)$\"",
			first.column, FILTER_TESTS_MAX);
	struct filter_test *test = &filter->tests[filter->test_count];
	*test = (struct filter_test){ .operator= FILTER_MATCHES, .field = FILTER_ANY_FIELD };
	enum histree_status status = next_token(parser);
	if (status != HISTREE_OK)
		return status;
	if (!filter_token_is_operator(&parser->lexer.token, &test->operator)) {
		status = at_column(parser, first.column,
				   filter_test_read(test, NULL, parser->scope, first.text, parser->error));
	} else {
		status = find_field(parser, &first, &test->field);
		if (status == HISTREE_OK)
			status = next_token(parser);
		if (status == HISTREE_OK && test->operator!= FILTER_PRESENT)
			status = parse_value(parser, test);
	}
	filter->test_count++; /* also one that failed: it is released with the others */
	return status == HISTREE_OK ? add_op(parser, FILTER_OP_TEST, filter->test_count - 1) : status;
}

/* ---- combinations -------------------------------------------------------------------------------- */

static enum histree_status parse_not(struct parser *parser)
{
	struct filter_token token = parser->lexer.token;
	if (token.kind != FILTER_NOT && token.kind != FILTER_OPEN)
		return parse_test(parser);
	if (parser->depth == FILTER_DEPTH_MAX)
		return error_set(parser->error, HISTREE_ERR_ARGUMENT,
				 "column %zu: more than %d levels of '(' and '!'", token.column, FILTER_DEPTH_MAX);
	parser->depth++;
	enum histree_status status = next_token(parser);
	if (status == HISTREE_OK)
		status = token.kind == FILTER_NOT ? parse_not(parser) : parse_choice(parser);
	parser->depth--;
	if (status != HISTREE_OK)
		return status;
	if (token.kind == FILTER_NOT)
		return add_op(parser, FILTER_OP_NOT, 0);
	return parser->lexer.token.kind == FILTER_CLOSE ? next_token(parser)
							: refuse_token(parser, "'&&', '||' or ')'");
}

/* Operands with `kind` between them; where one has decided, those after it are left out. */
static enum histree_status parse_chain(struct parser *parser, enum filter_token_kind kind,
				       enum filter_op_kind decided,
				       enum histree_status (*parse_operand)(struct parser *parser))
{
	enum histree_status status = parse_operand(parser);
	while (status == HISTREE_OK && parser->lexer.token.kind == kind) {
		size_t op = parser->filter->op_count;
		status = add_op(parser, decided, 0);
		if (status == HISTREE_OK)
			status = next_token(parser);
		if (status == HISTREE_OK)
			status = parse_operand(parser);
		if (status == HISTREE_OK)
			parser->filter->ops[op].number = parser->filter->op_count;
	}
	return status;
}

static enum histree_status parse_all(struct parser *parser)
{
	return parse_chain(parser, FILTER_AND, FILTER_OP_GO_WHEN_FALSE, parse_not);
}

static enum histree_status parse_choice(struct parser *parser)
{
	return parse_chain(parser, FILTER_OR, FILTER_OP_GO_WHEN_TRUE, parse_all);
}

enum histree_status filter_parse(struct histree_filter *filter, const char *text,
				 const struct histree_filter_scope *scope, struct histree_error *error)
{
	struct parser parser = { .filter = filter,
				 .scope = scope,
				 .lexer = { .text = text, .at = text, .arena = &filter->arena },
				 .error = error };
	enum histree_status status = next_token(&parser);
	if (status == HISTREE_OK)
		status = parse_choice(&parser);
	if (status == HISTREE_OK && parser.lexer.token.kind != FILTER_END)
		return refuse_token(&parser, "'&&', '||' or the end");
	return status;
}
