/* SPDX-License-Identifier: MIT */
/*
 * filter.h - expressions about rows, and the window of time that they leave.
 */
#ifndef HISTREE_FILTER_H
#define HISTREE_FILTER_H

#include "value.h"

/* ==== filter ================================================================================================== */

/*
 * Filter expressions: they select things by conditions on named fields.
 *
 *	duration > 1ms && name == futex		a field, an operator, a value
 *	ret < 0 || !(tid present)		also <= >= != contains, and "matches" with a pattern
 *	start >= +12.5ms && name matches "^rt_"
 *	futex					alone: a pattern looked for in the values of all fields
 *
 * The language is that of the filters of the Trace Server Protocol, with <=, >=, a single = for ==, and units
 * added.  Case matters in values, but not in the names of fields nor in the words contains, matches and present.
 * Names and values that contain blanks or operators are written in quotes, "like this" or 'like this', in which a
 * backslash precedes a quote or a backslash. ! applies to the comparison or the parenthesis that follows it; &&
 * binds more tightly than ||.
 *
 * A field that is null or unknown passes no comparison, not even !=; !(name present) selects such fields.  == and
 * != compare strings byte by byte and numbers by their value, so 1 equals 1.0.  contains and matches look at the
 * text of a value: numbers in decimal, times and durations in nanoseconds.
 *
 * Expressions are bounded, so that untrusted ones can be evaluated: 4096 bytes, 64 levels, 64 comparisons, and
 * patterns of 256 bytes (POSIX extended with \d \w \s, without {counts} and back references) that cost at most
 * 256 operations for each byte of a value.  A filter takes at most 2 MB of memory.
 */

/* What the numbers of a field measure; it decides how a value is written in an expression. */
enum histree_filter_unit {
	HISTREE_FILTER_PLAIN,    /* 42, -1.5e3 */
	HISTREE_FILTER_TIME,     /* nanoseconds since the epoch, +12.5ms after the start, 17:46:23.1 (UTC) */
	HISTREE_FILTER_DURATION, /* nanoseconds, or with a unit: ns us ms s m h */
};

struct histree_filter_field {
	/* If two names differ in case only, the one spelled as in the expression is taken, else the first. */
	const char *name;
	enum histree_type type; /* of its values; HISTREE_NULL if they may have different types */
	enum histree_filter_unit unit;
};

/* The fields that an expression can name; borrowed during histree_filter_create(). */
struct histree_filter_scope {
	const struct histree_filter_field *fields;
	size_t field_count;
	histree_time start, end; /* the origins of times that begin with + and of times of day */
};

struct histree_filter;

/*
 * Compile an expression.  Returns HISTREE_ERR_ARGUMENT if the text is not an expression or names a field that
 * does not exist; the message gives the column, in characters from 1, and what would be right.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_filter_create(const char *text,
									 const struct histree_filter_scope *scope,
									 struct histree_filter **out,
									 struct histree_error *error);

/*
 * Returns true if the values pass.  There is one value for each field of the scope, read only during the call;
 * fields that the expression does not name are not read.  Any number of threads may use one filter at a time.
 */
HISTREE_API bool histree_filter_match(const struct histree_filter *filter, const struct histree_value *values);

/*
 * Call `tell` with the name of each field in an expression, as "args[2]" in "args[2] > 4096", so that the caller
 * can make a scope of them; a name may come more than once, and is valid until the call of `tell` returns.
 * Errors in the expression are left to histree_filter_create().  Returns HISTREE_OK or HISTREE_ERR_MEMORY.
 */
HISTREE_API enum histree_status histree_filter_names(const char *text,
						     void (*tell)(void *context, const char *name), void *context,
						     struct histree_error *error);

/*
 * Copy the first text that stands alone in an expression, compared with no field, as "futex" in "tid == 5 &&
 * futex": it is looked for in all fields, which the writer may not have meant.  Returns false if there is no such
 * text.
 */
HISTREE_API bool histree_filter_lone_text(const char *text, char *out, size_t size);

/* Returns true if the expression names this field.  Only such fields need a value. */
HISTREE_API bool histree_filter_needs(const struct histree_filter *filter, size_t field);

/*
 * Narrow [*min, *max] to the integers that a field can have where the expression holds, as far as comparisons
 * joined by && say so.
 */
HISTREE_API void histree_filter_bounds(const struct histree_filter *filter, size_t field, int64_t *min,
				       int64_t *max);

/*
 * Returns false if the expression cannot hold, whatever the values of the fields that are not yet known;
 * `are_known` has a flag for each field.  Those values then need not be read.
 */
HISTREE_API bool histree_filter_may_pass(const struct histree_filter *filter, const struct histree_value *values,
					 const bool *are_known);

/* Free the filter, or do nothing if it is NULL. */
HISTREE_API void histree_filter_free(struct histree_filter *filter);

/* ==== window ================================================================================================== */

/*
 * The window of time that the comparisons of a question leave.
 *
 * An interval or a segment has a start and an end, and a comparison with either bounds both: what starts at x or
 * later also ends at x or later.  So all comparisons narrow one window: what ends at `from` or later and starts
 * at `to` or earlier.  These are the things that meet [from, to] or, where `from` is after `to`, that cover [to,
 * from].
 *
 * Threads: these functions keep no state; any thread may call them.
 */

struct histree_window {
	histree_time from, to; /* both inclusive */
	bool is_empty;         /* no time can satisfy the comparisons */
};

#define HISTREE_WINDOW_ALL                         \
	(struct histree_window)                    \
	{                                          \
		.from = INT64_MIN, .to = INT64_MAX \
	}

enum histree_comparison {
	HISTREE_EQUAL_TO,
	HISTREE_BELOW,
	HISTREE_AT_MOST,
	HISTREE_ABOVE,
	HISTREE_AT_LEAST,
};

/*
 * Narrow a window by "x comparison number", where x is the start or the end of the things asked for, or a time
 * that is both.  Doubles and numbers above the greatest int64 are compared as they are.  Null makes the window
 * empty, as nothing compares with it; a value that is not a number narrows nothing.
 */
HISTREE_API void histree_window_narrow(struct histree_window *window, enum histree_comparison comparison,
				       const struct histree_value *number);

/*
 * Make the window fit for a question about things between `start` and `end`: `from` is at most `to`.  What meets
 * the new window may be more than what met the old one, never less.  Returns false if nothing can meet it; the
 * window is then unchanged.
 */
HISTREE_API bool histree_window_fit(struct histree_window *window, histree_time start, histree_time end);

#endif
