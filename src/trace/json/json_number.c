// SPDX-License-Identifier: MIT
/*
 * json_number.c - numbers of JSON by their decimal digits, so that nothing is rounded on the way to nanoseconds.
 */
#include "trace/json/json_number.h"

#include <stdlib.h>
#include <string.h>

/* No exponent of a number that fits is larger. */
enum { EXPONENT_MAX = 1000, DIGITS_MAX = 36, POWERS = 13 };

static const int64_t powers[POWERS] = { 1,           10,           100,          1000,      10000,
					100000,      1000000,      10000000,     100000000, 1000000000,
					10000000000, 100000000000, 1000000000000 };

/* A number as it is written: its digits without the point, and how many of them are behind it. */
struct decimal {
	bool is_negative, is_integer; /* written without a point and an exponent */
	json_wide digits;             /* the first DIGITS_MAX that matter */
	int count;                    /* of them */
	int exponent;                 /* the number is digits * 10^exponent */
};

static void take_digit(struct decimal *decimal, char digit, bool is_behind)
{
	if (decimal->count >= DIGITS_MAX) {
		decimal->exponent += !is_behind && decimal->exponent < EXPONENT_MAX;
		return;
	}
	decimal->digits = decimal->digits * 10 + (digit - '0');
	decimal->count += decimal->digits != 0;
	decimal->exponent -= is_behind && decimal->exponent > -EXPONENT_MAX;
}

/* Returns where the exponent ends; NULL if it is not one. */
static const char *read_exponent(const char *at, const char *end, int *out)
{
	bool is_negative = at < end && *at == '-';
	int exponent = 0;
	at += at < end && (*at == '-' || *at == '+');
	if (at == end)
		return NULL;
	for (; at < end && *at >= '0' && *at <= '9'; at++)
		exponent = exponent < EXPONENT_MAX ? exponent * 10 + (*at - '0') : exponent;
	*out += is_negative ? -exponent : exponent;
	return at;
}

static const char *pass_digits(const char *at, const char *end)
{
	while (at < end && *at >= '0' && *at <= '9')
		at++;
	return at;
}

/* As programs write them: 0x1f, with at most 16 digits.  Returns where it ends, or NULL if it is not a number. */
static const char *read_hexadecimal(const char *at, const char *end, uint64_t *out)
{
	const char *begin = at + 2;
	*out = 0;
	if (end - at < 3 || at[0] != '0' || (at[1] | 0x20) != 'x')
		return NULL;
	for (at = begin; at < end && at - begin < 16; at++) {
		int letter = *at | 0x20;
		if (*at >= '0' && *at <= '9')
			*out = *out << 4 | (uint64_t)(*at - '0');
		else if (letter >= 'a' && letter <= 'f')
			*out = *out << 4 | (uint64_t)(letter - 'a' + 10);
		else
			return NULL;
	}
	return at == end ? at : NULL;
}

/* Nearly all of them: digits that fit, and a point. */
static bool read_plain(const char *at, const char *end, struct decimal *out)
{
	enum { PLAIN_MAX = 19 }; /* digits and a point in 64 bits */
	const char *point = NULL;
	uint64_t digits = 0;
	bool is_negative = at < end && *at == '-';
	at += is_negative;
	if (at == end || end - at > PLAIN_MAX || *at == '.' || end[-1] == '.')
		return false;
	for (; at < end; at++) {
		unsigned digit = (unsigned char)(*at - '0');
		if (digit < 10)
			digits = digits * 10 + digit;
		else if (*at == '.' && point == NULL)
			point = at;
		else
			return false;
	}
	*out = (struct decimal){
		.is_negative = is_negative,
		.is_integer = point == NULL,
		.digits = digits,
		.exponent = point == NULL ? 0 : (int)(point + 1 - end),
	};
	return true;
}

static bool read_decimal(const char *at, size_t size, struct decimal *out)
{
	const char *end = at + size, *begin;
	uint64_t number;
	if (read_plain(at, end, out))
		return true;
	*out = (struct decimal){ .is_integer = true };
	out->is_negative = at < end && *at == '-';
	at += at < end && (*at == '-' || *at == '+');
	for (begin = at; at < end && *at >= '0' && *at <= '9'; at++)
		take_digit(out, *at, false);
	size_t digits = (size_t)(at - begin);
	if (digits == 1 && at < end && *begin == '0' && read_hexadecimal(begin, end, &number) != NULL) {
		out->digits = number;
		return true;
	}
	if (at < end && *at == '.') {
		out->is_integer = false;
		for (begin = ++at; at < end && *at >= '0' && *at <= '9'; at++)
			take_digit(out, *at, true);
		digits += (size_t)(at - begin);
	}
	if (digits == 0)
		return false;
	if (at < end && (*at == 'e' || *at == 'E')) {
		out->is_integer = false;
		at = read_exponent(at + 1, end, &out->exponent);
	}
	return at == end;
}

bool json_number_is(const char *bytes, size_t size)
{
	const char *end = bytes + size, *at = bytes, *begin;
	int exponent = 0;
	uint64_t number;
	at += at < end && (*at == '-' || *at == '+');
	begin = at;
	at = pass_digits(at, end);
	size_t digits = (size_t)(at - begin);
	if (at < end && *at == '.') {
		begin = ++at;
		at = pass_digits(at, end);
		digits += (size_t)(at - begin);
	}
	if (digits == 1 && at < end && (*at | 0x20) == 'x')
		return read_hexadecimal(at - 1, end, &number) != NULL;
	if (digits == 0)
		return false;
	if (at < end && (*at == 'e' || *at == 'E'))
		at = read_exponent(at + 1, end, &exponent);
	return at == end;
}

bool json_number_int(const char *bytes, size_t size, int64_t *out)
{
	struct decimal decimal;
	if (!read_decimal(bytes, size, &decimal) || !decimal.is_integer || decimal.exponent != 0)
		return false;
	json_wide number = decimal.is_negative ? -decimal.digits : decimal.digits;
	*out = (int64_t)number;
	return number >= INT64_MIN && number <= INT64_MAX;
}

bool json_number_unsigned(const char *bytes, size_t size, uint64_t *out)
{
	struct decimal decimal;
	if (!read_decimal(bytes, size, &decimal) || !decimal.is_integer || decimal.exponent != 0 ||
	    decimal.is_negative)
		return false;
	*out = (uint64_t)decimal.digits;
	return decimal.digits <= UINT64_MAX;
}

double json_number_real(const char *bytes, size_t size)
{
	char text[400]; /* the longest that says something: DBL_MAX with all of its digits */
	size_t length = size < sizeof(text) - 1 ? size : sizeof(text) - 1;
	memcpy(text, bytes, length);
	text[length] = '\0';
	return strtod(text, NULL);
}

bool json_number_scaled(const char *bytes, size_t size, int scale, json_wide *out)
{
	struct decimal decimal;
	if (!read_decimal(bytes, size, &decimal))
		return false;
	json_wide number = decimal.digits;
	int exponent = decimal.exponent + scale;
	while (exponent > 0 && number != 0) {
		int step = exponent < POWERS - 1 ? exponent : POWERS - 1;
		if (__builtin_mul_overflow(number, (json_wide)powers[step], &number))
			return false;
		exponent -= step;
	}
	for (; exponent < -1 && number != 0; exponent++)
		number /= 10;
	if (exponent == -1)
		number = (number + 5) / 10;
	*out = decimal.is_negative ? -number : number;
	return true;
}
