// SPDX-License-Identifier: MIT
/*
 * filter_test.c - one comparison of an expression: its operand is read once, in the unit of the field, and
 * integers and doubles are compared exactly.
 */
#include "filter/filter_test.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/number_text.h"
#include "base/time_text.h"

/* ---- reading ------------------------------------------------------------------------------------- */

static bool is_order(enum filter_operator op)
{
	return op >= FILTER_BELOW && op <= FILTER_AT_LEAST;
}

static bool is_number(enum histree_type type)
{
	return type == HISTREE_INT || type == HISTREE_LONG || type == HISTREE_DOUBLE;
}

/* 0xff: addresses and sets of bits are written so. */
static bool parse_hexadecimal(const char *text, uint64_t *number)
{
	char *end;
	if (text[0] != '0' || (text[1] | 32) != 'x' || !isxdigit((unsigned char)text[2]))
		return false;
	errno = 0;
	*number = strtoull(text, &end, 16);
	return *end == '\0' && errno == 0;
}

static bool read_in_unit(struct filter_test *test, const struct histree_filter_field *field,
			 const struct histree_filter_scope *scope, const char *text)
{
	int64_t integer = 0;
	uint64_t large;
	if (field->unit == HISTREE_FILTER_TIME)
		test->has_integer = time_parse(text, scope->start, scope->end, &integer);
	else if (field->unit == HISTREE_FILTER_DURATION)
		test->has_integer = time_parse_duration(text, &integer);
	else
		test->has_integer = number_parse_signed(text, &integer);
	test->integer = integer;
	if (!test->has_integer && field->unit == HISTREE_FILTER_PLAIN &&
	    (number_parse(text, &large) || parse_hexadecimal(text, &large))) {
		test->has_integer = true;
		test->integer = large;
	}
	test->has_real =
		!test->has_integer && field->unit == HISTREE_FILTER_PLAIN && number_parse_real(text, &test->real);
	return test->has_integer || test->has_real;
}

static enum histree_status refuse_number(const struct histree_filter_field *field, const char *text,
					 struct histree_error *error)
{
	static const char *const forms[] = {
		[HISTREE_FILTER_PLAIN] = "no number",
		[HISTREE_FILTER_TIME] =
			("no time: write nanoseconds since the epoch, '+12.5ms' after the start, '17:46:23.1' or "
			 "'2016-03-04 17:46:23.1'"),
		[HISTREE_FILTER_DURATION] =
			"no duration: nanoseconds, or a number with a unit, ns us ms s m or h, as in '1.5ms'",
	};
	return error_set(error, HISTREE_ERR_ARGUMENT, "'%.60s', which '%s' is compared with, is %s", text,
			 field->name, forms[field->unit]);
}

static enum histree_status read_compared(struct filter_test *test, const struct histree_filter_field *field,
					 const struct histree_filter_scope *scope, const char *text,
					 struct histree_error *error)
{
	bool is_in_unit = read_in_unit(test, field, scope, text);
	if (field->type == HISTREE_NULL && field->unit == HISTREE_FILTER_PLAIN)
		return HISTREE_OK; /* a text for values that are texts */
	if (is_number(field->type) || field->type == HISTREE_NULL)
		return is_in_unit ? HISTREE_OK : refuse_number(field, text, error);
	if (is_order(test->operator))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "'%s' is a %s, not a number, so it is neither less nor more; use ==, !=, contains "
				 "or matches",
				 field->name, histree_type_name(field->type));
	if (field->type == HISTREE_BOOL && strcasecmp(text, "true") != 0 && strcasecmp(text, "false") != 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "'%s' is true or false, never '%.60s'", field->name,
				 text);
	return HISTREE_OK;
}

enum histree_status filter_test_read(struct filter_test *test, const struct histree_filter_field *field,
				     const struct histree_filter_scope *scope, const char *text,
				     struct histree_error *error)
{
	test->text = text;
	if (test->operator== FILTER_MATCHES)
		return pattern_create(text, &test->pattern, error);
	if (test->operator== FILTER_CONTAINS)
		return HISTREE_OK;
	return read_compared(test, field, scope, text, error);
}

void filter_test_release(struct filter_test *test)
{
	pattern_free(test->pattern);
	test->pattern = NULL;
}

/* ---- comparing ----------------------------------------------------------------------------------- */

/* Less, equal, more; or neither, where one of them is not a number. */
enum order { ORDER_LESS = -1, ORDER_EQUAL, ORDER_MORE, ORDER_NONE };

/* For a HISTREE_LONG. */
static bool is_unsigned(const struct histree_value *value)
{
	return value->size == HISTREE_UNSIGNED;
}

