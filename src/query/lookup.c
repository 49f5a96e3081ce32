// SPDX-License-Identifier: MIT
#include "histree/lookup.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/error.h"

/* ---- stacks ----------------------------------------------------------------------------------------- */

/* The sub-attribute of the slot of a depth that was found. */
static enum histree_status find_slot(const struct histree_query *query, histree_quark quark,
				     const struct histree_value *depth, histree_quark *slot,
				     struct histree_error *error)
{
	if (depth->type != HISTREE_INT)
		return error_set(error, HISTREE_ERR_TYPE,
				 "attribute %" PRIu32 " is no stack: a depth is an int, but this is a %s", quark,
				 histree_type_name(depth->type));
	char name[sizeof("-2147483648")];
	int size = snprintf(name, sizeof(name), "%" PRId32, depth->int32);
	const struct histree_attributes *attributes = histree_history_attributes(histree_query_history(query));
	if (depth->int32 < 0 || histree_attributes_child(attributes, quark, name, (size_t)size, slot) != HISTREE_OK)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "attribute %" PRIu32 " is no stack: its depth is %s, but it has no such "
				 "sub-attribute",
				 quark, name);
	return HISTREE_OK;
}

enum histree_status histree_lookup_stack_top(struct histree_query *query, histree_quark quark, histree_time t,
					     struct histree_interval *out, struct histree_error *error)
{
	histree_quark slot;
	enum histree_status status = histree_query_single(query, quark, t, out, error);
	if (status != HISTREE_OK || out->value.type == HISTREE_UNKNOWN)
		return status;
	if (out->value.type == HISTREE_NULL || (out->value.type == HISTREE_INT && out->value.int32 == 0))
		return HISTREE_NOT_FOUND;
	status = find_slot(query, quark, &out->value, &slot, error);
	return status == HISTREE_OK ? histree_query_single(query, slot, t, out, error) : status;
}

/* ---- the first value -------------------------------------------------------------------------------- */

/* Seldom more than two steps: what follows a null is another value, unless a file was put together of several. */
enum histree_status histree_lookup_first_value(struct histree_query *query, histree_quark quark, histree_time from,
					       histree_time to, struct histree_interval *out,
					       struct histree_error *error)
{
	if (from > to)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a range from %" PRId64 " to %" PRId64, from, to);
	const struct histree_history_info *info = histree_history_info(histree_query_history(query));
	if (to > info->end)
		return error_set(error, HISTREE_ERR_TIME_RANGE,
				 "time %" PRId64 " is outside the history, from %" PRId64 " to %" PRId64, to,
				 info->start, info->end);
	for (histree_time t = from;; t = out->end + 1) {
		enum histree_status status = histree_query_single(query, quark, t, out, error);
		if (status != HISTREE_OK || out->value.type != HISTREE_NULL)
			return status;
		if (out->end >= to)
			return HISTREE_NOT_FOUND;
	}
}

/* ---- numbers ---------------------------------------------------------------------------------------- */

static bool is_number(const struct histree_value *value)
{
	return value->type == HISTREE_INT || value->type == HISTREE_LONG ||
	       (value->type == HISTREE_DOUBLE && !isnan(value->real));
}

static long double number_of(const struct histree_value *value)
{
	if (value->type == HISTREE_INT)
		return value->int32;
	return value->type == HISTREE_LONG ? (long double)value->int64 : (long double)value->real;
}

/* An attribute has numbers of one type. */
static bool is_less(const struct histree_value *a, const struct histree_value *b)
{
	if (a->type == HISTREE_DOUBLE)
		return a->real < b->real;
	return a->type == HISTREE_INT ? a->int32 < b->int32 : a->int64 < b->int64;
}

/* The length of an interval inside the range. */
static uint64_t time_within(const struct histree_interval *interval, histree_time from, histree_time to)
{
	histree_time start = interval->start > from ? interval->start : from;
	histree_time end = interval->end < to ? interval->end : to;
	return (uint64_t)end - (uint64_t)start + 1;
}

/* The query must not go on with a region that was ours. */
static void forget(struct histree_query *query)
{
	const histree_quark none = 0;
	enum histree_status status =
		histree_query_start(query, &(struct histree_region){ .quarks = &none, .quark_count = 0 }, NULL);
	(void)status; /* nothing is asked for, so nothing can be wrong */
}

enum histree_status histree_lookup_numbers(struct histree_query *query, histree_quark quark, histree_time from,
					   histree_time to, struct histree_numbers *out,
					   struct histree_error *error)
{
	const struct histree_region region = { .quarks = &quark, .quark_count = 1, .from = from, .to = to };
	struct histree_interval interval;
	long double sum = 0;
	*out = (struct histree_numbers){ .min = histree_null(), .max = histree_null() };
	enum histree_status status = histree_query_start(query, &region, error);
	while (status == HISTREE_OK && (status = histree_query_next(query, &interval, error)) == HISTREE_OK) {
		uint64_t ns = time_within(&interval, from, to);
		if (!is_number(&interval.value)) {
			*(interval.value.type == HISTREE_UNKNOWN ? &out->unknown_ns : &out->other_ns) += ns;
			continue;
		}
		if (out->states == 0 || is_less(&interval.value, &out->min))
			out->min = interval.value;
		if (out->states == 0 || is_less(&out->max, &interval.value))
			out->max = interval.value;
		out->states++;
		out->number_ns += ns;
		sum += number_of(&interval.value) * (long double)ns;
	}
	if (out->number_ns > 0)
		out->mean = (double)(sum / (long double)out->number_ns);
	if (status == HISTREE_END)
		return HISTREE_OK;
	forget(query);
	return status;
}
