// SPDX-License-Identifier: MIT
#include "sql/sql_window.h"

#include <math.h>

static void at_least(struct sql_window *window, int64_t bound)
{
	if (window->from < bound)
		window->from = bound;
}

static void at_most(struct sql_window *window, int64_t bound)
{
	if (window->to > bound)
		window->to = bound;
}

static void nothing(struct sql_window *window)
{
	window->is_empty = true;
}

static void narrow_by_integer(struct sql_window *window, enum sql_operator operator, int64_t bound)
{
	if (operator== SQL_EQUAL || operator== SQL_AT_LEAST)
		at_least(window, bound);
	if (operator== SQL_EQUAL || operator== SQL_AT_MOST)
		at_most(window, bound);
	if (operator== SQL_GREATER && bound == INT64_MAX)
		nothing(window);
	else if (operator== SQL_GREATER)
		at_least(window, bound + 1);
	if (operator== SQL_LESS && bound == INT64_MIN)
		nothing(window);
	else if (operator== SQL_LESS)
		at_most(window, bound - 1);
}

/* 2^63, the first number that is no int64. */
static const double limit = 9223372036854775808.0;

static void narrow_by_real(struct sql_window *window, enum sql_operator operator, double bound)
{
	bool wants_less = operator== SQL_LESS || operator== SQL_AT_MOST;
	bool wants_more = operator== SQL_GREATER || operator== SQL_AT_LEAST;
	if (bound >= limit) {
		if (!wants_less)
			nothing(window);
	} else if (bound < -limit) {
		if (!wants_more)
			nothing(window);
	} else if (bound == floor(bound)) {
		narrow_by_integer(window, operator,(int64_t) bound);
	} else if (wants_more) {
		at_least(window, (int64_t)floor(bound) + 1);
	} else if (wants_less) {
		at_most(window, (int64_t)floor(bound));
	} else if (operator== SQL_EQUAL) {
		nothing(window);
	}
}

void sql_window_narrow(struct sql_window *window, enum sql_operator operator, sqlite3_value * value)
{
	switch (sqlite3_value_numeric_type(value)) {
	case SQLITE_NULL:
		nothing(window);
		break;
	case SQLITE_INTEGER:
		narrow_by_integer(window, operator, sqlite3_value_int64(value));
		break;
	case SQLITE_FLOAT:
		narrow_by_real(window, operator, sqlite3_value_double(value));
		break;
	default:
		break;
	}
}

bool sql_window_fit(struct sql_window *window, int64_t start, int64_t end)
{
	if (window->is_empty || window->from > end || window->to < start)
		return false;
	at_least(window, start);
	at_most(window, end);
	if (window->from > window->to) /* what covers both covers one of them */
		window->from = window->to;
	return true;
}