static enum order order_of_integers(wide_int a, wide_int b)
{
	return a < b ? ORDER_LESS : a > b ? ORDER_MORE : ORDER_EQUAL;
}

static enum order order_of_reals(double a, double b)
{
	return a < b ? ORDER_LESS : a > b ? ORDER_MORE : a == b ? ORDER_EQUAL : ORDER_NONE;
}

/* Exact: a double does not hold each int64 or uint64. */
static enum order order_of_both(wide_int a, double b)
{
	if (isnan(b))
		return ORDER_NONE;
	if (b >= 0x1p64)
		return ORDER_LESS;
	if (b < -0x1p63)
		return ORDER_MORE;
	enum order whole = order_of_integers(a, (wide_int)b);
	return whole != ORDER_EQUAL ? whole : order_of_reals(0, b - trunc(b));
}

static enum order order_of_integer(wide_int value, const struct filter_test *test)
{
	if (test->has_integer)
		return order_of_integers(value, test->integer);
	return test->has_real ? order_of_both(value, test->real) : ORDER_NONE;
}

static enum order order_of_real(double value, const struct filter_test *test)
{
	static const enum order other_way[] = { ORDER_MORE, ORDER_EQUAL, ORDER_LESS, ORDER_NONE };
	if (test->has_integer)
		return other_way[order_of_both(test->integer, value) + 1];
	return test->has_real ? order_of_reals(value, test->real) : ORDER_NONE;
}

static enum order order_if_equal(bool is_equal)
{
	return is_equal ? ORDER_EQUAL : ORDER_NONE;
}

/* What is not a number is equal or not, but passes no <=. */
static enum order order_of(const struct histree_value *value, const struct filter_test *test)
{
	if (is_order(test->operator) && !is_number(value->type))
		return ORDER_NONE;
	switch (value->type) {
	case HISTREE_INT:
		return order_of_integer(value->int32, test);
	case HISTREE_LONG:
		return order_of_integer(is_unsigned(value) ? (wide_int)(uint64_t)value->int64 : value->int64, test);
	case HISTREE_DOUBLE:
		return order_of_real(value->real, test);
	case HISTREE_BOOL:
		return order_if_equal(strcasecmp(test->text, value->boolean ? "true" : "false") == 0);
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		return order_if_equal(value->size == strlen(test->text) &&
				      memcmp(value->bytes, test->text, value->size) == 0);
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	}
	return ORDER_NONE;
}

static bool passes_order(enum order order, enum filter_operator op)
{
	switch (op) {
	case FILTER_EQUAL:
		return order == ORDER_EQUAL;
	case FILTER_DIFFERENT:
		return order != ORDER_EQUAL;
	case FILTER_BELOW:
		return order == ORDER_LESS;
	case FILTER_AT_MOST:
		return order == ORDER_LESS || order == ORDER_EQUAL;
	case FILTER_ABOVE:
		return order == ORDER_MORE;
	case FILTER_AT_LEAST:
		return order == ORDER_MORE || order == ORDER_EQUAL;
	default:
		return false;
	}
}

/* The text of a value; `room` is where that of a number is made. */
static const void *text_of(const struct histree_value *value, char room[NUMBER_TEXT_SIZE], size_t *size)
{
	switch (value->type) {
	case HISTREE_INT:
		*size = number_format_signed(value->int32, room);
		return room;
	case HISTREE_LONG:
		*size = is_unsigned(value) ? number_format_unsigned((uint64_t)value->int64, room)
					   : number_format_signed(value->int64, room);
		return room;
	case HISTREE_DOUBLE:
		*size = number_format_real(value->real, room);
		return room;
	case HISTREE_BOOL:
		*size = value->boolean ? 4 : 5;
		return value->boolean ? "true" : "false";
	default:
		*size = value->size;
		return value->bytes;
	}
}

bool filter_test_passes(const struct filter_test *test, const struct histree_value *value)
{
	char room[NUMBER_TEXT_SIZE];
	size_t size;
	if (value->type == HISTREE_NULL || value->type == HISTREE_UNKNOWN)
		return false;
	switch (test->operator) {
	case FILTER_PRESENT:
		return true;
	case FILTER_CONTAINS: {
		const void *text = text_of(value, room, &size);
		size_t wanted = strlen(test->text);
		return wanted == 0 || (size >= wanted && memmem(text, size, test->text, wanted) != NULL);
	}
	case FILTER_MATCHES: {
		const void *text = text_of(value, room, &size);
		return pattern_find(test->pattern, text, size);
	}
	default:
		return passes_order(order_of(value, test), test->operator);
	}
}
