// SPDX-License-Identifier: MIT
/*
 * clock_transform.c - what a clock makes of a time and of another clock, in numbers and as text.
 *
 * A clock as a user writes it, "OFFSET[,SLOPE]".
 *
 * Both are read as numbers of 64 bits of precision: a rate has 62 bits behind the point, so that nothing of a slope
 * is lost.
 */
#include "clock/clock_transform.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/exact_sum.h"
#include "histree/sync.h"

/* ---- clock transform ----------------------------------------------------------------------------------------- */

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

/* ---- clock text ---------------------------------------------------------------------------------------------- */

/*
 * Returns whether the text begins with a decimal number, and where it ends.  Words such as "nan" are not numbers.
 */
static bool read_number(const char *text, long double *out, const char **end)
{
	const char *digits = text + (*text == '-' || *text == '+');
	if (!isdigit((unsigned char)*digits) && *digits != '.')
		return false;
	if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
		return false;
	char *stopped;
	*out = strtold(text, &stopped);
	*end = stopped;
	return stopped != text && isfinite(*out);
}

enum histree_status histree_clock_read(const char *text, struct histree_clock *out, struct histree_error *error)
{
	long double offset, slope = 1;
	const char *rest;
	*out = (struct histree_clock){ .quality = HISTREE_CLOCK_GIVEN, .error = HISTREE_CLOCK_UNBOUNDED };
	bool is_read = read_number(text, &offset, &rest);
	if (is_read && *rest == ',')
		is_read = read_number(rest + 1, &slope, &rest);
	if (!is_read || *rest != '\0')
		return error_set(
			error, HISTREE_ERR_ARGUMENT,
			"'%.64s' is no clock: give OFFSET or OFFSET,SLOPE, numbers of which the offset is in "
			"nanoseconds, as in 1500000,1.00002",
			text);
	if (slope <= 0.5L || slope >= 2.0L)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "'%.64s': a slope must be more than 0.5 and less than 2: no clock goes so wrong",
				 text);
	if (fabsl(offset) >= 0x1p63L)
		return error_set(error, HISTREE_ERR_ARGUMENT, "'%.64s': an offset must be a time of 64 bits", text);
	long double whole = floorl(offset);
	out->to = (histree_time)whole;
	out->fraction = (uint32_t)((offset - whole) * 0x1p32L);
	out->rate = (int64_t)roundl((slope - 1) * 0x1p62L);
	return HISTREE_OK;
}

void clock_text_write(const struct histree_clock *clock, char out[CLOCK_TEXT_SIZE])
{
	long double rate = (long double)clock->rate * 0x1p-62L;
	long double offset = (long double)clock->to - (long double)clock->from - rate * (long double)clock->from;
	snprintf(out, CLOCK_TEXT_SIZE, "%.10Lf,%.19Lf", offset + (long double)clock->fraction * 0x1p-32L, 1 + rate);
}
