// SPDX-License-Identifier: MIT
#include "histree/window.h"

#include <math.h>

static void at_least(struct histree_window *window, int64_t bound)
{
	if (window->from < bound)
		window->from = bound;
}

static void at_most(struct histree_window *window, int64_t bound)
{
	if (window->to > bound)
		window->to = bound;
}

static void narrow_by_integer(struct histree_window *window, enum histree_comparison comparison, int64_t bound)
{
	switch (comparison) {
	case HISTREE_EQUAL_TO:
		at_least(window, bound);
		at_most(window, bound);
		break;
	case HISTREE_AT_LEAST:
		at_least(window, bound);
		break;
	case HISTREE_AT_MOST:
		at_most(window, bound);
		break;
	case HISTREE_ABOVE:
		if (bound == INT64_MAX)
			window->is_empty = true;
		else
			at_least(window, bound + 1);
		break;
	case HISTREE_BELOW:
		if (bound == INT64_MIN)
			window->is_empty = true;
		else
			at_most(window, bound - 1);
		break;
	}
}

/* The bound is above every int64, or with `is_below` below every one. */
static void narrow_by_infinite(struct histree_window *window, enum histree_comparison comparison, bool is_below)
{
	bool holds = is_below ? comparison == HISTREE_ABOVE || comparison == HISTREE_AT_LEAST
			      : comparison == HISTREE_BELOW || comparison == HISTREE_AT_MOST;
	if (!holds)
		window->is_empty = true;
}

/* 2^63, the first number that is no int64. */
static const double limit = 9223372036854775808.0;

static void narrow_by_real(struct histree_window *window, enum histree_comparison comparison, double bound)
{
	if (isnan(bound))
		window->is_empty = true;
	else if (bound >= limit || bound < -limit)
		narrow_by_infinite(window, comparison, bound < 0);
	else if (bound == floor(bound))
		narrow_by_integer(window, comparison, (int64_t)bound);
	else if (comparison == HISTREE_EQUAL_TO)
		window->is_empty = true;
	else if (comparison == HISTREE_ABOVE || comparison == HISTREE_AT_LEAST)
		narrow_by_integer(window, HISTREE_ABOVE, (int64_t)floor(bound));
	else
		narrow_by_integer(window, HISTREE_AT_MOST, (int64_t)floor(bound));
}

void histree_window_narrow(struct histree_window *window, enum histree_comparison comparison,
			   const struct histree_value *number)
{
	switch (number->type) {
	case HISTREE_NULL:
		window->is_empty = true;
		break;
	case HISTREE_INT:
		narrow_by_integer(window, comparison, number->int32);
		break;
	case HISTREE_LONG:
		if (number->size == HISTREE_UNSIGNED)
			narrow_by_infinite(window, comparison, false);
		else
			narrow_by_integer(window, comparison, number->int64);
		break;
	case HISTREE_DOUBLE:
		narrow_by_real(window, comparison, number->real);
		break;
	case HISTREE_BOOL:
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
	case HISTREE_UNKNOWN:
		break;
	}
}

bool histree_window_fit(struct histree_window *window, histree_time start, histree_time end)
{
	if (window->is_empty || window->from > end || window->to < start)
		return false;
	at_least(window, start);
	at_most(window, end);
	if (window->from > window->to) /* what covers both covers one of them */
		window->from = window->to;
	return true;
}
