/* SPDX-License-Identifier: MIT */
/*
 * filter.h - expressions over named fields: which of many things are wanted.
 *
 *	duration > 1ms && name == futex		a field, an operator, a value
 *	ret < 0 || !(tid present)		also <= >= != contains, and "matches" with a pattern
 *	start >= +12.5ms && name matches "^rt_"
 *	futex					alone: a pattern looked for in the values of all fields
 *
 * The language is that of the Trace Server Protocol's filters; ours are <=, >=, a single = for ==, and units.  The
 * names of fields and the words contains, matches, present are compared without case, values with it.  Names and
 * values that hold blanks or signs of the language stand in quotes, "so" or 'so', with a backslash before a quote
 * or a backslash in them.  ! is of the comparison or the parenthesis behind it; && goes before ||.
 *
 * A null field, and one of which nobody can say what it is, passes no comparison, not even !=; !(name present)
 * asks for it.  == and != compare strings byte by byte, numbers by what they say: 1 is 1.0.  contains and matches
 * look into the text of a value, for numbers in decimal, for times and durations in nanoseconds.
 *
 * Whoever wrote an expression, it has a bound: 4096 bytes, 64 levels, 64 comparisons, patterns of 256 bytes (POSIX
 * extended with \d \w \s, without {counts} and back references) that cost at most 256 steps for each byte of a
 * value.  A filter takes at most 2 MB of memory.
 */
#ifndef HISTREE_FILTER_H
#define HISTREE_FILTER_H

#include "value.h"

/* What the numbers of a field are, and so how a value is written in an expression. */
enum histree_filter_unit {
	HISTREE_FILTER_PLAIN,    /* 42, -1.5e3 */
	HISTREE_FILTER_TIME,     /* nanoseconds since the epoch, +12.5ms after the start, 17:46:23.1 (UTC) */
	HISTREE_FILTER_DURATION, /* nanoseconds, or with a unit: ns us ms s m h */
};

struct histree_filter_field {
	const char *name; /* of two names that differ in case only, the one that is written so, else the first */
	enum histree_type type; /* of its values; HISTREE_NULL: each may have another one */
	enum histree_filter_unit unit;
};

/* What an expression can speak of.  Borrowed during histree_filter_create(). */
struct histree_filter_scope {
	const struct histree_filter_field *fields;
	size_t field_count;
	histree_time start, end; /* what times that begin with + and times of day count from */
};

struct histree_filter;

/*
 * HISTREE_ERR_ARGUMENT: no expression, or one of a field that there is not; the message says at which column, in
 * characters from 1, and what would be right.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_filter_create(const char *text,
									 const struct histree_filter_scope *scope,
									 struct histree_filter **out,
									 struct histree_error *error);

/*
 * `values`: one for each field of the scope, read only during the call; those of fields that the expression does
 * not speak of are not looked at.  Any number of threads may ask the same filter.
 */
HISTREE_API bool histree_filter_match(const struct histree_filter *filter, const struct histree_value *values);

/* The expression speaks of this field: where values are dear, only these need to be found. */
HISTREE_API bool histree_filter_needs(const struct histree_filter *filter, size_t field);

/* NULL is fine. */
HISTREE_API void histree_filter_free(struct histree_filter *filter);

#endif
