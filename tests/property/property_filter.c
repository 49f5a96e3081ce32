// SPDX-License-Identifier: MIT
/*
 * property_filter.c - random expressions over random segments: a store hands out those that a plain walk over the
 * tree of the expression, which shares nothing with the parser, finds in an array.
 */
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "driver.h"
#include "histree/segment_filter.h"
#include "support/segments.h"
#include "support/workload.h"

enum { FILTERS = 300 }; /* drawn in a round */

enum { FIELD_START, FIELD_END, FIELD_DURATION, OWN_FIELDS, FIELDS = OWN_FIELDS + SEGMENT_TEST_FIELDS };
enum { ANY_FIELD = FIELDS };

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
	char word[64];
	long double number; /* holds each int64 and each double, on the machines that this test runs on */
};

struct draw {
	struct random random;
	const struct segments *segments;
	struct expression pool[64];
	unsigned used;
};

static enum histree_type type_of(unsigned field)
{
	return field < OWN_FIELDS ? HISTREE_LONG : segment_test_schema.fields[field - OWN_FIELDS].type;
}

static bool is_number(enum histree_type type)
{
	return type == HISTREE_INT || type == HISTREE_LONG || type == HISTREE_DOUBLE;
}

/* ---- drawing --------------------------------------------------------------------------------------- */

static struct histree_value value_of(const struct histree_segment *segment, unsigned field)
{
	uint64_t duration = histree_segment_duration(segment);
	switch (field) {
	case FIELD_START:
		return histree_long(segment->start);
	case FIELD_END:
		return histree_long(segment->end);
	case FIELD_DURATION:
		return histree_long(duration > INT64_MAX ? INT64_MAX : (int64_t)duration);
	default:
		return segment->content[field - OWN_FIELDS];
	}
}

static long double number_of(const struct histree_value *value)
{
	if (value->type == HISTREE_INT)
		return value->int32;
	return value->type == HISTREE_LONG ? (long double)value->int64 : (long double)value->real;
}

/* A number that some segment has in this field, or one beside it: the ends of ranges are where mistakes are. */
static void draw_number(struct draw *draw, struct expression *test)
{
	static const char *const odd[] = { "0", "-0.0", "1e3", "-9223372036854775808", "9223372036854775807" };
	const struct histree_segment *segment =
		&draw->segments->segments[random_below(&draw->random, draw->segments->count)];
	struct histree_value value = value_of(segment, test->field);
	if (test->field >= OWN_FIELDS && (value.type == HISTREE_NULL || random_percent(&draw->random, 20))) {
		strcpy(test->word, odd[random_below(&draw->random, sizeof(odd) / sizeof(odd[0]))]);
		test->number = strtold(test->word, NULL);
	} else if (value.type == HISTREE_DOUBLE) {
		snprintf(test->word, sizeof(test->word), "%.17g", value.real);
		test->number = value.real;
	} else {
		int64_t number = (int64_t)number_of(&value);
		if (number > INT64_MIN + 1 && number < INT64_MAX && (number > 0 || test->field != FIELD_DURATION))
			number += (int64_t)random_below(&draw->random, 3) - 1;
		if (number == INT64_MIN && test->field < OWN_FIELDS)
			number++; /* no text of a time says it */
		snprintf(test->word, sizeof(test->word), "%lld", (long long)number);
		test->number = (long double)number;
	}
}

static void draw_test(struct draw *draw, struct expression *test)
{
	static const char *const words[] = { "read", "re", "", "a", "futex", "true", "1" };
	static const char *const patterns[] = {
		"^re", "e$", "read|write", "^$", "^[0-9]+$", "1.", "-?1", "(re)+a"
	};
	struct random *random = &draw->random;
	*test = (struct expression){ .kind = EXPRESSION_TEST,
				     .field = (unsigned)random_below(random, FIELDS),
				     .op = (enum op)random_below(random, OP_PRESENT + 1) };
	if (random_percent(random, 10)) {
		test->field = ANY_FIELD;
		test->op = OP_MATCHES;
	}
	if (test->op == OP_MATCHES) {
		strcpy(test->word, patterns[random_below(random, sizeof(patterns) / sizeof(patterns[0]))]);
	} else if (test->op == OP_CONTAINS) {
		strcpy(test->word, words[random_below(random, sizeof(words) / sizeof(words[0]))]);
	} else if (is_number(type_of(test->field))) {
		draw_number(draw, test);
	} else {
		if (test->op >= OP_LESS && test->op <= OP_MORE_EQUAL)
			test->op = OP_DIFFERENT;
		if (type_of(test->field) == HISTREE_BOOL)
			strcpy(test->word, random_percent(random, 50) ? "true" : "False");
		else
			strcpy(test->word, words[random_below(random, sizeof(words) / sizeof(words[0]))]);
	}
}

static struct expression *draw_expression(struct draw *draw, unsigned depth)
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

static char *put_name(struct draw *draw, char *at, unsigned field)
{
	static const char *const own[] = { "start", "END", "Duration" };
	const char *name = field < OWN_FIELDS ? own[field] : segment_test_schema.fields[field - OWN_FIELDS].name;
	return at + sprintf(at, random_percent(&draw->random, 20) ? "\"%s\"" : "%s", name);
}

static char *put_test(struct draw *draw, char *at, const struct expression *test)
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
static char *put(struct draw *draw, char *at, const struct expression *expression, enum kind around)
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

/* ---- plain evaluation ------------------------------------------------------------------------------ */

