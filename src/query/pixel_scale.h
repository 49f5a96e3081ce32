/* SPDX-License-Identifier: MIT */
/*
 * pixel_scale.h - a time range cut into pixels (histree/rows.h: histree_pixel_start()).
 *
 * Widths differ by one ns at most: `quotient` or one more.  Nothing overflows, whatever the range.
 */
#ifndef QUERY_PIXEL_SCALE_H
#define QUERY_PIXEL_SCALE_H

#include "histree/rows.h"

struct pixel_scale {
	histree_time from, to;
	uint32_t pixels;
	uint64_t quotient, remainder; /* of the number of ns by that of pixels; remainder 1 to pixels */
	double per_ns;                /* pixels */
};

struct pixel_scale pixel_scale(histree_time from, histree_time to, uint32_t pixels);

/* Return the first and the last ns of a pixel; the last is not before the first. */
histree_time pixel_first(const struct pixel_scale *scale, uint32_t pixel);
histree_time pixel_last(const struct pixel_scale *scale, uint32_t pixel);

/* Return the first and the last pixel that have the time `t`, which is in the range; mostly they are one. */
uint32_t pixel_from(const struct pixel_scale *scale, histree_time t);
uint32_t pixel_to(const struct pixel_scale *scale, histree_time t);

/* A pixel and its times: those that are asked for one after the other mostly share one. */
struct pixel_cell {
	histree_time first, last;
	uint32_t pixel;
};

static inline struct pixel_cell pixel_cell(const struct pixel_scale *scale, uint32_t pixel)
{
	return (struct pixel_cell){ pixel_first(scale, pixel), pixel_last(scale, pixel), pixel };
}

static inline bool pixel_cell_has(const struct pixel_cell *cell, histree_time start, histree_time end)
{
	return start >= cell->first && end <= cell->last;
}

/* Returns whether an interval is not shorter than any pixel. */
static inline bool pixel_scale_resolves(const struct pixel_scale *scale, const struct histree_interval *interval)
{
	return (uint64_t)interval->end - (uint64_t)interval->start >= scale->quotient;
}

#endif
