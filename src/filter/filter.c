// SPDX-License-Identifier: MIT
/*
 * filter.c - a filter expression: its tokens, its grammar, the program that it becomes, and its tests.
 *
 * The operand of a test is read once, in the unit of the field, and integers and doubles are compared exactly. The
 * grammar, by recursive descent:
 *
 * 	choice	= all { "||" all }
 * 	all	= not { "&&" not }
 * 	not	= "!" not | "(" choice ")" | test
 * 	test	= field operator value | field "present" | pattern
 */
#include "filter/filter.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/exact_sum.h"
#include "base/nearest.h"
#include "base/number_text.h"
#include "base/table.h"
#include "histree/filter.h"

/* ---- filter test --------------------------------------------------------------------------------------------- */

/* ---- reading ------------------------------------------------------------------------------------- */

static bool is_order(enum filter_operator op)
{
	return op >= FILTER_BELOW && op <= FILTER_AT_LEAST;
}

static bool is_number(enum histree_type type)
{
	return type == HISTREE_INT || type == HISTREE_LONG || type == HISTREE_DOUBLE;
}

/* 0xff: addresses and sets of bits are written so. */
static bool parse_hexadecimal(const char *text, uint64_t *number)
{
	char *end;
	if (text[0] != '0' || (text[1] | 32) != 'x' || !isxdigit((unsigned char)text[2]))
		return false;
	errno = 0;
	*number = strtoull(text, &end, 16);
	return *end == '\0' && errno == 0;
}

static enum histree_status refuse_number(const struct histree_filter_field *field, const char *text,
					 struct histree_error *error)
{
	static const char *const forms[] = {
		[HISTREE_FILTER_PLAIN] = "no number",
		[HISTREE_FILTER_TIME] = "no time: " TIME_FORMS,
		[HISTREE_FILTER_DURATION] =
			"no duration: nanoseconds, or a number with a unit, ns us ms s m or h, as in '1.5ms'",
	};
	return error_set(error, HISTREE_ERR_ARGUMENT, "'%.60s', which '%s' is compared with, is %s", text,
			 field->name, forms[field->unit]);
}

/*
 * Set what the test compares with: `text`, as it is meant for a field like `field` (NULL: any field) under the
 * operator of the test.  Returns HISTREE_ERR_ARGUMENT if it means nothing there.
 */
static enum histree_status filter_test_read(struct filter_test *test, const struct histree_filter_field *field,
					    const struct histree_filter_scope *scope, const char *text,
					    struct histree_error *error)
{
	test->text = text;
	if (test->operator== FILTER_MATCHES)
		return pattern_create(text, &test->pattern, error);
	if (test->operator== FILTER_CONTAINS)
		return HISTREE_OK;
	int64_t integer = 0;
	uint64_t large;
	if (field->unit == HISTREE_FILTER_TIME)
		test->has_integer = time_parse(text, scope->start, scope->end, &integer);
	else if (field->unit == HISTREE_FILTER_DURATION)
		test->has_integer = time_parse_duration(text, &integer);
	else
		test->has_integer = number_parse_signed(text, &integer);
	test->integer = integer;
	if (!test->has_integer && field->unit == HISTREE_FILTER_PLAIN &&
	    (number_parse(text, &large) || parse_hexadecimal(text, &large))) {
		test->has_integer = true;
		test->integer = large;
	}
	test->has_real =
		!test->has_integer && field->unit == HISTREE_FILTER_PLAIN && number_parse_real(text, &test->real);
	bool is_in_unit = test->has_integer || test->has_real;
	if (field->type == HISTREE_NULL && field->unit == HISTREE_FILTER_PLAIN)
		return HISTREE_OK; /* a text for values that are texts */
	if (is_number(field->type) || field->type == HISTREE_NULL)
		return is_in_unit ? HISTREE_OK : refuse_number(field, text, error);
	if (is_order(test->operator))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "'%s' is a %s, not a number, so it is neither less nor more; use ==, !=, contains "
				 "or matches",
				 field->name, histree_type_name(field->type));
	if (field->type == HISTREE_BOOL && strcasecmp(text, "true") != 0 && strcasecmp(text, "false") != 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "'%s' is true or false, never '%.60s'", field->name,
				 text);
	return HISTREE_OK;
}

