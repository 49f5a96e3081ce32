// SPDX-License-Identifier: MIT
/*
 * test_library.c - a library that is there, one that is not, one that lacks a function, and many threads that ask.
 */
#include <math.h>
#include <pthread.h>

#include "base/library.h"
#include "support/test.h"

#define MATHS_FUNCTIONS(F) F(, cos) F(fl, oor)

static struct {
	MATHS_FUNCTIONS(LIBRARY_POINTER)
} lib_maths;

void no_such_function(void);

#define MORE_FUNCTIONS(F) F(, cos) F(no_such_, function)

static struct {
	MORE_FUNCTIONS(LIBRARY_POINTER)
} lib_more;

static struct library maths = LIBRARY("libm.so.6", "sums", MATHS_FUNCTIONS, lib_maths);
static struct library more = LIBRARY("libm.so.6", "sums need more", MORE_FUNCTIONS, lib_more);
static struct library absent = LIBRARY("libhistree_absent.so.7", "sums need it", MATHS_FUNCTIONS, lib_maths);

static void *ask(void *unused)
{
	(void)unused;
	return library_load(&maths, NULL) == HISTREE_OK && lib_maths.oor(1.5) == 1 ? &maths : NULL;
}

TEST(many_may_ask_at_once)
{
	pthread_t threads[8];
	for (int i = 0; i < 8; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask, NULL), 0);
	for (int i = 0; i < 8; i++) {
		void *found;
		assert_int_equal(pthread_join(threads[i], &found), 0);
		assert_ptr_equal(found, &maths);
	}
	assert_true(lib_maths.cos(0) == 1);
}

TEST(what_is_missing_is_said)
{
	struct histree_error error;
	assert_int_equal(library_load(&absent, &error), HISTREE_NOT_FOUND);
	assert_non_null(strstr(error.message, "sums need it"));
	assert_non_null(strstr(error.message, "libhistree_absent.so.7"));
	assert_int_equal(library_load(&more, &error), HISTREE_NOT_FOUND);
	assert_string_equal(error.message, "sums need more; this libm.so.6 has no no_such_function()");
	assert_int_equal(library_load(&more, &error), HISTREE_NOT_FOUND);
}
