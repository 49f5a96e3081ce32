// SPDX-License-Identifier: MIT
#include "histree/filter.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "filter/filter_lexer.h"
#include "filter/filter_program.h"

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

/* Where the test before op `at` fails, so does the expression, whatever the other tests say. */
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
			const struct histree_value *values, const bool *are_known)
{
	bool is_open = false;
	size_t first = test->field == FILTER_ANY_FIELD ? 0 : test->field;
	size_t end = test->field == FILTER_ANY_FIELD ? filter->field_count : test->field + 1;
	for (size_t i = first; i < end; i++) {
		if (!are_known[i])
			is_open = true;
		else if (filter_test_passes(test, &values[i]))
			return YES;
	}
	return is_open ? NO | YES : NO;
}

/* Ops only go forward: when one is reached, all that is possible there is known. */
bool histree_filter_may_pass(const struct histree_filter *filter, const struct histree_value *values,
			     const bool *are_known)
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
			at[i + 1] |= possible(filter, &filter->tests[op->number], values, are_known);
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

bool histree_filter_needs(const struct histree_filter *filter, size_t field)
{
	for (size_t i = 0; i < filter->test_count; i++)
		if (filter->tests[i].field == field || filter->tests[i].field == FILTER_ANY_FIELD)
			return true;
	return false;
}

void histree_filter_free(struct histree_filter *filter)
{
	if (filter == NULL)
		return;
	for (size_t i = 0; i < filter->test_count; i++)
		filter_test_release(&filter->tests[i]);
	arena_release(&filter->arena);
	free(filter->ops);
	free(filter);
}