/* ---- comparing ----------------------------------------------------------------------------------- */

/* Less, equal, more; or neither, where one of them is not a number. */
enum order { ORDER_LESS = -1, ORDER_EQUAL, ORDER_MORE, ORDER_NONE };

/* For a HISTREE_LONG. */
static bool is_unsigned(const struct histree_value *value)
{
	return value->size == HISTREE_UNSIGNED;
}

static enum order order_of_integers(wide_int a, wide_int b)
{
	return a < b ? ORDER_LESS : a > b ? ORDER_MORE : ORDER_EQUAL;
}

static enum order order_of_reals(double a, double b)
{
	return a < b ? ORDER_LESS : a > b ? ORDER_MORE : a == b ? ORDER_EQUAL : ORDER_NONE;
}

/* Exact: a double does not hold each int64 or uint64. */
static enum order order_of_both(wide_int a, double b)
{
	if (isnan(b))
		return ORDER_NONE;
	if (b >= 0x1p64)
		return ORDER_LESS;
	if (b < -0x1p63)
		return ORDER_MORE;
	enum order whole = order_of_integers(a, (wide_int)b);
	return whole != ORDER_EQUAL ? whole : order_of_reals(0, b - trunc(b));
}

static enum order order_of_integer(wide_int value, const struct filter_test *test)
{
	if (test->has_integer)
		return order_of_integers(value, test->integer);
	return test->has_real ? order_of_both(value, test->real) : ORDER_NONE;
}

static enum order order_of_real(double value, const struct filter_test *test)
{
	static const enum order other_way[] = { ORDER_MORE, ORDER_EQUAL, ORDER_LESS, ORDER_NONE };
	if (test->has_integer)
		return other_way[order_of_both(test->integer, value) + 1];
	return test->has_real ? order_of_reals(value, test->real) : ORDER_NONE;
}

static enum order order_if_equal(bool is_equal)
{
	return is_equal ? ORDER_EQUAL : ORDER_NONE;
}

/* What is not a number is equal or not, but passes no <=. */
static enum order order_of(const struct histree_value *value, const struct filter_test *test)
{
	if (is_order(test->operator) && !is_number(value->type))
		return ORDER_NONE;
	switch (value->type) {
	case HISTREE_INT:
		return order_of_integer(value->int32, test);
	case HISTREE_LONG:
		return order_of_integer(is_unsigned(value) ? (wide_int)(uint64_t)value->int64 : value->int64, test);
	case HISTREE_DOUBLE:
		return order_of_real(value->real, test);
	case HISTREE_BOOL:
		return order_if_equal(strcasecmp(test->text, value->boolean ? "true" : "false") == 0);
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		return order_if_equal(value->size == strlen(test->text) &&
				      memcmp(value->bytes, test->text, value->size) == 0);
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	}
	return ORDER_NONE;
}

static bool passes_order(enum order order, enum filter_operator op)
{
	switch (op) {
	case FILTER_EQUAL:
		return order == ORDER_EQUAL;
	case FILTER_DIFFERENT:
		return order != ORDER_EQUAL;
	case FILTER_BELOW:
		return order == ORDER_LESS;
	case FILTER_AT_MOST:
		return order == ORDER_LESS || order == ORDER_EQUAL;
	case FILTER_ABOVE:
		return order == ORDER_MORE;
	case FILTER_AT_LEAST:
		return order == ORDER_MORE || order == ORDER_EQUAL;
	default:
		return false;
	}
}

/* The text of a value; `room` takes the text of a number. */
static const void *text_of(const struct histree_value *value, char room[NUMBER_TEXT_SIZE], size_t *size)
{
	switch (value->type) {
	case HISTREE_INT:
		*size = number_format_signed(value->int32, room);
		return room;
	case HISTREE_LONG:
		*size = is_unsigned(value) ? number_format_unsigned((uint64_t)value->int64, room)
					   : number_format_signed(value->int64, room);
		return room;
	case HISTREE_DOUBLE:
		*size = number_format_real(value->real, room);
		return room;
	case HISTREE_BOOL:
		*size = value->boolean ? 4 : 5;
		return value->boolean ? "true" : "false";
	default:
		*size = value->size;
		return value->bytes;
	}
}

