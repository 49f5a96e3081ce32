// SPDX-License-Identifier: MIT
/*
 * number_text.c - numbers, times and durations as people write and read them.
 *
 * Parsers report where a number ends or refuse it, and never wrap around.
 */
#include "base/number_text.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "histree/value.h"

/* ---- number text --------------------------------------------------------------------------------------------- */

static const char pairs[] =
	"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
	"5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

/* Eight digits, by four divisions that do not wait for one another. */
static void format_eight(uint32_t number, char *text)
{
	uint32_t high = number / 10000, low = number % 10000;
	memcpy(text, &pairs[2 * (high / 100)], 2);
	memcpy(text + 2, &pairs[2 * (high % 100)], 2);
	memcpy(text + 4, &pairs[2 * (low / 100)], 2);
	memcpy(text + 6, &pairs[2 * (low % 100)], 2);
}

size_t number_format_unsigned(uint64_t number, char *text)
{
	enum { EIGHT_DIGITS = 100000000 };
	if (number < 10) {
		text[0] = (char)('0' + number);
		return 1;
	}
	if (number < EIGHT_DIGITS) {
		/* A number of fewer than nine digits, without leading zeros. */
		char digits[8];
		size_t zeros = 0;
		format_eight((uint32_t)number, digits);
		while (zeros < 7 && digits[zeros] == '0')
			zeros++;
		for (size_t i = zeros; i < 8; i++)
			text[i - zeros] = digits[i];
		return 8 - zeros;
	}
	uint64_t high = number / EIGHT_DIGITS;
	size_t size = number_format_unsigned(high, text);
	format_eight((uint32_t)(number % EIGHT_DIGITS), text + size);
	return size + 8;
}

size_t number_format_signed(int64_t number, char *text)
{
	if (number >= 0)
		return number_format_unsigned((uint64_t)number, text);
	text[0] = '-';
	return 1 + number_format_unsigned(-(uint64_t)number, text + 1);
}

size_t number_format_hex(uint64_t number, char *text)
{
	const size_t size = number == 0 ? 1 : (size_t)(67 - __builtin_clzll(number)) / 4;
	assert(size > 0 && size <= 16);
	for (size_t at = size; at > 0; number >>= 4)
		text[--at] = "0123456789abcdef"[number & 15];
	return size;
}

size_t number_format_real(double number, char text[NUMBER_TEXT_SIZE])
{
	if (isnan(number))
		return (size_t)snprintf(text, NUMBER_TEXT_SIZE, "nan");
	int length = 0;
	for (int digits = 15; digits <= 17; digits++) {
		length = snprintf(text, NUMBER_TEXT_SIZE, "%.*g", digits, number);
		double back = strtod(text, NULL);
		if (memcmp(&back, &number, sizeof(number)) == 0)
			break;
	}
	assert(length > 0 && length < NUMBER_TEXT_SIZE);
	return (size_t)length;
}

size_t number_format_size(uint64_t bytes, char text[NUMBER_TEXT_SIZE])
{
	static const char *const names[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	if (bytes < 1024)
		return (size_t)snprintf(text, NUMBER_TEXT_SIZE, "%u bytes", (unsigned)bytes);
	size_t unit = 0;
	double size = (double)bytes / 1024;
	for (; size >= 1024; unit++)
		size /= 1024;
	assert(unit < sizeof(names) / sizeof(*names));
	return (size_t)snprintf(text, NUMBER_TEXT_SIZE, "%.1f %s", size, names[unit]);
}

/*
 * Read digits, at least one; returns what is after them, or NULL if there is no digit or the number is too large.
 */
static const char *number_text_read_digits(const char *text, uint64_t *number)
{
	const char *at = text;
	uint64_t value = 0;
	for (; *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*at - '0'), &value))
			return NULL;
	*number = value;
	return at > text ? at : NULL;
}

bool number_parse(const char *text, uint64_t *number)
{
	const char *after = number_text_read_digits(text, number);
	return after != NULL && *after == '\0';
}

bool number_parse_signed(const char *text, int64_t *number)
{
	bool is_negative = *text == '-';
	uint64_t size;
	if (!number_parse(text + (is_negative || *text == '+'), &size) || size > (uint64_t)INT64_MAX + is_negative)
		return false;
	*number = (int64_t)(is_negative ? -size : size);
	return true;
}

bool number_parse_real(const char *text, double *number)
{
	char *after;
	/* strtod() would also take blanks, hexadecimal digits and names. */
	if (*text == '\0' || text[strspn(text, "0123456789.eE+-")] != '\0')
		return false;
	*number = strtod(text, &after);
	return *after == '\0';
}

