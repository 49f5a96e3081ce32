/* SPDX-License-Identifier: MIT */
/*
 * filter.h - a filter expression: its tokens, its grammar, and the program that it becomes: tests, and ops that
 * combine them.
 *
 * There is one truth value, that of the last op.  "a && b" is: a; if it is false, jump behind b; b.  Ops only
 * jump forward, so a program of n ops ends after n at most, and needs no stack whatever its parentheses were.
 */
#ifndef FILTER_FILTER_H
#define FILTER_FILTER_H

#include "base/arena.h"
#include "filter/filter_test.h"

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
 * As histree_filter_match(), for fields some of which have two values for the same thing, such as a number and
 * its name: either may pass.  Less and greater compare the first.  Null: there is no second value.
 */
bool filter_match_either(const struct histree_filter *filter, const struct histree_value *values,
			 const struct histree_value *others);

#endif
