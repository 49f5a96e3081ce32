/* SPDX-License-Identifier: MIT */
/*
 * filter_test.h - one comparison of a filter expression: a field, an operator, what it is compared with.
 */
#ifndef FILTER_FILTER_TEST_H
#define FILTER_FILTER_TEST_H

#include "base/pattern.h"
#include "base/wide_int.h"
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

/*
 * Set what the test compares with: `text`, as it is meant for a field like `field` (NULL: any field) under the
 * operator of the test.  Returns HISTREE_ERR_ARGUMENT if it means nothing there.
 */
enum histree_status filter_test_read(struct filter_test *test, const struct histree_filter_field *field,
				     const struct histree_filter_scope *scope, const char *text,
				     struct histree_error *error);

bool filter_test_passes(const struct filter_test *test, const struct histree_value *value);

void filter_test_release(struct filter_test *test);

#endif