bool number_parse_size(const char *text, uint64_t *bytes)
{
	static const char suffixes[] = "KMGT";
	uint64_t number;
	const char *after = number_text_read_digits(text, &number);
	if (after == NULL)
		return false;
	unsigned shift = 0;
	if (*after != '\0') {
		const char *suffix = strchr(suffixes, *after);
		if (suffix == NULL || after[1] != '\0')
			return false;
		shift = 10 * (unsigned)(suffix - suffixes + 1);
	}
	return !__builtin_mul_overflow(number, UINT64_C(1) << shift, bytes);
}

/* ---- time text ----------------------------------------------------------------------------------------------- */

#define NS_PER_SECOND INT64_C(1000000000)
#define SECONDS_PER_DAY INT64_C(86400)
static const struct {
	const char *name;
	int64_t ns;
} units[] = {
	{ "", 1 },
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", NS_PER_SECOND },
	{ "m", 60 * NS_PER_SECOND },
	{ "h", 3600 * NS_PER_SECOND },
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits at *at, at least one; *at moves past them. */
static bool time_text_read_digits(const char **at, int64_t *number)
{
	if (!is_digit(**at))
		return false;
	int64_t value = 0;
	for (; is_digit(**at); (*at)++)
		if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, **at - '0', &value))
			return false;
	*number = value;
	return true;
}

/* Nothing, or a point and one to nine digits, as billionths. */
static bool read_fraction(const char **at, int64_t *billionths)
{
	*billionths = 0;
	if (**at != '.')
		return true;
	const char *first = ++*at;
	for (int64_t place = NS_PER_SECOND / 10; is_digit(**at); place /= 10, (*at)++) {
		if (place == 0)
			return false;
		*billionths += (**at - '0') * place;
	}
	return *at > first;
}

bool time_parse_duration(const char *text, int64_t *ns)
{
	int64_t whole, billionths;
	if (!time_text_read_digits(&text, &whole) || !read_fraction(&text, &billionths))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(text, units[i].name) != 0)
			continue;
		int64_t unit = units[i].ns;
		int64_t part = unit >= NS_PER_SECOND ? billionths * (unit / NS_PER_SECOND)
						     : billionths / (NS_PER_SECOND / unit);
		return !__builtin_mul_overflow(whole, unit, &whole) && !__builtin_add_overflow(whole, part, ns);
	}
	return false;
}

static int64_t floor_divide(int64_t number, int64_t by)
{
	return number / by - (number % by < 0);
}

/* "17:46:23.1" as nanoseconds since midnight. */
static bool parse_clock(const char *text, int64_t *ns)
{
	int64_t hours, minutes, seconds, billionths;
	if (!time_text_read_digits(&text, &hours) || *text++ != ':' || !time_text_read_digits(&text, &minutes) ||
	    *text++ != ':')
		return false;
	if (!time_text_read_digits(&text, &seconds) || !read_fraction(&text, &billionths) || *text != '\0')
		return false;
	if (hours > 23 || minutes > 59 || seconds > 59)
		return false;
	*ns = ((hours * 60 + minutes) * 60 + seconds) * NS_PER_SECOND + billionths;
	return true;
}

static bool parse_time_of_day(const char *text, int64_t start, int64_t end, int64_t *ns)
{
	const int64_t day = SECONDS_PER_DAY * NS_PER_SECOND;
	int64_t since_midnight, time, next_day;
	if (!parse_clock(text, &since_midnight))
		return false;
	/* The first day in the range of int64 begins before the least int64, so it has no midnight. */
	if (__builtin_mul_overflow(floor_divide(start, day), day, &time) ||
	    __builtin_add_overflow(time, since_midnight, &time))
		return false;
	if (time < start && !__builtin_add_overflow(time, day, &next_day) && next_day <= end)
		time = next_day;
	*ns = time;
	return true;
}

/* "2016-03-04" at *at, whose midnight is *ns; *at moves past it. */
static bool read_date(const char **at, int64_t *ns)
{
	int64_t year, month, day;
	if (!time_text_read_digits(at, &year) || *(*at)++ != '-' || !time_text_read_digits(at, &month) ||
	    *(*at)++ != '-')
		return false;
	if (!time_text_read_digits(at, &day) || year > 9999 || month > 12 || day > 31)
		return false;
	struct tm date = { .tm_year = (int)year - 1900, .tm_mon = (int)month - 1, .tm_mday = (int)day };
	int64_t second = timegm(&date);
	/* A day that is not in the month has become a day of another month. */
	return date.tm_mon == (int)month - 1 && date.tm_mday == (int)day &&
	       !__builtin_mul_overflow(second, NS_PER_SECOND, ns);
}

