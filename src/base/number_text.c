// SPDX-License-Identifier: MIT
/*
 * number_text.c - numbers as text and back.  Parsers report where a number ends or refuse it, and never wrap
 * around.
 */
#include "base/number_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* A number of fewer than nine digits, without leading zeros. */
static size_t format_few(uint32_t number, char *text)
{
	char digits[8];
	size_t zeros = 0;
	format_eight(number, digits);
	while (zeros < 7 && digits[zeros] == '0')
		zeros++;
	for (size_t i = zeros; i < 8; i++)
		text[i - zeros] = digits[i];
	return 8 - zeros;
}

size_t number_format_unsigned(uint64_t number, char *text)
{
	enum { EIGHT_DIGITS = 100000000 };
	if (number < EIGHT_DIGITS)
		return format_few((uint32_t)number, text);
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
	return (size_t)snprintf(text, NUMBER_TEXT_SIZE, "%.1f %s", size, names[unit]);
}

/*
 * Read digits, at least one; returns what is after them, or NULL if there is no digit or the number is too large.
 */
static const char *read_digits(const char *text, uint64_t *number)
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
	const char *after = read_digits(text, number);
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
	const char *after = read_digits(text, &number);
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
