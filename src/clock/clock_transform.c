// SPDX-License-Identifier: MIT
/*
 * clock_transform.c - what a clock makes of a time, and of another clock.
 */
#include "clock/clock_transform.h"

#include <math.h>

#include "base/wide_int.h"

enum { RATE_BITS = 62, FRACTION_BITS = 32 };

/* Rounded down, as division by a power of two is here: gcc and clang shift signs in. */
static wide_int shift_down(wide_int number, int bits)
{
	return number >> bits;
}

/* A time as far as 2^64 from `from`, in 2^-32 ns: |d| < 2^64, so that d * rate < 2^127. */
static wide_int apply(const struct histree_clock *clock, histree_time time)
{
	wide_int passed = (wide_int)time - clock->from;
	return (((wide_int)clock->to + passed) * ((wide_int)1 << FRACTION_BITS)) + clock->fraction +
	       shift_down(passed * clock->rate, RATE_BITS - FRACTION_BITS);
}

histree_time histree_clock_apply(const struct histree_clock *clock, histree_time time)
{
	wide_int corrected = shift_down(apply(clock, time), FRACTION_BITS);
	if (corrected > INT64_MAX)
		return INT64_MAX;
	return corrected < INT64_MIN ? INT64_MIN : (histree_time)corrected;
}

double histree_clock_slope(const struct histree_clock *clock)
{
	return (double)(1 + (long double)clock->rate * 0x1p-62L);
}

double histree_clock_offset(const struct histree_clock *clock)
{
	long double rate = (long double)clock->rate * 0x1p-62L;
	return (double)((long double)(clock->to - clock->from) + (long double)clock->fraction * 0x1p-32L -
			rate * (long double)clock->from);
}

static enum histree_clock_quality worse(enum histree_clock_quality a, enum histree_clock_quality b)
{
	return a < b ? a : b;
}

struct histree_clock clock_compose(const struct histree_clock *first, const struct histree_clock *then)
{
	struct histree_clock clock = *first;
	wide_int to = apply(then, first->to) +
		      shift_down((wide_int)first->fraction * (((wide_int)1 << RATE_BITS) + then->rate), RATE_BITS);
	clock.to = (histree_time)shift_down(to, FRACTION_BITS);
	clock.fraction = (uint32_t)to;
	/* (1 + a) (1 + b) - 1 */
	clock.rate = (int64_t)((wide_int)first->rate + then->rate +
			       shift_down((wide_int)first->rate * then->rate, RATE_BITS));
	clock.quality = worse(first->quality, then->quality);
	clock.error = first->error + then->error;
	return clock;
}

struct histree_clock clock_invert(const struct histree_clock *clock)
{
	struct histree_clock inverse = *clock;
	long double rate = (long double)clock->rate * 0x1p-62L, back = -rate / (1 + rate);
	/* The moment clock->to, without its fraction. */
	long double part = -(long double)clock->fraction * 0x1p-32L * (1 + back);
	inverse.from = clock->to;
	inverse.to = clock->from + (int64_t)floorl(part);
	inverse.fraction = (uint32_t)((part - floorl(part)) * 0x1p32L);
	inverse.rate = (int64_t)(back * 0x1p62L);
	return inverse;
}

const char *histree_clock_quality_name(enum histree_clock_quality quality)
{
	static const char *const names[] = {
		[HISTREE_CLOCK_ABSENT] = "absent",     [HISTREE_CLOCK_APPROXIMATE] = "approximate",
		[HISTREE_CLOCK_ACCURATE] = "accurate", [HISTREE_CLOCK_REFERENCE] = "reference",
		[HISTREE_CLOCK_GIVEN] = "given",
	};
	return names[quality];
}
