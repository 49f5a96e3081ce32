/* SPDX-License-Identifier: MIT */
/*
 * value.h - times, quarks, values and intervals, and times as people write them.
 */
#ifndef HISTREE_VALUE_H
#define HISTREE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

/* ==== value =================================================================================================== */

/*
 * Times, quarks, values and intervals: the units of which everything else is made.
 *
 * An interval says that the attribute `quark` had the value `value` from `start` to `end`, BOTH INCLUSIVE: the
 * next interval of the same attribute starts at end + 1.  Times are nanoseconds since the epoch.
 */

typedef int64_t histree_time;

/* The id of an attribute.  Quarks are dense: the first attribute that was created has 0. */
typedef uint32_t histree_quark;

/* The root of the attribute tree.  It can be the parent of a path; it never has states. */
#define HISTREE_ROOT ((histree_quark)UINT32_MAX)

/* The file format uses these numbers: new ones may be added, but none ever changes. */
enum histree_type {
	HISTREE_NULL = 0,
	HISTREE_INT = 1,    /* int32 */
	HISTREE_LONG = 2,   /* int64 */
	HISTREE_DOUBLE = 3, /* IEEE-754 binary64 */
	HISTREE_BOOL = 4,
	HISTREE_STRING = 5, /* `size` bytes of UTF-8 without a terminator; any byte may occur */
	HISTREE_CUSTOM = 6, /* `size` bytes that only the analysis understands */
	/*
	 * The value cannot be known, because the tracer lost events or the file is damaged here.  Null is
	 * different: it says that there was no value.
	 */
	HISTREE_UNKNOWN = 7,
};
#define HISTREE_TYPE_COUNT 8

struct histree_value {
	enum histree_type type;
	uint32_t size; /* length of `bytes` for HISTREE_STRING and HISTREE_CUSTOM; else see histree_unsigned() */
	union {
		int32_t int32;
		int64_t int64;
		double real;
		bool boolean;
		const void *bytes; /* borrowed; the function that hands out the value says for how long */
	};
};

struct histree_interval {
	histree_time start;
	histree_time end; /* inclusive */
	histree_quark quark;
	struct histree_value value;
};

static inline struct histree_value histree_null(void)
{
	return (struct histree_value){ .type = HISTREE_NULL };
}

static inline struct histree_value histree_unknown(void)
{
	return (struct histree_value){ .type = HISTREE_UNKNOWN };
}

static inline struct histree_value histree_int(int32_t number)
{
	return (struct histree_value){ .type = HISTREE_INT, .int32 = number };
}

static inline struct histree_value histree_long(int64_t number)
{
	return (struct histree_value){ .type = HISTREE_LONG, .int64 = number };
}

/* The `size` of a HISTREE_LONG that is a uint64_t. */
#define HISTREE_UNSIGNED UINT32_C(1)

/*
 * Returns the value of a number in an event or an expression.  It may be above INT64_MAX; its `int64` is then to
 * be read as uint64_t.  States never have such numbers.
 */
static inline struct histree_value histree_unsigned(uint64_t number)
{
	return (struct histree_value){ .type = HISTREE_LONG,
				       .size = number > INT64_MAX ? HISTREE_UNSIGNED : 0,
				       .int64 = (int64_t)number };
}

static inline struct histree_value histree_double(double number)
{
	return (struct histree_value){ .type = HISTREE_DOUBLE, .real = number };
}

static inline struct histree_value histree_bool(bool truth)
{
	return (struct histree_value){ .type = HISTREE_BOOL, .boolean = truth };
}

/* The bytes are borrowed: the value is valid as long as they are. */
static inline struct histree_value histree_string_n(const char *text, size_t size)
{
	return (struct histree_value){ .type = HISTREE_STRING, .size = (uint32_t)size, .bytes = text };
}

static inline struct histree_value histree_custom(const void *bytes, size_t size)
{
	return (struct histree_value){ .type = HISTREE_CUSTOM, .size = (uint32_t)size, .bytes = bytes };
}

/* Returns a string value that borrows a terminated string. */
HISTREE_API struct histree_value histree_string(const char *text);

/* Returns the number that an int or a long is, and 0 for any other value. */
static inline int64_t histree_value_integer(const struct histree_value *value)
{
	return value->type == HISTREE_INT ? value->int32 : value->type == HISTREE_LONG ? value->int64 : 0;
}

/* Returns true if type and content are equal.  Doubles are compared by their bits, so a NaN equals itself. */
HISTREE_API bool histree_value_equal(const struct histree_value *a, const struct histree_value *b);

/* Some analyses keep two ints that change together as one string, "3/20" (histree-states(7)). */
enum histree_part { HISTREE_WHOLE, HISTREE_FIRST_PART, HISTREE_SECOND_PART };

/*
 * Returns a part of a value: an int, null ("-") or unknown ("?") for a half of such a pair, and null if the
 * string is not a pair.  The whole of any value, and either half of one that is not a string, is the value
 * itself.
 */
HISTREE_API struct histree_value histree_value_part(const struct histree_value *value, enum histree_part part);

/*
 * Returns "null", "int", "long", "double", "bool", "string", "custom" or "unknown", or NULL if `type` is not a
 * type.
 */
HISTREE_API const char *histree_type_name(enum histree_type type);

/* Stands in place of a missing index. */
#define HISTREE_NO_INDEX UINT32_MAX

/* ==== time text =============================================================================================== */

/*
 * Times as people write them.
 *
 * Nothing here depends on the locale or on TZ.
 */

/*
 * Read a time of a history that goes from `start` to `end`:
 *
 *	1457113583000000000	nanoseconds since the epoch, may be negative
 *	85423.123456		seconds since then, with a point and up to nine decimals, may be negative
 *	+12.5ms			a length of time after `start`, in ns us ms s m h
 *	17:46:23.1		time of day (UTC), up to nine decimals, on the day of `start`; where that is before
 *				`start` and the next day's is not after `end`, on the next day
 *	2016-03-04 17:46:23.1	date and time of day; a T may replace the blank
 *
 * The time may lie outside the history.  Returns HISTREE_ERR_ARGUMENT if the text is something else, and *out is
 * then 0.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_time_parse(const char *text, histree_time start,
								      histree_time end, histree_time *out,
								      struct histree_error *error);

#endif
