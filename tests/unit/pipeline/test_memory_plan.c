// SPDX-License-Identifier: MIT
/*
 * test_memory_plan.c - the parts of a build's memory: all of them together, and which do not depend on the others.
 */
#include "pipeline/build_plan.h"
#include "support/test.h"

enum { HISTORIES_MAX = 9, STORES_MAX = 30, MEGABYTE = 1 << 20 };

TEST(all_parts_together_are_the_memory)
{
	static const size_t sizes[] = { (size_t)128 << 20, (size_t)160 << 20, (size_t)1 << 40 };
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (size_t histories = 0; histories <= HISTORIES_MAX; histories++)
			for (size_t stores = 0; stores <= STORES_MAX; stores++) {
				struct memory_plan plan = memory_plan(sizes[i], histories, stores);
				size_t beside = histories > 1 ? (histories - 1) * plan.beside : 0;
				assert_true(plan.tables + plan.history + beside + stores * plan.segments <=
					    sizes[i]);
			}
}

TEST(a_file_does_not_depend_on_the_others)
{
	struct memory_plan alone = memory_plan(0, 1, 0), all = memory_plan(0, 1, 6), calls = memory_plan(0, 0, 1);
	assert_int_equal(alone.history, 48 * MEGABYTE);
	assert_int_equal(all.history, alone.history);
	assert_int_equal(memory_plan(0, 8, 20).history, alone.history);
	assert_int_equal(all.segments, 8 * MEGABYTE);
	assert_int_equal(calls.segments, all.segments);
	assert_int_equal(alone.tables, 64 * MEGABYTE);
}

TEST(no_part_is_too_small_to_work_with)
{
	struct memory_plan plan = memory_plan(1, 3, 7);
	assert_int_equal(plan.tables, MEGABYTE);
	assert_int_equal(plan.history, MEGABYTE);
	assert_int_equal(plan.segments, MEGABYTE);
}

TEST(hosts_built_at_a_time_stay_below_the_ceiling)
{
	for (size_t memory = 20 * MEGABYTE; memory < (size_t)4096 * MEGABYTE; memory += 60 * MEGABYTE)
		for (size_t hosts = 1; hosts <= HISTORIES_MAX; hosts++)
			for (uint32_t threads = 1; threads <= STORES_MAX; threads++) {
				struct memory_share share = memory_share(memory, hosts, threads, 0);
				struct memory_plan plan = memory_plan(share.memory_max, 1, 6);
				size_t each = share.tables + plan.history + 6 * plan.segments;
				assert_true(share.side_by_side * each <= memory);
				assert_true(share.side_by_side <= hosts && share.side_by_side <= threads);
			}
}

TEST(buffers_do_not_depend_on_threads)
{
	for (size_t memory = 0; memory < (size_t)1024 * MEGABYTE; memory += 60 * MEGABYTE)
		for (uint32_t threads = 1; threads <= STORES_MAX; threads++) {
			size_t one = memory_share(memory, 8, 1, UINT64_MAX).memory_max;
			assert_int_equal(memory_share(memory, 8, threads, UINT64_MAX).memory_max, one);
		}
}

TEST(one_host_after_another_has_the_tables_of_one_alone)
{
	struct memory_share said = memory_share((size_t)160 * MEGABYTE, 8, 1, 0);
	assert_int_equal(said.tables, memory_plan((size_t)160 * MEGABYTE, 1, 0).tables);
	assert_int_equal(memory_share((size_t)160 * MEGABYTE, 8, 2, 0).tables, said.tables / 2);
	struct memory_share unsaid = memory_share(0, 8, 2, UINT64_MAX);
	assert_int_equal(unsaid.side_by_side, 2);
	assert_int_equal(unsaid.memory_max, 0);
	assert_int_equal(unsaid.tables, 0);
}

TEST(half_of_a_machine_is_enough)
{
	assert_int_equal(memory_share(0, 100, 64, (uint64_t)4 << 30).side_by_side, 9);
	assert_int_equal(memory_share(0, 100, 64, (uint64_t)64 << 20).side_by_side, 1);
	assert_int_equal(memory_share(0, 100, 64, UINT64_MAX).side_by_side, 64);
}

TEST(slices_are_for_more_processors_than_one_pass_has_work_for)
{
	const uint64_t long_trace = (uint64_t)1 << 40, of_six = (uint64_t)6 * 16 * MEGABYTE;
	for (uint32_t processors = 0; processors < 6; processors++)
		assert_int_equal(slice_threads(processors, long_trace), 0);
	assert_int_equal(slice_threads(6, long_trace), 5); /* and the building one */
	assert_int_equal(slice_threads(1024, long_trace), 64);
	assert_int_equal(slice_threads(6, of_six - 1), 0);
	assert_int_equal(slice_threads(6, of_six), 5);
	assert_int_equal(slice_threads(7, of_six), 0);
	assert_int_equal(slice_threads(6, 0), 0); /* a trace that does not say how long it is, as a live one */
}
