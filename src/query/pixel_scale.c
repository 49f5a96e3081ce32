// SPDX-License-Identifier: MIT
#include "query/pixel_scale.h"

struct pixel_scale pixel_scale(histree_time from, histree_time to, uint32_t pixels)
{
	/* The number of ns is one more than this, and may be 2^64. */
	uint64_t length = (uint64_t)to - (uint64_t)from;
	return (struct pixel_scale){
		.from = from,
		.to = to,
		.pixels = pixels,
		.quotient = length / pixels,
		.remainder = length % pixels + 1,
		.per_ns = pixels / ((double)length + 1),
	};
}

histree_time pixel_first(const struct pixel_scale *scale, uint32_t pixel)
{
	uint64_t after = scale->quotient * pixel + scale->remainder * pixel / scale->pixels;
	return (histree_time)((uint64_t)scale->from + after);
}

histree_time pixel_last(const struct pixel_scale *scale, uint32_t pixel)
{
	histree_time first = pixel_first(scale, pixel);
	if (pixel == scale->pixels - 1)
		return scale->to;
	histree_time next = pixel_first(scale, pixel + 1);
	return next > first ? next - 1 : first;
}

static uint32_t near_pixel(const struct pixel_scale *scale, double pixel)
{
	if (pixel <= 0)
		return 0;
	return pixel < scale->pixels ? (uint32_t)pixel : scale->pixels - 1;
}

uint32_t pixel_to(const struct pixel_scale *scale, histree_time t)
{
	double ns = (double)((uint64_t)t - (uint64_t)scale->from);
	uint32_t pixel = near_pixel(scale, (ns + 1) * scale->per_ns);
	while (pixel > 0 && pixel_first(scale, pixel) > t)
		pixel--;
	while (pixel + 1 < scale->pixels && pixel_first(scale, pixel + 1) <= t)
		pixel++;
	return pixel;
}

uint32_t pixel_from(const struct pixel_scale *scale, histree_time t)
{
	if (scale->quotient > 0) /* each pixel has times of its own */
		return pixel_to(scale, t);
	double ns = (double)((uint64_t)t - (uint64_t)scale->from);
	uint32_t pixel = near_pixel(scale, ns * scale->per_ns);
	while (pixel > 0 && pixel_first(scale, pixel - 1) >= t)
		pixel--;
	while (pixel + 1 < scale->pixels && pixel_first(scale, pixel) < t)
		pixel++;
	return pixel;
}

histree_time histree_pixel_start(histree_time from, histree_time to, uint32_t pixels, uint32_t pixel)
{
	struct pixel_scale scale = pixel_scale(from, to, pixels > 0 ? pixels : 1);
	return pixel_first(&scale, pixel);
}
