// SPDX-License-Identifier: MIT
/*
 * suites.c - the main() of a program of several suites: PROGRAM [NAME] runs one, or names them all.
 */
#include "support/test.h"

static struct listed_test *tests; /* by file, and by line in each */
static struct test_file *files;

/* Whether `a` comes after `b`.  Constructors come in no order that is promised. */
static bool is_behind(const struct listed_test *a, const struct listed_test *b)
{
	int by_file = strcmp(a->file, b->file);
	return by_file != 0 ? by_file > 0 : a->line > b->line;
}

void test_add(struct listed_test *test)
{
	struct listed_test **place = &tests;
	while (*place != NULL && is_behind(test, *place))
		place = &(*place)->next;
	test->next = *place;
	*place = test;
}

void test_file_add(struct test_file *file)
{
	file->next = files;
	files = file;
}

/* NAME of the path of a file: what is between the first `_` of its last part and the `.`. */
static bool has_name(const char *file, const char *name)
{
	const char *last = strrchr(file, '/');
	const char *begin = strchr(last != NULL ? last : file, '_');
	size_t length = strlen(name);
	return begin != NULL && strncmp(begin + 1, name, length) == 0 && strcmp(begin + 1 + length, ".c") == 0;
}

size_t tests_of(const char *file, struct CMUnitTest *out, size_t max)
{
	size_t count = 0;
	for (const struct listed_test *test = tests; test != NULL; test = test->next)
		if (strcmp(test->file, file) == 0) {
			assert_true(count < max);
			out[count++] = test->unit;
		}
	return count;
}

static int run_suite(const char *name)
{
	enum { TESTS_MAX = 100 };
	struct CMUnitTest units[TESTS_MAX];
	const struct test_file *own = files;
	while (own != NULL && !has_name(own->file, name))
		own = own->next;
	if (own != NULL && own->run != NULL)
		return own->run();
	const struct listed_test *test = tests;
	while (test != NULL && !has_name(test->file, name))
		test = test->next;
	if (test == NULL) {
		fprintf(stderr, "this program has no suite '%s'\n", name);
		return 2;
	}
	return _cmocka_run_group_tests(test->file, units, tests_of(test->file, units, TESTS_MAX),
				       own != NULL ? own->set_up : NULL, own != NULL ? own->tear_down : NULL);
}

int main(int argument_count, char **arguments)
{
	if (argument_count == 2)
		return run_suite(arguments[1]);
	const char *last = "";
	for (const struct listed_test *test = tests; test != NULL; last = test->file, test = test->next)
		if (strcmp(last, test->file) != 0)
			puts(test->file);
	for (const struct test_file *file = files; file != NULL; file = file->next)
		if (file->run != NULL)
			puts(file->file);
	fprintf(stderr, "usage: %s NAME, the part of a file's name after `test_`\n", arguments[0]);
	return 2;
}