static size_t text_of(const struct histree_value *value, char text[64])
{
	if (value->type == HISTREE_STRING) {
		memcpy(text, value->bytes, value->size);
		return value->size;
	}
	if (value->type == HISTREE_BOOL)
		return (size_t)sprintf(text, "%s", value->boolean ? "true" : "false");
	if (value->type == HISTREE_DOUBLE)
		return (size_t)sprintf(text, "%.15g", value->real);
	return (size_t)sprintf(text, "%.0Lf", number_of(value));
}

static bool contains(const char *text, size_t size, const char *word)
{
	size_t wanted = strlen(word);
	for (size_t i = 0; i + wanted <= size; i++)
		if (strncmp(text + i, word, wanted) == 0)
			return true;
	return false;
}

static bool matches(const char *text, size_t size, const char *pattern)
{
	regex_t compiled;
	regmatch_t part = { .rm_so = 0, .rm_eo = (regoff_t)size };
	assert_int_equal(regcomp(&compiled, pattern, REG_EXTENDED), 0);
	bool found = regexec(&compiled, text, 1, &part, REG_STARTEND) == 0;
	regfree(&compiled);
	return found;
}

static bool test_holds(const struct expression *test, const struct histree_value *value)
{
	char text[64];
	if (value->type == HISTREE_NULL)
		return false;
	long double number = is_number(value->type) ? number_of(value) : 0;
	size_t size = text_of(value, text);
	bool is_equal = is_number(value->type) ? number == test->number
			: value->type == HISTREE_BOOL
				? value->boolean == (test->word[0] == 't')
				: size == strlen(test->word) && memcmp(text, test->word, size) == 0;
	switch (test->op) {
	case OP_EQUAL:
		return is_equal;
	case OP_DIFFERENT:
		return !is_equal;
	case OP_LESS:
		return number < test->number;
	case OP_LESS_EQUAL:
		return number <= test->number;
	case OP_MORE:
		return number > test->number;
	case OP_MORE_EQUAL:
		return number >= test->number;
	case OP_CONTAINS:
		return contains(text, size, test->word);
	case OP_MATCHES:
		return matches(text, size, test->word);
	case OP_PRESENT:
		break;
	}
	return true;
}

static bool holds(const struct expression *expression, const struct histree_segment *segment)
{
	struct histree_value value;
	switch (expression->kind) {
	case EXPRESSION_AND:
		return holds(expression->left, segment) && holds(expression->right, segment);
	case EXPRESSION_OR:
		return holds(expression->left, segment) || holds(expression->right, segment);
	case EXPRESSION_NOT:
		return !holds(expression->left, segment);
	case EXPRESSION_TEST:
		break;
	}
	bool held = false;
	for (unsigned field = 0; field < FIELDS; field++) {
		if (field != expression->field && expression->field != ANY_FIELD)
			continue;
		value = value_of(segment, field);
		held |= test_holds(expression, &value);
	}
	return held;
}

/* ---- both ------------------------------------------------------------------------------------------ */

/* How many the filter let pass; `given` counts each, by its number. */
static size_t ask(struct histree_segment_store *store, const char *text, uint8_t *given, size_t count)
{
	struct histree_segment_filter *filter;
	struct histree_segment_iter *iter;
	struct histree_segment segment;
	struct histree_error error = { 0 };
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	size_t passed = 0;
	if (histree_segment_filter_create(&segment_test_schema, text, 0, 0, &filter, &error) != HISTREE_OK)
		fail_msg("'%s': %s", text, error.message);
	histree_segment_filter_apply(filter, &query);
	memset(given, 0, count);
	assert_int_equal(histree_segment_iter_create(store, &iter, NULL), HISTREE_OK);
	assert_int_equal(histree_segment_iter_start(iter, &query, NULL, NULL), HISTREE_OK);
	for (; histree_segment_iter_next(iter, &segment, NULL) == HISTREE_OK; passed++)
		given[segment.content[SEGMENT_ID].int64]++;
	histree_segment_iter_free(iter);
	histree_segment_filter_free(filter);
	return passed;
}

static void as_a_plain_evaluation(const void *chosen, uint64_t seed)
{
	const struct segment_kind *kind = chosen;
	struct segments segments;
	assert_true(segments_make(&segments, kind, seed));
	struct histree_segment_store *store = segments_store(&segments);
	assert_non_null(store);
	uint8_t *given = malloc(segments.count);
	assert_non_null(given);
	size_t some = 0;
	for (size_t number = 0; number < FILTERS; number++) {
		struct draw draw = { .random = { seed + number }, .segments = &segments };
		char text[8192];
		struct expression *expression = draw_expression(&draw, 4);
		put(&draw, text, expression, EXPRESSION_OR);
		size_t passed = ask(store, text, given, segments.count);
		for (size_t i = 0; i < segments.count; i++)
			if (given[i] != holds(expression, &segments.segments[i]))
				fail_msg("segment %zu was given %d times: %s", i, given[i], text);
		some += passed > 0 && passed < segments.count;
	}
	assert_true(some > FILTERS / 3);
	free(given);
	histree_segment_store_close(store);
	segments_release(&segments);
}

int main(void)
{
	static const struct segment_kind kinds[] = {
		{ "by end", SEGMENTS_BY_END, 60, true },   { "scattered", SEGMENTS_SCATTERED, 60, true },
		{ "extreme", SEGMENTS_EXTREME, 60, true }, { "few values", SEGMENTS_FEW_VALUES, 60, true },
		{ NULL, SEGMENTS_NOISY, 0, false },
	};
	static const struct property property = {
		.kinds = kinds, .kind_size = sizeof(*kinds), .rounds = 1, .check = as_a_plain_evaluation
	};
	return property_run("filter", &property, 1, NULL, 0);
}
