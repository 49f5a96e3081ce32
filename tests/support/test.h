/* SPDX-License-Identifier: MIT */
/*
 * test.h - what every test begins with: cmocka, the headers of C that most tests want, and TEST.
 *
 * A file test_NAME.c or property_NAME.c is a suite NAME of a program that many of them share: to link one is
 * cheaper than to link a hundred.  `PROGRAM NAME` runs it (suites.c): its tests, in the order in which they stand
 * in the file.
 *
 *	TEST(numbers_come_in_any_order)
 *	{
 *		assert_int_equal(...);
 *	}
 */
#ifndef SUPPORT_TEST_H
#define SUPPORT_TEST_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "histree/status.h"

struct listed_test {
	const char *file;
	int line;
	struct CMUnitTest unit;
	struct listed_test *next;
};

/* What a file asks for besides: a fixture around all its tests, or a main() of its own in place of them. */
struct test_file {
	const char *file;
	int (*set_up)(void **state), (*tear_down)(void **state);
	int (*run)(void); /* returns what main() returns */
	struct test_file *next;
};

/* Called before main(). */
void test_add(struct listed_test *test);
void test_file_add(struct test_file *file);

/* Puts the tests of a file into `out`, in their order; returns how many there are. */
size_t tests_of(const char *file, struct CMUnitTest *out, size_t max);

#define TEST(name) TEST_WITH(name, NULL, NULL)

/* A test with its fixture: what is done before and after it. */
#define TEST_WITH(name, set_up, tear_down)                                                 \
	static void name(void **state);                                                    \
	__attribute__((constructor)) static void name##_is_added(void)                     \
	{                                                                                  \
		static struct listed_test test = {                                         \
			__FILE__, __LINE__, { #name, name, set_up, tear_down, NULL }, NULL \
		};                                                                         \
		test_add(&test);                                                           \
	}                                                                                  \
	static void name(__attribute__((unused)) void **state)

/* What failed is said in words, too. */
#define assert_ok(call) assert_ok_at((call), #call, __FILE__, __LINE__)

static inline void assert_ok_at(enum histree_status status, const char *call, const char *file, int line)
{
	if (status != HISTREE_OK)
		print_error("%s: %s\n", call, histree_status_text(status));
	_assert_int_equal((LargestIntegralType)status, HISTREE_OK, file, line);
}

/* The fixture of this file: what is done once before and after its tests. */
#define TEST_FILE(set_up, tear_down)                                                        \
	__attribute__((constructor)) static void add_file(void)                             \
	{                                                                                   \
		static struct test_file file = { __FILE__, set_up, tear_down, NULL, NULL }; \
		test_file_add(&file);                                                       \
	}

/* The suite of this file is no list of tests; the body of a function that returns what main() returns follows. */
#define TEST_SUITE                                                                     \
	static int run_suite(void);                                                    \
	__attribute__((constructor)) static void add_file(void)                        \
	{                                                                              \
		static struct test_file file = { .file = __FILE__, .run = run_suite }; \
		test_file_add(&file);                                                  \
	}                                                                              \
	static int run_suite(void)

#endif
