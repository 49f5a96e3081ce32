// SPDX-License-Identifier: MIT
/*
 * test_window.c - a window leaves all that meets the comparisons, by trying every interval of a small time, and
 * nothing else where one comparison says all; numbers at the ends of what an int64 can be.
 */
#include <math.h>

#include "base/hash_index.h"
#include "histree/filter.h"
#include "support/test.h"

enum { TIMES = 12, ROUNDS = 20000, COMPARISONS_MAX = 4 };

static bool holds(double time, enum histree_comparison comparison, double bound)
{
	switch (comparison) {
	case HISTREE_EQUAL_TO:
		return time == bound;
	case HISTREE_BELOW:
		return time < bound;
	case HISTREE_AT_MOST:
		return time <= bound;
	case HISTREE_ABOVE:
		return time > bound;
	case HISTREE_AT_LEAST:
		break;
	}
	return time >= bound;
}

struct condition {
	bool is_of_end;
	enum histree_comparison comparison;
	double bound;
};

static void draw(struct random *random, struct condition *conditions, size_t count, struct histree_window *window)
{
	for (size_t i = 0; i < count; i++) {
		struct condition *each = &conditions[i];
		*each = (struct condition){ random_percent(random, 50),
					    (enum histree_comparison)random_below(random, HISTREE_AT_LEAST + 1),
					    (double)random_below(random, 2 * TIMES) / 2 };
		bool is_whole = each->bound == floor(each->bound);
		struct histree_value number = is_whole && random_percent(random, 50)
						      ? histree_long((int64_t)each->bound)
						      : histree_double(each->bound);
		histree_window_narrow(window, each->comparison, &number);
	}
}

static bool meets_all(const struct condition *conditions, size_t count, histree_time start, histree_time end)
{
	for (size_t i = 0; i < count; i++)
		if (!holds((double)(conditions[i].is_of_end ? end : start), conditions[i].comparison,
			   conditions[i].bound))
			return false;
	return true;
}

TEST(nothing_that_meets_the_comparisons_is_left_out)
{
	struct random random = { 7 };
	for (int round = 0; round < ROUNDS; round++) {
		struct condition conditions[COMPARISONS_MAX];
		size_t count = random_below(&random, COMPARISONS_MAX + 1), left = 0, wanted = 0;
		struct histree_window window = HISTREE_WINDOW_ALL;
		draw(&random, conditions, count, &window);
		bool has_time = histree_window_fit(&window, 0, TIMES - 1);
		for (histree_time start = 0; start < TIMES; start++)
			for (histree_time end = start; end < TIMES; end++) {
				bool meets = has_time && start <= window.to && end >= window.from;
				if (meets_all(conditions, count, start, end)) {
					assert_true(meets);
					wanted++;
				}
				left += meets;
			}
		bool is_exact = count == 0 ||
				(count == 1 &&
				 (conditions[0].is_of_end ? conditions[0].comparison >= HISTREE_ABOVE
							  : conditions[0].comparison == HISTREE_BELOW ||
								    conditions[0].comparison == HISTREE_AT_MOST));
		if (is_exact)
			assert_int_equal(left, wanted);
	}
}

static bool leaves(enum histree_comparison comparison, struct histree_value number)
{
	struct histree_window window = HISTREE_WINDOW_ALL;
	histree_window_narrow(&window, comparison, &number);
	return histree_window_fit(&window, INT64_MIN, INT64_MAX);
}

TEST(numbers_beyond_time)
{
	static const struct {
		struct histree_value number;
		bool is_above;
	} beyond[] = {
		{ { .type = HISTREE_DOUBLE, .real = 0x1p63 }, true },
		{ { .type = HISTREE_DOUBLE, .real = INFINITY }, true },
		{ { .type = HISTREE_DOUBLE, .real = -INFINITY }, false },
		{ { .type = HISTREE_DOUBLE, .real = -0x1.8p63 }, false },
		{ { .type = HISTREE_LONG, .size = HISTREE_UNSIGNED, .int64 = -1 }, true },
	};
	for (size_t i = 0; i < sizeof(beyond) / sizeof(*beyond); i++) {
		assert_false(leaves(HISTREE_EQUAL_TO, beyond[i].number));
		assert_int_equal(leaves(HISTREE_BELOW, beyond[i].number), beyond[i].is_above);
		assert_int_equal(leaves(HISTREE_AT_MOST, beyond[i].number), beyond[i].is_above);
		assert_int_equal(leaves(HISTREE_ABOVE, beyond[i].number), !beyond[i].is_above);
		assert_int_equal(leaves(HISTREE_AT_LEAST, beyond[i].number), !beyond[i].is_above);
	}
	assert_true(leaves(HISTREE_EQUAL_TO, histree_long(INT64_MAX)));
	assert_false(leaves(HISTREE_ABOVE, histree_long(INT64_MAX)));
	assert_false(leaves(HISTREE_BELOW, histree_long(INT64_MIN)));
	assert_true(leaves(HISTREE_EQUAL_TO, histree_double(-0x1p63)));
	assert_false(leaves(HISTREE_AT_LEAST, histree_double(NAN)));
	assert_false(leaves(HISTREE_AT_LEAST, histree_null()));
	assert_true(leaves(HISTREE_EQUAL_TO, histree_string("noon")));
}
