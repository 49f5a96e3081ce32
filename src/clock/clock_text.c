// SPDX-License-Identifier: MIT
/*
 * clock_text.c - a clock as a user writes it, "OFFSET[,SLOPE]".
 *
 * Both are read as numbers of 64 bits of precision: a rate has 62 bits behind the point, so that nothing of a slope
 * is lost.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "clock/clock_text.h"

/* Returns whether the text begins with a decimal number, and where it ends.  Words such as "nan" are none. */
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
