/* SPDX-License-Identifier: MIT */
/*
 * filter.h - a filter expression, compiled into a program of tests and ops that combine them.  A test is one
 * comparison: a field, an operator, and an operand.
 *
 * There is one truth value, that of the last op. "a && b" is: a; if it is false, jump past b; b.  Ops only jump
 * forward, so a program of n ops ends after at most n steps, and needs no stack, however deep its parentheses were.
 */
#ifndef FILTER_FILTER_H
#define FILTER_FILTER_H

#include "base/arena.h"
#include "base/exact_sum.h"
#include "base/pattern.h"
#include "histree/filter.h"

enum filter_operator {
	FILTER_EQUAL,
	FILTER_DIFFERENT,
	FILTER_BELOW,
	FILTER_AT_MOST,
	FILTER_ABOVE,
	FILTER_AT_LEAST,
	FILTER_CONTAINS,
	FILTER_MATCHES,
	FILTER_PRESENT,
};

/* The field of a test that any field may pass. */
#define FILTER_ANY_FIELD SIZE_MAX

struct filter_test {
	enum filter_operator operator;
	size_t field;
	/* What the field is compared with; the text is borrowed. */
	const char *text;
	bool has_integer, has_real; /* the text is such a number, in the unit of the field */
	wide_int integer;           /* an int64_t, or for a field without a unit a uint64_t */
	double real;
	struct pattern *pattern; /* FILTER_MATCHES */
};

enum { FILTER_TEXT_MAX = 4096, FILTER_TESTS_MAX = 64, FILTER_DEPTH_MAX = 64 };

enum filter_op_kind {
	FILTER_OP_TEST,          /* the truth of a test */
	FILTER_OP_NOT,           /* the other truth */
	FILTER_OP_GO_WHEN_FALSE, /* on to another op, the truth as it is */
	FILTER_OP_GO_WHEN_TRUE,
};

struct filter_op {
	enum filter_op_kind kind;
	size_t number; /* of the test, or of the op to go on with */
};

struct histree_filter {
	struct arena arena; /* texts of tests */
	struct filter_test tests[FILTER_TESTS_MAX];
	size_t test_count;
	struct filter_op *ops;
	size_t op_count, ops_capacity;
	size_t field_count;
};

/*
 * Call `tell` for each test that must hold wherever the expression does: those joined by && at the top, until the
 * first that need not.
 */
void filter_required(const struct histree_filter *filter,
		     void (*tell)(void *context, const struct filter_test *test), void *context);

/*
 * As histree_filter_match(), for fields of which some have two values for the same content, such as a number and
 * its name: either may pass.  Less and greater compare the first value.  Null: there is no second value.
 */
bool filter_match_either(const struct histree_filter *filter, const struct histree_value *values,
			 const struct histree_value *others);

/* Whether a test compares this field with what is no number, so that a second value may be what it means. */
bool filter_compares_text(const struct histree_filter *filter, size_t field);

/* As histree_filter_may_pass(), for such fields. */
bool filter_may_pass_either(const struct histree_filter *filter, const struct histree_value *values,
			    const struct histree_value *others, const bool *are_known);

#endif
