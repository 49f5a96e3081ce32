/* SPDX-License-Identifier: MIT */
/*
 * time_axis.h - times at round distances, and where they are in a picture.
 */
#ifndef DRAW_TIME_AXIS_H
#define DRAW_TIME_AXIS_H

#include "histree/value.h"

struct time_axis {
	histree_time from, to;
	double x, width; /* of the range, in the picture */
	int64_t step;    /* ns between two ticks */
	int decimals;    /* of a second that a label needs */
};

/* Makes an axis whose ticks are at least `distance` apart. */
struct time_axis time_axis(histree_time from, histree_time to, double x, double width, double distance);

double time_axis_x(const struct time_axis *axis, histree_time t);

/* Set *tick to the first tick, and to the one after it; return false if there is none in the range. */
bool time_axis_first(const struct time_axis *axis, histree_time *tick);
bool time_axis_next(const struct time_axis *axis, histree_time *tick);

/*
 * Writes "17:46:22.8": the time of day with as many decimals as ticks differ in; in a range of a day or more,
 * where a day begins, "2016-03-04".
 */
void time_axis_label(const struct time_axis *axis, histree_time tick, char *text, size_t size);

#endif
