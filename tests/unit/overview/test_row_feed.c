// SPDX-License-Identifier: MIT
/*
 * test_row_feed.c - rows of a sum, each of whose states has a value of its own: values that no kept state has are
 * forgotten, and those that are kept stay what they were.
 */
#include "overview/row_feed.h"

#include "overview/overview_choice.h"
#include "support/test.h"

enum { STATES = 1400000, LENGTH = 10, LOOK_EVERY = 4096, NEW_SINCE_LOOK = 2 * LOOK_EVERY, FEW = 1 << 16 };

/* State number i of the sum is [i * LENGTH, (i + 1) * LENGTH) and has the value i. */
static struct histree_interval state_of(uint64_t i, struct histree_value value)
{
	return (struct histree_interval){ .start = (histree_time)(i * LENGTH),
					  .end = (histree_time)((i + 1) * LENGTH - 1),
					  .value = value };
}

/* A cell is divided among values of states within it, and texts are what they were. */
static void check_kept(const struct row_feed *feed)
{
	const histree_time cell = (INT64_C(1) << feed->owners[0].width_log2) - 1;
	size_t sums = 0, texts = 0;
	for (size_t i = 0; i < feed->owners[0].kept; i++) {
		const struct overview_state state = row_feed_state(feed, 0, i);
		if (state.value == OVERVIEW_REST)
			continue;
		const struct histree_value *value = &feed->values.values[state.value];
		assert_int_equal(value->type, HISTREE_LONG);
		assert_true(value->int64 * LENGTH <= (state.end | cell));
		assert_true((value->int64 + 1) * LENGTH > (state.start & ~cell));
		sums++;
	}
	for (size_t i = 0; i < feed->owners[1].kept; i++) {
		const struct overview_state state = row_feed_state(feed, 1, i);
		if (state.value == OVERVIEW_REST)
			continue;
		const struct histree_value *value = &feed->values.values[state.value];
		assert_int_equal(value->type, HISTREE_STRING);
		assert_memory_equal(value->bytes, value->size == 3 ? "one" : "other", value->size);
		texts++;
	}
	assert_true(sums > 0 && texts > 0);
}

/* Returns how many values there are in the end. */
static size_t feed_and_check(uint32_t values_max)
{
	const struct overview_options asked = { .values_max = values_max };
	const struct overview_options options = overview_options_complete(&asked);
	struct row_feed feed;
	size_t values;
	assert_ok(row_feed_begin(&feed, &options, 0, NULL, NULL));
	assert_true(row_feed_own(&feed) && row_feed_own(&feed));
	for (uint64_t i = 0; i < STATES; i++) {
		const struct histree_interval sum = state_of(i, histree_long((int64_t)i));
		const struct histree_interval text = state_of(i, histree_string(i % 3 == 0 ? "one" : "other"));
		assert_true(row_feed_add(&feed, 0, &sum) && row_feed_add(&feed, 1, &text));
		if (i % LOOK_EVERY != 0)
			continue;
		assert_true(row_feed_look(&feed, 2 * i));
		assert_true(feed.values.count <= FEW || feed.values.count <= 2 * feed.kept + NEW_SINCE_LOOK);
	}
	check_kept(&feed);
	values = feed.values.count;
	row_feed_release(&feed);
	return values;
}

TEST(values_that_nobody_has_are_forgotten)
{
	assert_true(feed_and_check(0) < STATES / 2);
}

TEST(many_values_make_wider_cells)
{
	/* What was fed since the cells became wider has its values. */
	assert_true(feed_and_check(FEW + 1) < feed_and_check(0) / 4 * 3);
}
