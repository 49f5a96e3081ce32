// SPDX-License-Identifier: MIT
/*
 * Open segments: found by key while they are open, in memory that does not grow with the keys that ever were; by a
 * hash of any keys, and by an array of dense ones.
 */
#include "analysis/open_segments.h"
#include "base/hash_index.h"
#include "support/test.h"

static void check_a_segment_is_found_until_it_is_removed(bool is_dense)
{
	struct open_segments open = { .is_dense = is_dense };
	struct open_segment *segment = open_segments_add(&open, 7, 100);
	assert_ptr_equal(open_segments_find(&open, 7), segment);
	assert_null(open_segments_find(&open, 8));
	assert_int_equal(segment->start, 100);
	segment->values[0] = histree_int(1);
	open_segments_remove(&open, segment);
	assert_null(open_segments_find(&open, 7));
	assert_int_equal(open.count, 0);
	segment = open_segments_add(&open, 7, 200);
	assert_int_equal(segment->values[0].type, HISTREE_NULL);
	assert_int_equal(open.count, 1);
	open_segments_release(&open);
}

TEST(a_segment_is_found_until_it_is_removed)
{
	check_a_segment_is_found_until_it_is_removed(false);
	check_a_segment_is_found_until_it_is_removed(true);
}

static void check_a_segment_that_is_open_gives_way_to_one_of_its_key(bool is_dense)
{
	struct open_segments open = { .is_dense = is_dense };
	open_segments_add(&open, 7, 100);
	assert_int_equal(open_segments_add(&open, 7, 200)->start, 200);
	assert_int_equal(open.count, 1);
	open_segments_release(&open);
}

TEST(a_segment_that_is_open_gives_way_to_one_of_its_key)
{
	check_a_segment_that_is_open_gives_way_to_one_of_its_key(false);
	check_a_segment_that_is_open_gives_way_to_one_of_its_key(true);
}

static void check_a_segment_keeps_what_it_has_under_another_key(bool is_dense)
{
	struct open_segments open = { .is_dense = is_dense };
	struct open_segment *segment = open_segments_add(&open, 1, 100);
	segment->values[0] = histree_int(5);
	assert_true(open_segments_rename(&open, segment, 2));
	assert_null(open_segments_find(&open, 1));
	segment = open_segments_find(&open, 2);
	assert_int_equal(segment->start, 100);
	assert_int_equal(segment->values[0].int32, 5);
	open_segments_remove(&open, segment);
	/* The keys 1 and 2 are both known by now, and neither is open. */
	segment = open_segments_add(&open, 2, 300);
	assert_true(open_segments_rename(&open, segment, 1));
	assert_int_equal(open_segments_find(&open, 1)->start, 300);
	assert_int_equal(open.count, 1);
	open_segments_release(&open);
}

TEST(a_segment_keeps_what_it_has_under_another_key)
{
	check_a_segment_keeps_what_it_has_under_another_key(false);
	check_a_segment_keeps_what_it_has_under_another_key(true);
}

static void check_memory_grows_with_what_is_open(bool is_dense)
{
	enum { OPEN_AT_A_TIME = 40, KEYS = 100000 };
	struct open_segments open = { .is_dense = is_dense };
	for (uint64_t key = 0; key < KEYS; key++) {
		assert_non_null(open_segments_add(&open, key, (histree_time)key));
		if (key >= OPEN_AT_A_TIME)
			open_segments_remove(&open, open_segments_find(&open, key - OPEN_AT_A_TIME));
	}
	assert_int_equal(open.count, OPEN_AT_A_TIME);
	assert_true(open.record_count <= 3 * OPEN_AT_A_TIME);
	open_segments_release(&open);
}

TEST(memory_grows_with_what_is_open)
{
	check_memory_grows_with_what_is_open(false);
	check_memory_grows_with_what_is_open(true);
}

static void check_they_are_those_of_an_array(bool is_dense)
{
	enum { KEYS = 300, STEPS = 100000 };
	histree_time starts[KEYS];
	memset(starts, 0, sizeof(starts)); /* 0: not open */
	struct random random = { .state = 1 };
	struct open_segments open = { .is_dense = is_dense };
	for (histree_time time = 1; time <= STEPS; time++) {
		uint64_t key = random_below(&random, KEYS);
		struct open_segment *segment = open_segments_find(&open, key);
		assert_int_equal(segment == NULL ? 0 : segment->start, starts[key]);
		if (segment == NULL)
			open_segments_add(&open, key, time);
		else
			open_segments_remove(&open, segment);
		starts[key] = segment == NULL ? time : 0;
	}
	open_segments_release(&open);
}

TEST(they_are_those_of_an_array)
{
	check_they_are_those_of_an_array(false);
	check_they_are_those_of_an_array(true);
}