bool time_parse(const char *text, int64_t start, int64_t end, int64_t *ns)
{
	if (*text != '\0' && strchr(text + 1, '-') != NULL) {
		/* "2016-03-04 17:46:23.1", or with a T instead of the blank. */
		int64_t midnight, since_midnight;
		if (!read_date(&text, &midnight) || (*text != ' ' && *text != 'T'))
			return false;
		return parse_clock(text + 1, &since_midnight) &&
		       !__builtin_add_overflow(midnight, since_midnight, ns);
	}
	if (strchr(text, ':') != NULL)
		return parse_time_of_day(text, start, end, ns);
	if (*text == '+') {
		int64_t after;
		return time_parse_duration(text + 1, &after) && !__builtin_add_overflow(start, after, ns);
	}
	bool negative = *text == '-';
	text += negative;
	int64_t number, billionths;
	if (!time_text_read_digits(&text, &number))
		return false;
	if (*text == '.' &&
	    (!read_fraction(&text, &billionths) || __builtin_mul_overflow(number, NS_PER_SECOND, &number) ||
	     __builtin_add_overflow(number, billionths, &number)))
		return false;
	*ns = negative ? -number : number;
	return *text == '\0';
}

bool time_has_day(int64_t ns)
{
	const int64_t years = 10 * 365 * SECONDS_PER_DAY * NS_PER_SECOND;
	return ns >= years || ns <= -years;
}

/* Exactly `count` digits; returns where the next byte goes. */
static char *put_digits(char *at, uint64_t number, unsigned count)
{
	for (unsigned i = count; i-- > 0; number /= 10)
		at[i] = (char)('0' + number % 10);
	return at + count;
}

/* "85423.123456789" */
static size_t format_seconds(int64_t ns, char text[TIME_TEXT_SIZE])
{
	char *at = text;
	if (ns < 0)
		*at++ = '-';
	const uint64_t all = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	at += number_format_unsigned(all / NS_PER_SECOND, at);
	*at++ = '.';
	at = put_digits(at, all % NS_PER_SECOND, 9);
	*at = '\0';
	return (size_t)(at - text);
}

size_t time_format_clock(int64_t ns, char text[TIME_TEXT_SIZE])
{
	if (!time_has_day(ns))
		return format_seconds(ns, text);
	int64_t second = floor_divide(ns, NS_PER_SECOND);
	int64_t of_day = second - floor_divide(second, SECONDS_PER_DAY) * SECONDS_PER_DAY;
	char *at = put_digits(text, (uint64_t)of_day / 3600, 2);
	*at++ = ':';
	at = put_digits(at, (uint64_t)of_day / 60 % 60, 2);
	*at++ = ':';
	at = put_digits(at, (uint64_t)of_day % 60, 2);
	*at++ = '.';
	at = put_digits(at, (uint64_t)ns - (uint64_t)second * NS_PER_SECOND, 9);
	*at = '\0';
	return (size_t)(at - text);
}

size_t time_format_date(int64_t ns, char text[TIME_TEXT_SIZE])
{
	time_t second = (time_t)floor_divide(ns, NS_PER_SECOND);
	struct tm utc;
	char clock[TIME_TEXT_SIZE];
	const size_t size = time_format_clock(ns, clock);
	if (!time_has_day(ns)) {
		memcpy(text, clock, size + 1);
		return size;
	}
	if (gmtime_r(&second, &utc) == NULL)
		utc = (struct tm){ 0 };
	return (size_t)snprintf(text, TIME_TEXT_SIZE, "%04d-%02d-%02d %.18s", (utc.tm_year + 1900) % 10000,
				utc.tm_mon + 1, utc.tm_mday, clock);
}

size_t time_format_duration(uint64_t ns, char text[TIME_TEXT_SIZE])
{
	static const char *const names[] = { "us", "ms", "s" };
	if (ns < 1000)
		return (size_t)snprintf(text, TIME_TEXT_SIZE, "%u ns", (unsigned)ns);
	unsigned unit = 0;
	uint64_t thousandths = ns;
	for (; unit < 2 && thousandths >= 1000000; unit++)
		thousandths /= 1000;
	return (size_t)snprintf(text, TIME_TEXT_SIZE, "%" PRIu64 ".%03u %s", thousandths / 1000,
				(unsigned)(thousandths % 1000), names[unit]);
}

size_t time_format_round(uint64_t ns, char text[TIME_TEXT_SIZE])
{
	size_t size = time_format_duration(ns, text);
	char *point = strchr(text, '.');
	if (point == NULL)
		return size;
	char *unit = strchr(point, ' '), *end = unit;
	while (end[-1] == '0')
		end--;
	end -= end[-1] == '.';
	memmove(end, unit, strlen(unit) + 1);
	return strlen(text);
}

/* ---- time public --------------------------------------------------------------------------------------------- */

enum histree_status histree_time_parse(const char *text, histree_time start, histree_time end, histree_time *out,
				       struct histree_error *error)
{
	*out = 0;
	if (time_parse(text, start, end, out))
		return HISTREE_OK;
	*out = 0;
	return error_set(error, HISTREE_ERR_ARGUMENT, "'%.100s' is not a time: " TIME_FORMS, text);
}
