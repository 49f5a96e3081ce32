/* SPDX-License-Identifier: MIT */
/*
 * clock_hull.h - the convex hull of points, on one side: what of them a line above all, or below all, can touch.
 *
 * The x of a point is a time by one clock and y one by another, both within CLOCK_TIME_MAX of zero, so that
 * products of differences are exact in 128 bits.
 */
#ifndef CLOCK_CLOCK_HULL_H
#define CLOCK_CLOCK_HULL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/wide_int.h"
#include "histree/value.h"

#define CLOCK_TIME_MAX (INT64_C(1) << 61)

struct clock_point {
	histree_time x, y;
};

/* A slope dy / dx, where dx > 0. */
struct clock_slope {
	int64_t dy, dx;
};

/* Zeroed but for the side, it is empty. */
struct clock_hull {
	int side;                   /* 1: the points that a line above all can touch; -1: below all */
	struct clock_point *points; /* by ascending x */
	size_t count, capacity;
};

/* Insert a point; one inside of the hull changes nothing.  Returns false if memory is out. */
bool clock_hull_insert(struct clock_hull *hull, struct clock_point point);

/* Returns the point that a line of this slope touches when it comes from the side of the hull, which has some. */
struct clock_point clock_hull_touch(const struct clock_hull *hull, struct clock_slope slope);

void clock_hull_release(struct clock_hull *hull);

/* Returns how far a point is above the line of a slope through another, times dx: 0 if it is on it. */
wide_int clock_above(struct clock_point point, struct clock_point through, struct clock_slope slope);

#endif
