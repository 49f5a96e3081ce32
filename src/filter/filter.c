// SPDX-License-Identifier: MIT
#include "histree/filter.h"

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

static bool passes(const struct histree_filter *filter, const struct filter_test *test,
		   const struct histree_value *values)
{
	if (test->field != FILTER_ANY_FIELD)
		return filter_test_passes(test, &values[test->field]);
	for (size_t i = 0; i < filter->field_count; i++)
		if (filter_test_passes(test, &values[i]))
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
	bool truth = false;
	for (size_t at = 0; at < filter->op_count;) {
		const struct filter_op *op = &filter->ops[at++];
		if (op->kind == FILTER_OP_TEST)
			truth = passes(filter, &filter->tests[op->number], values);
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

static void narrow_by(const struct filter_test *test, int64_t *min, int64_t *max)
{
	if (test->integer > INT64_MAX)
		return;
	bool is_min =
		test->operator== FILTER_ABOVE || test->operator== FILTER_AT_LEAST || test->operator== FILTER_EQUAL;
	bool is_max =
		test->operator== FILTER_BELOW || test->operator== FILTER_AT_MOST || test->operator== FILTER_EQUAL;
	if (is_min && test->integer > *min)
		*min = (int64_t)test->integer;
	if (is_max && test->integer < *max)
		*max = (int64_t)test->integer;
}

/* Goes through the tests that hold wherever the expression does, as long as each is required. */
void filter_narrow(const struct histree_filter *filter, size_t field, int64_t *min, int64_t *max)
{
	bool truth = true;
	for (size_t at = 0; at < filter->op_count;) {
		const struct filter_op *op = &filter->ops[at++];
		if (op->kind != FILTER_OP_TEST) {
			at = follow(op, at, &truth);
			continue;
		}
		const struct filter_test *test = &filter->tests[op->number];
		if (!is_required(filter, at))
			return;
		if (test->field == field && test->has_integer)
			narrow_by(test, min, max);
		truth = true;
	}
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
