/* SPDX-License-Identifier: MIT */
/*
 * test.h - cmocka, after the headers that it wants before it, and the suite of a file.
 *
 * A file test_NAME.c or property_NAME.c is a suite NAME of a program that many of them share: to link one is
 * cheaper than to link a hundred.  `PROGRAM NAME` runs it (suites.c).
 */
#ifndef SUPPORT_TEST_H
#define SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct test_suite {
	const char *file;
	int (*run)(void); /* returns what main() returns */
	struct test_suite *next;
};

/* Adds the suite of a file to its program, before main(). */
void test_suite_add(struct test_suite *suite);

/* The suite of this file; the body of a function that returns what main() returns follows. */
#define TEST_SUITE                                                                       \
	static int run_suite(void);                                                      \
	__attribute__((constructor)) static void add_suite(void)                         \
	{                                                                                \
		static struct test_suite suite = { .file = __FILE__, .run = run_suite }; \
		test_suite_add(&suite);                                                  \
	}                                                                                \
	static int run_suite(void)

/* The suite of this file: what is done once before and after its tests (or NULL), and the tests. */
#define TESTS(set_up, tear_down, ...)                                                   \
	TEST_SUITE                                                                      \
	{                                                                               \
		const struct CMUnitTest tests[] = { __VA_ARGS__ };                      \
		return cmocka_run_group_tests_name(__FILE__, tests, set_up, tear_down); \
	}

#endif
