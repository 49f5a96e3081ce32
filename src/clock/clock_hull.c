// SPDX-License-Identifier: MIT
#include "clock/clock_hull.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

wide_int clock_above(struct clock_point point, struct clock_point through, struct clock_slope slope)
{
	return (wide_int)(point.y - through.y) * slope.dx - (wide_int)(point.x - through.x) * slope.dy;
}

static struct clock_slope slope_between(struct clock_point a, struct clock_point b)
{
	return (struct clock_slope){ .dy = b.y - a.y, .dx = b.x - a.x };
}

/* Whether `middle` is no corner between its neighbours. */
static bool is_inside(const struct clock_hull *hull, struct clock_point before, struct clock_point middle,
		      struct clock_point after)
{
	return clock_above(middle, before, slope_between(before, after)) * hull->side <= 0;
}

/* The index of the first point at or after x. */
static size_t find(const struct clock_hull *hull, histree_time x)
{
	size_t first = 0, count = hull->count;
	if (count > 0 && hull->points[count - 1].x < x)
		return count;
	while (count > 0) {
		size_t half = count / 2;
		if (hull->points[first + half].x < x) {
			first += half + 1;
			count -= half + 1;
		} else {
			count = half;
		}
	}
	return first;
}

static void remove_points(struct clock_hull *hull, size_t first, size_t end)
{
	memmove(hull->points + first, hull->points + end, (hull->count - end) * sizeof(*hull->points));
	hull->count -= end - first;
}

bool clock_hull_insert(struct clock_hull *hull, struct clock_point point)
{
	size_t at = find(hull, point.x);
	const struct clock_point *points = hull->points;
	bool is_twice = at < hull->count && points[at].x == point.x;
	if (is_twice && (point.y - points[at].y) * hull->side <= 0)
		return true;
	size_t after = at + is_twice;
	if (at > 0 && after < hull->count && is_inside(hull, points[at - 1], point, points[after]))
		return true;
	if (!array_reserve(&hull->points, &hull->capacity, hull->count + 1))
		return false;
	/* Neighbours that are no corners any more go. */
	size_t first = at, end = after;
	while (first >= 2 && is_inside(hull, hull->points[first - 2], hull->points[first - 1], point))
		first--;
	while (end + 2 <= hull->count && is_inside(hull, point, hull->points[end], hull->points[end + 1]))
		end++;
	if (first == end) {
		memmove(hull->points + first + 1, hull->points + first,
			(hull->count - first) * sizeof(*hull->points));
		hull->count++;
	} else {
		remove_points(hull, first + 1, end);
	}
	hull->points[first] = point;
	return true;
}

/* From one corner to the next, slopes fall on an upper hull and rise on a lower one. */
struct clock_point clock_hull_touch(const struct clock_hull *hull, struct clock_slope slope)
{
	size_t first = 0, count = hull->count - 1;
	while (count > 0) {
		size_t half = count / 2;
		const struct clock_point *corner = &hull->points[first + half];
		if (clock_above(corner[1], corner[0], slope) * hull->side > 0) {
			first += half + 1;
			count -= half + 1;
		} else {
			count = half;
		}
	}
	return hull->points[first];
}

void clock_hull_release(struct clock_hull *hull)
{
	free(hull->points);
	hull->points = NULL;
	hull->count = hull->capacity = 0;
}