static bool filter_test_passes(const struct filter_test *test, const struct histree_value *value)
{
	char room[NUMBER_TEXT_SIZE];
	size_t size;
	if (value->type == HISTREE_NULL || value->type == HISTREE_UNKNOWN)
		return false;
	switch (test->operator) {
	case FILTER_PRESENT:
		return true;
	case FILTER_CONTAINS: {
		const void *text = text_of(value, room, &size);
		size_t wanted = strlen(test->text);
		return wanted == 0 || (size >= wanted && memmem(text, size, test->text, wanted) != NULL);
	}
	case FILTER_MATCHES: {
		const void *text = text_of(value, room, &size);
		return pattern_find(test->pattern, text, size);
	}
	default:
		return passes_order(order_of(value, test), test->operator);
	}
}

/* ---- filter -------------------------------------------------------------------------------------------------- */

enum filter_token_kind {
	FILTER_END,
	FILTER_TEXT,     /* a word, or anything in quotes */
	FILTER_COMPARES, /* an operator of signs: == < ... */
	FILTER_NOT,
	FILTER_AND,
	FILTER_OR,
	FILTER_OPEN,
	FILTER_CLOSE,
};

struct filter_token {
	enum filter_token_kind kind;
	size_t column;    /* in characters, from 1 */
	const char *text; /* without its quotes, terminated, in the arena; of other tokens the sign */
	bool is_quoted;
	enum filter_operator op; /* of FILTER_COMPARES */
};

struct filter_lexer {
	const char *text, *at;
	struct arena *arena; /* keeps the texts of tokens */
	struct filter_token token;
};

/* ---- filter lexer -------------------------------------------------------------------------------------------- */

/* The longer of two that begin alike comes first. */
static const struct {
	const char *text;
	enum filter_token_kind kind;
	enum filter_operator op;
} signs[] = {
	{ "==", FILTER_COMPARES, FILTER_EQUAL },
	{ "=", FILTER_COMPARES, FILTER_EQUAL },
	{ "!=", FILTER_COMPARES, FILTER_DIFFERENT },
	{ "<=", FILTER_COMPARES, FILTER_AT_MOST },
	{ "<", FILTER_COMPARES, FILTER_BELOW },
	{ ">=", FILTER_COMPARES, FILTER_AT_LEAST },
	{ ">", FILTER_COMPARES, FILTER_ABOVE },
	{ "!", FILTER_NOT, 0 },
	{ "&&", FILTER_AND, 0 },
	{ "||", FILTER_OR, 0 },
	{ "(", FILTER_OPEN, 0 },
	{ ")", FILTER_CLOSE, 0 },
};

enum { SIGN_COUNT = sizeof(signs) / sizeof(signs[0]) };

