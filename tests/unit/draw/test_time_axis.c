// SPDX-License-Identifier: MIT
/*
 * test_time_axis.c - what stands at the ticks of an axis: times of a day, and days where a range has several.
 */
#include "base/number_text.h"
#include "draw/canvas.h"
#include "support/test.h"

#define SECOND INT64_C(1000000000)
#define HOUR (3600 * SECOND)
#define DAY (24 * HOUR)
#define SEPTEMBER_10 (15958 * DAY) /* 2013-09-10 */

/* All labels, with blanks between them. */
static const char *labels(histree_time from, histree_time to)
{
	static char all[1024];
	const struct time_axis axis = time_axis(from, to, 0, 1000, 120);
	histree_time tick;
	size_t size = 0;
	all[0] = '\0';
	for (bool more = time_axis_first(&axis, &tick); more; more = time_axis_next(&axis, &tick)) {
		char label[TIME_TEXT_SIZE];
		time_axis_label(&axis, tick, label, sizeof(label));
		size += (size_t)snprintf(all + size, sizeof(all) - size, "%s%s", size > 0 ? " " : "", label);
	}
	return all;
}

TEST(ticks_say_the_time_of_day)
{
	const histree_time start = SEPTEMBER_10 + 22 * HOUR;
	assert_string_equal(labels(start, start + SECOND - 1),
			    "22:00:00.0 22:00:00.2 22:00:00.4 22:00:00.6 22:00:00.8");
	assert_string_equal(labels(start, start + 4 * HOUR),
			    "22:00:00 22:30:00 23:00:00 23:30:00 00:00:00 00:30:00 01:00:00 01:30:00 02:00:00");
}

TEST(ticks_say_the_day_where_there_are_several)
{
	const histree_time start = SEPTEMBER_10 + 22 * HOUR;
	assert_string_equal(labels(start, start + 2 * DAY),
			    "2013-09-11 06:00:00 12:00:00 18:00:00 2013-09-12 06:00:00 12:00:00 18:00:00");
	assert_string_equal(labels(start, start + 4 * DAY),
			    "2013-09-11 12:00:00 2013-09-12 12:00:00 2013-09-13 12:00:00 "
			    "2013-09-14 12:00:00");
	assert_string_equal(labels(start, start + 6 * DAY),
			    "2013-09-11 2013-09-12 2013-09-13 2013-09-14 2013-09-15 2013-09-16");
	assert_string_equal(labels(-5002 * DAY, -4998 * DAY),
			    "1956-04-22 12:00:00 1956-04-23 12:00:00 1956-04-24 12:00:00 "
			    "1956-04-25 12:00:00 1956-04-26");
}

TEST(ticks_without_a_day_are_seconds)
{
	assert_string_equal(labels(85423 * SECOND, 85424 * SECOND - 1),
			    "85423.0 s 85423.2 s 85423.4 s 85423.6 s 85423.8 s");
	assert_string_equal(labels(-2 * SECOND, 2 * SECOND),
			    "-2.0 s -1.5 s -1.0 s -0.5 s 0.0 s 0.5 s 1.0 s 1.5 s 2.0 s");
}
