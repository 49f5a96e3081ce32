// SPDX-License-Identifier: MIT
#include "expressions.h"

#include <ctype.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/number_text.h"

enum { ANY_FIELD = EXPRESSION_FIELDS_MAX, WORD_SIZE = 64, DEPTH = 4 };

enum kind { EXPRESSION_AND, EXPRESSION_OR, EXPRESSION_NOT, EXPRESSION_TEST };
enum op {
	OP_EQUAL,
	OP_DIFFERENT,
	OP_LESS,
	OP_LESS_EQUAL,
	OP_MORE,
	OP_MORE_EQUAL,
	OP_CONTAINS,
	OP_MATCHES,
	OP_PRESENT
};

struct expression {
	enum kind kind;
	struct expression *left, *right;
	unsigned field;
	enum op op;
	char word[WORD_SIZE];
	bool is_number;
	regex_t pattern;    /* OP_MATCHES */
	long double number; /* holds each int64 and each double, on the machines that this test runs on */
};

struct expressions {
	const struct expression_subject *subject;
	struct random random;
	struct expression pool[64];
	unsigned used;
};

struct expressions *expressions_create(const struct expression_subject *subject)
{
	struct expressions *expressions = calloc(1, sizeof(*expressions));
	if (expressions != NULL)
		expressions->subject = subject;
	return expressions;
}

static void forget(struct expressions *expressions)
{
	for (unsigned i = 0; i < expressions->used; i++)
		if (expressions->pool[i].kind == EXPRESSION_TEST && expressions->pool[i].op == OP_MATCHES)
			regfree(&expressions->pool[i].pattern);
	expressions->used = 0;
}

void expressions_free(struct expressions *expressions)
{
	if (expressions != NULL)
		forget(expressions);
	free(expressions);
}

static bool is_number(enum histree_type type)
{
	return type == HISTREE_INT || type == HISTREE_LONG || type == HISTREE_DOUBLE;
}

static long double number_of(const struct histree_value *value)
{
	if (value->type == HISTREE_INT)
		return value->int32;
	return value->type == HISTREE_LONG ? (long double)value->int64 : (long double)value->real;
}

/* ---- drawing --------------------------------------------------------------------------------------- */

static const char *draw_from(struct random *random, const char *const *words)
{
	size_t count = 0;
	while (words[count] != NULL)
		count++;
	return words[random_below(random, count)];
}

/* A number that something has in this field, or one beside it: the ends of ranges are where mistakes are. */
static void draw_number(struct expressions *draw, struct expression *test, const struct histree_value *value)
{
	static const char *const odd[] = {
		"0", "-0.0", "1e3", "-9223372036854775808", "9223372036854775807", NULL
	};
	enum histree_filter_unit unit = draw->subject->fields[test->field].unit;
	bool is_plain = unit == HISTREE_FILTER_PLAIN;
	if (is_plain && (!is_number(value->type) || random_percent(&draw->random, 20))) {
		strcpy(test->word, draw_from(&draw->random, odd));
	} else if (value->type == HISTREE_DOUBLE) {
		snprintf(test->word, sizeof(test->word), "%.17g", isfinite(value->real) ? value->real : 0.5);
	} else {
		int64_t number = (int64_t)number_of(value);
		if (number > INT64_MIN + 1 && number < INT64_MAX && (number > 0 || unit != HISTREE_FILTER_DURATION))
			number += (int64_t)random_below(&draw->random, 3) - 1;
		if (number == INT64_MIN && !is_plain)
			number++; /* no text of a time says it */
		snprintf(test->word, sizeof(test->word), "%lld", (long long)number);
	}
}

static bool can_be_quoted(const struct histree_value *value)
{
	const char *text = value->bytes;
	if (value->type != HISTREE_STRING || value->size >= WORD_SIZE)
		return false;
	for (uint32_t i = 0; i < value->size; i++)
		if (!isalnum((unsigned char)text[i]) && strchr("_-/ .", text[i]) == NULL)
			return false;
	return memchr(text, '\0', value->size) == NULL;
}

/* One that something has, now and then; for `contains` a piece of it. */
static void draw_word(struct expressions *draw, struct expression *test, const struct histree_value *value)
{
	static const char *const words[] = { "read", "re", "", "a", "futex", "true", "1", NULL };
	struct random *random = &draw->random;
	if (!can_be_quoted(value) || value->size == 0 || random_percent(random, 30)) {
		strcpy(test->word, draw_from(random, words));
		return;
	}
	size_t first = test->op == OP_CONTAINS ? random_below(random, value->size) : 0;
	size_t size = test->op == OP_CONTAINS ? 1 + random_below(random, value->size - first) : value->size;
	memcpy(test->word, (const char *)value->bytes + first, size);
	test->word[size] = '\0';
}