/* Returns SIGN_COUNT if no sign is there. */
static size_t find_sign(const char *at)
{
	size_t i = 0;
	while (i < SIGN_COUNT && strncmp(at, signs[i].text, strlen(signs[i].text)) != 0)
		i++;
	return i;
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* All but the bytes within a UTF-8 character count. */
static size_t column_of(const struct filter_lexer *lexer)
{
	size_t column = 1;
	for (const char *at = lexer->text; at < lexer->at; at++)
		column += ((unsigned char)*at & 0xc0) != 0x80;
	return column;
}

/* NULL when memory runs out. */
static char *keep_text(struct filter_lexer *lexer, const char *from)
{
	char *text = arena_copy(lexer->arena, from, (size_t)(lexer->at - from));
	lexer->token.kind = FILTER_TEXT;
	lexer->token.text = text;
	return text;
}

static enum histree_status read_word(struct filter_lexer *lexer, struct histree_error *error)
{
	const char *from = lexer->at;
	while (*lexer->at != '\0' && *lexer->at != '"' && !is_blank(*lexer->at) &&
	       find_sign(lexer->at) == SIGN_COUNT)
		lexer->at++;
	return keep_text(lexer, from) != NULL ? HISTREE_OK : error_memory(error, "a filter");
}

/* Read the next token. */
static enum histree_status filter_lexer_next(struct filter_lexer *lexer, struct histree_error *error)
{
	while (is_blank(*lexer->at))
		lexer->at++;
	lexer->token = (struct filter_token){ .kind = FILTER_END, .column = column_of(lexer), .text = "" };
	if (*lexer->at == '\0')
		return HISTREE_OK;
	if (*lexer->at == '"' || *lexer->at == '\'') {
		char quote = *lexer->at++;
		const char *from = lexer->at;
		for (; *lexer->at != quote; lexer->at++) {
			if (*lexer->at == '\\' && lexer->at[1] != '\0')
				lexer->at++;
			else if (*lexer->at == '\0')
				return error_set(error, HISTREE_ERR_ARGUMENT,
						 "column %zu: a text without the %c that ends it",
						 lexer->token.column, quote);
		}
		char *text = keep_text(lexer, from);
		if (text == NULL)
			return error_memory(error, "a filter");
		/* A backslash stays one, but before a quote or another backslash. */
		char *to = text;
		for (const char *at = text; *at != '\0'; at++) {
			if (*at == '\\' && (at[1] == quote || at[1] == '\\'))
				at++;
			*to++ = *at;
		}
		*to = '\0';
		lexer->at++;
		lexer->token.is_quoted = true;
		return HISTREE_OK;
	}
	size_t sign = find_sign(lexer->at);
	if (sign < SIGN_COUNT) {
		lexer->token.kind = signs[sign].kind;
		lexer->token.text = signs[sign].text;
		lexer->token.op = signs[sign].op;
		lexer->at += strlen(signs[sign].text);
		return HISTREE_OK;
	}
	return read_word(lexer, error);
}

/* Returns whether a token is an operator, of signs or a word, and which. */
static bool filter_token_is_operator(const struct filter_token *token, enum filter_operator *op)
{
	static const struct {
		const char *word;
		enum filter_operator op;
	} words[] = { { "contains", FILTER_CONTAINS },
		      { "matches", FILTER_MATCHES },
		      { "present", FILTER_PRESENT } };
	if (token->kind == FILTER_COMPARES) {
		*op = token->op;
		return true;
	}
	if (token->kind != FILTER_TEXT || token->is_quoted)
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcasecmp(token->text, words[i].word) == 0) {
			*op = words[i].op;
			return true;
		}
	}
	return false;
}

/* ---- filter parser ------------------------------------------------------------------------------------------- */

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

