// SPDX-License-Identifier: MIT
#include "draw/time_axis.h"

#include <stdio.h>

#include "base/time_text.h"

#define SECOND INT64_C(1000000000)
#define DAY (86400 * SECOND)

/* Above a second people do not count in tens; beyond a day in days. */
static const int64_t long_steps[] = { 1,     2,     5,      10,     15,      30,       60,       120,
				      300,   600,   900,    1800,   3600,    7200,     10800,    21600,
				      43200, 86400, 172800, 864000, 8640000, 86400000, 864000000 };

static int64_t choose_step(double min)
{
	for (int64_t decade = 1; decade < SECOND; decade *= 10)
		for (int64_t one = 1; one <= 5; one += one == 1 ? 1 : 3)
			if ((double)(one * decade) >= min)
				return one * decade;
	size_t i = 0;
	while (i + 1 < sizeof(long_steps) / sizeof(long_steps[0]) && (double)long_steps[i] * 1e9 < min)
		i++;
	return long_steps[i] * SECOND;
}

struct time_axis time_axis(histree_time from, histree_time to, double x, double width, double distance)
{
	struct time_axis axis = { .from = from, .to = to, .x = x, .width = width };
	double length = (double)((uint64_t)to - (uint64_t)from) + 1;
	axis.step = choose_step(length * distance / width);
	for (int64_t step = axis.step; step % SECOND != 0 && axis.decimals < 9; step *= 10)
		axis.decimals++;
	return axis;
}

double time_axis_x(const struct time_axis *axis, histree_time t)
{
	double length = (double)((uint64_t)axis->to - (uint64_t)axis->from) + 1;
	return axis->x + (double)((uint64_t)t - (uint64_t)axis->from) / length * axis->width;
}

/* Whether t + ns is in the range; then that is t. */
static bool advance(const struct time_axis *axis, histree_time *t, int64_t ns)
{
	if ((uint64_t)axis->to - (uint64_t)*t < (uint64_t)ns)
		return false;
	*t += ns;
	return true;
}

bool time_axis_first(const struct time_axis *axis, histree_time *tick)
{
	int64_t since = axis->from % axis->step; /* since the last tick, which for times before 1970 is negative */
	*tick = axis->from;
	return since == 0 || advance(axis, tick, since > 0 ? axis->step - since : -since);
}

bool time_axis_next(const struct time_axis *axis, histree_time *tick)
{
	return advance(axis, tick, axis->step);
}

void time_axis_label(const struct time_axis *axis, histree_time tick, char *text, size_t size)
{
	char clock[TIME_TEXT_SIZE];
	if (tick % DAY == 0 && (uint64_t)axis->to - (uint64_t)axis->from >= (uint64_t)DAY) {
		time_format_date(tick, clock);
		snprintf(text, size, "%.10s", clock);
		return;
	}
	time_format_clock(tick, clock);
	snprintf(text, size, "%.*s", axis->decimals > 0 ? 9 + axis->decimals : 8, clock);
}
