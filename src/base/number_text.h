/* SPDX-License-Identifier: MIT */
/*
 * number_text.h - numbers, times and durations as people write and read them.
 *
 * Times are nanoseconds since the epoch; a time of day is UTC.  Nothing here depends on the locale or on TZ.
 */
#ifndef BASE_NUMBER_TEXT_H
#define BASE_NUMBER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for any number, with a terminator if the function says that it writes one. */
enum { NUMBER_TEXT_SIZE = 32 };

/* These return the length and set no terminator, because they are called for each cell of an output. */
size_t number_format_unsigned(uint64_t number, char *text);
size_t number_format_signed(int64_t number, char *text);
size_t number_format_hex(uint64_t number, char *text); /* lower case, without "0x" */

/*
 * Write the shortest of 15, 16 or 17 digits that reads back as the same double, or "nan", "inf", "-inf";
 * terminated.
 */
size_t number_format_real(double number, char text[NUMBER_TEXT_SIZE]);

/* Write a size such as "10.4 MiB" or "812 bytes"; terminated. */
size_t number_format_size(uint64_t bytes, char text[NUMBER_TEXT_SIZE]);

/* Read a whole decimal number. */
bool number_parse(const char *text, uint64_t *number);

/* Read a whole decimal number that may have a sign. */
bool number_parse_signed(const char *text, int64_t *number);

/* Read any decimal number, such as "42" or "-1.5e3", as the nearest double. */
bool number_parse_real(const char *text, double *number);

/* Read a whole number that may have K, M, G or T after it for powers of 1024: "64K". */
bool number_parse_size(const char *text, uint64_t *bytes);

/* Room for any text that a function of this file makes, with its terminator. */
enum { TIME_TEXT_SIZE = 40 };

/*
 * Reads a length of time: digits, up to nine decimals, and one of the units ns us ms s m h ("12.5ms"); without a
 * unit, ns.  Digits beyond the nanosecond are dropped.  Returns false if the text is something else or too large.
 */
bool time_parse_duration(const char *text, int64_t *ns);

/* What an error says of a text that is no time. */
#define TIME_FORMS                                                                                                \
	"write nanoseconds since the epoch, seconds as in '85423.1', '+12.5ms' after the start, '17:46:23.1' or " \
	"'2016-03-04 17:46:23.1'"

/*
 * Reads a time of a history that goes from `start` to `end`:
 *
 *	1457113583000000000	nanoseconds since the epoch, may be negative
 *	85423.123456		seconds since then, with a point and up to nine decimals, may be negative
 *	+12.5ms			a length of time after `start`
 *	17:46:23.1		time of day, up to nine decimals, on the day of `start`; where that is before
 *				`start` and the next day's is not after `end`, on the next day
 *	2016-03-04 17:46:23.1	date and time of day; a T may replace the blank
 *
 * Returns false if the text is something else or the time is no int64.  The time may lie outside the history.
 */
bool time_parse(const char *text, int64_t start, int64_t end, int64_t *ns);

/*
 * Returns whether a time is on a day that people know.  The clocks of ftrace, of perf and of programs count from
 * when the machine or the program began: no trace was recorded in the ten years on either side of 1970, so what
 * lies there is a time of such a clock, and is written in seconds, as their own tools write it.
 */
bool time_has_day(int64_t ns);

/*
 * Write a time of day, "17:46:22.794565804", or "85423.123456789" where there is no day.  Returns the length.  It
 * is fast, because each row of an output has one.
 */
size_t time_format_clock(int64_t ns, char text[TIME_TEXT_SIZE]);

/* Write date and time of day, "2016-03-04 17:46:22.794565804", or seconds where there is no day. */
size_t time_format_date(int64_t ns, char text[TIME_TEXT_SIZE]);

/*
 * Write a length of time, "432.662 ms": with three decimals, cut off, in the largest of ns, us, ms and s that
 * leaves no zero before them.
 */
size_t time_format_duration(uint64_t ns, char text[TIME_TEXT_SIZE]);

/* Write a round length of time without the zeros at the end of its decimals: "1.25 ms", "200 us". */
size_t time_format_round(uint64_t ns, char text[TIME_TEXT_SIZE]);

#endif