static void draw_pattern(struct expressions *draw, struct expression *test)
{
	static const char *const patterns[] = { "^re", "e$",  "read|write", "^$", "^[0-9]+$",
						"1.",  "-?1", "(re)+a",     NULL };
	const char *const *own = draw->subject->patterns;
	bool is_own = own != NULL && random_percent(&draw->random, 60);
	strcpy(test->word, draw_from(&draw->random, is_own ? own : patterns));
	if (regcomp(&test->pattern, test->word, REG_EXTENDED) != 0)
		abort();
}

static void draw_compared(struct expressions *draw, struct expression *test)
{
	struct histree_value values[EXPRESSION_FIELDS_MAX];
	const struct histree_filter_field *field = &draw->subject->fields[test->field];
	draw->subject->draw_values(draw->subject->context, &draw->random, values);
	bool is_mixed = field->type == HISTREE_NULL;
	enum histree_type type = is_mixed ? values[test->field].type : field->type;
	if (test->op == OP_CONTAINS) {
		draw_word(draw, test, &values[test->field]);
	} else if (is_number(type) || (is_mixed && random_percent(&draw->random, 30))) {
		draw_number(draw, test, &values[test->field]);
	} else {
		if (!is_mixed && test->op >= OP_LESS && test->op <= OP_MORE_EQUAL)
			test->op = OP_DIFFERENT;
		if (type == HISTREE_BOOL)
			strcpy(test->word, random_percent(&draw->random, 50) ? "true" : "False");
		else
			draw_word(draw, test, &values[test->field]);
	}
}

static void draw_test(struct expressions *draw, struct expression *test)
{
	struct random *random = &draw->random;
	char *end;
	*test = (struct expression){ .kind = EXPRESSION_TEST,
				     .field = (unsigned)random_below(random, draw->subject->field_count),
				     .op = (enum op)random_below(random, OP_PRESENT + 1) };
	if (random_percent(random, 10)) {
		test->field = ANY_FIELD;
		test->op = OP_MATCHES;
	}
	if (test->op == OP_MATCHES)
		draw_pattern(draw, test);
	else
		draw_compared(draw, test);
	/* What is no integer is compared as the double that it names. */
	bool is_integer = test->word[strspn(test->word, "-0123456789")] == '\0';
	test->number = is_integer ? strtold(test->word, &end) : (long double)strtod(test->word, &end);
	test->is_number = end != test->word && *end == '\0';
}

static struct expression *draw_expression(struct expressions *draw, unsigned depth)
{
	struct expression *expression = &draw->pool[draw->used++];
	if (depth == 0 || random_percent(&draw->random, 30)) {
		draw_test(draw, expression);
		return expression;
	}
	*expression = (struct expression){ .kind = (enum kind)random_below(&draw->random, EXPRESSION_TEST) };
	expression->left = draw_expression(draw, depth - 1);
	if (expression->kind != EXPRESSION_NOT)
		expression->right = draw_expression(draw, depth - 1);
	return expression;
}

/* ---- writing --------------------------------------------------------------------------------------- */

/* The case of names does not matter, quotes may be there. */
static char *put_name(struct expressions *draw, char *at, unsigned field)
{
	bool is_quoted = random_percent(&draw->random, 20), is_upper = random_percent(&draw->random, 10);
	const char *name = draw->subject->fields[field].name;
	if (is_quoted)
		*at++ = '"';
	for (; *name != '\0'; name++)
		*at++ = (char)(is_upper ? toupper((unsigned char)*name) : *name);
	if (is_quoted)
		*at++ = '"';
	*at = '\0';
	return at;
}

static char *put_test(struct expressions *draw, char *at, const struct expression *test)
{
	static const char *const ops[] = {
		"==", "!=", "<", "<=", ">", ">=", " contains ", " MATCHES ", " present"
	};
	if (test->field != ANY_FIELD) {
		at = put_name(draw, at, test->field);
		bool is_short = test->op == OP_EQUAL && random_percent(&draw->random, 30);
		at = stpcpy(at, is_short ? " = " : ops[test->op]);
	}
	return test->op == OP_PRESENT ? at : at + sprintf(at, "'%s'", test->word);
}

