// SPDX-License-Identifier: MIT
/*
 * suites.c - the main() of a program of several suites: PROGRAM [NAME] runs one, or names them all.
 */
#include <stdio.h>
#include <string.h>

#include "support/test.h"

static struct test_suite *suites;

void test_suite_add(struct test_suite *suite)
{
	suite->next = suites;
	suites = suite;
}

/* NAME of the path of a file: what is between the first `_` of its last part and the `.`. */
static int has_name(const struct test_suite *suite, const char *name)
{
	const char *last = strrchr(suite->file, '/');
	const char *begin = strchr(last != NULL ? last : suite->file, '_');
	size_t length = strlen(name);
	return begin != NULL && strncmp(begin + 1, name, length) == 0 && strcmp(begin + 1 + length, ".c") == 0;
}

int main(int argument_count, char **arguments)
{
	for (const struct test_suite *suite = suites; suite != NULL; suite = suite->next)
		if (argument_count < 2)
			puts(suite->file);
		else if (has_name(suite, arguments[1]))
			return suite->run();
	fprintf(stderr, "usage: %s NAME, the part of a file's name after `test_`\n", arguments[0]);
	return 2;
}
