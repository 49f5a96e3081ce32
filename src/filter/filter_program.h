/* SPDX-License-Identifier: MIT */
/*
 * filter_program.h - what an expression becomes: tests, and steps that combine them.
 *
 * There is one truth, that of the last step.  "a && b" is: a; where it is false go behind b; b.  Steps only go
 * forward, so a program of n steps ends after n at most, and needs no stack whatever its parentheses were.
 */
#ifndef FILTER_FILTER_PROGRAM_H
#define FILTER_FILTER_PROGRAM_H

#include "base/arena.h"
#include "filter/filter_test.h"

enum { FILTER_TEXT_MAX = 4096, FILTER_TESTS_MAX = 64, FILTER_DEPTH_MAX = 64 };

enum filter_step_kind {
	FILTER_STEP_TEST,          /* the truth of a test */
	FILTER_STEP_NOT,           /* the other truth */
	FILTER_STEP_GO_WHEN_FALSE, /* on to another step, the truth as it is */
	FILTER_STEP_GO_WHEN_TRUE,
};

struct filter_step {
	enum filter_step_kind kind;
	size_t number; /* of the test, or of the step to go on with */
};

struct histree_filter {
	struct arena arena; /* texts of tests */
	struct filter_test tests[FILTER_TESTS_MAX];
	size_t test_count;
	struct filter_step *steps;
	size_t step_count, steps_capacity;
	size_t field_count;
};

/* Fill an empty filter; what is in it is to be released also after failure. */
enum histree_status filter_parse(struct histree_filter *filter, const char *text,
				 const struct histree_filter_scope *scope, struct histree_error *error);

/*
 * Wherever the expression holds, the integer in `field` lies in [least, most] of before and, as far as comparisons
 * joined by && say so, in what is set here.
 */
void filter_narrow(const struct histree_filter *filter, size_t field, int64_t *least, int64_t *most);

#endif