/* With no more parentheses than are needed, now and then with some. */
static char *put(struct expressions *draw, char *at, const struct expression *expression, enum kind around)
{
	bool is_in_parentheses =
		expression->kind < EXPRESSION_TEST &&
		(around == EXPRESSION_NOT || (around == EXPRESSION_AND && expression->kind == EXPRESSION_OR));
	is_in_parentheses |= random_percent(&draw->random, 10);
	if (is_in_parentheses)
		*at++ = '(';
	switch (expression->kind) {
	case EXPRESSION_TEST:
		at = put_test(draw, at, expression);
		break;
	case EXPRESSION_NOT:
		*at++ = '!';
		at = put(draw, at, expression->left, EXPRESSION_NOT);
		break;
	default:
		at = put(draw, at, expression->left, expression->kind);
		at = stpcpy(at, expression->kind == EXPRESSION_AND ? "&&" : " || ");
		at = put(draw, at, expression->right, expression->kind);
	}
	if (is_in_parentheses)
		*at++ = ')';
	*at = '\0';
	return at;
}

const struct expression *expressions_draw(struct expressions *expressions, uint64_t seed, char *text)
{
	expressions->random = (struct random){ seed };
	forget(expressions);
	struct expression *expression = draw_expression(expressions, DEPTH);
	put(expressions, text, expression, EXPRESSION_OR);
	return expression;
}

/* ---- plain evaluation ------------------------------------------------------------------------------ */

static const char *text_of(const struct histree_value *value, char room[NUMBER_TEXT_SIZE], size_t *size)
{
	if (value->type == HISTREE_STRING || value->type == HISTREE_CUSTOM) {
		*size = value->size;
		return value->bytes;
	}
	if (value->type == HISTREE_BOOL)
		strcpy(room, value->boolean ? "true" : "false");
	else if (value->type == HISTREE_DOUBLE)
		room[number_format_real(value->real, room)] = '\0';
	else
		sprintf(room, "%.0Lf", number_of(value));
	*size = strlen(room);
	return room;
}

static bool contains(const char *text, size_t size, const char *word)
{
	size_t wanted = strlen(word);
	for (size_t i = 0; i + wanted <= size; i++)
		if (memcmp(text + i, word, wanted) == 0)
			return true;
	return wanted == 0;
}

/* A sanitizer looks for a terminator behind the text, which REG_STARTEND makes unneeded. */
static bool matches(const char *text, size_t size, const regex_t *pattern)
{
	regmatch_t part = { .rm_so = 0, .rm_eo = (regoff_t)size };
	char *copy = malloc(size + 1);
	if (copy == NULL)
		abort();
	if (size > 0)
		memcpy(copy, text, size);
	copy[size] = '\0';
	bool found = regexec(pattern, copy, 1, &part, REG_STARTEND) == 0;
	free(copy);
	return found;
}

static bool is_equal(const struct expression *test, const struct histree_value *value, const char *text,
		     size_t size)
{
	if (is_number(value->type))
		return test->is_number && number_of(value) == test->number;
	if (value->type == HISTREE_BOOL)
		return strcasecmp(test->word, text) == 0;
	return size == strlen(test->word) && (size == 0 || memcmp(text, test->word, size) == 0);
}

static bool test_holds(const struct expression *test, const struct histree_value *value)
{
	char room[NUMBER_TEXT_SIZE];
	size_t size;
	if (value->type == HISTREE_NULL || value->type == HISTREE_UNKNOWN)
		return false;
	const char *text = text_of(value, room, &size);
	bool has_order = is_number(value->type) && test->is_number;
	long double number = has_order ? number_of(value) : 0;
	switch (test->op) {
	case OP_EQUAL:
		return is_equal(test, value, text, size);
	case OP_DIFFERENT:
		return !is_equal(test, value, text, size);
	case OP_LESS:
		return has_order && number < test->number;
	case OP_LESS_EQUAL:
		return has_order && number <= test->number;
	case OP_MORE:
		return has_order && number > test->number;
	case OP_MORE_EQUAL:
		return has_order && number >= test->number;
	case OP_CONTAINS:
		return contains(text, size, test->word);
	case OP_MATCHES:
		return matches(text, size, &test->pattern);
	case OP_PRESENT:
		break;
	}
	return true;
}

bool expression_holds(const struct expressions *expressions, const struct expression *expression,
		      const struct histree_value *values)
{
	switch (expression->kind) {
	case EXPRESSION_AND:
		return expression_holds(expressions, expression->left, values) &&
		       expression_holds(expressions, expression->right, values);
	case EXPRESSION_OR:
		return expression_holds(expressions, expression->left, values) ||
		       expression_holds(expressions, expression->right, values);
	case EXPRESSION_NOT:
		return !expression_holds(expressions, expression->left, values);
	case EXPRESSION_TEST:
		break;
	}
	bool held = false;
	for (unsigned field = 0; field < expressions->subject->field_count; field++)
		if (field == expression->field || expression->field == ANY_FIELD)
			held |= test_holds(expression, &values[field]);
	return held;
}
