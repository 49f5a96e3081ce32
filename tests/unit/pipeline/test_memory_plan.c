// SPDX-License-Identifier: MIT
/*
 * test_memory_plan.c - the parts of a build's memory: all of them together, and which do not depend on the others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/memory_plan.h"

enum { HISTORIES_MAX = 9, STORES_MAX = 30, MEGABYTE = 1 << 20 };

static void all_parts_together_are_the_memory(void **state)
{
	(void)state;
	static const size_t sizes[] = { (size_t)128 << 20, (size_t)160 << 20, (size_t)1 << 40 };
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (size_t histories = 0; histories <= HISTORIES_MAX; histories++)
			for (size_t stores = 0; stores <= STORES_MAX; stores++) {
				struct memory_plan plan = memory_plan(sizes[i], histories, stores);
				assert_true(plan.tables + histories * plan.history + stores * plan.segments <=
					    sizes[i]);
			}
}

static void a_file_does_not_depend_on_the_others(void **state)
{
	(void)state;
	struct memory_plan alone = memory_plan(0, 1, 0), all = memory_plan(0, 1, 6), calls = memory_plan(0, 0, 1);
	assert_int_equal(alone.history, 48 * MEGABYTE);
	assert_int_equal(all.history, alone.history);
	assert_int_equal(all.segments, 8 * MEGABYTE);
	assert_int_equal(calls.segments, all.segments);
	assert_int_equal(alone.tables, 64 * MEGABYTE);
}

static void no_part_is_too_small_to_work_with(void **state)
{
	(void)state;
	struct memory_plan plan = memory_plan(1, 3, 7);
	assert_int_equal(plan.tables, MEGABYTE);
	assert_int_equal(plan.history, MEGABYTE);
	assert_int_equal(plan.segments, MEGABYTE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_parts_together_are_the_memory),
		cmocka_unit_test(a_file_does_not_depend_on_the_others),
		cmocka_unit_test(no_part_is_too_small_to_work_with),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