/* Fill an empty filter; what is in it is to be released also after failure. */
static enum histree_status filter_parse(struct histree_filter *filter, const char *text,
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

/* ---- filter -------------------------------------------------------------------------------------------------- */

enum histree_status histree_filter_create(const char *text, const struct histree_filter_scope *scope,
					  struct histree_filter **out, struct histree_error *error)
{
	*out = NULL;
	size_t size = strlen(text);
	if (size > FILTER_TEXT_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "an expression of %zu bytes; it may have %d", size,
				 FILTER_TEXT_MAX);
	struct histree_filter *filter = calloc(1, sizeof(*filter));
	if (filter == NULL)
		return error_memory(error, "a filter");
	filter->field_count = scope->field_count;
	enum histree_status status = filter_parse(filter, text, scope, error);
	if (status == HISTREE_OK)
		*out = filter;
	else
		histree_filter_free(filter);
	return status;
}

enum histree_status histree_filter_names(const char *text, void (*tell)(void *context, const char *name),
					 void *context, struct histree_error *error)
{
	struct arena arena = { 0 };
	struct filter_lexer lexer = { .text = text, .at = text, .arena = &arena };
	enum filter_operator op;
	if (strlen(text) > FILTER_TEXT_MAX)
		return HISTREE_OK;
	enum histree_status status = filter_lexer_next(&lexer, error);
	while (status == HISTREE_OK && lexer.token.kind != FILTER_END) {
		const struct filter_token field = lexer.token;
		status = filter_lexer_next(&lexer, error);
		if (status != HISTREE_OK || field.kind != FILTER_TEXT ||
		    !filter_token_is_operator(&lexer.token, &op))
			continue;
		tell(context, field.text);
		status = filter_lexer_next(&lexer, error);
		if (status == HISTREE_OK && op != FILTER_PRESENT && lexer.token.kind == FILTER_TEXT)
			status = filter_lexer_next(&lexer, error); /* a value may look like an operator */
	}
	arena_release(&arena);
	return status == HISTREE_ERR_MEMORY ? status : HISTREE_OK;
}

bool histree_filter_lone_text(const char *text, char *out, size_t size)
{
	struct arena arena = { 0 };
	struct filter_lexer lexer = { .text = text, .at = text, .arena = &arena };
	struct filter_token before = { .kind = FILTER_END };
	enum filter_operator op;
	bool is_value = false, found = false;
	while (!found && strlen(text) <= FILTER_TEXT_MAX && filter_lexer_next(&lexer, NULL) == HISTREE_OK) {
		bool compares =
			!is_value && before.kind == FILTER_TEXT && filter_token_is_operator(&lexer.token, &op);
		found = before.kind == FILTER_TEXT && !compares;
		if (found)
			snprintf(out, size, "%s", before.text);
		bool is_read = compares || is_value; /* the operator, or the value */
		is_value = compares && op != FILTER_PRESENT;
		before = is_read ? (struct filter_token){ .kind = FILTER_END } : lexer.token;
		if (lexer.token.kind == FILTER_END)
			break;
	}
	arena_release(&arena);
	return found;
}

/* What is different is so from both values. */
static bool passes_either(const struct filter_test *test, const struct histree_value *values,
			  const struct histree_value *others, size_t field)
{
	bool first = filter_test_passes(test, &values[field]);
	if (others == NULL || others[field].type == HISTREE_NULL)
		return first;
	bool second = filter_test_passes(test, &others[field]);
	return test->operator== FILTER_DIFFERENT                                   ? first && second
	       : test->operator>= FILTER_BELOW && test->operator<= FILTER_AT_LEAST ? first
										   : first || second;
}

static bool passes(const struct histree_filter *filter, const struct filter_test *test,
		   const struct histree_value *values, const struct histree_value *others)
{
	if (test->field != FILTER_ANY_FIELD)
		return passes_either(test, values, others, test->field);
	for (size_t i = 0; i < filter->field_count; i++)
		if (passes_either(test, values, others, i))
			return true;
	return false;
}

/* Where to go on after an op that is no test. */
static size_t follow(const struct filter_op *op, size_t next, bool *truth)
{
	if (op->kind == FILTER_OP_NOT)
		*truth = !*truth;
	else if (op->kind == (*truth ? FILTER_OP_GO_WHEN_TRUE : FILTER_OP_GO_WHEN_FALSE))
		return op->number;
	return next;
}

bool histree_filter_match(const struct histree_filter *filter, const struct histree_value *values)
{
	return filter_match_either(filter, values, NULL);
}

bool filter_match_either(const struct histree_filter *filter, const struct histree_value *values,
			 const struct histree_value *others)
{
	bool truth = false;
	for (size_t at = 0; at < filter->op_count;) {
		const struct filter_op *op = &filter->ops[at++];
		if (op->kind == FILTER_OP_TEST)
			truth = passes(filter, &filter->tests[op->number], values, others);
		else
			at = follow(op, at, &truth);
	}
	return truth;
}

/* Returns whether the expression fails if the test before op `at` fails, whatever the other tests say. */
static bool is_required(const struct histree_filter *filter, size_t at)
{
	bool truth = false;
	while (at < filter->op_count) {
		const struct filter_op *op = &filter->ops[at++];
		if (op->kind == FILTER_OP_TEST)
			return false;
		at = follow(op, at, &truth);
	}
	return !truth;
}

void filter_required(const struct histree_filter *filter,
		     void (*tell)(void *context, const struct filter_test *test), void *context)
{
	bool truth = true;
	for (size_t at = 0; at < filter->op_count;) {
		const struct filter_op *op = &filter->ops[at++];
		if (op->kind != FILTER_OP_TEST) {
			at = follow(op, at, &truth);
			continue;
		}
		if (!is_required(filter, at))
			return;
		tell(context, &filter->tests[op->number]);
		truth = true;
	}
}

struct bounds {
	size_t field;
	int64_t *min, *max;
};

static void narrow_by(void *context, const struct filter_test *test)
{
	struct bounds *bounds = context;
	if (test->field != bounds->field || !test->has_integer || test->integer > INT64_MAX)
		return;
	int64_t number = (int64_t)test->integer;
	enum filter_operator op = test->operator;
	if ((op == FILTER_AT_LEAST || op == FILTER_EQUAL) && number > *bounds->min)
		*bounds->min = number;
	if ((op == FILTER_AT_MOST || op == FILTER_EQUAL) && number < *bounds->max)
		*bounds->max = number;
	if (op == FILTER_ABOVE && number >= *bounds->min && number < INT64_MAX)
		*bounds->min = number + 1;
	if (op == FILTER_BELOW && number <= *bounds->max && number > INT64_MIN)
		*bounds->max = number - 1;
}

void histree_filter_bounds(const struct histree_filter *filter, size_t field, int64_t *min, int64_t *max)
{
	struct bounds bounds = { field, min, max };
	filter_required(filter, narrow_by, &bounds);
}

/* ---- what is known of some fields --------------------------------------------------------------------- */

/* The truths that are possible at a place, as a set. */
enum { NO = 1, YES = 2 };

static uint8_t possible(const struct histree_filter *filter, const struct filter_test *test,
			const struct histree_value *values, const struct histree_value *others,
			const bool *are_known)
{
	bool is_open = false;
	size_t first = test->field == FILTER_ANY_FIELD ? 0 : test->field;
	size_t end = test->field == FILTER_ANY_FIELD ? filter->field_count : test->field + 1;
	for (size_t i = first; i < end; i++) {
		if (!are_known[i])
			is_open = true;
		else if (passes_either(test, values, others, i))
			return YES;
	}
	return is_open ? NO | YES : NO;
}

/* Ops only go forward: when one is reached, all that is possible there is known. */
bool filter_may_pass_either(const struct histree_filter *filter, const struct histree_value *values,
			    const struct histree_value *others, const bool *are_known)
{
	uint8_t at[FILTER_TEXT_MAX + 1] = { 0 };
	assert(filter->op_count <= FILTER_TEXT_MAX);
	at[0] = NO;
	for (size_t i = 0; i < filter->op_count; i++) {
		const struct filter_op *op = &filter->ops[i];
		if (at[i] == 0)
			continue;
		switch (op->kind) {
		case FILTER_OP_TEST:
			at[i + 1] |= possible(filter, &filter->tests[op->number], values, others, are_known);
			break;
		case FILTER_OP_NOT:
			at[i + 1] |= (at[i] & NO ? YES : 0) | (at[i] & YES ? NO : 0);
			break;
		case FILTER_OP_GO_WHEN_FALSE:
			at[op->number] |= at[i] & NO;
			at[i + 1] |= at[i] & YES;
			break;
		case FILTER_OP_GO_WHEN_TRUE:
			at[op->number] |= at[i] & YES;
			at[i + 1] |= at[i] & NO;
			break;
		}
	}
	return at[filter->op_count] & YES;
}

bool histree_filter_may_pass(const struct histree_filter *filter, const struct histree_value *values,
			     const bool *are_known)
{
	return filter_may_pass_either(filter, values, NULL, are_known);
}

bool histree_filter_needs(const struct histree_filter *filter, size_t field)
{
	for (size_t i = 0; i < filter->test_count; i++)
		if (filter->tests[i].field == field || filter->tests[i].field == FILTER_ANY_FIELD)
			return true;
	return false;
}

bool filter_compares_text(const struct histree_filter *filter, size_t field)
{
	for (size_t i = 0; i < filter->test_count; i++) {
		const struct filter_test *test = &filter->tests[i];
		if (test->field == field && !test->has_integer && test->operator!= FILTER_PRESENT)
			return true;
	}
	return false;
}

void histree_filter_free(struct histree_filter *filter)
{
	if (filter == NULL)
		return;
	for (size_t i = 0; i < filter->test_count; i++) {
		struct filter_test *test = &filter->tests[i];
		pattern_free(test->pattern);
		test->pattern = NULL;
	}
	arena_release(&filter->arena);
	free(filter->ops);
	free(filter);
}
