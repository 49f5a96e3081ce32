/* SPDX-License-Identifier: MIT */
/*
 * value.h - the small things everything else is made of: times, quarks, values, intervals.
 *
 * An interval says that the attribute `quark` had `value` from `start` to `end`, BOTH INCLUSIVE: the
 * next interval of the same attribute starts at end + 1.  Times are nanoseconds since the epoch.
 */
#ifndef HISTREE_VALUE_H
#define HISTREE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

typedef int64_t histree_time;

/* The id of an attribute: dense, 0 is the first that was created. */
typedef uint32_t histree_quark;

/* The root of the attribute tree: a parent for paths, never an attribute with states. */
#define HISTREE_ROOT ((histree_quark)UINT32_MAX)

/* The numbers are those of the file format: never changed, only added to. */
enum histree_type {
	HISTREE_NULL = 0,
	HISTREE_INT = 1,    /* int32 */
	HISTREE_LONG = 2,   /* int64 */
	HISTREE_DOUBLE = 3, /* IEEE-754 binary64 */
	HISTREE_BOOL = 4,
	HISTREE_STRING = 5, /* UTF-8, `size` bytes, no terminator, may hold any byte */
	HISTREE_CUSTOM = 6, /* `size` bytes that mean something to the analysis only */
	/*
	 * Nobody can say: the tracer lost events that would have told, or the file is damaged where it was written.
	 * Not to be taken for null, which says that there is nothing.
	 */
	HISTREE_UNKNOWN = 7,
};
#define HISTREE_TYPE_COUNT 8

struct histree_value {
	enum histree_type type;
	uint32_t size; /* HISTREE_STRING, HISTREE_CUSTOM: bytes at `bytes`; else 0 */
	union {
		int32_t int32;
		int64_t int64;
		double real;
		bool boolean;
		const void *bytes; /* borrowed: whoever hands a value out says for how long */
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

static inline struct histree_value histree_double(double number)
{
	return (struct histree_value){ .type = HISTREE_DOUBLE, .real = number };
}

static inline struct histree_value histree_bool(bool truth)
{
	return (struct histree_value){ .type = HISTREE_BOOL, .boolean = truth };
}

/* The bytes are borrowed: the value lives as long as they do. */
static inline struct histree_value histree_string_n(const char *text, size_t size)
{
	return (struct histree_value){ .type = HISTREE_STRING, .size = (uint32_t)size, .bytes = text };
}

static inline struct histree_value histree_custom(const void *bytes, size_t size)
{
	return (struct histree_value){ .type = HISTREE_CUSTOM, .size = (uint32_t)size, .bytes = bytes };
}

/* The same for a terminated string. */
HISTREE_API struct histree_value histree_string(const char *text);

/* Same type and same content.  Doubles compare by their bits, so that a NaN equals itself. */
HISTREE_API bool histree_value_equal(const struct histree_value *a, const struct histree_value *b);

/* "null", "int", "long", "double", "bool", "string", "custom", "unknown"; NULL for a number that is no type. */
HISTREE_API const char *histree_type_name(enum histree_type type);

#endif
